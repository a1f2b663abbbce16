# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Steadfast authors
# Small programs that use the library as others do: by its header alone.
# tests/examples/ runs them.

STF_EXAMPLES = %D%/lu$(EXEEXT) %D%/sgemm$(EXEEXT)
EXTRA_PROGRAMS += %D%/lu %D%/sgemm
CLEANFILES += $(STF_EXAMPLES)
tests/examples/gemm.log: $(STF_EXAMPLES)
%C%_lu_SOURCES = %D%/lu.c
%C%_lu_LDADD = libsteadfast.la -lm
%C%_sgemm_SOURCES = %D%/sgemm.c
%C%_sgemm_LDADD = libsteadfast.la

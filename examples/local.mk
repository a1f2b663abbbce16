# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Steadfast authors
# Examples: programs as a user writes them, with the public header only.
# examples.test and tests/examples/gemm.test run them.

noinst_PROGRAMS += %D%/poisson3d %D%/denoise %D%/spectrogram %D%/lu %D%/sgemm
%C%_poisson3d_SOURCES = %D%/poisson3d.c
%C%_poisson3d_LDADD = libsteadfast.la -lm
%C%_denoise_SOURCES = %D%/denoise.c
%C%_denoise_LDADD = libsteadfast.la -lm
%C%_spectrogram_SOURCES = %D%/spectrogram.c
%C%_spectrogram_LDADD = libsteadfast.la -lm
%C%_lu_SOURCES = %D%/lu.c
%C%_lu_LDADD = libsteadfast.la -lm
%C%_sgemm_SOURCES = %D%/sgemm.c
%C%_sgemm_LDADD = libsteadfast.la

examplesdir = $(docdir)/examples
examples_DATA = %D%/poisson3d.c %D%/denoise.c %D%/spectrogram.c %D%/lu.c \
	%D%/sgemm.c

dist_check_SCRIPTS += %D%/examples.test

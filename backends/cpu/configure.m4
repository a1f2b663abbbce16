# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Steadfast authors
# The CPU backend: always there; what varies is its instruction sets. Probes
# are included by name, since aclocal does not look for macros in this file.
m4_include([m4/stf_vector_ext.m4])
m4_include([m4/stf_x86_isa.m4])
m4_include([m4/stf_no_hoisting.m4])
STF_VECTOR_EXT
STF_X86_ISA
STF_NO_HOISTING
stf_backend_cpu=yes
stf_reason_backend_cpu=

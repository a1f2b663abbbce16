# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Steadfast authors
# The HIP backend: built wherever shared libraries can be loaded. The probe is
# included by name, since aclocal does not look for macros in this file.
m4_include([m4/stf_hip.m4])
STF_HIP
STF_HIP_COMPILER

# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Steadfast authors
# The HIP backend: its runtime and run-time compiler are loaded, not linked.

EXTRA_DIST += %D%/configure.m4
STF_HIP_SOURCES = \
	%D%/codeobj.c %D%/codeobj.h \
	%D%/hip_api.def %D%/hip_api.h \
	%D%/hip_backend.c %D%/hip_backend.h \
	%D%/hip_describe.c \
	%D%/hip_driver.c %D%/hip_driver.h \
	%D%/hip_kernel.c \
	%D%/hip_options.h \
	%D%/hip_queue.c \
	%D%/hip_rt.c %D%/hip_rt.h \
	%D%/hip_rtc.c %D%/hip_rtc.h \
	%D%/hiprtc_api.def

if HAVE_HIP
libstf_all_la_SOURCES += $(STF_HIP_SOURCES)
else
EXTRA_DIST += $(STF_HIP_SOURCES)
endif

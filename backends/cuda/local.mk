# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Steadfast authors
# The CUDA backend: its driver and run-time compiler are loaded, not linked.

EXTRA_DIST += %D%/configure.m4
STF_CUDA_SOURCES = \
	%D%/cubin.c %D%/cubin.h \
	%D%/cuda_api.def %D%/cuda_api.h \
	%D%/cuda_backend.c %D%/cuda_backend.h \
	%D%/cuda_describe.c \
	%D%/cuda_driver.c %D%/cuda_driver.h \
	%D%/cuda_kernel.c \
	%D%/cuda_queue.c \
	%D%/cuda_rt.c %D%/cuda_rt.h \
	%D%/cuda_rtc.c %D%/cuda_rtc.h \
	%D%/nvrtc_api.def

if HAVE_CUDA
libstf_all_la_SOURCES += $(STF_CUDA_SOURCES)
else
EXTRA_DIST += $(STF_CUDA_SOURCES)
endif

# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Steadfast authors
# What the GPU backends share on the host: C, without any vendor's header.

noinst_LTLIBRARIES += libstf_gpu.la
libstf_gpu_la_SOURCES = \
	%D%/cache.c %D%/cache.h \
	%D%/cache_dir.c %D%/cache_dir.h \
	%D%/cache_entry.c %D%/cache_entry.h \
	%D%/cache_tidy.c \
	%D%/files.h \
	%D%/gpu_rt.h \
	%D%/images.c %D%/images.h \
	%D%/spec.h
# The cache that `make install` fills.
libstf_gpu_la_CPPFLAGS = $(AM_CPPFLAGS) \
	-DSTF_SITE_CACHE='"$(pkglibdir)/kernels"'

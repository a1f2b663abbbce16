# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Steadfast authors
# What the GPU backends share. No vendor's header or library is needed here.

# The kernel sources, compiled at run time, so embedded in the library.
STF_GPU_KERNELS = \
	%D%/kernels/ahead.h \
	%D%/kernels/args.h \
	%D%/kernels/butterfly.h \
	%D%/kernels/check.h \
	%D%/kernels/complex.h \
	%D%/kernels/entry.h \
	%D%/kernels/group.h \
	%D%/kernels/memory.h \
	%D%/kernels/modify.h \
	%D%/kernels/ops.h \
	%D%/kernels/packed.h \
	%D%/kernels/real.h \
	%D%/kernels/relay.h \
	%D%/kernels/thread.h \
	%D%/kernels/tile.h \
	%D%/kernels/transform.h \
	%D%/kernels/two.h \
	%D%/kernels/vendor.h \
	%D%/kernels/verdict.h \
	%D%/kernels/weigh.h \
	%D%/kernels/weigh_args.h

# A library of its own, for it knows where `make install` puts kernels.
noinst_LTLIBRARIES += libstf_gpu.la
libstf_all_la_LIBADD += libstf_gpu.la
libstf_gpu_la_CPPFLAGS = $(AM_CPPFLAGS) \
	-DSTF_SITE_CACHE='"$(pkglibdir)/kernels"'
libstf_gpu_la_SOURCES = \
	$(STF_GPU_KERNELS) \
	%D%/aot.def \
	%D%/archs.def \
	%D%/host/archs.c %D%/host/archs.h \
	%D%/host/cache.c %D%/host/cache.h \
	%D%/host/cache_dir.c %D%/host/cache_dir.h \
	%D%/host/cache_entry.c %D%/host/cache_entry.h \
	%D%/host/cache_tidy.c \
	%D%/host/divisor.h \
	%D%/host/exec.c \
	%D%/host/files.h \
	%D%/host/gpu_backend.c %D%/host/gpu_backend.h \
	%D%/host/gpu_ctx.h \
	%D%/host/gpu_rt.h \
	%D%/host/images.c %D%/host/images.h \
	%D%/host/kernel_set.c %D%/host/kernel_set.h \
	%D%/host/kernels.c \
	%D%/host/layout.c %D%/host/layout.h \
	%D%/host/protect.c %D%/host/protect.h \
	%D%/host/spec.c %D%/host/spec.h \
	%D%/host/tables.c %D%/host/tables.h \
	%D%/host/tickets.c %D%/host/tickets.h \
	%D%/host/weigh.c %D%/host/weigh.h
nodist_libstf_gpu_la_SOURCES = %D%/host/files.c

EXTRA_DIST += build-aux/embed.sh %D%/aot.def
BUILT_SOURCES += %D%/host/files.c
CLEANFILES += %D%/host/files.c

%D%/host/files.c: build-aux/embed.sh $(STF_GPU_KERNELS)
	$(AM_V_GEN)$(MKDIR_P) %D%/host && files= && \
	for file in $(STF_GPU_KERNELS); do \
		test -r "$$file" || file=$(srcdir)/$$file; \
		files="$$files $$file"; \
	done && $(SHELL) $(srcdir)/build-aux/embed.sh $$files >$@.tmp && \
	mv -f $@.tmp $@

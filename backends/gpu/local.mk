# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Steadfast authors
# What the GPU backends share. No vendor's header or library is needed here.

# The kernel sources, compiled at run time, so embedded in the library.
STF_GPU_KERNELS = \
	%D%/kernels/args.h

libstf_all_la_SOURCES += \
	$(STF_GPU_KERNELS) \
	%D%/host/files.h \
	%D%/host/gpu_rt.h \
	%D%/host/images.h \
	%D%/host/spec.h

EXTRA_DIST += build-aux/embed.sh
BUILT_SOURCES += %D%/host/files.c
CLEANFILES += %D%/host/files.c
nodist_libstf_all_la_SOURCES = %D%/host/files.c

%D%/host/files.c: build-aux/embed.sh $(STF_GPU_KERNELS)
	$(AM_V_GEN)$(MKDIR_P) %D%/host && files= && \
	for file in $(STF_GPU_KERNELS); do \
		test -r "$$file" || file=$(srcdir)/$$file; \
		files="$$files $$file"; \
	done && $(SHELL) $(srcdir)/build-aux/embed.sh $$files >$@.tmp && \
	mv -f $@.tmp $@

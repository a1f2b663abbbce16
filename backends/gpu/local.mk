# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Steadfast authors
# What the GPU backends share. No vendor's header or library is needed here.

# The kernel sources, compiled at run time, so embedded in the library.
STF_GPU_KERNELS = \
	%D%/kernels/arch/async_sm80.h \
	%D%/kernels/arch/bulk_sm90.h \
	%D%/kernels/arch/groups_sm90.h \
	%D%/kernels/arch/cuda.h \
	%D%/kernels/arch/cuda_memory.h \
	%D%/kernels/arch/hip.h \
	%D%/kernels/arch/hip_memory.h \
	%D%/kernels/arch/host.h \
	%D%/kernels/arch/runtime.h \
	%D%/kernels/arch/units_gfx90a.h \
	%D%/kernels/arch/units_sm75.h \
	%D%/kernels/arch/vendor.h \
	%D%/kernels/common/complex.h \
	%D%/kernels/common/half.h \
	%D%/kernels/common/types.h \
	%D%/kernels/end_to_end/elements.h \
	%D%/kernels/end_to_end/gather.h \
	%D%/kernels/end_to_end/weighed.h \
	%D%/kernels/end_to_end/end_to_end.h \
	%D%/kernels/end_to_end/end_to_end_args.h \
	%D%/kernels/fft/ahead.h \
	%D%/kernels/fft/direct.h \
	%D%/kernels/fft/args.h \
	%D%/kernels/fft/butterfly.h \
	%D%/kernels/fft/columns.h \
	%D%/kernels/fft/copied.h \
	%D%/kernels/fft/fold.h \
	%D%/kernels/fft/half_complex.h \
	%D%/kernels/fft/lane.h \
	%D%/kernels/fft/matrix.h \
	%D%/kernels/fft/matrix_stages.h \
	%D%/kernels/fft/memory.h \
	%D%/kernels/fft/modify.h \
	%D%/kernels/fft/ops.h \
	%D%/kernels/fft/packed.h \
	%D%/kernels/fft/packed_two.h \
	%D%/kernels/fft/placed.h \
	%D%/kernels/fft/prefetch.h \
	%D%/kernels/fft/seats.h \
	%D%/kernels/fft/swapped.h \
	%D%/kernels/fft/spectrum_rows.h \
	%D%/kernels/fft/sweeps.h \
	%D%/kernels/fft/long_pairs.h \
	%D%/kernels/fft/real.h \
	%D%/kernels/fft/tile.h \
	%D%/kernels/fft/transform.h \
	%D%/kernels/fft/balance.h \
	%D%/kernels/fft/twiddles.h \
	%D%/kernels/fft/two.h \
	%D%/kernels/fft/row_words.h \
	%D%/kernels/fft/unit_rows.h \
	%D%/kernels/fft/unit16.h \
	%D%/kernels/fft/unit8.h \
	%D%/kernels/fft/watch.h \
	%D%/kernels/gemm/check.h \
	%D%/kernels/gemm/encode.h \
	%D%/kernels/gemm/gemm_args.h \
	%D%/kernels/gemm/halve.h \
	%D%/kernels/gemm/load.h \
	%D%/kernels/gemm/load_half.h \
	%D%/kernels/gemm/loop.h \
	%D%/kernels/gemm/loop_group.h \
	%D%/kernels/gemm/predict_group.h \
	%D%/kernels/gemm/predict_half.h \
	%D%/kernels/gemm/prepare.h \
	%D%/kernels/gemm/settle.h \
	%D%/kernels/gemm/shape.h \
	%D%/kernels/gemm/own_sums.h \
	%D%/kernels/gemm/slabs.h \
	%D%/kernels/gemm/split.h \
	%D%/kernels/gemm/step.h \
	%D%/kernels/gemm/step_half.h \
	%D%/kernels/gemm/store.h \
	%D%/kernels/gemm/strike.h \
	%D%/kernels/gemm/arbiter.h \
	%D%/kernels/gemm/two_sided.h \
	%D%/kernels/gemm/verdict.h \
	%D%/kernels/gemm/warp_sums.h \
	%D%/kernels/gemm/weighed.h \
	%D%/kernels/protect/from_memory.h \
	%D%/kernels/protect/from_memory_real.h \
	%D%/kernels/protect/second_read.h \
	%D%/kernels/protect/signature.h \
	%D%/kernels/protect/signed_ends.h \
	%D%/kernels/protect/words.h \
	%D%/kernels/protect/each_wave.h \
	%D%/kernels/protect/group.h \
	%D%/kernels/protect/judge.h \
	%D%/kernels/protect/observe.h \
	%D%/kernels/protect/observe_real.h \
	%D%/kernels/protect/pairs.h \
	%D%/kernels/protect/persistent.h \
	%D%/kernels/protect/sums.h \
	%D%/kernels/protect/thread.h \
	%D%/kernels/protect/tiles.h \
	%D%/kernels/protect/trial.h \
	%D%/kernels/protect/vectors.h \
	%D%/kernels/protect/verdict.h \
	%D%/kernels/entry_end_to_end.h \
	%D%/kernels/entry_fft.h \
	%D%/kernels/entry_gemm.h \
	%D%/kernels/entry_protected.h \
	lib/ft/counters.def \
	lib/ft/outcome.h

# A library of its own, for it knows where `make install` puts kernels.
noinst_LTLIBRARIES += libstf_gpu.la
libstf_all_la_LIBADD += libstf_gpu.la
libstf_gpu_la_CPPFLAGS = $(AM_CPPFLAGS) \
	-DSTF_SITE_CACHE='"$(pkglibdir)/kernels"'
libstf_gpu_la_SOURCES = \
	$(STF_GPU_KERNELS) \
	%D%/aot.def \
	%D%/archs.def \
	%D%/host/device/archs.c %D%/host/device/archs.h \
	%D%/host/cache/cache.c %D%/host/cache/cache.h \
	%D%/host/cache/cache_dir.c %D%/host/cache/cache_dir.h \
	%D%/host/cache/cache_entry.c %D%/host/cache/cache_entry.h \
	%D%/host/cache/cache_tidy.c \
	%D%/host/cache/compiler_note.c %D%/host/cache/compiler_note.h \
	%D%/host/fft/defines.c %D%/host/fft/defines.h \
	%D%/host/fft/divisor.h \
	%D%/host/fft/exec.c %D%/host/fft/exec.h \
	%D%/host/gemm/gemm_arguments.c \
	%D%/host/gemm/gemm_exec.c %D%/host/gemm/gemm_exec.h \
	%D%/host/gemm/gemm_expected.c %D%/host/gemm/gemm_parts.h \
	%D%/host/gemm/gemm_kernels.c %D%/host/gemm/gemm_kernels.h \
	%D%/host/gemm/gemm_spec.c %D%/host/gemm/gemm_spec.h \
	%D%/host/kernels/family.c %D%/host/kernels/family.h \
	%D%/host/kernels/files.h \
	%D%/host/device/gpu_backend.c %D%/host/device/gpu_backend.h \
	%D%/host/device/gpu_ctx.h \
	%D%/host/device/gpu_rt.h \
	%D%/host/kernels/images.c %D%/host/kernels/images.h \
	%D%/host/kernels/kernel_set.c %D%/host/kernels/kernel_set.h \
	%D%/host/kernels/kernels.c \
	%D%/host/kernels/source.c %D%/host/kernels/source.h \
	%D%/host/fft/protect.c %D%/host/fft/protect.h \
	%D%/host/fft/spec.c %D%/host/fft/spec.h \
	%D%/host/fft/check_tables.c %D%/host/fft/table_maker.h \
	%D%/host/fft/tables.c %D%/host/fft/tables.h \
	%D%/host/fft/tables_borrow.c \
	%D%/host/fft/tile_counters.c %D%/host/fft/tile_counters.h \
	%D%/host/end_to_end/e2e_kernels.c \
	%D%/host/end_to_end/end_to_end.c %D%/host/end_to_end/end_to_end.h
nodist_libstf_gpu_la_SOURCES = %D%/host/kernels/files.c

EXTRA_DIST += build-aux/embed.sh %D%/aot.def
BUILT_SOURCES += %D%/host/kernels/files.c
CLEANFILES += %D%/host/kernels/files.c

%D%/host/kernels/files.c: build-aux/embed.sh %D%/local.mk \
		$(STF_GPU_KERNELS)
	$(AM_V_GEN)$(MKDIR_P) %D%/host/kernels && files= && \
	for file in $(STF_GPU_KERNELS); do \
		test -r "$$file" || file=$(srcdir)/$$file; \
		files="$$files $$file"; \
	done && $(SHELL) $(srcdir)/build-aux/embed.sh $$files >$@.tmp && \
	mv -f $@.tmp $@

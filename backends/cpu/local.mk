# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Steadfast authors
# The CPU backend: the parts made once, and the kernels, whose one source is
# compiled for each instruction set.

EXTRA_DIST += %D%/configure.m4
libstf_all_la_SOURCES += \
	%D%/fft/butterfly.h \
	%D%/compact/compact.h %D%/compact/compact_real.h \
	%D%/compact/compact_sides.h \
	%D%/compact/compact_stage.h \
	%D%/compact/compact_isa.c \
	%D%/compact/cpu_compact.c %D%/compact/cpu_compact.h \
	%D%/compact/cpu_few.c %D%/compact/cpu_few.h \
	%D%/compact/cpu_few_axes.c %D%/compact/cpu_few_axes.h \
	%D%/compact/cpu_grid.c %D%/compact/cpu_grid.h \
	%D%/compact/cpu_rows.c %D%/compact/cpu_rows.h \
	%D%/compact/cpu_kind.c %D%/compact/cpu_kind.h \
	%D%/compact/cpu_one.c %D%/compact/cpu_one.h \
	%D%/compact/cpu_one_store.h \
	%D%/compact/cpu_reals.c %D%/compact/cpu_reals.h \
	%D%/compact/cpu_shape.c %D%/compact/cpu_shape.h \
	%D%/compact/cpu_choose.c %D%/compact/cpu_choose.h \
	%D%/compact/cpu_conv.c %D%/compact/cpu_conv.h \
	%D%/compact/cpu_step.c %D%/compact/cpu_step.h \
	%D%/compact/cpu_turns.c %D%/compact/cpu_turns.h \
	%D%/compact/few.h %D%/compact/long_butterfly.h \
	%D%/compact/grid.h %D%/compact/rows.h \
	%D%/compact/one.h %D%/compact/one_pairs.h %D%/compact/reals.h \
	%D%/compact/reals_pairs.h %D%/compact/reals_plain.h \
	%D%/compact/reals_whole.h \
	%D%/compact/conv.h %D%/compact/split.h \
	%D%/cpu_backend.c %D%/cpu_backend.h \
	%D%/cpu_caps.c %D%/cpu_caps.h \
	%D%/fft/conv_ops.h \
	%D%/protect/cpu_check.c %D%/protect/cpu_check.h \
	%D%/cpu_exec.c %D%/cpu_exec.h \
	%D%/cpu_exec_checks.c %D%/cpu_executable.h \
	%D%/cpu_exec_alone.c %D%/cpu_exec_bare.c \
	%D%/cpu_exec_brief.c \
	%D%/cpu_exec_part.c %D%/cpu_exec_part.h %D%/cpu_exec_shared.c %D%/cpu_exec_twice.c \
	%D%/cpu_exec_whole.c %D%/cpu_exec_whole.h \
	%D%/cpu_threads.c %D%/cpu_threads.h \
	%D%/protect/cpu_group.c %D%/protect/cpu_group.h \
	%D%/protect/cpu_guard.c %D%/protect/cpu_guard.h \
	%D%/protect/cpu_places.c %D%/protect/cpu_places.h \
	%D%/protect/cpu_signature.c %D%/protect/cpu_signature.h \
	%D%/protect/cpu_spread.c %D%/protect/cpu_spread.h \
	%D%/protect/cpu_whole.c %D%/protect/cpu_whole.h \
	%D%/protect/cpu_whole_tables.c %D%/protect/cpu_whole_tables.h \
	%D%/cpu_isa.c \
	%D%/cpu_pass.h \
	%D%/cpu_transform.c %D%/cpu_transform.h \
	%D%/fft/cpu_maps.c %D%/fft/cpu_maps.h \
	%D%/fft/cpu_tables.c %D%/fft/cpu_tables.h \
	%D%/gemm/candidates.c \
	%D%/gemm/cpu_gemm.c %D%/gemm/cpu_gemm.h \
	%D%/gemm/finish.h \
	%D%/gemm/gemm.h \
	%D%/gemm/gemm_exec.h \
	%D%/gemm/gemm_isa.c \
	%D%/gemm/gemm_kernels.h \
	%D%/gemm/gemm_offline.c \
	%D%/gemm/gemm_run.c \
	%D%/gemm/gemm_settle.c \
	%D%/gemm/apart.h %D%/gemm/halves.h \
	%D%/gemm/micro.h \
	%D%/gemm/pack.h \
	%D%/gemm/strike_steps.h \
	%D%/gemm/weigh.h \
	%D%/gemm/weigh_stored.h \
	%D%/protect/finish.h \
	%D%/protect/groups.h \
	%D%/protect/guard.h \
	%D%/protect/guarded.h \
	%D%/simd/f32.h %D%/simd/f64.h %D%/simd/f80.h %D%/simd/half.h \
	%D%/simd/half_convert.h \
	%D%/simd/isa.h %D%/simd/isas.h \
	%D%/fft/kernel.h \
	%D%/fft/pairs.h \
	%D%/fft/hc_pairs.h \
	%D%/protect/places.h \
	%D%/fft/placed.h \
	%D%/fft/lane_numbers.h \
	%D%/fft/placed_lanes.h \
	%D%/fft/placed_same.h \
	%D%/protect/bracket.h %D%/protect/checked_lanes.h \
	%D%/protect/bracket_sums.h \
	%D%/protect/joint.h \
	%D%/protect/pass_probe.h \
	%D%/protect/signature.h \
	%D%/protect/memory_sums.h \
	%D%/protect/row_weighing.h \
	%D%/protect/probe.h \
	%D%/fft/real_butterfly.h \
	%D%/fft/real_ops.h \
	%D%/fft/real_rows.h \
	%D%/fft/real_squares.h \
	%D%/fft/scale.h \
	%D%/fft/held_reals.h %D%/fft/short_reals.h %D%/fft/short_rows.h \
	%D%/sums/many_rows.h %D%/sums/row_sums.h \
	%D%/sums/row_sums_isa.c %D%/sums/row_sums_isa.h \
	%D%/simd/pairs.h %D%/simd/prefetch.h %D%/simd/quarters.h %D%/simd/simd.h \
	%D%/simd/stored.h \
	%D%/fft/stage.h \
	%D%/fft/stages.h \
	%D%/protect/strike.h \
	%D%/protect/sums.h \
	%D%/fft/tile.h \
	%D%/fft/tile_load.h \
	%D%/fft/tile_read.h \
	%D%/fft/tile_store.h \
	%D%/protect/tile_check.h \
	%D%/protect/twiddled_rows.h \
	%D%/protect/verdict.h \
	%D%/protect/row_joints.h %D%/protect/row_lanes.h \
	%D%/protect/row_pieces.h %D%/protect/whole_row.h \
	%D%/protect/whole_sums.h

# Fused multiply-adds may be formed within a C expression and nowhere else
# (never -ffast-math). -Wno-psabi: vectors are passed between functions of one
# file only, so that it does not matter how compilers of other versions do it.
STF_KERNEL_CFLAGS = $(AM_CFLAGS) -ffp-contract=fast -Wno-psabi \
	$(STF_NO_HOISTING_CFLAGS)

noinst_LTLIBRARIES += libstf_cpu_base.la
libstf_cpu_base_la_SOURCES = \
	%D%/compact/one_f32_4.c %D%/compact/one_f64_2.c \
	%D%/compact/one_pairs_f32.c %D%/compact/one_pairs_f64.c \
	%D%/compact/compact_f32.c \
	%D%/compact/compact_f64.c \
	%D%/compact/few_f32.c %D%/compact/few_f64.c \
	%D%/compact/reals_f32.c %D%/compact/reals_f64.c \
	%D%/gemm/gemm_f32.c \
	%D%/gemm/gemm_f64.c \
	%D%/gemm/gemm_f80.c \
	%D%/fft/kernel_f32.c \
	%D%/fft/kernel_f64.c \
	%D%/fft/kernel_f80.c \
	%D%/fft/kernel_half.c \
	%D%/protect/whole_f32.c \
	%D%/protect/whole_f64.c \
	%D%/sums/row_sums_f32.c \
	%D%/sums/row_sums_f64.c
libstf_cpu_base_la_CPPFLAGS = $(AM_CPPFLAGS) -DSTFI_ISA=base
libstf_cpu_base_la_CFLAGS = $(STF_KERNEL_CFLAGS)
libstf_all_la_LIBADD += libstf_cpu_base.la

if STF_ISA_AVX2
noinst_LTLIBRARIES += libstf_cpu_avx2.la
libstf_cpu_avx2_la_SOURCES = \
	%D%/compact/one_f32_4.c %D%/compact/one_f32_8.c \
	%D%/compact/one_f64_4.c \
	%D%/compact/one_pairs_f32.c %D%/compact/one_pairs_f64.c \
	%D%/compact/compact_f32.c %D%/compact/compact_f64.c \
	%D%/compact/grid_f32.c %D%/compact/grid_f64.c \
	%D%/compact/few_f32.c %D%/compact/few_f64.c \
	%D%/compact/rows_f64.c \
	%D%/compact/reals_f32.c %D%/compact/reals_f64.c \
	%D%/fft/kernel_f32.c %D%/fft/kernel_f64.c \
	%D%/fft/kernel_half.c \
	%D%/gemm/gemm_f32.c %D%/gemm/gemm_f64.c \
	%D%/protect/whole_f32.c %D%/protect/whole_f64.c \
	%D%/sums/row_sums_f32.c %D%/sums/row_sums_f64.c
libstf_cpu_avx2_la_CPPFLAGS = $(AM_CPPFLAGS) -DSTFI_ISA=avx2
libstf_cpu_avx2_la_CFLAGS = $(STF_KERNEL_CFLAGS) $(STF_AVX2_CFLAGS)
libstf_all_la_LIBADD += libstf_cpu_avx2.la
endif

if STF_ISA_AVX512
noinst_LTLIBRARIES += libstf_cpu_avx512.la
libstf_cpu_avx512_la_SOURCES = \
	%D%/compact/one_f32_4.c %D%/compact/one_f32_8.c \
	%D%/compact/one_f32_16.c \
	%D%/compact/one_f64_4.c %D%/compact/one_f64_8.c \
	%D%/compact/compact_f32.c %D%/compact/compact_f64.c \
	%D%/compact/grid_f32.c %D%/compact/grid_f64.c \
	%D%/compact/few_f32.c %D%/compact/few_f64.c \
	%D%/compact/rows_f64.c \
	%D%/compact/reals_f32.c %D%/compact/reals_f64.c \
	%D%/fft/kernel_f32.c %D%/fft/kernel_f64.c \
	%D%/fft/kernel_half.c \
	%D%/gemm/gemm_f32.c %D%/gemm/gemm_f64.c \
	%D%/protect/whole_f32.c %D%/protect/whole_f64.c \
	%D%/sums/row_sums_f32.c %D%/sums/row_sums_f64.c
libstf_cpu_avx512_la_CPPFLAGS = $(AM_CPPFLAGS) -DSTFI_ISA=avx512
libstf_cpu_avx512_la_CFLAGS = $(STF_KERNEL_CFLAGS) $(STF_AVX512_CFLAGS)
libstf_all_la_LIBADD += libstf_cpu_avx512.la
endif

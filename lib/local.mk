# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Steadfast authors
# The core, and the library that is installed.

# Everything as one convenience library: what is installed, the command and
# the tests (which look inside) are all made from it.
noinst_LTLIBRARIES += libstf_all.la
libstf_all_la_SOURCES = \
	%D%/base/alloc.c %D%/base/alloc.h \
	%D%/base/effort.c %D%/base/effort.h \
	%D%/base/env.c %D%/base/env.h \
	%D%/base/file.c %D%/base/file.h \
	%D%/base/folder.c %D%/base/folder.h \
	%D%/base/fp_env.h \
	%D%/base/ft_desc.c %D%/base/ft_desc.h \
	%D%/base/half.h %D%/base/half_bits.h \
	%D%/base/hash.c %D%/base/hash.h \
	%D%/base/library.c %D%/base/library.h \
	%D%/base/random.h \
	%D%/base/status.c %D%/base/status.h \
	%D%/base/team.c %D%/base/team.h \
	%D%/base/team_room.c %D%/base/team_room.h \
	%D%/base/text.c %D%/base/text.h \
	%D%/base/type.c %D%/base/type.h \
	%D%/base/types.def \
	%D%/base/versions.h \
	%D%/device/caps.c %D%/device/caps.h \
	%D%/device/presets.def \
	%D%/device/tuning.c %D%/device/tuning.h \
	%D%/device/tuning.def \
	%D%/fft/builder.h \
	%D%/fft/candidates.c %D%/fft/candidates.h \
	%D%/fft/choice.c %D%/fft/choice.h \
	%D%/fft/cost.c %D%/fft/cost.h \
	%D%/fft/desc.c %D%/fft/desc.h \
	%D%/fft/factor.c %D%/fft/factor.h \
	%D%/fft/gpu/choose.c \
	%D%/fft/gpu/config.def %D%/fft/gpu/config.h \
	%D%/fft/gpu/config_text.c \
	%D%/fft/gpu/layout.c %D%/fft/gpu/layout.h \
	%D%/fft/gpu/memory_map.c %D%/fft/gpu/memory_map.h \
	%D%/fft/gpu/orders.c %D%/fft/gpu/orders.h \
	%D%/fft/gpu/prefetch.c %D%/fft/gpu/prefetch.h \
	%D%/fft/gpu/residency.c %D%/fft/gpu/residency.h \
	%D%/fft/gpu/swizzle.c %D%/fft/gpu/swizzle.h \
	%D%/fft/gpu_columns.c \
	%D%/fft/gpu_radices.c %D%/fft/gpu_radices.h \
	%D%/fft/gpu_shape.c %D%/fft/gpu_shape.h \
	%D%/fft/gpu_shape_cost.c %D%/fft/gpu_shape_cost.h \
	%D%/fft/gpu_tuned.c %D%/fft/gpu_tuned.h \
	%D%/fft/tuned/h200.def \
	%D%/fft/kinds.def \
	%D%/fft/levels.c %D%/fft/levels.h \
	%D%/fft/levels_cost.c %D%/fft/levels_cost.h \
	%D%/fft/lower.c %D%/fft/lower.h \
	%D%/fft/lower_axis.c \
	%D%/fft/lower_block.c \
	%D%/fft/lower_c2c.c \
	%D%/fft/lower_chosen.c \
	%D%/fft/lower_r2r.c \
	%D%/fft/lower_real.c \
	%D%/fft/lower_mirrored.c \
	%D%/fft/lower_real_two.c \
	%D%/fft/lower_runs.c \
	%D%/fft/lower_two_signals.c \
	%D%/fft/place.h \
	%D%/math/numth.c %D%/math/numth.h \
	%D%/fft/op.c %D%/fft/op.h \
	%D%/fft/ops.def \
	%D%/fft/radices.def \
	%D%/math/roots.c %D%/math/roots.h \
	%D%/fft/schedule.c %D%/fft/schedule.h \
	%D%/fft/schedule_text.c %D%/fft/schedule_text.h \
	%D%/fft/units.c %D%/fft/units.h \
	%D%/fft/tables/complex_table.c %D%/fft/tables/complex_table.h \
	%D%/fft/tables/convolution.c %D%/fft/tables/convolution.h \
	%D%/fft/tables/half_turn.c %D%/fft/tables/half_turn.h \
	%D%/fft/tables/turn.c %D%/fft/tables/turn.h \
	%D%/gemm/gemm.c %D%/gemm/gemm.h \
	%D%/gemm/gemm_candidates.c %D%/gemm/gemm_candidates.h \
	%D%/gemm/gemm_choice.c %D%/gemm/gemm_choice.h \
	%D%/gemm/gemm_desc.c %D%/gemm/gemm_desc.h \
	%D%/gemm/gemm_tiles.c %D%/gemm/gemm_tiles.h %D%/gemm/gemm_tiles.def \
	%D%/ft/counters.def \
	%D%/ft/fault.c %D%/ft/fault.h \
	%D%/ft/finding.c %D%/ft/finding.h \
	%D%/ft/gemm_fault.c %D%/ft/gemm_fault.h \
	%D%/ft/group.c %D%/ft/group.h \
	%D%/ft/instrument.c %D%/ft/instrument.h \
	%D%/ft/ledger.c %D%/ft/ledger.h \
	%D%/ft/offline.c %D%/ft/offline.h %D%/ft/offline_many.c \
	%D%/ft/outcome.h \
	%D%/ft/sums.h %D%/ft/sums_body.h \
	%D%/ft/sums_f16.c %D%/ft/sums_bf16.c %D%/ft/sums_half.h \
	%D%/ft/sums_f32.c \
	%D%/ft/sums_f64.c \
	%D%/ft/threshold.c %D%/ft/threshold.h \
	%D%/ft/whole.c %D%/ft/whole.h \
	%D%/ft/weights/butterfly_network.c \
	%D%/ft/weights/butterfly_network.h \
	%D%/ft/weights/butterfly_network_make.c \
	%D%/ft/weights/network_enter.c \
	%D%/ft/weights/constraint.c %D%/ft/weights/constraint.h \
	%D%/ft/weights/left_vector.c %D%/ft/weights/left_vector.h \
	%D%/ft/weights/network_fold.c %D%/ft/weights/network_fold.h \
	%D%/ft/weights/network_stage.c %D%/ft/weights/network_stage.h \
	%D%/ft/weights/optimise.c %D%/ft/weights/optimise.h \
	%D%/ft/weights/radix_steps.c %D%/ft/weights/radix_steps.h \
	%D%/ft/weights/real_row.c %D%/ft/weights/real_row.h \
	%D%/ft/weights/row.c %D%/ft/weights/row.h \
	%D%/ft/weights/shared.c %D%/ft/weights/shared.h \
	%D%/ft/weights/sign_pattern.c %D%/ft/weights/sign_pattern.h \
	%D%/ft/weights/stage.c %D%/ft/weights/stage.h \
	%D%/ft/weights/store.c %D%/ft/weights/store.h \
	%D%/ft/weights/vector.c %D%/ft/weights/vector.h \
	%D%/ft/weights/vector_form.c %D%/ft/weights/vector_form.h \
	%D%/wisdom/list.c %D%/wisdom/list.h \
	%D%/wisdom/user_file.c %D%/wisdom/user_file.h \
	%D%/wisdom/wisdom.c %D%/wisdom/wisdom.h \
	%D%/backend/backend.h \
	%D%/backend/device_ops.h \
	%D%/backend/e2e_desc.c \
	%D%/backend/e2e_ops.h \
	%D%/backend/fft_ops.h \
	%D%/backend/gemm_ops.h \
	%D%/backend/queue_ops.h \
	%D%/backend/registry.c \
	%D%/run/contest.c %D%/run/contest.h \
	%D%/run/device.c %D%/run/device.h \
	%D%/run/effort.c %D%/run/effort.h \
	%D%/run/plan.c %D%/run/plan.h \
	%D%/run/protect.c %D%/run/protect.h \
	%D%/run/queue.c %D%/run/queue.h \
	%D%/run/check/check.c %D%/run/check/check.h \
	%D%/run/check/check_device.c %D%/run/check/check_device.h \
	%D%/run/end_to_end/end_to_end.c %D%/run/end_to_end/end_to_end.h \
	%D%/run/end_to_end/end_to_end_device.c \
	%D%/run/end_to_end/end_to_end_device.h \
	%D%/run/end_to_end/form.h \
	%D%/run/end_to_end/input_bits.c %D%/run/end_to_end/input_bits.h \
	%D%/run/end_to_end/look.c %D%/run/end_to_end/look.h \
	%D%/run/end_to_end/weights.c %D%/run/end_to_end/weights.h \
	%D%/run/fft/effort.c \
	%D%/run/fft/brief.c \
	%D%/run/fft/fft_plan.c %D%/run/fft/fft_plan.h \
	%D%/run/fft/fft_measure.c %D%/run/fft/fft_measure.h \
	%D%/run/fft/host.c %D%/run/fft/host.h \
	%D%/run/fft/pack.c %D%/run/fft/pack.h \
	%D%/run/gemm/effort.c \
	%D%/run/gemm/gemm_measure.c %D%/run/gemm/gemm_measure.h \
	%D%/run/gemm/gemm_plan.c %D%/run/gemm/gemm_plan.h \
	%D%/run/check/check_gemm.c %D%/run/check/check_gemm.h \
	%D%/run/gemm/host.c %D%/run/gemm/host.h \
	%D%/run/gemm/kept.c %D%/run/gemm/kept.h \
	%D%/api/device.c \
	%D%/api/fft.c \
	%D%/api/gemm.c \
	%D%/api/plan.c \
	%D%/api/version.c \
	%D%/api/wisdom.c
libstf_all_la_LIBADD = $(LIBM) $(PTHREAD_LIBS) $(STF_BACKEND_LIBS)

# What libsteadfast.a needs at link time, for pkg-config and CMake.
STF_PRIVATE_LIBS = $(LIBM) $(PTHREAD_LIBS) $(STF_BACKEND_LIBS) $(OPENMP_LIBS)

# Before a release, -version-info C:R:A goes on by libtool's rules: code
# changed: R+1; interface changed: C+1, R=0; only added to: also A+1, else A=0.
lib_LTLIBRARIES += libsteadfast.la
libsteadfast_la_LIBTOOLFLAGS =
libsteadfast_la_SOURCES =
libsteadfast_la_LIBADD = libstf_all.la $(LIBM) $(PTHREAD_LIBS) \
	$(STF_BACKEND_LIBS)
libsteadfast_la_LDFLAGS = $(AM_LDFLAGS) -version-info 0:0:0 -no-undefined \
	-export-symbols-regex '^stf_' $(STF_DEFS_LDFLAGS) \
	$(STF_NODELETE_LDFLAGS) $(OPENMP_CFLAGS)

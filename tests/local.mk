# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Steadfast authors
# The tests: programs *.t and shell scripts *.test, all of which print TAP.

# Where the scripts find things. Threads that wait must not spin: tests run
# side by side. What one compiles for a GPU the others find, and runs to come.
AM_TESTS_ENVIRONMENT = \
	OMP_WAIT_POLICY=passive; export OMP_WAIT_POLICY; \
	top_srcdir='$(abs_top_srcdir)'; export top_srcdir; \
	top_builddir='$(abs_top_builddir)'; export top_builddir; \
	STF_COMMAND='$(abs_top_builddir)/steadfast$(EXEEXT)'; \
	export STF_COMMAND; \
	CC='$(CC)'; export CC; NM='$(NM)'; export NM; \
	MAKE='$(MAKE)'; export MAKE; AWK='$(AWK)'; export AWK; \
	STF_SANITIZE_CFLAGS='$(STF_SANITIZE_CFLAGS)'; \
	export STF_SANITIZE_CFLAGS; \
	STF_VERSION='$(VERSION)'; export STF_VERSION; \
	STF_LIBDIR='$(libdir)'; export STF_LIBDIR; \
	STF_INCLUDEDIR='$(includedir)'; export STF_INCLUDEDIR; \
	STF_EXAMPLESDIR='$(examplesdir)'; export STF_EXAMPLESDIR; \
	STF_CUDA_INCLUDES='$(STF_CUDA_INCLUDES)'; export STF_CUDA_INCLUDES; \
	STF_HIP_INCLUDES='$(STF_HIP_INCLUDES)'; export STF_HIP_INCLUDES; \
	STF_BINDIR='$(bindir)'; export STF_BINDIR; \
	STEADFAST_CACHE_DIR='$(abs_top_builddir)/tests/cache'; \
	export STEADFAST_CACHE_DIR; \
	STEADFAST_WISDOM=off; export STEADFAST_WISDOM; \
	STEADFAST_SITE_CACHE='$(abs_top_builddir)/kernels'; \
	export STEADFAST_SITE_CACHE; \
	$(STF_SANITIZER_OPTIONS)

# Asking for too much memory has to fail as it does without a sanitizer.
STF_SANITIZER_OPTIONS = \
	ASAN_OPTIONS="allocator_may_return_null=1:$$ASAN_OPTIONS"; \
	export ASAN_OPTIONS; \
	TSAN_OPTIONS="allocator_may_return_null=1:$$TSAN_OPTIONS"; \
	export TSAN_OPTIONS;

# Where the vendor's headers may be, for tests that compare with them.
STF_CUDA_INCLUDES = $(STF_CUDA_LIBDIR)/../include $(CUDA_HOME)/include \
	/usr/include
STF_HIP_INCLUDES = $(STF_HIP_LIBDIR)/../include $(ROCM_PATH)/include \
	/opt/rocm/include /usr/include

TEST_EXTENSIONS = .t .test
STF_TAP_DRIVER = env AM_TAP_AWK='$(AWK)' $(SHELL) \
	$(top_srcdir)/build-aux/tap-driver.sh
T_LOG_DRIVER = $(STF_TAP_DRIVER)
TEST_LOG_DRIVER = $(STF_TAP_DRIVER)
TEST_LOG_COMPILER = $(SHELL)

# Kernels for GPUs of AMD: compiled by clang, and their machine code run by an
# interpreter.
check_LTLIBRARIES += libstf_isa.la
libstf_isa_la_SOURCES = \
	%D%/isa/access.c \
	%D%/isa/decode.c \
	%D%/isa/device.h \
	%D%/isa/isa.h \
	%D%/isa/isa_kernel.c %D%/isa/isa_kernel.h \
	%D%/isa/isa_rt.c \
	%D%/isa/machine.c \
	%D%/isa/mfma.c \
	%D%/isa/object.c %D%/isa/object.h \
	%D%/isa/operand.c %D%/isa/places.h \
	%D%/isa/scalar.c %D%/isa/scalar.def \
	%D%/isa/special.c \
	%D%/isa/vector.c %D%/isa/vector.def
if !HAVE_HIP
libstf_isa_la_SOURCES += backends/hip/codeobj.c
endif
libstf_isa_la_LIBADD = libstf_simt.la

# What the tests report by, and the devices that they run on.
check_LTLIBRARIES += libstf_tests.la
libstf_tests_la_SOURCES = \
	%D%/devices.c %D%/devices.h \
	%D%/sanitized.h \
	%D%/tap.c %D%/tap.h

# The emulated GPU: kernels are compiled by the tests themselves.
check_LTLIBRARIES += libstf_simt.la
libstf_simt_la_SOURCES = \
	%D%/simt/calls.h \
	%D%/simt/fiber.c %D%/simt/fiber.h \
	%D%/simt/guarded.c %D%/simt/guarded.h \
	%D%/simt/machine.c %D%/simt/machine.h \
	%D%/simt/memory.c %D%/simt/memory.h \
	%D%/simt/sanitizer.h \
	%D%/simt/simt.h \
	%D%/simt/simt_device.h \
	%D%/simt/simt_units.h \
	%D%/simt/simt_args.c %D%/simt/simt_args.h \
	%D%/simt/simt_backend.c \
	%D%/simt/simt_kernel.c %D%/simt/simt_kernel.h \
	%D%/simt/simt_rt.c \
	%D%/simt/simt_rtc.c \
	%D%/simt/unit.c %D%/simt/unit.h
libstf_simt_la_CPPFLAGS = $(AM_CPPFLAGS) -DSTF_SIMT_CXX='"$(CXX)"' \
	-DSTF_SIMT_CXXFLAGS='"$(STF_TEST_CXXFLAGS)"' \
	-DSTF_SIMT_SOURCE='"$(abs_top_srcdir)"'
libstf_simt_la_LIBADD = libstf_compile.la $(DL_LIBS) $(PTHREAD_LIBS)

# A test program is one line here: tests/x/foo.t is made from tests/x/foo.c
# and linked with LDADD. If it has more than one source file, they are listed
# below. The tests that take longest come first: one that is started last would
# keep one core busy while the others have nothing to do.
AM_LDFLAGS =
LDADD = libstf_tests.la libstf_harness.la libstf_support.la libstf_all.la \
	$(OPENMP_CFLAGS) $(LIBM)
if HAVE_CUDA
check_PROGRAMS += %D%/unit/kernels.t
endif
check_PROGRAMS += \
	%D%/isa/agreement.t \
	%D%/isa/interpreter.t \
	%D%/isa/kernels.t \
	%D%/isa/problems.t \
	%D%/isa/products.t \
	%D%/isa/protected.t \
	%D%/simt/schedules.t \
	%D%/ft/schemes.t \
	%D%/simt/protected.t \
	%D%/ft/passes.t \
	%D%/backend/accuracy.t \
	%D%/simt/offline.t \
	%D%/simt/tails.t \
	%D%/simt/copies.t \
	%D%/simt/gemm.t \
	%D%/simt/gemm_campaign.t \
	%D%/simt/gemm_effort.t \
	%D%/simt/gemm_faults.t \
	%D%/simt/gemm_traps.t \
	%D%/backend/gemm.t \
	%D%/simt/candidates.t \
	%D%/simt/halves.t \
	%D%/backend/gpu.t \
	%D%/backend/host.t \
	%D%/backend/halves.t \
	%D%/backend/properties.t \
	%D%/backend/real_kinds.t \
	%D%/errors/errors.t \
	%D%/errors/impossible.t \
	%D%/ft/at_once.t \
	%D%/ft/bracket.t \
	%D%/ft/butterflies.t \
	%D%/ft/check.t \
	%D%/ft/check_arguments.t \
	%D%/ft/clean.t \
	%D%/ft/copies.t \
	%D%/ft/lines.t \
	%D%/ft/flips.t \
	%D%/ft/gaps.t \
	%D%/ft/groups.t \
	%D%/ft/ladder.t \
	%D%/ft/layouts.t \
	%D%/ft/offline.t \
	%D%/ft/offline_faults.t \
	%D%/ft/row_sums.t \
	%D%/ft/scales.t \
	%D%/ft/signature.t \
	%D%/ft/sites.t \
	%D%/ft/stray.t \
	%D%/ft/twice.t \
	%D%/ft/whole.t \
	%D%/ft/whole_row.t \
	%D%/ft/vectors.t \
	%D%/ft/weights.t \
	%D%/ft/weight_folds.t %D%/ft/weight_tiles.t \
	%D%/flip/flip.t \
	%D%/gemm/arguments.t \
	%D%/gemm/check.t \
	%D%/gemm/desc.t \
	%D%/gemm/flips.t \
	%D%/gemm/kept.t \
	%D%/gemm/protected.t \
	%D%/gemm/random.t \
	%D%/gemm/traps.t \
	%D%/oracle/oracle.t \
	%D%/process/fork.t \
	%D%/process/fp_env.t \
	%D%/process/limits.t \
	%D%/process/teams.t \
	%D%/process/unload.t \
	%D%/simt/emulator.t \
	%D%/threads/threads.t \
	%D%/unit/alloc.t \
	%D%/unit/cache.t \
	%D%/unit/cache_limits.t \
	%D%/unit/cache_places.t \
	%D%/unit/compiler_note.t \
	%D%/unit/weight_store.t \
	%D%/unit/desc.t \
	%D%/unit/desc_real.t \
	%D%/unit/brief.t \
	%D%/unit/end_to_end.t \
	%D%/unit/env.t \
	%D%/unit/factor.t \
	%D%/unit/few_reals.t \
	%D%/unit/golden.t \
	%D%/unit/gpu_config.t \
	%D%/unit/kernel_set.t \
	%D%/unit/ledger.t \
	%D%/unit/loaded.t \
	%D%/unit/numth.t \
	%D%/unit/one.t \
	%D%/unit/op.t \
	%D%/unit/outcome.t \
	%D%/unit/gemm_accuracy.t \
	%D%/unit/papers.t \
	%D%/unit/peers.t \
	%D%/unit/place.t \
	%D%/unit/plan.t \
	%D%/unit/real_axes.t \
	%D%/unit/reals.t \
	%D%/unit/schedule.t \
	%D%/unit/tuned.t \
	%D%/unit/twiddle.t \
	%D%/unit/type.t \
	%D%/unit/choice.t \
	%D%/unit/effort.t \
	%D%/unit/gemm_effort.t \
	%D%/unit/wisdom.t \
	%D%/unit/wisdom_file.t

%C%_backend_accuracy_t_SOURCES = \
	%D%/COVERAGE.def \
	%D%/backend/accuracy.c
%C%_backend_gpu_t_SOURCES = \
	%D%/backend/gpu.c \
	%D%/backend/huge.c %D%/backend/huge.h
%C%_backend_gemm_t_SOURCES = %D%/backend/gemm.c $(STF_TRAP_SOURCES)
STF_HALF_SOURCES = %D%/backend/half_checks.c %D%/backend/half_checks.h
%C%_backend_halves_t_SOURCES = %D%/backend/halves.c $(STF_HALF_SOURCES)
%C%_backend_properties_t_SOURCES = \
	%D%/backend/properties.c \
	%D%/backend/world.c %D%/backend/world.h
%C%_backend_real_kinds_t_SOURCES = %D%/backend/real_kinds.c
STF_SIGNALS_SOURCES = %D%/ft/signals.c %D%/ft/signals.h
%C%_ft_butterflies_t_SOURCES = \
	%D%/ft/butterflies.c %D%/ft/faulty_butterflies.h
%C%_ft_butterflies_t_LDADD = libstf_simt.la $(LDADD) $(DL_LIBS)
%C%_ft_check_t_SOURCES = %D%/ft/check.c $(STF_SIGNALS_SOURCES)
%C%_ft_check_arguments_t_SOURCES = %D%/ft/check_arguments.c %D%/report.h
%C%_ft_lines_t_SOURCES = %D%/ft/lines.c
%C%_ft_clean_t_SOURCES = %D%/ft/clean.c $(STF_SIGNALS_SOURCES)
%C%_ft_copies_t_SOURCES = %D%/ft/copies.c
%C%_ft_flips_t_SOURCES = %D%/ft/flips.c $(STF_SIGNALS_SOURCES)
STF_TRIO_SOURCES = %D%/ft/trio.c %D%/ft/trio.h $(STF_SIGNALS_SOURCES)
%C%_ft_ladder_t_SOURCES = %D%/ft/ladder.c $(STF_TRIO_SOURCES)
%C%_ft_layouts_t_SOURCES = %D%/ft/layouts.c $(STF_TRIO_SOURCES)
%C%_ft_passes_t_SOURCES = %D%/ft/passes.c $(STF_TRIO_SOURCES)
%C%_ft_scales_t_SOURCES = %D%/ft/scales.c $(STF_TRIO_SOURCES)
%C%_ft_schemes_t_SOURCES = %D%/ft/schemes.c $(STF_TRIO_SOURCES)
STF_GUARDED_SOURCES = %D%/ft/guarded.c %D%/ft/guarded.h \
	$(STF_SIGNALS_SOURCES)
%C%_ft_offline_t_SOURCES = %D%/ft/offline.c $(STF_GUARDED_SOURCES)
%C%_ft_offline_faults_t_SOURCES = %D%/ft/offline_faults.c \
	$(STF_GUARDED_SOURCES)
%C%_ft_row_sums_t_SOURCES = %D%/ft/row_sums.c %D%/ft/take.h
%C%_ft_at_once_t_SOURCES = %D%/ft/at_once.c
%C%_ft_bracket_t_SOURCES = %D%/ft/bracket.c
%C%_unit_brief_t_SOURCES = %D%/unit/brief.c
%C%_unit_one_t_SOURCES = %D%/unit/one.c
%C%_unit_few_reals_t_SOURCES = %D%/unit/few_reals.c
%C%_unit_real_axes_t_SOURCES = %D%/unit/real_axes.c
%C%_unit_reals_t_SOURCES = %D%/unit/reals.c
%C%_ft_signature_t_SOURCES = %D%/ft/signature.c
%C%_ft_stray_t_SOURCES = %D%/ft/stray.c
%C%_ft_twice_t_SOURCES = %D%/ft/twice.c \
	%D%/ft/whole_rig.c %D%/ft/whole_rig.h
%C%_ft_whole_t_SOURCES = %D%/ft/whole.c \
	%D%/ft/whole_rig.c %D%/ft/whole_rig.h
%C%_ft_whole_row_t_SOURCES = %D%/ft/whole_row.c
%C%_ft_gaps_t_SOURCES = %D%/ft/gaps.c
%C%_ft_sites_t_SOURCES = %D%/ft/sites.c %D%/ft/take.h
%C%_ft_vectors_t_SOURCES = %D%/ft/vectors.c %D%/ft/take.h
%C%_ft_weight_folds_t_SOURCES = %D%/ft/weight_folds.c %D%/ft/take.h
%C%_ft_weight_tiles_t_SOURCES = %D%/ft/weight_tiles.c %D%/ft/optimised.h \
	%D%/ft/take.h
%C%_ft_weights_t_SOURCES = %D%/ft/weights.c %D%/ft/optimised.h \
	%D%/ft/take.h

# Matrix products in memory that is watched.
STF_RIG_SOURCES = %D%/gemm/rig.c %D%/gemm/rig.h
%C%_gemm_check_t_SOURCES = %D%/gemm/check.c $(STF_RIG_SOURCES)
%C%_gemm_flips_t_SOURCES = %D%/gemm/flips.c $(STF_RIG_SOURCES)
%C%_gemm_protected_t_SOURCES = %D%/gemm/protected.c $(STF_RIG_SOURCES)
%C%_gemm_random_t_SOURCES = %D%/gemm/random.c $(STF_RIG_SOURCES)
STF_TRAP_SOURCES = %D%/gemm/trap_rows.c %D%/gemm/trap_rows.h $(STF_RIG_SOURCES)
%C%_gemm_traps_t_SOURCES = %D%/gemm/traps.c $(STF_TRAP_SOURCES)

# Flips in registers, of the library as it is installed. The program of longer
# campaigns is made with the test, and is none.
STF_FLIP_SOURCES = \
	%D%/flip/inject.c %D%/flip/inject.h \
	%D%/flip/problems.def \
	%D%/flip/state.c %D%/flip/state.h \
	%D%/flip/product.c %D%/flip/subject.c %D%/flip/subject.h \
	%D%/flip/trial.c %D%/flip/trial.h
%C%_flip_flip_t_SOURCES = %D%/flip/flip.c \
	%D%/flip/registers.c %D%/flip/registers.h $(STF_FLIP_SOURCES)
%C%_flip_flip_t_LDADD = libstf_tests.la libsteadfast.la $(LIBM)
EXTRA_%C%_flip_flip_t_DEPENDENCIES = %D%/flip/campaign$(EXEEXT)
EXTRA_PROGRAMS += %D%/flip/campaign
%C%_flip_campaign_SOURCES = %D%/flip/campaign.c $(STF_FLIP_SOURCES)
%C%_flip_campaign_LDADD = libsteadfast.la $(DL_LIBS) $(LIBM)
CLEANFILES += %D%/flip/campaign$(EXEEXT)
EXTRA_DIST += %D%/flip/campaigns.sh %D%/flip/windows.sh

STF_PROCESS_SOURCES = \
	%D%/process/child.c %D%/process/child.h \
	%D%/process/work.c %D%/process/work.h
%C%_process_fork_t_SOURCES = %D%/process/fork.c $(STF_PROCESS_SOURCES)
%C%_process_fp_env_t_SOURCES = %D%/process/fp_env.c \
	%D%/process/work.c %D%/process/work.h
%C%_process_limits_t_SOURCES = %D%/process/limits.c $(STF_PROCESS_SOURCES)
%C%_process_teams_t_SOURCES = %D%/process/teams.c $(STF_PROCESS_SOURCES)

# What loads the library and unloads it must not be linked with it, nor with
# OpenMP.
%C%_process_unload_t_SOURCES = %D%/process/unload.c \
	%D%/process/child.c %D%/process/child.h
%C%_process_unload_t_CPPFLAGS = $(AM_CPPFLAGS) \
	-DSTF_SHARED_LIBRARY='"$(abs_top_builddir)/.libs/libsteadfast.so"'
if HAVE_NODELETE
%C%_process_unload_t_CPPFLAGS += -DSTF_HAVE_NODELETE
endif
%C%_process_unload_t_CFLAGS = -std=c11 $(STF_WARN_CFLAGS)
%C%_process_unload_t_LDADD = libstf_tests.la $(DL_LIBS)
%C%_unit_end_to_end_t_SOURCES = %D%/unit/end_to_end.c
%C%_unit_peers_t_SOURCES = %D%/unit/peers.c
%C%_unit_outcome_t_SOURCES = %D%/unit/outcome.c %D%/report.h
%C%_unit_gemm_accuracy_t_SOURCES = %D%/unit/gemm_accuracy.c \
	tools/verify/gemm_accuracy.c
%C%_unit_papers_t_SOURCES = %D%/unit/papers.c tools/bench/papers.c \
	tools/verify/accuracy.c
%C%_unit_papers_t_LDADD = libstf_files.la $(LDADD) $(SNDFILE_LIBS)
STF_GOLDEN_SOURCES = %D%/unit/golden.def %D%/unit/golden.h
%C%_unit_golden_t_SOURCES = %D%/unit/golden.c $(STF_GOLDEN_SOURCES)
%C%_unit_gpu_config_t_SOURCES = %D%/unit/gpu_config.c $(STF_GOLDEN_SOURCES)
%C%_unit_schedule_t_SOURCES = \
	%D%/unit/invariants.c %D%/unit/invariants.h \
	%D%/unit/random_problem.c %D%/unit/random_problem.h \
	%D%/unit/schedule.c
%C%_unit_env_t_SOURCES = \
	%D%/unit/env.c $(STF_APART_SOURCES)
STF_APART_SOURCES = %D%/unit/apart.c %D%/unit/apart.h

STF_KERNEL_LIST_SOURCES = %D%/gate/kernel_list.c %D%/gate/kernel_list.h \
	%D%/gate/product_list.c
%C%_isa_agreement_t_SOURCES = %D%/isa/agreement.c \
	tools/command/passes.c \
	tools/command/setup.c \
	tools/verify/accuracy.c \
	tools/verify/agreement.c \
	tools/verify/digest.c \
	tools/verify/pass_bits.c \
	tools/verify/values.c
%C%_isa_agreement_t_LDADD = libstf_isa.la libstf_files.la $(LDADD) \
	$(SNDFILE_LIBS)
%C%_isa_interpreter_t_SOURCES = %D%/isa/interpreter.c
%C%_isa_interpreter_t_LDADD = libstf_isa.la $(LDADD)
%C%_isa_kernels_t_SOURCES = \
	%D%/isa/kernels.c %D%/unit/kernels.def $(STF_KERNEL_LIST_SOURCES)
%C%_isa_kernels_t_LDADD = libstf_isa.la $(LDADD)
%C%_isa_problems_t_SOURCES = \
	%D%/isa/problems.c \
	%D%/simt/SCHEDULES.def \
	%D%/simt/features.c %D%/simt/features.def %D%/simt/features.h
%C%_isa_problems_t_LDADD = libstf_isa.la $(LDADD)
%C%_isa_products_t_SOURCES = %D%/isa/products.c $(STF_RIG_SOURCES)
%C%_isa_products_t_LDADD = libstf_isa.la $(LDADD)
%C%_isa_protected_t_SOURCES = \
	%D%/isa/protected.c \
	%D%/simt/PROTECTED.def
%C%_isa_protected_t_LDADD = libstf_isa.la $(LDADD)

# The CUDA backend is tested on a driver of ours, which has no device.
check_DATA =
if HAVE_CUDA
check_PROGRAMS += \
	%D%/unit/check_cost.t \
	%D%/unit/cubin.t \
	%D%/unit/cuda_faults.t \
	%D%/unit/warm.t \
	%D%/unit/cuda_rt.t \
	%D%/unit/gemm_kernels.t \
	%D%/unit/random_kernels.t \
	%D%/unit/cuda_rtc.t
%C%_unit_random_kernels_t_SOURCES = %D%/unit/random_kernels.c \
	tools/command/random_problem.c $(STF_CLEAN_PATH_SOURCES)
%C%_unit_cubin_t_SOURCES = %D%/unit/cubin.c $(STF_CLEAN_PATH_SOURCES)
%C%_unit_check_cost_t_SOURCES = %D%/unit/check_cost.c %D%/unit/check_cost.def
%C%_unit_kernels_t_SOURCES = \
	%D%/unit/kernels.c %D%/unit/kernels.def $(STF_KERNEL_LIST_SOURCES)

# Faults in registers of GPU kernels. The linker puts these between the
# library and its driver.
STF_FLIP_GPU_SOURCES = \
	%D%/flip/gpu/hooks.c %D%/flip/gpu/hooks.h \
	%D%/flip/gpu/modules.c %D%/flip/gpu/modules.h \
	%D%/flip/gpu/problems.def \
	%D%/flip/gpu/product.c %D%/flip/gpu/product.h \
	%D%/flip/gpu/ptx.c %D%/flip/gpu/ptx.h \
	%D%/flip/gpu/ptx_places.c \
	%D%/flip/gpu/ptx_write.c
STF_FLIP_WRAP = $(AM_LDFLAGS) -Wl,--wrap=stfi_gpu_image_get \
	-Wl,--wrap=stfi_cuda_load -Wl,--wrap=stfi_cuda_launch
check_PROGRAMS += %D%/flip/gpu/rewrite.t
%C%_flip_gpu_rewrite_t_SOURCES = \
	%D%/flip/gpu/rewrite.c $(STF_FLIP_GPU_SOURCES) \
	$(STF_FAKE_CUDA_SOURCES)
%C%_flip_gpu_rewrite_t_LDFLAGS = $(STF_FLIP_WRAP)
EXTRA_PROGRAMS += %D%/flip/gpu/flips
check_DATA += %D%/flip/gpu/flips$(EXEEXT)
%C%_flip_gpu_flips_SOURCES = \
	%D%/flip/gpu/flips.c $(STF_FLIP_GPU_SOURCES) \
	%D%/flip/gpu/rig.c %D%/flip/gpu/rig.h \
	%D%/flip/gpu/worker.c %D%/flip/gpu/worker.h
%C%_flip_gpu_flips_LDFLAGS = $(STF_FLIP_WRAP)

# What refactorings are held to; made and run by build-aux/gate.sh.
EXTRA_PROGRAMS += %D%/gate/dump
%C%_gate_dump_SOURCES = %D%/gate/dump.c $(STF_KERNEL_LIST_SOURCES)
%C%_gate_dump_LDADD = libstf_support.la libstf_all.la $(OPENMP_CFLAGS) $(LIBM)
%C%_unit_cuda_faults_t_SOURCES = \
	%D%/unit/gpu_faults.c $(STF_APART_SOURCES) $(STF_FAKE_CUDA_SOURCES)
%C%_unit_cuda_rt_t_SOURCES = \
	%D%/unit/cuda_rt.c $(STF_GPU_RT_SOURCES) $(STF_FAKE_CUDA_SOURCES)
%C%_unit_warm_t_SOURCES = \
	%D%/unit/warm.c $(STF_FAKE_CUDA_SOURCES)
%C%_unit_cuda_rtc_t_SOURCES = \
	%D%/unit/cuda_rtc.c $(STF_APART_SOURCES)
check_DATA += $(STF_FAKE_FILES)
endif

# So is the HIP backend.
if HAVE_HIP
check_PROGRAMS += \
	%D%/unit/codeobj.t \
	%D%/unit/hip_driver.t \
	%D%/unit/hip_faults.t \
	%D%/unit/hip_rt.t \
	%D%/unit/hip_rtc.t
%C%_unit_hip_driver_t_SOURCES = \
	%D%/unit/hip_driver.c $(STF_APART_SOURCES) $(STF_FAKE_PATH_SOURCES)
%C%_unit_hip_faults_t_SOURCES = \
	%D%/unit/gpu_faults.c $(STF_APART_SOURCES) $(STF_FAKE_HIP_SOURCES)
%C%_unit_hip_rt_t_SOURCES = \
	%D%/unit/hip_rt.c $(STF_GPU_RT_SOURCES) $(STF_FAKE_HIP_SOURCES)
%C%_unit_hip_rtc_t_SOURCES = \
	%D%/unit/hip_rtc.c $(STF_APART_SOURCES) $(STF_FAKE_PATH_SOURCES)
check_DATA += $(STF_FAKE_HIP_FILES)
endif

# By these the HIP backend runs on a GPU of NVIDIA; see doc/adding.md.
if HAVE_CUDA
if HAVE_HIP
check_PROGRAMS += %D%/unit/hip_on_cuda.t
%C%_unit_hip_on_cuda_t_SOURCES = \
	%D%/unit/hip_on_cuda.c $(STF_FAKE_PATH_SOURCES)
check_DATA += $(STF_ON_CUDA_FILES)
endif
endif
STF_CLEAN_PATH_SOURCES = %D%/unit/clean_path.c %D%/unit/clean_path.h
STF_GPU_RT_SOURCES = %D%/unit/gpu_rt.c %D%/unit/gpu_rt.h
STF_FAKE_PATH_SOURCES = %D%/fake/fake_path.c %D%/fake/fake_path.h
STF_FAKE_SOURCES = %D%/fake/fake.c %D%/fake/fake.h %D%/fake/fake_gpu.h \
	$(STF_FAKE_PATH_SOURCES)
STF_FAKE_CUDA_SOURCES = $(STF_FAKE_SOURCES) %D%/fake/vendor_cuda.c
STF_FAKE_HIP_SOURCES = $(STF_FAKE_SOURCES) %D%/fake/vendor_hip.c
EXTRA_DIST += \
	%D%/flip/gpu/campaign.sh \
	%D%/flip/gpu/problems.def \
	$(STF_FAKE_CUDA_SOURCES) $(STF_FAKE_DRIVER) %D%/fake/driver.h \
	%D%/fake/libnvrtc.c \
	%D%/fake/vendor_hip.c \
	$(STF_FAKE_HIP_DRIVER) %D%/fake/hip_driver.h \
	%D%/fake/libamd_comgr.c %D%/fake/libhiprtc.c \
	%D%/unit/codeobj.c \
	%D%/unit/check_cost.c %D%/unit/check_cost.def \
	%D%/unit/cubin.c \
	%D%/unit/cuda_rt.c \
	%D%/unit/cuda_rtc.c \
	%D%/unit/gpu_faults.c \
	$(STF_GPU_RT_SOURCES) \
	$(STF_ON_CUDA_DRIVER) \
	%D%/unit/hip_driver.c \
	%D%/unit/hip_on_cuda.c \
	%D%/unit/hip_rt.c \
	%D%/unit/hip_rtc.c \
	%D%/gate/dump.c \
	$(STF_KERNEL_LIST_SOURCES) \
	%D%/unit/kernels.c \
	%D%/unit/kernels.def \
	$(STF_CLEAN_PATH_SOURCES) \
	%D%/unit/random_kernels.c \
	%D%/unit/warm.c
STF_FAKE_FILES = %D%/fake/libcuda.so %D%/fake/libcuda-old.so \
	%D%/fake/libnvrtc.so %D%/fake/libnvrtc-old.so
STF_FAKE_HIP_FILES = %D%/fake/libamdhip64.so %D%/fake/libamdhip64-5.so \
	%D%/fake/libamdhip64-old.so %D%/fake/libamd_comgr.so \
	%D%/fake/libhiprtc.so %D%/fake/libhiprtc-old.so
STF_ON_CUDA_DRIVER = %D%/fake/libamdhip64_on_cuda.c \
	%D%/fake/libhiprtc_on_cuda.c
STF_ON_CUDA_FILES = %D%/fake/libamdhip64_on_cuda.so \
	%D%/fake/libhiprtc_on_cuda.so
CLEANFILES += $(STF_FAKE_FILES) $(STF_FAKE_HIP_FILES) \
	$(STF_ON_CUDA_FILES) %D%/gate/dump$(EXEEXT) \
	%D%/flip/gpu/flips$(EXEEXT)

STF_FAKE_DRIVER = %D%/fake/libcuda.c %D%/fake/libcuda_queue.c
STF_FAKE_DEPS = $(STF_FAKE_DRIVER) %D%/fake/driver.h %D%/fake/fake_gpu.h \
	backends/cuda/cuda_api.def backends/cuda/cuda_api.h
STF_FAKE_COMPILE = $(MKDIR_P) %D%/fake && $(CC) $(DEFAULT_INCLUDES) \
	$(AM_CPPFLAGS) $(CPPFLAGS) $(AM_CFLAGS) $(CFLAGS) -fPIC -shared \
	$(LDFLAGS) -o $@
STF_FAKE_DRIVER_COMPILE = $(STF_FAKE_COMPILE) $(srcdir)/%D%/fake/libcuda.c \
	$(srcdir)/%D%/fake/libcuda_queue.c $(PTHREAD_LIBS)
STF_FAKE_NVRTC_COMPILE = $(STF_FAKE_COMPILE) $(srcdir)/%D%/fake/libnvrtc.c

%D%/fake/libcuda.so: $(STF_FAKE_DEPS)
	$(AM_V_CCLD)$(STF_FAKE_DRIVER_COMPILE)

%D%/fake/libcuda-old.so: $(STF_FAKE_DEPS)
	$(AM_V_CCLD)$(STF_FAKE_DRIVER_COMPILE) -DFAKE_OLD

%D%/fake/libnvrtc.so: %D%/fake/libnvrtc.c backends/cuda/nvrtc_api.def
	$(AM_V_CCLD)$(STF_FAKE_NVRTC_COMPILE)

%D%/fake/libnvrtc-old.so: %D%/fake/libnvrtc.c backends/cuda/nvrtc_api.def
	$(AM_V_CCLD)$(STF_FAKE_NVRTC_COMPILE) -DFAKE_OLD

# A program may have loaded a runtime of its own: then it has the vendor's name.
STF_FAKE_HIP_DRIVER = %D%/fake/libamdhip64.c %D%/fake/libamdhip64_queue.c
STF_FAKE_HIP_DEPS = $(STF_FAKE_HIP_DRIVER) %D%/fake/hip_driver.h \
	%D%/fake/fake_gpu.h backends/hip/hip_api.def backends/hip/hip_api.h
STF_FAKE_HIP_COMPILE = $(STF_FAKE_COMPILE) \
	$(srcdir)/%D%/fake/libamdhip64.c \
	$(srcdir)/%D%/fake/libamdhip64_queue.c $(PTHREAD_LIBS) -Wl,-soname

%D%/fake/libamdhip64.so: $(STF_FAKE_HIP_DEPS)
	$(AM_V_CCLD)$(STF_FAKE_HIP_COMPILE),libamdhip64.so.7

%D%/fake/libamdhip64-5.so: $(STF_FAKE_HIP_DEPS)
	$(AM_V_CCLD)$(STF_FAKE_HIP_COMPILE),libamdhip64.so.5 -DFAKE_5

%D%/fake/libamdhip64-old.so: $(STF_FAKE_HIP_DEPS)
	$(AM_V_CCLD)$(STF_FAKE_HIP_COMPILE),libamdhip64.so.5 -DFAKE_OLD

%D%/fake/libamd_comgr.so: %D%/fake/libamd_comgr.c
	$(AM_V_CCLD)$(STF_FAKE_COMPILE) $(srcdir)/%D%/fake/libamd_comgr.c \
	-Wl,-soname,libamd_comgr.so.3

%D%/fake/libhiprtc.so: %D%/fake/libhiprtc.c backends/hip/hiprtc_api.def
	$(AM_V_CCLD)$(STF_FAKE_COMPILE) $(srcdir)/%D%/fake/libhiprtc.c

%D%/fake/libhiprtc-old.so: %D%/fake/libhiprtc.c backends/hip/hiprtc_api.def
	$(AM_V_CCLD)$(STF_FAKE_COMPILE) $(srcdir)/%D%/fake/libhiprtc.c \
	-DFAKE_OLD

%D%/fake/libamdhip64_on_cuda.so: %D%/fake/libamdhip64_on_cuda.c \
		backends/hip/hip_api.def backends/cuda/cuda_api.def
	$(AM_V_CCLD)$(STF_FAKE_COMPILE) \
	$(srcdir)/%D%/fake/libamdhip64_on_cuda.c $(PTHREAD_LIBS) $(DL_LIBS)

%D%/fake/libhiprtc_on_cuda.so: %D%/fake/libhiprtc_on_cuda.c \
		backends/hip/hiprtc_api.def backends/cuda/nvrtc_api.def
	$(AM_V_CCLD)$(STF_FAKE_COMPILE) $(DEFS) \
	$(srcdir)/%D%/fake/libhiprtc_on_cuda.c $(PTHREAD_LIBS) $(DL_LIBS)

# The kernel cache, with a compiler and kernel sources of the tests' own.
%C%_unit_cache_t_SOURCES = \
	%D%/unit/cache.c \
	%D%/unit/sandbox.c %D%/unit/sandbox.h
%C%_unit_cache_limits_t_SOURCES = \
	%D%/unit/cache_limits.c \
	%D%/unit/disk.c %D%/unit/disk.h \
	%D%/unit/sandbox.c %D%/unit/sandbox.h
%C%_unit_compiler_note_t_SOURCES = \
	%D%/unit/compiler_note.c \
	%D%/unit/sandbox.c %D%/unit/sandbox.h
%C%_unit_weight_store_t_SOURCES = \
	%D%/unit/weight_store.c \
	%D%/unit/disk.c %D%/unit/disk.h \
	%D%/unit/sandbox.c %D%/unit/sandbox.h
%C%_unit_cache_places_t_SOURCES = \
	%D%/unit/cache_places.c \
	%D%/unit/sandbox.c %D%/unit/sandbox.h

%C%_unit_effort_t_SOURCES = %D%/unit/effort.c %D%/unit/told.h
%C%_unit_effort_t_LDADD = $(LDADD) $(PTHREAD_LIBS)
%C%_unit_wisdom_t_SOURCES = \
	%D%/unit/wisdom.c \
	%D%/unit/wisdom_rig.c %D%/unit/wisdom_rig.h
%C%_unit_wisdom_file_t_SOURCES = \
	%D%/unit/wisdom_file.c \
	%D%/unit/disk.c %D%/unit/disk.h \
	%D%/unit/wisdom_rig.c %D%/unit/wisdom_rig.h
%C%_unit_wisdom_file_t_LDADD = $(LDADD) $(PTHREAD_LIBS)

%C%_simt_emulator_t_SOURCES = \
	%D%/simt/emulator.c \
	%D%/simt/toys.h
%C%_simt_emulator_t_LDADD = libstf_simt.la $(LDADD)
%C%_simt_gemm_t_SOURCES = %D%/simt/gemm.c $(STF_RIG_SOURCES)
%C%_simt_gemm_t_LDADD = libstf_simt.la $(LDADD)
%C%_simt_gemm_campaign_t_SOURCES = %D%/simt/gemm_campaign.c \
	tools/command/command.c \
	tools/command/progress.c \
	tools/inject/gemm_campaign.c \
	tools/inject/gemm_rig.c
%C%_simt_gemm_campaign_t_LDADD = libstf_simt.la $(LDADD)
%C%_simt_gemm_faults_t_SOURCES = %D%/simt/gemm_faults.c $(STF_RIG_SOURCES)
%C%_simt_gemm_faults_t_LDADD = libstf_simt.la $(LDADD)
%C%_unit_gemm_effort_t_SOURCES = %D%/unit/gemm_effort.c %D%/unit/told.h \
	$(STF_RIG_SOURCES)
%C%_simt_gemm_effort_t_SOURCES = %D%/simt/gemm_effort.c $(STF_RIG_SOURCES)
%C%_simt_gemm_effort_t_LDADD = libstf_simt.la $(LDADD)
%C%_simt_gemm_traps_t_SOURCES = %D%/simt/gemm_traps.c $(STF_TRAP_SOURCES)
%C%_simt_gemm_traps_t_LDADD = libstf_simt.la $(LDADD)
%C%_simt_candidates_t_SOURCES = \
	%D%/simt/candidates.c \
	%D%/unit/invariants.c %D%/unit/invariants.h \
	%D%/unit/random_problem.c %D%/unit/random_problem.h
%C%_simt_candidates_t_LDADD = libstf_simt.la $(LDADD)
%C%_simt_halves_t_SOURCES = %D%/simt/halves.c $(STF_HALF_SOURCES)
%C%_simt_halves_t_LDADD = libstf_simt.la $(LDADD)
%C%_simt_offline_t_SOURCES = \
	%D%/simt/offline.c \
	%D%/simt/offline_forms.c %D%/simt/offline_forms.h \
	%D%/simt/offline_fused.c \
	%D%/simt/offline_run.c %D%/simt/offline_run.h
%C%_simt_offline_t_LDADD = libstf_simt.la $(LDADD)
%C%_simt_copies_t_SOURCES = %D%/simt/copies.c
%C%_simt_copies_t_LDADD = libstf_simt.la $(LDADD)
%C%_simt_tails_t_SOURCES = %D%/simt/tails.c
%C%_simt_tails_t_LDADD = libstf_simt.la $(LDADD)
%C%_simt_protected_t_SOURCES = \
	%D%/simt/PROTECTED.def \
	%D%/simt/protected.c %D%/simt/protected.h \
	%D%/simt/protected_equal.c %D%/simt/protected_few.c \
	%D%/simt/protected_static.c %D%/simt/protected_tiny.c \
	%D%/simt/protected_mates.c %D%/simt/protected_open.c \
	%D%/simt/protected_roots.c
%C%_simt_protected_t_LDADD = libstf_simt.la $(LDADD)
%C%_simt_schedules_t_SOURCES = \
	%D%/simt/SCHEDULES.def \
	%D%/simt/features.c %D%/simt/features.def %D%/simt/features.h \
	%D%/simt/schedules.c
%C%_simt_schedules_t_LDADD = libstf_simt.la $(LDADD)

# gpu.t takes all of a device's memory for a while: it comes after the others
# that need some.
%D%/backend/gpu.log: %D%/backend/accuracy.log %D%/backend/host.log \
	%D%/backend/properties.log

# A test script is one line here.
dist_check_SCRIPTS += \
	%D%/flip/gpu/flips.test \
	%D%/install/configure.test \
	%D%/install/install.test \
	%D%/lint/readme.test \
	%D%/lint/source.test \
	%D%/lint/symbols.test \
	%D%/lint/words.test \
	%D%/examples/gemm.test \
	%D%/tools/bench.test \
	%D%/tools/gemm.test \
	%D%/tools/gemm_files.test \
	%D%/tools/cache.test \
	%D%/tools/fft.test \
	%D%/tools/files.test \
	%D%/tools/inject.test \
	%D%/tools/inject_gemm.test \
	%D%/tools/memory.test \
	%D%/tools/plan.test \
	%D%/tools/usage.test \
	%D%/tools/verify.test \
	%D%/tools/wisdom.test \
	%D%/unit/cuda_api.test \
	%D%/unit/hip_api.test

TESTS += $(check_PROGRAMS) $(dist_check_SCRIPTS)

# Their names, for scripts that run some of them.
.PHONY: list-tests
list-tests:
	@echo $(TESTS)

# The tests' cache of kernels, and logs of tests that the list of this run of
# make need not have.
mostlyclean-local:
	rm -rf %D%/cache
	rm -f %D%/*/*.log %D%/*/*.trs

EXTRA_DIST += \
	%D%/isa/README.md \
	%D%/golden/a100.txt \
	%D%/golden/cpu.txt \
	%D%/golden/h100.txt \
	%D%/golden/h200.txt \
	%D%/golden/mi250x.txt \
	%D%/golden/mi300x.txt \
	%D%/golden/rx7900xtx.txt \
	%D%/golden/t4.txt \
	%D%/install/cmake/CMakeLists.txt \
	%D%/install/consumer.c \
	%D%/lint/functions.awk \
	%D%/tools/failing.c \
	%D%/tools/lib.sh

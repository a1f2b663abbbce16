# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Steadfast authors
# The command `steadfast`. It uses internals (schedules, the oracle), so it is
# linked with the convenience libraries and not with libsteadfast. command/ has
# the commands that are short and what several share, file/ reads and writes
# files, and the other folders have a command each.

# What fuzzing uses, too.
noinst_LTLIBRARIES += libstf_files.la
libstf_files_la_SOURCES = \
	%D%/command/options.c \
	%D%/command/options.def \
	%D%/command/options.h \
	%D%/file/array.c \
	%D%/file/array.h \
	%D%/file/data.c \
	%D%/file/data.h \
	%D%/file/infile.c \
	%D%/file/infile.h \
	%D%/file/input.c \
	%D%/file/input.h \
	%D%/file/npy.c \
	%D%/file/npy.h \
	%D%/file/outfile.c \
	%D%/file/outfile.h \
	%D%/file/unfinished.c \
	%D%/file/unfinished.h \
	%D%/file/wav.c \
	%D%/file/wav.h
libstf_files_la_CPPFLAGS = $(AM_CPPFLAGS) $(SNDFILE_CPPFLAGS)

bin_PROGRAMS += steadfast
steadfast_SOURCES = \
	%D%/bench/arena.c \
	%D%/bench/arena.h \
	%D%/bench/bench_gemm.c \
	%D%/bench/bench_gemm.h \
	%D%/bench/cmd_bench.c \
	%D%/bench/gemm_suite.c \
	%D%/bench/gemm_suite.h \
	%D%/bench/papers.c \
	%D%/bench/papers.h \
	%D%/bench/measure.c \
	%D%/bench/measure.h \
	%D%/bench/summary.c \
	%D%/bench/summary.h \
	%D%/cache/cache_warm.c \
	%D%/cache/cache_warm.h \
	%D%/cache/cmd_cache.c \
	%D%/cache/compilers.c \
	%D%/cache/compilers.h \
	%D%/command/cmd_fft.c \
	%D%/command/cmd_info.c \
	%D%/command/cmd_plan.c \
	%D%/command/plan_suite.c \
	%D%/command/plan_suite.h \
	%D%/command/command.c \
	%D%/command/command.h \
	%D%/command/copy.c \
	%D%/command/copy.h \
	%D%/command/fft_report.c \
	%D%/command/fft_run.h \
	%D%/command/job.c \
	%D%/command/job.h \
	%D%/command/pass_time.c \
	%D%/command/pass_time.h \
	%D%/command/plan_gemm.c \
	%D%/command/plan_gemm.h \
	%D%/command/passes.c \
	%D%/command/passes.h \
	%D%/command/problems.c \
	%D%/command/product_options.c \
	%D%/command/product_options.h \
	%D%/command/problems.h \
	%D%/command/random_problem.c \
	%D%/command/random_problem.h \
	%D%/command/repeat.c \
	%D%/command/repeat.h \
	%D%/command/report_lines.c \
	%D%/command/report_lines.h \
	%D%/command/progress.c \
	%D%/command/progress.h \
	%D%/command/protections.c \
	%D%/command/protections.h \
	%D%/command/setup.c \
	%D%/command/setup.h \
	%D%/command/spectrum.c \
	%D%/command/spectrum.h \
	%D%/command/stats.c \
	%D%/command/stats.h \
	%D%/command/steadfast.c \
	%D%/command/svg.c \
	%D%/command/svg.h \
	%D%/command/table.c \
	%D%/command/table.h \
	%D%/gemm/cmd_gemm.c \
	%D%/gemm/gemm_report.c \
	%D%/gemm/gemm_run.h \
	%D%/inject/campaign.c \
	%D%/inject/campaign.h \
	%D%/inject/change.c \
	%D%/inject/change.h \
	%D%/inject/clean.c \
	%D%/inject/clean.h \
	%D%/inject/cmd_inject.c \
	%D%/inject/draw.c \
	%D%/inject/draw.h \
	%D%/inject/gemm_campaign.c \
	%D%/inject/gemm_campaign.h \
	%D%/inject/gemm_rig.c \
	%D%/inject/gemm_rig.h \
	%D%/inject/inject_gemm.c \
	%D%/inject/inject_gemm.h \
	%D%/inject/load.c \
	%D%/inject/load.h \
	%D%/inject/rig.c \
	%D%/inject/rig.h \
	%D%/verify/accuracy.c \
	%D%/verify/accuracy.h \
	%D%/verify/agreement.c \
	%D%/verify/agreement.h \
	%D%/verify/cmd_verify.c \
	%D%/verify/verified.c %D%/verify/verified.h \
	%D%/verify/digest.c \
	%D%/verify/digest.h \
	%D%/verify/pass_bits.c %D%/verify/pass_bits.h \
	%D%/verify/gemm_accuracy.c \
	%D%/verify/gemm_accuracy.h \
	%D%/verify/session.c \
	%D%/verify/session.h \
	%D%/verify/values.c \
	%D%/verify/values.h \
	%D%/verify/verify_fft.c %D%/verify/verify_fft.h \
	%D%/verify/verify_gemm.c \
	%D%/verify/verify_gemm.h \
	%D%/verify/verify_gemm.def \
	%D%/verify/verify.def \
	%D%/wisdom/cmd_tune.c \
	%D%/wisdom/cmd_wisdom.c
steadfast_LDFLAGS = $(AM_LDFLAGS) $(OPENMP_CFLAGS)
steadfast_LDADD = libstf_files.la libstf_support.la libstf_all.la $(SNDFILE_LIBS) $(LIBM)

# Kernels that are ready-made: compiled here, installed as a site's cache.
# They are the same whoever compiles them; `make STF_CUDA_ARCHS= STF_HIP_ARCHS=`
# leaves them out. A program for another machine cannot run here.
if STF_AOT
noinst_PROGRAMS += %D%/cache/aot
%C%_cache_aot_SOURCES = %D%/cache/aot.c \
	%D%/cache/compilers.c %D%/cache/compilers.h
%C%_cache_aot_LDADD = libstf_compile.la libstf_support.la libstf_all.la $(OPENMP_CFLAGS) $(LIBM)
STF_AOT_ARCHS = $(STF_HIP_ARCHS)
if STF_CUDA_TOOLKIT
STF_AOT_ARCHS += $(STF_CUDA_ARCHS)
endif

noinst_DATA += kernels/files
CLEANFILES += kernels/files kernels/*/*.stfk

kernels/files: %D%/cache/aot$(EXEEXT) Makefile
	$(AM_V_at)$(MKDIR_P) kernels && \
	if test '$(build)' = '$(host)'; then \
		%D%/cache/aot$(EXEEXT) kernels '$(STF_AOT_ARCHS)'; \
	else \
		echo '  NOTE     no ready-made kernels: cross-compiling'; \
		: >$@; \
	fi

install-exec-local: kernels/files
	@while read -r file; do \
		to='$(DESTDIR)$(pkglibdir)/kernels/'`dirname "$$file"`; \
		test -d "$$to" || $(MKDIR_P) "$$to" || exit 1; \
		$(INSTALL_DATA) "kernels/$$file" "$$to" || exit 1; \
	done <kernels/files

uninstall-local:
	@cd '$(DESTDIR)$(pkglibdir)/kernels' 2>/dev/null || exit 0; \
	rm -f ./*/*.stfk; \
	rmdir ./* '$(DESTDIR)$(pkglibdir)/kernels' \
		'$(DESTDIR)$(pkglibdir)' 2>/dev/null || :
else
noinst_DATA += no-kernels # never made, so that the note comes each time
no-kernels:
	@echo '  NOTE     no ready-made kernels: no compiler for GPUs was found'
endif

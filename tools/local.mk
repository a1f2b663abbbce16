# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Steadfast authors
# The command `steadfast`. It uses internals (schedules, the oracle), so it is
# linked with the convenience libraries and not with libsteadfast.

bin_PROGRAMS += steadfast
steadfast_SOURCES = \
	%D%/accuracy.c \
	%D%/accuracy.h \
	%D%/arena.c \
	%D%/arena.h \
	%D%/array.c \
	%D%/array.h \
	%D%/cache_warm.c \
	%D%/cache_warm.h \
	%D%/campaign.c \
	%D%/campaign.h \
	%D%/cmd_bench.c \
	%D%/cmd_cache.c \
	%D%/cmd_fft.c \
	%D%/cmd_info.c \
	%D%/cmd_inject.c \
	%D%/cmd_plan.c \
	%D%/cmd_verify.c \
	%D%/command.c \
	%D%/command.h \
	%D%/compare.c \
	%D%/compare.h \
	%D%/compare_table.c \
	%D%/compare_table.h \
	%D%/copy.c \
	%D%/copy.h \
	%D%/data.c \
	%D%/data.h \
	%D%/detectors.c \
	%D%/detectors.def \
	%D%/detectors.h \
	%D%/digest.c \
	%D%/digest.h \
	%D%/fft_report.c \
	%D%/fft_run.h \
	%D%/input.c \
	%D%/input.h \
	%D%/job.c \
	%D%/job.h \
	%D%/load.c \
	%D%/load.h \
	%D%/measure.c \
	%D%/measure.h \
	%D%/npy.c \
	%D%/npy.h \
	%D%/options.c \
	%D%/options.def \
	%D%/options.h \
	%D%/outfile.c \
	%D%/outfile.h \
	%D%/pass_time.c \
	%D%/pass_time.h \
	%D%/passes.c \
	%D%/passes.h \
	%D%/problems.c \
	%D%/problems.h \
	%D%/progress.c \
	%D%/progress.h \
	%D%/protections.c \
	%D%/protections.h \
	%D%/rig.c \
	%D%/rig.h \
	%D%/roc.c \
	%D%/roc.h \
	%D%/spectrum.c \
	%D%/spectrum.h \
	%D%/stats.c \
	%D%/stats.h \
	%D%/steadfast.c \
	%D%/summary.c \
	%D%/summary.h \
	%D%/svg.c \
	%D%/svg.h \
	%D%/table.c \
	%D%/table.h \
	%D%/trial.c \
	%D%/trial.h \
	%D%/verify.def \
	%D%/wav.c \
	%D%/wav.h
steadfast_CPPFLAGS = $(AM_CPPFLAGS) $(SNDFILE_CPPFLAGS)
steadfast_LDFLAGS = $(AM_LDFLAGS) $(OPENMP_CFLAGS)
steadfast_LDADD = libstf_check.la libstf_all.la $(SNDFILE_LIBS) $(LIBM)

# Kernels that are ready-made: compiled here, installed as a site's cache.
# They are the same whoever compiles them; `make STF_CUDA_ARCHS=` leaves them
# out. A program for another machine cannot run here.
if STF_CUDA_TOOLKIT
noinst_PROGRAMS += %D%/aot
%C%_aot_SOURCES = %D%/aot.c
%C%_aot_LDADD = libstf_check.la libstf_all.la $(OPENMP_CFLAGS) $(LIBM)

noinst_DATA += kernels/files
CLEANFILES += kernels/files kernels/*/*.stfk

kernels/files: %D%/aot$(EXEEXT) Makefile
	$(AM_V_at)$(MKDIR_P) kernels && \
	if test '$(build)' = '$(host)'; then \
		%D%/aot$(EXEEXT) kernels '$(STF_CUDA_ARCHS)'; \
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
	@echo '  NOTE     no ready-made kernels: no CUDA toolkit was found'
endif

# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Steadfast authors
# The core, and the library that is installed.

# Everything as one convenience library: what is installed, the command and
# the tests (which look inside) are all made from it.
noinst_LTLIBRARIES += libstf_all.la
libstf_all_la_SOURCES = \
	%D%/base/alloc.c %D%/base/alloc.h \
	%D%/base/env.c %D%/base/env.h \
	%D%/base/hash.c %D%/base/hash.h \
	%D%/base/random.h \
	%D%/base/status.c %D%/base/status.h \
	%D%/plan/builder.h \
	%D%/plan/cost.c %D%/plan/cost.h \
	%D%/plan/desc.c %D%/plan/desc.h \
	%D%/plan/factor.c %D%/plan/factor.h \
	%D%/plan/gpu_columns.c \
	%D%/plan/gpu_shape.c %D%/plan/gpu_shape.h \
	%D%/plan/kinds.def \
	%D%/plan/levels.c %D%/plan/levels.h \
	%D%/plan/lower.c %D%/plan/lower.h \
	%D%/plan/lower_axis.c \
	%D%/plan/lower_c2c.c \
	%D%/plan/lower_real.c \
	%D%/plan/lower_real_two.c \
	%D%/plan/numth.c %D%/plan/numth.h \
	%D%/plan/presets.def \
	%D%/plan/radices.def \
	%D%/plan/roots.c %D%/plan/roots.h \
	%D%/plan/schedule.c %D%/plan/schedule.h \
	%D%/plan/types.def \
	%D%/ft/code.c %D%/ft/code.h \
	%D%/ft/fault.c %D%/ft/fault.h \
	%D%/ft/finding.c %D%/ft/finding.h \
	%D%/ft/group.c %D%/ft/group.h \
	%D%/ft/instrument.c %D%/ft/instrument.h \
	%D%/ft/network.c %D%/ft/network.h %D%/ft/network_make.c \
	%D%/ft/offline.c %D%/ft/offline.h \
	%D%/ft/phases.c %D%/ft/phases.h \
	%D%/ft/row.c %D%/ft/row.h \
	%D%/ft/stage.c %D%/ft/stage.h \
	%D%/ft/sums.h %D%/ft/sums_body.h \
	%D%/ft/sums_f32.c \
	%D%/ft/sums_f64.c \
	%D%/ft/threshold.c %D%/ft/threshold.h \
	%D%/ft/vector.c %D%/ft/vector.h \
	%D%/backend/backend.h \
	%D%/backend/registry.c \
	%D%/run/check.c %D%/run/check.h \
	%D%/run/check_device.c %D%/run/check_device.h \
	%D%/run/device.c %D%/run/device.h \
	%D%/run/host.c %D%/run/host.h \
	%D%/run/pack.c %D%/run/pack.h \
	%D%/run/plan.c %D%/run/plan.h \
	%D%/run/protect.c %D%/run/protect.h \
	%D%/run/queue.c %D%/run/queue.h \
	%D%/run/sweep.c %D%/run/sweep.h \
	%D%/run/sweep_device.c %D%/run/sweep_device.h \
	%D%/run/weights.c %D%/run/weights.h \
	%D%/api/device.c \
	%D%/api/fft.c \
	%D%/api/version.c
libstf_all_la_LIBADD = $(LIBM) $(PTHREAD_LIBS) $(STF_BACKEND_LIBS)

# What libsteadfast.a needs at link time, for pkg-config and CMake.
STF_PRIVATE_LIBS = $(LIBM) $(PTHREAD_LIBS) $(STF_BACKEND_LIBS) $(OPENMP_LIBS)

# Before a release, -version-info C:R:A goes on by libtool's rules: code
# changed: R+1; interface changed: C+1, R=0; only added to: also A+1, else A=0.
lib_LTLIBRARIES += libsteadfast.la
libsteadfast_la_SOURCES =
libsteadfast_la_LIBADD = libstf_all.la $(LIBM) $(PTHREAD_LIBS) \
	$(STF_BACKEND_LIBS)
libsteadfast_la_LDFLAGS = $(AM_LDFLAGS) -version-info 0:0:0 -no-undefined \
	-export-symbols-regex '^stf_' $(STF_DEFS_LDFLAGS) $(OPENMP_CFLAGS)

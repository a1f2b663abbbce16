# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Steadfast authors
# What tests, bench and command share, and the installed library does not need:
# the oracle, the language of problems, other libraries as peers (loaded at run
# time), and the harness that runs problems on devices.

noinst_LTLIBRARIES += libstf_check.la
libstf_check_la_SOURCES = \
	%D%/oracle/naive.c %D%/oracle/naive.h %D%/oracle/quad.h \
	%D%/problem/distribution.c %D%/problem/distribution.h \
	%D%/problem/problem.c %D%/problem/problem.h \
	tests/tap.c tests/tap.h \
	%D%/peers/peer.c %D%/peers/peer.h \
	%D%/peers/peer_cufft.c \
	%D%/peers/peer_fftw.c \
	%D%/peers/peer_ops.h
libstf_check_la_CPPFLAGS = $(AM_CPPFLAGS) $(FFTW3_CPPFLAGS)
libstf_check_la_LIBADD = $(QUADMATH_LIBS) $(DL_LIBS)

# What tests of transforms share: problems made ready to be run.
check_LTLIBRARIES += libstf_trial.la
libstf_trial_la_SOURCES = \
	%D%/harness/devices.c %D%/harness/devices.h \
	%D%/harness/far.c %D%/harness/far.h \
	%D%/harness/judge.c %D%/harness/judge.h \
	%D%/harness/layouts.c \
	%D%/harness/second.c %D%/harness/second.h \
	%D%/harness/shapes.c %D%/harness/shapes.h \
	%D%/harness/trial.c %D%/harness/trial.h \
	%D%/harness/vendor.c %D%/harness/vendor.h \
	%D%/harness/world.c %D%/harness/world.h

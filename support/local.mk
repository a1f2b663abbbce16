# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Steadfast authors
# What tests, bench and command share, and the installed library does not need:
# the oracle, the language of problems, and other libraries as peers, which are
# loaded at run time.

noinst_LTLIBRARIES += libstf_support.la
libstf_support_la_SOURCES = \
	%D%/oracle/naive.c %D%/oracle/naive.h %D%/oracle/quad.h \
	%D%/oracle/naive_gemm.c %D%/oracle/naive_gemm.h \
	%D%/oracle/naive_real.c %D%/oracle/naive_real.h \
	%D%/problem/component.c %D%/problem/component.h \
	%D%/problem/distribution.c %D%/problem/distribution.h \
	%D%/problem/gemm_problem.c %D%/problem/gemm_problem.h \
	%D%/problem/problem.c %D%/problem/problem.h \
	%D%/peers/gemm_peer.c %D%/peers/gemm_peer.h \
	%D%/peers/peer.c %D%/peers/peer.h \
	%D%/peers/peer_cufft.c \
	%D%/peers/peer_cupy.c \
	%D%/peers/peer_fftw.c \
	%D%/peers/peer_ops.h \
	%D%/peers/peer_vkfft.c \
	%D%/peers/vkfft/module.h %D%/peers/vkfft/problem.c
nodist_libstf_support_la_SOURCES = %D%/peers/cupy_script.c
libstf_support_la_CPPFLAGS = $(AM_CPPFLAGS) $(FFTW3_CPPFLAGS)
libstf_support_la_LIBADD = $(QUADMATH_LIBS) $(DL_LIBS)

# The script of peer cupy as a C string.
EXTRA_DIST += %D%/peers/cupy_peer.py
CLEANFILES += %D%/peers/cupy_script.c
%D%/peers/cupy_script.c: %D%/peers/cupy_peer.py
	$(AM_V_GEN)$(MKDIR_P) %D%/peers && { \
	echo 'extern const char stfi_cupy_script[];' && \
	echo 'const char stfi_cupy_script[] = {' && \
	od -An -v -tx1 $(srcdir)/%D%/peers/cupy_peer.py | \
	sed 's/ *\([0-9a-f][0-9a-f]\)/0x\1, /g; s/ $$//' && \
	echo '0};'; } >$@.tmp && mv $@.tmp $@

# The module of peer vkfft, which is opened at run time. A folder to install it
# in makes libtool build a shared object. VkFFT's functions are all in its header.
if STF_BUILD_VKFFT
noinst_LTLIBRARIES += steadfast_vkfft.la
steadfast_vkfft_la_SOURCES = %D%/peers/vkfft/module.c %D%/peers/vkfft/module.h
steadfast_vkfft_la_CPPFLAGS = $(AM_CPPFLAGS) $(VKFFT_CPPFLAGS)
steadfast_vkfft_la_CFLAGS = $(AM_CFLAGS) -w
steadfast_vkfft_la_LDFLAGS = -module -avoid-version -shared -rpath /nowhere
steadfast_vkfft_la_LIBADD = -lm
endif

# Compilers that are programs of their own.
noinst_LTLIBRARIES += libstf_compile.la
libstf_compile_la_SOURCES = \
	%D%/compile/clang.c %D%/compile/clang.h \
	%D%/compile/folder.c %D%/compile/folder.h
libstf_compile_la_CPPFLAGS = $(AM_CPPFLAGS) \
	-DSTF_KERNEL_SOURCES='"$(abs_top_srcdir)"'

# The harness that tests run problems in.
check_LTLIBRARIES += libstf_harness.la
libstf_harness_la_SOURCES = \
	%D%/harness/far.c %D%/harness/far.h \
	%D%/harness/judge.c %D%/harness/judge.h \
	%D%/harness/layouts.c \
	%D%/harness/second.c %D%/harness/second.h \
	%D%/harness/shapes.c %D%/harness/shapes.h \
	%D%/harness/trial.c %D%/harness/trial.h \
	%D%/harness/vendor.c %D%/harness/vendor.h

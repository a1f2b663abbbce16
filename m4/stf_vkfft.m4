# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Steadfast authors
# STF_VKFFT
# --with-vkfft[=DIR]: vkFFT.h of DIR, and CUDA's headers, for the module that
# `steadfast bench --peer vkfft` opens. CPPFLAGS may name both as well. A module
# is a shared library, so a build without these has none.
AC_DEFUN([STF_VKFFT], [
AC_ARG_WITH([vkfft],
    [AS_HELP_STRING([--with-vkfft@<:@=DIR@:>@],
        [measure beside VkFFT, whose vkFFT.h is in DIR (auto)])],
    [], [with_vkfft=auto])
VKFFT_CPPFLAGS=
stf_vkfft=no
AS_CASE([$with_vkfft,$enable_shared],
    [no,*], [stf_reason_vkfft="switched off by --without-vkfft"],
    [*,no], [stf_reason_vkfft="a module needs --enable-shared"],
    [AS_CASE([$with_vkfft], [auto|yes], [],
         [VKFFT_CPPFLAGS="-I$with_vkfft"])
     stf_save_CPPFLAGS=$CPPFLAGS
     stf_cuda_home=${CUDA_HOME:-/usr/local/cuda}
     AS_IF([test -r "$stf_cuda_home/include/nvrtc.h"],
         [VKFFT_CPPFLAGS="$VKFFT_CPPFLAGS -I$stf_cuda_home/include"])
     CPPFLAGS="$CPPFLAGS $VKFFT_CPPFLAGS"
     AC_CHECK_HEADERS([nvrtc.h cuda_runtime.h vkFFT.h],
         [stf_vkfft=yes],
         [stf_vkfft=no
          stf_reason_vkfft="no $ac_header (Debian: libvkfft-dev)"
          break],
         [[#define VKFFT_BACKEND 1]])
     AS_IF([test "x$stf_vkfft" = xyes],
         [AC_CHECK_MEMBER([VkFFTConfiguration.performDST],
             [VKFFT_CPPFLAGS="$VKFFT_CPPFLAGS -DSTF_VKFFT_DST"], [],
             [[#define VKFFT_BACKEND 1
#include <vkFFT.h>]])])
     AC_DEFINE_UNQUOTED([STF_VKFFT_CUDA], ["$stf_cuda_home"],
         [Where VkFFT finds include/cuda_fp16.h of CUDA])
     CPPFLAGS=$stf_save_CPPFLAGS])
AS_CASE([$with_vkfft,$stf_vkfft],
    [auto,*|no,*|*,yes], [],
    [AC_MSG_ERROR([--with-vkfft=$with_vkfft: $stf_reason_vkfft])])
AM_CONDITIONAL([STF_BUILD_VKFFT], [test "x$stf_vkfft" = xyes])
AC_SUBST([VKFFT_CPPFLAGS])
])

# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Steadfast authors
# STF_FFTW3
# --with-fftw3[=DIR]: only its header is needed to build; tests and the bench
# load the library at run time, first from STF_FFTW3_LIBDIR when DIR was given.
AC_DEFUN([STF_FFTW3], [
AC_ARG_WITH([fftw3],
    [AS_HELP_STRING([--with-fftw3@<:@=DIR@:>@],
        [compare with FFTW3, installed in DIR (auto)])],
    [], [with_fftw3=auto])
FFTW3_CPPFLAGS=
stf_fftw3=no
stf_fftw3_libdir=
AS_CASE([$with_fftw3],
    [no], [stf_reason_fftw3="switched off by --without-fftw3"],
    [AS_CASE([$with_fftw3], [auto|yes], [],
         [FFTW3_CPPFLAGS="-I$with_fftw3/include"
          stf_fftw3_libdir="$with_fftw3/lib"])
     stf_save_CPPFLAGS=$CPPFLAGS
     CPPFLAGS="$CPPFLAGS $FFTW3_CPPFLAGS"
     AC_CHECK_HEADER([fftw3.h], [stf_fftw3=yes])
     # The one of the system must not pass for that of DIR.
     AS_CASE([$with_fftw3], [auto|yes], [],
         [test -r "$with_fftw3/include/fftw3.h" || stf_fftw3=no])
     CPPFLAGS=$stf_save_CPPFLAGS
     AS_IF([test "x$stf_fftw3" = xyes],
         [AC_DEFINE([HAVE_FFTW3_H], [1], [fftw3.h is there])],
         [stf_reason_fftw3="no fftw3.h (Debian: libfftw3-dev)"
          AS_IF([test "x$with_fftw3" != xauto],
              [AC_MSG_ERROR([--with-fftw3=$with_fftw3: $stf_reason_fftw3])])])])
AC_DEFINE_UNQUOTED([STF_FFTW3_LIBDIR], ["$stf_fftw3_libdir"],
    [Where to look for FFTW3's libraries first; empty: the usual places])
AC_SUBST([FFTW3_CPPFLAGS])
])

# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Steadfast authors
# STF_SNDFILE
# --with-sndfile[=DIR]: libsndfile, with which the command reads .wav files.
AC_DEFUN([STF_SNDFILE], [
AC_ARG_WITH([sndfile],
    [AS_HELP_STRING([--with-sndfile@<:@=DIR@:>@],
        [.wav input of the command, libsndfile in DIR (auto)])],
    [], [with_sndfile=auto])
SNDFILE_CPPFLAGS=
SNDFILE_LIBS=
stf_sndfile=no
AS_CASE([$with_sndfile],
    [no], [stf_reason_sndfile="switched off by --without-sndfile"],
    [AS_CASE([$with_sndfile], [auto|yes], [],
         [SNDFILE_CPPFLAGS="-I$with_sndfile/include"
          SNDFILE_LIBS="-L$with_sndfile/lib"])
     stf_save_CPPFLAGS=$CPPFLAGS
     stf_save_LIBS=$LIBS
     CPPFLAGS="$CPPFLAGS $SNDFILE_CPPFLAGS"
     LIBS="$SNDFILE_LIBS $LIBS"
     AC_CHECK_HEADER([sndfile.h],
         [AC_CHECK_LIB([sndfile], [sf_open], [stf_sndfile=yes])])
     # The one of the system must not pass for that of DIR.
     AS_CASE([$with_sndfile], [auto|yes], [],
         [test -r "$with_sndfile/include/sndfile.h" || stf_sndfile=no])
     CPPFLAGS=$stf_save_CPPFLAGS
     LIBS=$stf_save_LIBS
     AS_IF([test "x$stf_sndfile" = xyes],
         [SNDFILE_LIBS="${SNDFILE_LIBS:+$SNDFILE_LIBS }-lsndfile"
          AC_DEFINE([HAVE_SNDFILE], [1], [libsndfile is there])],
         [SNDFILE_CPPFLAGS= SNDFILE_LIBS=
          stf_reason_sndfile="no sndfile.h with libsndfile (Debian: libsndfile1-dev)"
          AS_IF([test "x$with_sndfile" != xauto],
              [AC_MSG_ERROR([--with-sndfile=$with_sndfile: $stf_reason_sndfile])])])])
AC_SUBST([SNDFILE_CPPFLAGS])
AC_SUBST([SNDFILE_LIBS])
])

# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Steadfast authors
# STF_SANITIZERS
# --enable-sanitizers=LIST, in CFLAGS and LDFLAGS so that every object and
# every link has them; STF_SANITIZE_CFLAGS is for programs built by tests.
AC_DEFUN([STF_SANITIZERS], [
AC_ARG_ENABLE([sanitizers],
    [AS_HELP_STRING([--enable-sanitizers=LIST],
        [build with -fsanitize=LIST, such as address,undefined or thread])],
    [], [enable_sanitizers=no])
STF_SANITIZE_CFLAGS=
AS_CASE([$enable_sanitizers],
    [no|''], [],
    [yes], [AC_MSG_ERROR([--enable-sanitizers needs a list, such as address,undefined or thread])],
    [STF_SANITIZE_CFLAGS="-fsanitize=$enable_sanitizers -fno-omit-frame-pointer"
     AS_CASE([,$enable_sanitizers,], [*,undefined,*],
         [STF_SANITIZE_CFLAGS="$STF_SANITIZE_CFLAGS -fno-sanitize-recover=undefined"])
     CFLAGS="$CFLAGS $STF_SANITIZE_CFLAGS"
     LDFLAGS="$LDFLAGS -fsanitize=$enable_sanitizers"
     AC_MSG_CHECKING([whether $CC links with -fsanitize=$enable_sanitizers])
     AC_LINK_IFELSE([AC_LANG_PROGRAM([], [])],
         [AC_MSG_RESULT([yes])],
         [AC_MSG_RESULT([no])
          AC_MSG_ERROR([--enable-sanitizers=$enable_sanitizers: $CC cannot link with it (see config.log)])])])
AC_SUBST([STF_SANITIZE_CFLAGS])
])

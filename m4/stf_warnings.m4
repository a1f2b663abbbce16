# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Steadfast authors
# STF_WARNINGS
# Warnings that gcc and clang both know, in STF_WARN_CFLAGS. -Werror stays out
# of CFLAGS, or it would decide the outcome of later probes.
AC_DEFUN([STF_WARNINGS], [
AC_ARG_ENABLE([werror],
    [AS_HELP_STRING([--enable-werror], [treat compiler warnings as errors])],
    [], [enable_werror=no])
STF_WARN_CFLAGS="-Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes"
AS_IF([test "x$enable_werror" != xno],
      [STF_WARN_CFLAGS="$STF_WARN_CFLAGS -Werror"])
AC_SUBST([STF_WARN_CFLAGS])
])

# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Steadfast authors
# Backends: those that exist, and those whose options wait for them.

# STF_BACKEND(NAME)
# Includes backends/NAME/configure.m4, which sets stf_backend_NAME to yes or
# no and, with no, stf_reason_backend_NAME. The name is split because aclocal
# would otherwise look for a file with $1 in its name.
AC_DEFUN([STF_BACKEND], [
m4_include([backends/]$1[/configure.m4])
AS_IF([test "x$stf_backend_$1" = xyes],
      [stf_backends="${stf_backends:+$stf_backends }$1"])
])

# STF_BACKEND_PLANNED(NAME, TITLE)
# The option of a backend that this release does not have: it is refused when
# asked for, and `auto` says why the answer is no.
AC_DEFUN([STF_BACKEND_PLANNED], [
AC_ARG_WITH([$1],
    [AS_HELP_STRING([--with-$1@<:@=DIR@:>@],
        [$2 backend, toolkit in DIR (not in this release)])],
    [], [with_$1=auto])
stf_backend_$1=no
stf_reason_backend_$1="backend not in this release"
AS_CASE([$with_$1],
    [auto], [],
    [no], [stf_reason_backend_$1="switched off by --without-$1"],
    [AC_MSG_ERROR([--with-$1: the $2 backend is not in this release; leave the option out or use --without-$1])])
AC_DEFINE_UNQUOTED([STF_BUILD_]m4_toupper([$1])[_REASON],
    ["$stf_reason_backend_$1"], [Why the $2 backend is not compiled in])
])

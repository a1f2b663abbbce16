# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Steadfast authors
# The backends.

# STF_BACKEND(NAME)
# Includes backends/NAME/configure.m4, which sets stf_backend_NAME to yes or
# no and, with no, stf_reason_backend_NAME. The name is split because aclocal
# would otherwise look for a file with $1 in its name.
AC_DEFUN([STF_BACKEND], [
m4_include([backends/]$1[/configure.m4])
AS_IF([test "x$stf_backend_$1" = xyes],
      [stf_backends="${stf_backends:+$stf_backends }$1"])
])

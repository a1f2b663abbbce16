# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Steadfast authors
# STF_NO_HOISTING
# Sets STF_NO_HOISTING_CFLAGS to what keeps gcc from moving expressions that both
# branches of a condition begin with to before it. Kernels have branches for both
# directions, each with all loads of a butterfly and its twiddles: before the
# branches, these exceed the registers and are stored on the stack. Empty for
# compilers that know no such option.
AC_DEFUN([STF_NO_HOISTING], [
STF_NO_HOISTING_CFLAGS=-fno-code-hoisting
AC_CACHE_CHECK([whether $CC takes $STF_NO_HOISTING_CFLAGS],
    [stf_cv_no_hoisting], [
    stf_save_CFLAGS=$CFLAGS
    CFLAGS="$CFLAGS $STF_NO_HOISTING_CFLAGS -Werror"
    AC_COMPILE_IFELSE([AC_LANG_PROGRAM([], [])],
        [stf_cv_no_hoisting=yes], [stf_cv_no_hoisting=no])
    CFLAGS=$stf_save_CFLAGS])
AS_IF([test "x$stf_cv_no_hoisting" = xno], [STF_NO_HOISTING_CFLAGS=])
AC_SUBST([STF_NO_HOISTING_CFLAGS])
])

# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Steadfast authors
# STF_FLOAT128
# HAVE_FLOAT128 and QUADMATH_LIBS: __float128 with libquadmath. Only the
# oracle uses it (tests and the command), never the library.
AC_DEFUN([STF_FLOAT128], [
AC_CACHE_CHECK([for __float128 with libquadmath], [stf_cv_float128], [
    stf_save_LIBS=$LIBS
    LIBS="-lquadmath $LIBS"
    AC_LINK_IFELSE([AC_LANG_PROGRAM([[/* clang has no quadmath.h, but finds the library */
extern __float128 cosq(__float128);
extern __float128 sinq(__float128);
volatile __float128 x = 0.5;]], [[return (int)(cosq(x) * (double)sinq(x));]])],
        [stf_cv_float128=yes], [stf_cv_float128=no])
    LIBS=$stf_save_LIBS])
QUADMATH_LIBS=
AS_IF([test "x$stf_cv_float128" = xyes],
    [QUADMATH_LIBS=-lquadmath
     AC_DEFINE([HAVE_FLOAT128], [1], [__float128 and libquadmath work])])
AC_SUBST([QUADMATH_LIBS])
])

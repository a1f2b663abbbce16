# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Steadfast authors
# STF_VECTOR_EXT
# --disable-simd, and HAVE_VECTOR_EXT: the compiler's own vector types and
# shuffles, from which one kernel source is compiled for every instruction set.
AC_DEFUN([STF_VECTOR_EXT], [
AC_ARG_ENABLE([simd],
    [AS_HELP_STRING([--disable-simd], [CPU kernels in plain C])],
    [], [enable_simd=yes])
AC_CACHE_CHECK([for vector types with __builtin_shufflevector],
    [stf_cv_vector_ext], [
    AC_COMPILE_IFELSE([AC_LANG_PROGRAM([[
typedef float v8 __attribute__((vector_size(32)));]], [[
volatile float x = 1;
v8 a = {x, x, x, x, x, x, x, x}, b = a + a;
v8 c = __builtin_shufflevector(a, b, 0, 8, 1, 9, 2, 10, 3, 11);
return (int)c[1];]])],
        [stf_cv_vector_ext=yes], [stf_cv_vector_ext=no])])
AS_IF([test "x$enable_simd" = xno],
          [stf_simd=no stf_reason_simd="switched off by --disable-simd"],
      [test "x$stf_cv_vector_ext" = xno],
          [stf_simd=no
           stf_reason_simd="$CC has no vector types with __builtin_shufflevector (gcc >= 12 and clang have)"],
      [stf_simd=yes
       AC_DEFINE([HAVE_VECTOR_EXT], [1],
           [Vector types and __builtin_shufflevector may be used])])
])

# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Steadfast authors
# STF_X86_ISA
# The instruction sets for which the CPU kernels are compiled beside the base
# one: STF_ISA_AVX2 and STF_ISA_AVX512 (conditionals), HAVE_ISA_* (config.h)
# and their compiler flags. Which of them runs is decided at run time.
AC_DEFUN([STF_X86_ISA], [
STF_AVX2_CFLAGS="-mavx2 -mfma -mf16c"
STF_AVX512_CFLAGS="-mavx512f -mavx512dq -mavx512vl -mavx512bw -mfma -mprefer-vector-width=512"
stf_isa_avx2=no
stf_isa_avx512=no
stf_simd_sets=base
AS_IF([test "x$stf_simd" = xyes && test "x$host_cpu" = xx86_64],
    [AC_CACHE_CHECK([whether the CPU can be asked at run time],
        [stf_cv_cpu_supports],
        [AC_LINK_IFELSE([AC_LANG_PROGRAM([], [[
__builtin_cpu_init();
return __builtin_cpu_supports("avx512dq") + __builtin_cpu_supports("fma");]])],
            [stf_cv_cpu_supports=yes], [stf_cv_cpu_supports=no])])
     AS_IF([test "x$stf_cv_cpu_supports" = xyes],
         [STF_CHECK_CFLAGS([avx2], [$STF_AVX2_CFLAGS])
          STF_CHECK_CFLAGS([avx512], [$STF_AVX512_CFLAGS])])])
AS_IF([test "x$stf_isa_avx2" = xyes],
    [stf_simd_sets="avx2 $stf_simd_sets"
     AC_DEFINE([HAVE_ISA_AVX2], [1], [Kernels for AVX2 are compiled in])])
AS_IF([test "x$stf_isa_avx512" = xyes],
    [stf_simd_sets="avx512 $stf_simd_sets"
     AC_DEFINE([HAVE_ISA_AVX512], [1], [Kernels for AVX-512 are compiled in])])
AM_CONDITIONAL([STF_ISA_AVX2], [test "x$stf_isa_avx2" = xyes])
AM_CONDITIONAL([STF_ISA_AVX512], [test "x$stf_isa_avx512" = xyes])
AC_SUBST([STF_AVX2_CFLAGS])
AC_SUBST([STF_AVX512_CFLAGS])
])

# STF_CHECK_CFLAGS(NAME, FLAGS)
# Sets stf_isa_NAME to whether the compiler takes the flags.
AC_DEFUN([STF_CHECK_CFLAGS], [
AC_CACHE_CHECK([whether $CC takes $2], [stf_cv_cflags_$1], [
    stf_save_CFLAGS=$CFLAGS
    CFLAGS="$CFLAGS $2"
    AC_COMPILE_IFELSE([AC_LANG_PROGRAM([], [])],
        [stf_cv_cflags_$1=yes], [stf_cv_cflags_$1=no])
    CFLAGS=$stf_save_CFLAGS])
stf_isa_$1=$stf_cv_cflags_$1
])

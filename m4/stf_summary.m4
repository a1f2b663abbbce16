# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Steadfast authors
# What was decided: once as strings for stf_build_info(), once for the reader
# of configure's output.

# STF_DEFINE_STRING(NAME, SHELL-VARIABLE, DESCRIPTION)
# A C string literal of the variable's value.
AC_DEFUN([STF_DEFINE_STRING], [
stf_literal=`AS_ECHO(["$$2"]) | sed 's/[[\\\\"]]/\\\\&/g'`
AC_DEFINE_UNQUOTED([$1], ["$stf_literal"], [$3])
])

AC_DEFUN([STF_BUILD_STRINGS], [
stf_compiler=`$CC --version 2>/dev/null | sed 1q`
AS_IF([test "x$stf_compiler" = x], [stf_compiler=$CC])
AS_IF([test "x$stf_simd" = xno], [stf_simd_sets="base (plain C)"])
STF_DEFINE_STRING([STF_BUILD_COMPILER], [stf_compiler], [The C compiler])
STF_DEFINE_STRING([STF_BUILD_CFLAGS], [CFLAGS], [Its flags])
STF_DEFINE_STRING([STF_BUILD_HOST], [host], [The machine built for])
STF_DEFINE_STRING([STF_BUILD_OPENMP], [stf_openmp], ["yes" or "no"])
STF_DEFINE_STRING([STF_BUILD_SIMD], [stf_simd_sets],
    [Instruction sets of the CPU kernels, best first])
stf_cuda_kernels="all compiled at run time"
AS_IF([test "x$STF_CUDA_LIBDIR" != x && test "x$STF_CUDA_ARCHS" != x],
    [stf_cuda_kernels=$STF_CUDA_ARCHS])
stf_cuda_summary="NVRTC $stf_cuda_nvrtc, kernels $stf_cuda_kernels"
AS_IF([test "x$stf_backend_cuda" = xno],
    [stf_cuda_summary="no ($stf_reason_backend_cuda)"])
STF_DEFINE_STRING([STF_BUILD_CUDA], [stf_cuda_summary],
    [The CUDA compiler found, and what was compiled with it])
stf_hip_rocm=${STF_HIP_LIBDIR:-where the loader finds it}
stf_hip_kernels="all compiled at run time"
AS_IF([test "x$STF_HIP_ARCHS" != x],
    [stf_hip_kernels="$STF_HIP_ARCHS, by $STF_HIP_CLANG"])
stf_hip_build="ROCm $stf_hip_rocm, kernels $stf_hip_kernels"
AS_IF([test "x$stf_backend_hip" = xno],
    [stf_hip_build="no ($stf_reason_backend_hip)"])
STF_DEFINE_STRING([STF_BUILD_HIP], [stf_hip_build],
    [Where ROCm was found, and what was compiled for its devices])
STF_DEFINE_STRING([STF_BUILD_BACKENDS], [stf_backends],
    [Backends that are compiled in])
STF_DEFINE_STRING([STF_BUILD_FFTW3], [stf_fftw3], ["yes" or "no"])
STF_DEFINE_STRING([STF_BUILD_SNDFILE], [stf_sndfile], ["yes" or "no"])
STF_DEFINE_STRING([STF_BUILD_FLOAT128], [stf_cv_float128], ["yes" or "no"])
])

# STF_ANSWER(LABEL, NAME)
# A line of the summary: stf_NAME, with the reason behind a no, or what keeps
# a yes from working on this machine (stf_remark_NAME).
AC_DEFUN([STF_ANSWER], [
AS_IF([test "x$stf_$2" = xyes],
    [AS_ECHO(["    $1yes${stf_remark_$2:+, but cannot run here: $stf_remark_$2}"])],
    [AS_ECHO(["    $1no ($stf_reason_$2)"])])
])

AC_DEFUN([STF_SUMMARY], [
stf_float128=$stf_cv_float128
stf_reason_float128="$CC finds no quadmath.h with libquadmath; the oracle uses long double"
AS_ECHO(["
Steadfast $PACKAGE_VERSION for $host

  Backends"])
STF_ANSWER([cpu         ], [backend_cpu])
STF_ANSWER([cuda        ], [backend_cuda])
STF_ANSWER([hip         ], [backend_hip])
AS_ECHO(["  CPU backend"])
STF_ANSWER([OpenMP      ], [openmp])
STF_ANSWER([SIMD        ], [simd])
AS_ECHO(["    kernels     $stf_simd_sets"])
AS_IF([test "x$stf_backend_cuda" = xyes], [AS_ECHO(["  CUDA backend
    NVRTC       $stf_cuda_nvrtc${STF_CUDA_LIBDIR:+ in $STF_CUDA_LIBDIR}
    kernels     $stf_cuda_kernels"])])
AS_IF([test "x$stf_backend_hip" = xyes], [AS_ECHO(["  HIP backend
    ROCm        $stf_hip_rocm
    kernels     $stf_hip_kernels"])])
AS_ECHO(["  Command, tests and bench"])
STF_ANSWER([FFTW3       ], [fftw3])
STF_ANSWER([VkFFT       ], [vkfft])
STF_ANSWER([libsndfile  ], [sndfile])
STF_ANSWER([__float128  ], [float128])
STF_ANSWER([emulator], [test_cxx])
AS_ECHO(["  Build
    compiler    $stf_compiler
    CFLAGS      $CFLAGS
    warnings    $STF_WARN_CFLAGS
    sanitizers  $enable_sanitizers
    libraries   shared $enable_shared, static $enable_static
    prefix      $prefix
"])
])

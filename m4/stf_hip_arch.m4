# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Steadfast authors
# STF_HIP_ARCH
# --with-hip-arch: for which GPUs of AMD `make` compiles stock kernels. It needs
# no probe, so that a mistake is told at once.
#   STF_HIP_ARCHS               the architectures; empty: none
AC_DEFUN([STF_HIP_ARCH], [
AC_ARG_WITH([hip-arch],
    [AS_HELP_STRING([--with-hip-arch=LIST],
        [compile kernels for these GPUs of AMD at make, by clang, such as gfx90a,gfx942 (none)])],
    [], [with_hip_arch=none])
STF_HIP_ARCHS=
AC_MSG_CHECKING([which GPUs of AMD make compiles kernels for])
AS_CASE([$with_hip_arch],
    [no|none], [],
    [yes|''], [AC_MSG_ERROR([--with-hip-arch needs a list, such as "gfx90a gfx942", or none])],
    [STF_HIP_CHECK_ARCHS])
AC_MSG_RESULT([${STF_HIP_ARCHS:-none}])
AC_SUBST([STF_HIP_ARCHS])
])

# Commas and spaces separate; each is gfx and three or four digits, the last of
# which may be a to f.
AC_DEFUN([STF_HIP_CHECK_ARCHS], [
for stf_arch in `AS_ECHO(["$with_hip_arch"]) | tr ',' ' '`; do
    AS_CASE([$stf_arch],
        [gfx@<:@0-9@:>@@<:@0-9@:>@@<:@0-9a-f@:>@|gfx@<:@0-9@:>@@<:@0-9@:>@@<:@0-9@:>@@<:@0-9a-f@:>@],
            [STF_HIP_ARCHS="${STF_HIP_ARCHS:+$STF_HIP_ARCHS }$stf_arch"],
        [AC_MSG_ERROR([--with-hip-arch: $stf_arch is not an architecture such as gfx90a])])
done
])

# STF_HIP_COMPILER
# The clang that compiles for all architectures of the list: that of ROCm, or one
# in the PATH. Its linker has to be there, too.
#   STF_HIP_CLANG               with its path; empty without a list
AC_DEFUN([STF_HIP_COMPILER], [
STF_HIP_CLANG=
AS_IF([test "x$STF_HIP_ARCHS" != x], [
AS_IF([test "x$stf_backend_hip" = xno],
    [AC_MSG_ERROR([--with-hip-arch=$with_hip_arch: there is no HIP backend: $stf_reason_backend_hip])])
AC_MSG_CHECKING([for a clang that compiles for $STF_HIP_ARCHS])
AS_ECHO(['extern "C" __attribute__((global)) void f(float *x) { *x *= 2; }']) \
    >conftest.hip
for stf_clang in "$STF_HIP_LIBDIR/../llvm/bin/clang++" clang++ clang++-21 \
    clang++-20 clang++-19 clang++-18 clang++-17; do
    stf_found=`command -v "$stf_clang" 2>/dev/null`
    AS_IF([test "x$STF_HIP_CLANG" = x && test "x$stf_found" != x], [
        STF_HIP_CLANG=$stf_found
        for stf_arch in $STF_HIP_ARCHS; do
            AS_IF(["$stf_found" -x hip --cuda-device-only \
                   --no-gpu-bundle-output -nogpuinc -nogpulib \
                   --offload-arch=$stf_arch -c conftest.hip -o conftest.o \
                   >&AS_MESSAGE_LOG_FD 2>&1], [], [STF_HIP_CLANG=])
        done])
done
rm -f conftest.hip conftest.o
AC_MSG_RESULT([${STF_HIP_CLANG:-none}])
AS_IF([test "x$STF_HIP_CLANG" = x],
    [AC_MSG_ERROR([--with-hip-arch=$with_hip_arch: no clang with its linker lld compiles for all of them; install clang-19 and lld-19 or ROCm, or leave the option out])])
])
STF_DEFINE_STRING([STF_HIP_CLANG], [STF_HIP_CLANG],
    [The compiler of ready-made kernels for GPUs of AMD])
])

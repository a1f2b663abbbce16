# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Steadfast authors
# STF_CUDA_ARCH
# --with-cuda-arch: for which GPUs `make` compiles stock kernels, if there is a
# CUDA toolkit. It needs no probe, so that a mistake is told at once.
#   STF_CUDA_ARCHS              the architectures; empty: none
AC_DEFUN([STF_CUDA_ARCH], [
AC_ARG_WITH([cuda-arch],
    [AS_HELP_STRING([--with-cuda-arch=LIST],
        [compile kernels for these at make, or for none (sm_80 sm_90)])],
    [], [with_cuda_arch="sm_80 sm_90"])
STF_CUDA_ARCHS=
AC_MSG_CHECKING([which GPUs make compiles kernels for])
AS_CASE([$with_cuda_arch],
    [no|none], [],
    [yes|''], [AC_MSG_ERROR([--with-cuda-arch needs a list, such as "sm_80 sm_90", or none])],
    [STF_CUDA_CHECK_ARCHS])
AC_MSG_RESULT([${STF_CUDA_ARCHS:-none}])
AC_SUBST([STF_CUDA_ARCHS])
])

# Commas and spaces separate; each is sm_NN, perhaps with a letter.
AC_DEFUN([STF_CUDA_CHECK_ARCHS], [
for stf_arch in `AS_ECHO(["$with_cuda_arch"]) | tr ',' ' '`; do
    AS_CASE([$stf_arch],
        [sm_@<:@0-9@:>@@<:@0-9@:>@|sm_@<:@0-9@:>@@<:@0-9@:>@a],
            [STF_CUDA_ARCHS="${STF_CUDA_ARCHS:+$STF_CUDA_ARCHS }$stf_arch"],
        [sm_@<:@0-9@:>@@<:@0-9@:>@@<:@0-9@:>@|sm_@<:@0-9@:>@@<:@0-9@:>@@<:@0-9@:>@a],
            [STF_CUDA_ARCHS="${STF_CUDA_ARCHS:+$STF_CUDA_ARCHS }$stf_arch"],
        [AC_MSG_ERROR([--with-cuda-arch: $stf_arch is not an architecture such as sm_90])])
done
])

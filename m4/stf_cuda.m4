# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Steadfast authors
# STF_CUDA
# --with-cuda. The backend needs no toolkit to be built:
# driver and run-time compiler (NVRTC) are loaded by the running program. The
# toolkit's folder is recorded so that NVRTC is found there, and because the
# ready-made kernels are compiled with it.
#   stf_backend_cuda, stf_reason_backend_cuda   yes or no, and why no
#   stf_remark_backend_cuda     why it cannot run on this machine; "" if it can
#   STF_CUDA_LIBDIR             folder of NVRTC, "" if there is none
#   stf_cuda_nvrtc              NVRTC's version, or why there is none
AC_DEFUN([STF_CUDA], [
AC_ARG_WITH([cuda],
    [AS_HELP_STRING([--with-cuda@<:@=DIR@:>@],
        [CUDA backend, with the toolkit in DIR (auto)])],
    [], [with_cuda=auto])
AC_ARG_VAR([CUDA_HOME], [CUDA toolkit, unless --with-cuda=DIR says where])
AC_ARG_VAR([CUDA_PATH], [the same, asked after CUDA_HOME])
stf_backend_cuda=yes
stf_reason_backend_cuda=
stf_remark_backend_cuda=
stf_cuda_nvrtc="none"
STF_CUDA_LIBDIR=
AS_CASE([$with_cuda],
    [no], [stf_backend_cuda=no
           stf_reason_backend_cuda="switched off by --without-cuda"],
    [AS_CASE([$host_os], [linux*], [],
         [stf_backend_cuda=no
          stf_reason_backend_cuda="only on Linux so far"
          AS_IF([test "x$with_cuda" != xauto],
              [AC_MSG_ERROR([--with-cuda=$with_cuda: $stf_reason_backend_cuda])])])])
AS_IF([test "x$stf_backend_cuda" = xyes],
    [STF_CUDA_FIND_TOOLKIT
     STF_CUDA_HERE
     AC_DEFINE([HAVE_CUDA], [1], [The CUDA backend is compiled in])],
    [STF_DEFINE_STRING([STF_BUILD_CUDA_REASON], [stf_reason_backend_cuda],
         [Why the CUDA backend is not compiled in])])
STF_DEFINE_STRING([STF_CUDA_LIBDIR], [STF_CUDA_LIBDIR],
    [Where NVRTC is looked for after the usual places; empty: nowhere])
AM_CONDITIONAL([HAVE_CUDA], [test "x$stf_backend_cuda" = xyes])
AM_CONDITIONAL([STF_CUDA_TOOLKIT], [test "x$STF_CUDA_LIBDIR" != x])
AC_SUBST([STF_CUDA_LIBDIR])
])

# STF_CUDA_LIBDIR: the first folder with NVRTC in it.
AC_DEFUN([STF_CUDA_FIND_TOOLKIT], [
AC_MSG_CHECKING([for NVRTC of a CUDA toolkit])
AS_CASE([$with_cuda],
    [auto|yes],
        [stf_cuda_nvcc=`command -v nvcc 2>/dev/null`
         stf_cuda_dirs="$CUDA_HOME $CUDA_PATH"
         AS_IF([test "x$stf_cuda_nvcc" != x],
             [stf_cuda_dirs="$stf_cuda_dirs `dirname "$stf_cuda_nvcc"`/.."])
         stf_cuda_dirs="$stf_cuda_dirs /usr/local/cuda"],
    [stf_cuda_dirs=$with_cuda])
for stf_dir in $stf_cuda_dirs; do
    for stf_lib in "$stf_dir/lib64" "$stf_dir/lib" \
        "$stf_dir/targets/$host_cpu-linux/lib"; do
        AS_IF([test "x$STF_CUDA_LIBDIR" = x && test -d "$stf_lib" \
               && ls "$stf_lib" | grep '^libnvrtc\.so' >/dev/null],
            [STF_CUDA_LIBDIR=`cd "$stf_lib" && pwd`])
    done
done
AC_MSG_RESULT([${STF_CUDA_LIBDIR:-none}])
AS_CASE([$with_cuda], [auto|yes], [],
    [AS_IF([test "x$STF_CUDA_LIBDIR" = x],
        [AC_MSG_ERROR([--with-cuda=$with_cuda: no libnvrtc.so in its lib64 or lib; name the toolkit's folder, or use --with-cuda alone: the backend is built without a toolkit too])])])
])

# What this machine has. Programs write a file, since a sanitizer may change
# their exit status.
AC_DEFUN([STF_CUDA_HERE], [
stf_save_LIBS=$LIBS
LIBS="$LIBS $DL_LIBS"
AC_MSG_CHECKING([whether CUDA can run here])
rm -f conftest.cuda
AC_RUN_IFELSE([AC_LANG_PROGRAM([[
#include <stdio.h>
#include <dlfcn.h>]], [[
FILE *file = fopen("conftest.cuda", "w");
void *lib = dlopen("libcuda.so.1", RTLD_NOW);
int (*init)(unsigned) = 0, (*count)(int *) = 0, n = 0;
if (lib) {
    *(void **)&init = dlsym(lib, "cuInit");
    *(void **)&count = dlsym(lib, "cuDeviceGetCount");
}
if (!file) return 1;
if (!init || !count) fputs("no driver (libcuda.so.1)", file);
else if (init(0) || count(&n) || n < 1) fputs("no device", file);
fclose(file);]])], [], [], [:])
AS_IF([test -r conftest.cuda],
    [stf_remark_backend_cuda=`cat conftest.cuda`],
    [stf_remark_backend_cuda="not tried"])
AC_MSG_RESULT([${stf_remark_backend_cuda:-yes}])
rm -f conftest.cuda
AS_IF([test "x$STF_CUDA_LIBDIR" != x], [
AC_MSG_CHECKING([NVRTC's version])
AC_RUN_IFELSE([AC_LANG_PROGRAM([[
#include <stdio.h>
#include <dlfcn.h>]], [[
FILE *file = fopen("conftest.cuda", "w");
FILE *names = popen("ls -d '$STF_CUDA_LIBDIR'/libnvrtc.so*", "r");
char name[1024];
void *lib = 0;
int (*version)(int *, int *) = 0, major = 0, minor = 0;
while (names && !lib && fscanf(names, "%1023[^\n]%*c", name) == 1)
    lib = dlopen(name, RTLD_NOW);
if (lib) *(void **)&version = dlsym(lib, "nvrtcVersion");
if (file && version && !version(&major, &minor))
    fprintf(file, "%d.%d", major, minor);
if (file) fclose(file);]])], [], [], [:])
AS_IF([test -s conftest.cuda],
    [stf_cuda_nvrtc="`cat conftest.cuda`"],
    [stf_cuda_nvrtc="of unknown version"])
AC_MSG_RESULT([$stf_cuda_nvrtc])
rm -f conftest.cuda])
LIBS=$stf_save_LIBS
])

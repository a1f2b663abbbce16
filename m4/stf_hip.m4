# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Steadfast authors
# STF_HIP
# --with-hip. The backend needs no ROCm to be built: runtime and run-time
# compiler (hipRTC) are loaded by the running program. The folder of ROCm is
# recorded so that they are found there, too.
#   stf_backend_hip, stf_reason_backend_hip   yes or no, and why no
#   stf_remark_backend_hip      why it cannot run on this machine; "" if it can
#   STF_HIP_LIBDIR              folder of ROCm's libraries, "" if there is none
AC_DEFUN([STF_HIP], [
AC_ARG_WITH([hip],
    [AS_HELP_STRING([--with-hip@<:@=DIR@:>@],
        [HIP backend, with ROCm in DIR (auto)])],
    [], [with_hip=auto])
AC_ARG_VAR([ROCM_PATH], [ROCm, unless --with-hip=DIR says where])
stf_backend_hip=yes
stf_reason_backend_hip=
stf_remark_backend_hip=
STF_HIP_LIBDIR=
AS_CASE([$with_hip],
    [no], [stf_backend_hip=no
           stf_reason_backend_hip="switched off by --without-hip"],
    [AS_CASE([$host_os], [linux*], [],
         [stf_backend_hip=no
          stf_reason_backend_hip="only on Linux so far"
          AS_IF([test "x$with_hip" != xauto],
              [AC_MSG_ERROR([--with-hip=$with_hip: $stf_reason_backend_hip])])])])
AS_IF([test "x$stf_backend_hip" = xyes],
    [STF_HIP_FIND_ROCM
     STF_HIP_HERE
     AC_DEFINE([HAVE_HIP], [1], [The HIP backend is compiled in])],
    [STF_DEFINE_STRING([STF_BUILD_HIP_REASON], [stf_reason_backend_hip],
         [Why the HIP backend is not compiled in])])
STF_DEFINE_STRING([STF_HIP_LIBDIR], [STF_HIP_LIBDIR],
    [Where ROCm is looked for after the usual places; empty: nowhere])
AM_CONDITIONAL([HAVE_HIP], [test "x$stf_backend_hip" = xyes])
AC_SUBST([STF_HIP_LIBDIR])
])

# STF_HIP_LIBDIR: the first folder with the runtime in it.
AC_DEFUN([STF_HIP_FIND_ROCM], [
AC_MSG_CHECKING([for ROCm])
AS_CASE([$with_hip],
    [auto|yes], [stf_hip_dirs="$ROCM_PATH /opt/rocm"],
    [stf_hip_dirs=$with_hip])
for stf_dir in $stf_hip_dirs; do
    for stf_lib in "$stf_dir/lib" "$stf_dir/lib64"; do
        AS_IF([test "x$STF_HIP_LIBDIR" = x && test -d "$stf_lib" \
               && ls "$stf_lib" | grep '^libamdhip64\.so' >/dev/null],
            [STF_HIP_LIBDIR=`cd "$stf_lib" && pwd`])
    done
done
AC_MSG_RESULT([${STF_HIP_LIBDIR:-none}])
AS_CASE([$with_hip], [auto|yes], [],
    [AS_IF([test "x$STF_HIP_LIBDIR" = x],
        [AC_MSG_ERROR([--with-hip=$with_hip: no libamdhip64.so in its lib or lib64; name the folder of ROCm, or use --with-hip alone: the backend is built without ROCm too])])])
])

# What this machine has. The program writes a file, since a sanitizer may change
# its exit status.
AC_DEFUN([STF_HIP_HERE], [
stf_save_LIBS=$LIBS
LIBS="$LIBS $DL_LIBS"
AC_MSG_CHECKING([whether HIP can run here])
rm -f conftest.hip
AC_RUN_IFELSE([AC_LANG_PROGRAM([[
#include <stdio.h>
#include <dlfcn.h>]], [[
static const char *const names[] = {
    "libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5",
    "libamdhip64.so", "$STF_HIP_LIBDIR/libamdhip64.so"};
FILE *file = fopen("conftest.hip", "w");
void *lib = 0;
int (*init)(unsigned) = 0, (*count)(int *) = 0, n = 0, i;
for (i = 0; i < 5 && !lib; i++) lib = dlopen(names[i], RTLD_NOW);
if (lib) {
    *(void **)&init = dlsym(lib, "hipInit");
    *(void **)&count = dlsym(lib, "hipGetDeviceCount");
}
if (!file) return 1;
if (!init || !count) fputs("no runtime (libamdhip64.so)", file);
else if (init(0) || count(&n) || n < 1) fputs("no device", file);
fclose(file);]])], [], [], [:])
AS_IF([test -r conftest.hip],
    [stf_remark_backend_hip=`cat conftest.hip`],
    [stf_remark_backend_hip="not tried"])
AC_MSG_RESULT([${stf_remark_backend_hip:-yes}])
rm -f conftest.hip
LIBS=$stf_save_LIBS
])

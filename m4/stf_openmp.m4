# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Steadfast authors
# STF_OPENMP
# OPENMP_CFLAGS from AC_OPENMP (which has the option), and OPENMP_LIBS for
# those who link libsteadfast.a: the run-time library by name, so that any
# compiler will do, or the flag if the linker does not find it by name.
AC_DEFUN([STF_OPENMP], [
AC_OPENMP
OPENMP_LIBS=
AS_IF([test "x$enable_openmp" = xno],
          [stf_openmp=no stf_reason_openmp="switched off by --disable-openmp"],
      [test "x$OPENMP_CFLAGS" != x \
       || test "x$ac_cv_prog_c_openmp" = "xnone needed"],
          [stf_openmp=yes stf_reason_openmp=
           AC_PREPROC_IFELSE([AC_LANG_SOURCE([[#ifndef __clang__
#error not clang
#endif]])], [OPENMP_LIBS=-lomp], [OPENMP_LIBS=-lgomp])
           stf_save_LIBS=$LIBS
           LIBS="$OPENMP_LIBS $LIBS"
           AC_LINK_IFELSE([AC_LANG_PROGRAM([[int omp_get_max_threads(void);]],
                   [[return omp_get_max_threads();]])],
               [], [OPENMP_LIBS=$OPENMP_CFLAGS])
           LIBS=$stf_save_LIBS],
      [stf_openmp=no
       stf_reason_openmp="$CC cannot compile and link OpenMP programs"
       AS_IF([test "x$enable_openmp" = xyes],
             [AC_MSG_ERROR([--enable-openmp: $stf_reason_openmp (gcc has it built in; clang needs its libomp)])])])
AC_SUBST([OPENMP_LIBS])
])

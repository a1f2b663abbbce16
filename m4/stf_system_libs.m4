# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Steadfast authors
# STF_SYSTEM_LIBS
# The system libraries that hold sinl, pthread_create and dlopen, as LIBM,
# PTHREAD_LIBS and DL_LIBS; each is empty where libc has the function.
AC_DEFUN([STF_SYSTEM_LIBS], [
STF_LIB_OF([LIBM], [sinl], [m])
STF_LIB_OF([PTHREAD_LIBS], [pthread_create], [pthread])
STF_LIB_OF([DL_LIBS], [dlopen], [dl])
])

# STF_LIB_OF(VARIABLE, FUNCTION, LIBRARY)
AC_DEFUN([STF_LIB_OF], [
stf_save_LIBS=$LIBS
AC_SEARCH_LIBS([$2], [$3], [],
    [AC_MSG_ERROR([no $2() in the C library or in lib$3])])
AS_CASE([$ac_cv_search_$2],
    ["none required"], [$1=],
    [$1=$ac_cv_search_$2])
LIBS=$stf_save_LIBS
AC_SUBST([$1])
])

# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Steadfast authors
# STF_LINK_DEFS
# STF_DEFS_LDFLAGS: has the linker refuse a shared library with undefined
# symbols. Sanitizers are an exception: theirs come with the program.
AC_DEFUN([STF_LINK_DEFS], [
AC_CACHE_CHECK([whether the linker takes -z defs], [stf_cv_link_defs], [
    stf_save_LDFLAGS=$LDFLAGS
    LDFLAGS="$LDFLAGS -Wl,-z,defs"
    AC_LINK_IFELSE([AC_LANG_PROGRAM([], [])],
        [stf_cv_link_defs=yes], [stf_cv_link_defs=no])
    LDFLAGS=$stf_save_LDFLAGS])
STF_DEFS_LDFLAGS=
AS_IF([test "x$stf_cv_link_defs" = xyes && test "x$enable_sanitizers" = xno],
      [STF_DEFS_LDFLAGS="-Wl,-z,defs"])
AC_SUBST([STF_DEFS_LDFLAGS])
])

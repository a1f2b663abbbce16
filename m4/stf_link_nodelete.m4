# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Steadfast authors
# STF_LINK_NODELETE
# STF_NODELETE_LDFLAGS: keeps the shared library, and with it OpenMP's run-time
# library, in memory after dlclose(). The threads of a team wait in their code
# for the next one, and nobody can tell when they have left it.
AC_DEFUN([STF_LINK_NODELETE], [
AC_CACHE_CHECK([whether the linker takes -z nodelete], [stf_cv_link_nodelete], [
    stf_save_LDFLAGS=$LDFLAGS
    LDFLAGS="$LDFLAGS -shared -fPIC -Wl,-z,nodelete"
    AC_LINK_IFELSE([AC_LANG_SOURCE([[int stf_kept(void) { return 0; }]])],
        [stf_cv_link_nodelete=yes], [stf_cv_link_nodelete=no])
    LDFLAGS=$stf_save_LDFLAGS])
STF_NODELETE_LDFLAGS=
AS_IF([test "x$stf_cv_link_nodelete" = xyes],
      [STF_NODELETE_LDFLAGS="-Wl,-z,nodelete"])
AC_SUBST([STF_NODELETE_LDFLAGS])
AM_CONDITIONAL([HAVE_NODELETE], [test "x$stf_cv_link_nodelete" = xyes])
])

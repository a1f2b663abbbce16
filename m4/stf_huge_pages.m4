# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Steadfast authors
# STF_HUGE_PAGES
# HAVE_HUGE_PAGES: a process can ask for huge pages by madvise(), as on Linux.
AC_DEFUN([STF_HUGE_PAGES], [
AC_CACHE_CHECK([for madvise() with MADV_HUGEPAGE], [stf_cv_huge_pages], [
    AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <sys/mman.h>]],
            [[char page[4096]; return madvise(page, sizeof page, MADV_HUGEPAGE);]])],
        [stf_cv_huge_pages=yes], [stf_cv_huge_pages=no])])
AS_IF([test "x$stf_cv_huge_pages" = xyes],
    [AC_DEFINE([HAVE_HUGE_PAGES], [1], [madvise() has MADV_HUGEPAGE])])
])

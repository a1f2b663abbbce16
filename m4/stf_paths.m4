# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Steadfast authors
# STF_PATHS
# Refuses paths that make cannot handle, before Automake does so in fewer words.
# The path of the sources goes into commands; that of the build may have spaces.
# (In AS_CASE, m4 would take the rest of the pattern for a comment.)
AC_DEFUN([STF_PATHS], [
stf_line_end='
'
case $srcdir in
    *[[\\\"\#\$\&\'\`$stf_line_end\ \	]]*)
        AC_MSG_ERROR([the path of the sources has a space, a quote or another character that make cannot handle: $srcdir
  A relative path has none: mkdir build && cd build && ../configure]);;
esac
stf_here=`pwd`
case $stf_here in
    *[[\\\"\#\$\&\'\`$stf_line_end]]*)
        AC_MSG_ERROR([the path of this folder has a quote or another character that make cannot handle: $stf_here
  Build in another folder]);;
esac
])

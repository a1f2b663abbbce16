# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Steadfast authors
# STF_FUZZING
# --enable-fuzzing: `make fuzz` builds the targets of tests/fuzz with libFuzzer,
# which clang has, and everything with AddressSanitizer and
# UndefinedBehaviorSanitizer, unless --enable-sanitizers names others. Comes
# before STF_SANITIZERS. STF_FUZZ_LDFLAGS is for the targets' links.
AC_DEFUN([STF_FUZZING], [
AC_ARG_ENABLE([fuzzing],
    [AS_HELP_STRING([--enable-fuzzing],
        [build for fuzzing with libFuzzer (clang only); see tests/fuzz/README.md])],
    [], [enable_fuzzing=no])
STF_FUZZ_LDFLAGS=
AS_IF([test "x$enable_fuzzing" != xno],
    [AS_IF([test "x${enable_sanitizers-no}" = xno],
         [enable_sanitizers=address,undefined])
     stf_save_LDFLAGS=$LDFLAGS
     stf_save_CFLAGS=$CFLAGS
     LDFLAGS="$LDFLAGS -fsanitize=fuzzer"
     AC_MSG_CHECKING([whether $CC links with -fsanitize=fuzzer])
     AC_LINK_IFELSE([AC_LANG_SOURCE([[
#include <stddef.h>
#include <stdint.h>
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return data == NULL && size > 0;
}
]])],
         [AC_MSG_RESULT([yes])],
         [AC_MSG_RESULT([no])
          AC_MSG_ERROR([--enable-fuzzing needs a compiler with libFuzzer, such as clang: ./configure CC=clang --enable-fuzzing])])
     LDFLAGS=$stf_save_LDFLAGS
     stf_ignore=`cd "$srcdir" && pwd`/tests/fuzz/uninstrumented.txt
     CFLAGS="$stf_save_CFLAGS -fsanitize=fuzzer-no-link -fsanitize-ignorelist=$stf_ignore -fsanitize-coverage-ignorelist=$stf_ignore"
     STF_FUZZ_LDFLAGS=-fsanitize=fuzzer])
AM_CONDITIONAL([STF_FUZZING], [test "x$enable_fuzzing" != xno])
AC_SUBST([STF_FUZZ_LDFLAGS])
])

# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Steadfast authors
# STF_TEST_CXX
# A C++17 compiler in CXX, with which tests run GPU kernels on the host; ""
# without one. Nothing else is written in C++, so AC_PROG_CXX would ask for too
# much. It must be of CC's family, for sanitized objects to fit together.
AC_DEFUN([STF_TEST_CXX], [
AC_ARG_VAR([CXX], [C++ compiler, with which tests emulate a GPU])
AS_CASE([$CC],
    [*clang*], [AC_CHECK_PROGS([CXX], [clang++ c++ g++])],
    [AC_CHECK_PROGS([CXX], [g++ c++ clang++])])
stf_test_cxx=no
stf_reason_test_cxx="no C++ compiler"
AS_IF([test "x$CXX" != x],
    [AC_CACHE_CHECK([whether $CXX compiles C++17], [stf_cv_test_cxx], [
        AS_ECHO(["template <class T> constexpr int f() { if constexpr (sizeof(T) > 4) return 1; else return 0; } static_assert(f<char>() == 0); int x = f<double>();"]) >conftest.cpp
        AS_IF([$CXX -std=c++17 -fPIC -shared $STF_SANITIZE_CFLAGS conftest.cpp -o conftest.so >&AS_MESSAGE_LOG_FD 2>&1],
            [stf_cv_test_cxx=yes], [stf_cv_test_cxx=no])
        rm -f conftest.cpp conftest.so])
     stf_test_cxx=$stf_cv_test_cxx
     stf_reason_test_cxx="$CXX does not compile C++17"])
AS_IF([test "x$stf_test_cxx" = xno], [CXX=])
STF_TEST_CXXFLAGS=
# Registers that a kernel reads before it writes them must not hold what the
# last kernel happened to leave there.
STF_TEST_CXX_TRY([pattern], [-ftrivial-auto-var-init=pattern])
# Its run-time support is for programs that are linked as C++.
STF_TEST_CXX_TRY([no_function], [-fno-sanitize=function])
# A sanitized kernel takes much longer to compile than to run.
AS_IF([test "x$STF_SANITIZE_CFLAGS" != x],
    [STF_TEST_CXXFLAGS="$STF_TEST_CXXFLAGS -Og"])
STF_TEST_CXXFLAGS="$STF_SANITIZE_CFLAGS$STF_TEST_CXXFLAGS"
AC_SUBST([STF_TEST_CXXFLAGS])
])

# STF_TEST_CXX_TRY(NAME, FLAG)
# Adds the flag to STF_TEST_CXXFLAGS if CXX knows it.
AC_DEFUN([STF_TEST_CXX_TRY], [
AS_IF([test "x$CXX" != x],
    [AC_CACHE_CHECK([whether $CXX takes $2], [stf_cv_test_cxx_$1], [
        AS_ECHO(["int x;"]) >conftest.cpp
        AS_IF([$CXX -Werror $2 -c conftest.cpp -o conftest.o >&AS_MESSAGE_LOG_FD 2>&1],
            [stf_cv_test_cxx_$1=yes], [stf_cv_test_cxx_$1=no])
        rm -f conftest.cpp conftest.o])
     AS_IF([test "x$stf_cv_test_cxx_$1" = xyes],
         [STF_TEST_CXXFLAGS="$STF_TEST_CXXFLAGS $2"])])
])

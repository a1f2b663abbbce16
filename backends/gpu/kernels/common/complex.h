/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Complex arithmetic of the kernels. */
#ifndef STFK_COMPLEX_H
#define STFK_COMPLEX_H

#include "arch/vendor.h"

namespace stfk
{

template <class T> struct complex {
    T x, y;
};

template <class T> STFK_DEVICE complex<T> operator+(complex<T> a, complex<T> b)
{
    return {a.x + b.x, a.y + b.y};
}

template <class T> STFK_DEVICE complex<T> operator-(complex<T> a, complex<T> b)
{
    return {a.x - b.x, a.y - b.y};
}

/* The fused operations say which product is rounded. Left to the compiler, a
 * protected kernel could round another one than an unprotected kernel. */
template <class T> STFK_DEVICE complex<T> operator*(complex<T> a, complex<T> b)
{
    return {multiply_add(a.x, b.x, -(a.y * b.y)),
            multiply_add(a.x, b.y, a.y * b.x)};
}

template <class T> STFK_DEVICE complex<T> operator*(T a, complex<T> b)
{
    return {a * b.x, a * b.y};
}

template <class T> STFK_DEVICE complex<T> conj(complex<T> a)
{
    return {a.x, -a.y};
}

/* Returns -i a. */
template <class T> STFK_DEVICE complex<T> turn(complex<T> a)
{
    return {a.y, -a.x};
}

} // namespace stfk

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Halves, as memory holds them: classes that are converted to and from the
 * numbers that kernels compute with, rounded to nearest, ties to even. Beyond
 * their range they are infinite. */
#ifndef STFK_HALF_H
#define STFK_HALF_H

#include "common/complex.h"

namespace stfk
{

struct f16 {
    unsigned short bits;

    f16() = default;
    STFK_MEMBER explicit f16(float v) : bits(f16_of(v))
    {
    }
    STFK_MEMBER explicit operator float() const
    {
        return of_f16(bits);
    }
};

struct bf16 {
    unsigned short bits;

    bf16() = default;
    STFK_MEMBER explicit bf16(float v) : bits(bf16_of(v))
    {
    }
    STFK_MEMBER explicit operator float() const
    {
        return from_bits((unsigned)bits << 16);
    }
};

/* An element as memory holds it. Some devices convert both components at
 * once. */
template <class E, class T> struct element_pair {
    STFK_MEMBER static vec2<E> of(complex<T> v)
    {
        return {(E)v.x, (E)v.y};
    }
};

template <> struct element_pair<f16, float> {
    STFK_MEMBER static vec2<f16> of(complex<float> v)
    {
        union {
            unsigned both;
            vec2<f16> pair;
        } u;

        u.both = f16_pair(v.x, v.y);
        return u.pair;
    }
};

template <> struct element_pair<bf16, float> {
    STFK_MEMBER static vec2<bf16> of(complex<float> v)
    {
        union {
            unsigned both;
            vec2<bf16> pair;
        } u;

        u.both = bf16_pair(v.x, v.y);
        return u.pair;
    }
};

} // namespace stfk

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The elements of a lane, and those of spectra of which memory has one half: which are
 * mirror images of others, and where these are. */
#ifndef STFK_FOLD_H
#define STFK_FOLD_H

#include "fft/placed.h"

namespace stfk
{

/* Element e of a lane. In unrolled code the compiler knows low and high,
 * between which e is. */
struct element {
    int e, low, high;
    STFK_MEMBER element(int i) : e(i), low(0), high(N)
    {
    }
    STFK_MEMBER element(int i, int from, int to) : e(i), low(from), high(to)
    {
    }
};

/* Returns element b + j N/R, with its range for b < N/R. */
template <int R> STFK_DEVICE element element_of(int b, int j)
{
    return {b + j * (N / R), j * (N / R), (j + 1) * (N / R) - 1};
}

/* Without limits, a lane has the n elements of numbers q + e * step of a
 * spectrum of n * step elements, q < step. So low and high decide for most
 * elements at compile time. */
template <class Side>
STFK_DEVICE fold fold_at(const stfk_side &side, const spot<Side> &s, element x)
{
    constexpr int n = STFK_SIGNAL;
    const wide q = Side::whole ? 0 : s.index;
    const wide step = Side::whole ? 1 : side.index_elem, index = q + x.e * step;

    if (Side::limit)
        return {2 * index > side.full, index == 0 || 2 * index == side.full};
    if (2 * x.low > n || 2 * x.high + 1 < n)
        return {2 * x.low > n, x.low == 0 && x.e == 0 && q == 0};
    return {2 * x.e > n || (2 * x.e == n && q > 0)
                || (2 * x.e + 1 == n && 2 * q > step),
            (x.e == 0 && q == 0) || (2 * x.e == n && q == 0)
                || (2 * x.e + 1 == n && 2 * q == step)};
}

/* Returns the distance from p, where an element would be if it were stored,
 * to its mirror image, in reals. */
template <class Side>
STFK_DEVICE wide to_mirror(const stfk_side &side, const spot<Side> &s,
                           const typename Side::stored *p)
{
    const wide images = Side::whole ? STFK_SIGNAL : side.full - 2 * s.index;
    const wide unit = Side::whole && Side::unit ? 2 : side.unit;

    return images * unit - 2 * (p - s.p);
}

} // namespace stfk

#endif

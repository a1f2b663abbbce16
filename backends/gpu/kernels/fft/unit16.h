/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Matrix units that multiply 16 columns at a time (arch/units_gfx90a.h). Thread 16 q
 * + g of a wave of 64 holds elements q + 4 i of columns g + 16 t before a stage, and
 * results q + 4 i of the same columns after it (0 <= t < 4, i < W/4, W the size of a
 * column). matrix.h includes this file. */
#ifndef STFK_UNIT16_H
#define STFK_UNIT16_H

#include "fft/seats.h"

namespace stfk
{

/* See unit8.h. */
struct seat {
    int first, g, q;
    STFK_MEMBER explicit seat(int r = 16)
    {
        int i = (int)thread_of_stage(r);
        first = i & ~63;
        g = i & 15;
        q = i >> 4 & 3;
    }
    STFK_MEMBER int row() const
    {
        return g / 4 + g / 2 % 2 * 4;
    }
    STFK_MEMBER int result() const
    {
        return q;
    }
};

constexpr int sharing = 16;

template <int R, class Use>
STFK_DEVICE void each_after(const seat &s, const Use &use)
{
    each_before<R>(s, use);
}

/* A thread's part of the matrix for columns of a size: of result g/4 + 4 (g/2 mod 2),
 * the real part or, if g is odd, the imaginary part, for elements q + 4 i. So a thread
 * ends up with whole results. */
template <int size> struct butterfly_rows {
    unsigned of[size / 4];
    STFK_MEMBER void set(const seat &s, int i, unsigned word)
    {
        of[i] = s.g % 2 != 0 ? turned_word(word) : word;
    }
};

template <class Rows>
STFK_DEVICE void add_steps(const Rows &f, const unsigned *x, int i,
                           float (&d)[4])
{
    const unsigned a[2] = {f.of[2 * i], f.of[2 * i + 1]};
    const unsigned b[2] = {x[2 * i], x[2 * i + 1]};

    half_multiply<piece_type>(d, a, b);
}

/* The same by sums of their own, each of 16 terms, which are added here. */
template <int size>
STFK_DEVICE void add_apart(const butterfly_rows<size> &f, const unsigned *x,
                           float (&d)[4])
{
    STFK_UNROLL
    for (int i = 0; i < size / 8; i++) {
        float sum[4] = {0, 0, 0, 0};
        add_steps(f, x, i, sum);
        STFK_UNROLL
        for (int n = 0; n < 4; n++)
            d[n] = i == 0 ? sum[n] : d[n] + sum[n];
    }
}

STFK_DEVICE cx result_of(const float (&d)[4], int p)
{
    return {d[2 * p], d[2 * p + 1]};
}

STFK_DEVICE member column_after(const seat &s, int t, int)
{
    return neighbour(s.first + s.g, t * 16);
}
STFK_DEVICE int result_after(const seat &s, int i)
{
    return s.q + 4 * i;
}

struct scales_after {
    float own;
    STFK_MEMBER scales_after(const seat &, float factor) : own(factor)
    {
    }
    STFK_MEMBER cx result(const float (&d)[4], int p) const
    {
        return own * result_of(d, p);
    }
};

} // namespace stfk

#endif

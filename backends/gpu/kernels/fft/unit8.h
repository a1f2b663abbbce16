/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Matrix units that multiply 8 columns at a time (arch/units_sm75.h). Thread 4 g + q
 * of a group of 32 holds elements q + 4 i of columns g + 8 t before a stage, and
 * results g + 8 m of columns 2 q + p + 8 t after it (0 <= t < 4, p < 2, i < W/4,
 * m < W/8, W the size of a column). matrix.h includes this file. */
#ifndef STFK_UNIT8_H
#define STFK_UNIT8_H

#include "fft/seats.h"

namespace stfk
{

/* Where the thread is in its group. */
struct seat {
    int first, g, q;
    STFK_MEMBER explicit seat(int r = 16)
    {
        int i = (int)thread_of_stage(r);
        first = i & ~31;
        g = i >> 2 & 7;
        q = i & 3;
    }
    /* The result that its part of the matrix is of. */
    STFK_MEMBER int row() const
    {
        return g;
    }
    /* The least result that it has of a column, from which others differ in
     * higher bits. */
    STFK_MEMBER int result() const
    {
        return g;
    }
};

/* The distance of threads that share a column. */
constexpr int sharing = 1;

/* Calls use(i, lane, part) for each register i after a stage of radix R: it
 * holds result j of butterfly b + more. */
template <int R, class Use>
STFK_DEVICE void each_after(const seat &s, const Use &use)
{
    constexpr int size = column_size(R);

    STFK_UNROLL
    for (int k = 0; k < column_rounds(R); k++) {
        STFK_UNROLL
        for (int n = 0; n < 8; n++) {
            member m = neighbour(s.first + 2 * s.q, n % 2 + n / 2 * 8);
            STFK_UNROLL
            for (int h = 0; h < size / 8; h++)
                use(k * size + n / 2 * (size / 4) + h * 2 + n % 2, m.lane,
                    column_part<R>(m, k, s.g, s.g + 8 * h));
        }
    }
}

/* A thread's part of the matrix for columns of a size: rows g (the real part of
 * result g) and g + 8 (its imaginary part), for elements q + 4 i. */
template <int size> struct butterfly_rows {
    unsigned real[size / 4], imag[size / 4];
    STFK_MEMBER void set(const seat &, int i, unsigned word)
    {
        real[i] = word;
        imag[i] = turned_word(word);
    }
};

/* Adds the product of a piece of the matrix and of 8 columns, of steps 2 i and
 * 2 i + 1, to 16 rows. */
template <class Rows>
STFK_DEVICE void add_steps(const Rows &f, const unsigned *x, int i,
                           float (&d)[4])
{
    const unsigned a[4] = {f.real[2 * i], f.imag[2 * i], f.real[2 * i + 1],
                           f.imag[2 * i + 1]};
    const unsigned b[2] = {x[2 * i], x[2 * i + 1]};

    half_multiply<piece_type>(d, a, b);
}

/* The same by sums of their own, each of 8 terms, which are added here. */
template <int size>
STFK_DEVICE void add_apart(const butterfly_rows<size> &f, const unsigned *x,
                           float (&d)[4])
{
    STFK_UNROLL
    for (int i = 0; i < size / 4; i++) {
        float sum[4] = {0, 0, 0, 0};
        half_multiply<piece_type>(sum, f.real[i], f.imag[i], x[i]);
        STFK_UNROLL
        for (int n = 0; n < 4; n++)
            d[n] = i == 0 ? sum[n] : d[n] + sum[n];
    }
}

/* Result p of two that a thread has of a product. */
STFK_DEVICE cx result_of(const float (&d)[4], int p)
{
    return {d[p], d[2 + p]};
}

/* Of what column and of which number result i is that a thread has of product t. */
STFK_DEVICE member column_after(const seat &s, int t, int i)
{
    return neighbour(s.first + 2 * s.q, i % 2 + t * 8);
}
STFK_DEVICE int result_after(const seat &s, int i)
{
    return s.g + i / 2 * 8;
}

/* What the columns of a thread's results are to be multiplied by, if its own column
 * is to be by `own`. Column 2 q + p belongs to the threads from 4 (2 q + p) on
 * before the stage. */
struct scales_after {
    float of[2];
    STFK_MEMBER scales_after(const seat &s, float own)
        : of{shuffle(own, 8 * s.q), shuffle(own, 8 * s.q + 4)}
    {
    }
    STFK_MEMBER cx result(const float (&d)[4], int p) const
    {
        return of[p] * result_of(d, p);
    }
};

} // namespace stfk

#endif

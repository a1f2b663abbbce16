/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The arbiter: elements of C by the definition, in about twice the digits of a
 * double. */
#ifndef STFK_GEMM_ARBITER_H
#define STFK_GEMM_ARBITER_H

#include "gemm/verdict.h"

namespace stfk
{

/* A sum in two parts, with about twice the digits of a double. */
struct long_sum {
    double high, low;

    STFK_MEMBER void add(double x)
    {
        const double s = high + x, z = s - high;

        low += (high - (s - z)) + (x - z);
        high = s;
    }
};

/* An element of C by the definition, and the sum of its products' sizes: of some of
 * the steps, which are `step` apart. */
struct definition {
    long_sum sum;
    double size;
};

STFK_DEVICE definition define_element(const stfk_gemm &a, const tile_place &p,
                                      int row, int col, int first, int step)
{
    const original *pa = (const original *)a.a.base + p.member * a.a.dist
                         + (p.row + row) * a.a.across
                         + (p.k + first) * a.a.along;
    const original *pb = (const original *)a.b.base + p.member * a.b.dist
                         + (p.col + col) * a.b.across
                         + (p.k + first) * a.b.along;
    definition x = {{0, 0}, 0};

    for (wide k = first; k < p.steps;
         k += step, pa += step * a.a.along, pb += step * a.b.along) {
        const double y = (double)get_original(pa), z = (double)get_original(pb);
        const double product = y * z;
        x.sum.add(product);
        x.sum.low += multiply_add(y, z, -product);
        x.size += magnitude(product);
    }
    return x;
}

/* Returns 1 if x is that to within the rounding errors of a chain. */
STFK_DEVICE bool is_close(const stfk_gemm &a, const tile_place &p,
                          const definition &d, double x)
{
    return magnitude((x - d.sum.high) - d.sum.low)
           <= (double)(p.steps + 2) * (a.unit * d.size + a.least);
}

STFK_DEVICE bool is_rounding(const stfk_gemm &a, const tile_place &p, int row,
                             int col, double x)
{
    return is_close(a, p, define_element(a, p, row, col, 0, 1), x);
}

#if STFK_TWO_SIDED
/* Returns 1 if the elements that this group of 32 looks at are right, of those that
 * were corrected. All groups take as many turns, since a wave may have two. */
STFK_DEVICE bool are_rounding(const stfk_gemm &a, const tile_place &p,
                              const memory *m)
{
    bool right = true;

    for (int n = 0; n < MOST_WRONG; n += THREADS / 32) {
        const int own = n + (int)thread_index() / 32;
        definition d = {{0, 0}, 0};
        if (own < m->wrongs)
            d = define_element(a, p, m->wrong[own].row, m->wrong[own].col,
                               (int)thread_index() % 32, 32);
        for (int i = 1; i < 32; i *= 2) {
            const double high = shuffle_xor(d.sum.high, i),
                         low = shuffle_xor(d.sum.low, i);
            d.sum.add(high);
            d.sum.low += low;
            d.size += shuffle_xor(d.size, i);
        }
        right =
            right
            && (own >= m->wrongs || is_close(a, p, d, (double)m->line[own]));
    }
    return right;
}
#endif

/* Returns 1 to all threads if the worst column of the tile is rounding. Memory has
 * the number of that column, and room for one. */
template <class Memory>
STFK_DEVICE bool arbitrate(const stfk_gemm &a, const tile_place &p, Memory *m,
                           const real (&acc)[TN][TM])
{
    bool wrong = false;

    STFK_UNROLL
    for (int j = 0; j < TN; j++)
        if (col_of(j) == m->worst)
            STFK_UNROLL
    for (int i = 0; i < TM; i++)
        m->line[row_of(i)] = acc[j][i];
    block_sync();
    for (int i = (int)thread_index(); i < p.rows; i += THREADS)
        wrong = wrong || !is_rounding(a, p, i, m->worst, (double)m->line[i]);
    return !block_any(wrong);
}

} // namespace stfk

#endif

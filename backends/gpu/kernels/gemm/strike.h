/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Faults on purpose. They are in kernels of their own, since the tests for them
 * would take registers and time of all others. */
#ifndef STFK_GEMM_STRIKE_H
#define STFK_GEMM_STRIKE_H

#include "gemm/shape.h"

namespace stfk
{

/* As in lib/ft/gemm_fault.h. */
enum {
    STRUCK_ACCUMULATOR,
    STRUCK_A,
    STRUCK_B,
    STRUCK_CHECKSUM,
    STRUCK_EPILOGUE
};

STFK_DEVICE real changed(const stfk_gemm_fault &f, real x)
{
    if (f.bit < 0)
        return x + (real)f.magnitude;
    if constexpr (sizeof(real) == 4)
        return (real)from_bits(bits_of((float)x) ^ 1u << f.bit);
    else
        return (real)from_bits(bits_of((double)x) ^ (count_t)1 << f.bit);
}

/* Calls f(fault, row and column in the tile) for the faults of this tile and
 * step of k; all steps if it is negative. */
template <class F>
STFK_DEVICE void each_fault(const stfk_gemm &a, const tile_place &p, wide k,
                            bool again, F f)
{
    for (wide n = 0; n < a.faults; n++) {
        const stfk_gemm_fault &x = a.fault[n];
        if (x.member == p.member && x.row >= p.row && x.row < p.row + p.rows
            && x.col >= p.col && x.col < p.col + p.cols
            && (k < 0 ? x.k >= p.k && x.k < p.k + p.steps : x.k == k)
            && (x.persistent || !again))
            f(x, (int)(x.row - p.row), (int)(x.col - p.col));
    }
}

/* Returns 1 if this thread multiplies for an element of this row and column; with
 * matrix units, if its group of 32 does. */
STFK_DEVICE bool has_element(int row, int col)
{
    const int group = (int)thread_index() / 32;

    if constexpr (units)
        return row / (RT * TM) == group % WARPS_M
               && col / (CT * TN) == group / WARPS_M;
    bool rows = false, cols = false;

    for (int i = 0; i < TM; i++)
        rows = rows || row_of(i) == row;
    for (int j = 0; j < TN; j++)
        cols = cols || col_of(j) == col;
    return rows && cols;
}

STFK_DEVICE void strike_operands(const stfk_gemm &a, const tile_place &p,
                                 wide k, bool again,
                                 real (&x)[units ? TM / 2 : TM], real (&y)[TN])
{
    const wide own = k + (int)thread_index() % STEP;

    each_fault(a, p, own, again,
               [&](const stfk_gemm_fault &f, int row, int col) {
                   if (!has_element(row, col))
                       return;
                   STFK_UNROLL
                   for (int i = 0; i < (units ? TM / 2 : TM); i++)
                       if (f.struck == STRUCK_A && held_row(i) == row)
                           x[i] = changed(f, x[i]);
                   STFK_UNROLL
                   for (int j = 0; j < TN; j++)
                       if (f.struck == STRUCK_B && col_of(j) == col)
                           y[j] = changed(f, y[j]);
               });
}

STFK_DEVICE void strike_accumulators(const stfk_gemm &a, const tile_place &p,
                                     wide k, bool again, real (&acc)[TN][TM])
{
    each_fault(a, p, k, again, [&](const stfk_gemm_fault &f, int row, int col) {
        if (f.struck != STRUCK_ACCUMULATOR)
            return;
        STFK_UNROLL
        for (int j = 0; j < TN; j++)
            STFK_UNROLL
        for (int i = 0; i < TM; i++)
            if (row_of(i) == row && col_of(j) == col)
                acc[j][i] = changed(f, acc[j][i]);
    });
}

/* What became of an element of C, which is made for the first time or again. */
STFK_DEVICE real finished(const stfk_gemm &a, const tile_place &p, int row,
                          int col, bool again, real x)
{
    for (wide n = 0; n < a.faults; n++) {
        const stfk_gemm_fault &f = a.fault[n];
        if (f.struck == STRUCK_EPILOGUE && f.member == p.member
            && f.row == p.row + row && f.col == p.col + col
            && (f.persistent || !again))
            x = changed(f, x);
    }
    return x;
}

} // namespace stfk

#endif

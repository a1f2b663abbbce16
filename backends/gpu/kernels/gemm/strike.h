/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Faults on purpose. They are in kernels of their own, since the tests for them
 * would take registers and time of all others. */
#ifndef STFK_GEMM_STRIKE_H
#define STFK_GEMM_STRIKE_H

#include "gemm/split.h"

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

/* `unit` is what numbers were scaled by. */
STFK_DEVICE real changed(const stfk_gemm_fault &f, real x, double unit = 1)
{
    if (f.bit < 0)
        return x + (real)(f.magnitude * unit);
    if constexpr (sizeof(real) == 4)
        return (real)from_bits(bits_of((float)x) ^ 1u << f.bit);
    else
        return (real)from_bits(bits_of((double)x) ^ (count_t)1 << f.bit);
}

/* What the row of A and the column of B of a fault were scaled by. */
#if STFK_SPLIT
STFK_DEVICE double unit_of(int e)
{
    return e == STFK_GEMM_SPECIAL ? 1 : power_of_two(TOP - e);
}

STFK_DEVICE double unit_a(const stfk_gemm &a, const stfk_gemm_fault &f)
{
    return unit_of(exponent_of(a.half_a, a.a.shared, f.member, f.row));
}

STFK_DEVICE double unit_b(const stfk_gemm &a, const stfk_gemm_fault &f)
{
    return unit_of(exponent_of(a.half_b, a.b.shared, f.member, f.col));
}
#else
STFK_DEVICE double unit_a(const stfk_gemm &, const stfk_gemm_fault &)
{
    return 1;
}

STFK_DEVICE double unit_b(const stfk_gemm &, const stfk_gemm_fault &)
{
    return 1;
}
#endif

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

#if STFK_UNIT >= 2
/* Of a half: a bit that it does not have counts modulo its bits. */
STFK_DEVICE unsigned changed_half(const stfk_gemm_fault &f, unsigned word,
                                  int half, double unit)
{
    const unsigned bits = word >> half * 16 & 0xffffu;
    const unsigned now =
        f.bit < 0 ? half_rounded<STFK_HALF - 1>(
            half_widened<STFK_HALF - 1>(bits) + (real)(f.magnitude * unit))
                  : bits ^ 1u << f.bit % 16;

    return (word & ~(0xffffu << half * 16)) | now << half * 16;
}

#endif

#if STFK_UNIT == 3
/* The number that a half of an operand is more by. */
STFK_DEVICE real change_of(const stfk_gemm_fault &f, const real *slab, int at,
                           double unit)
{
    const unsigned bits = ((const stored *)slab)[at];

    return half_widened<STFK_HALF - 1>(changed_half(f, bits, 0, unit))
           - half_widened<STFK_HALF - 1>(bits);
}

STFK_DEVICE real half_at(const real *slab, int at)
{
    return half_widened<STFK_HALF - 1>(((const stored *)slab)[at]);
}

/* The units read operands from shared memory, where a fault would be in what
 * checks expect, too. So what a group of 32 would have in its sums after a fault
 * in its own copy is added to them when a slab's products are done. */
STFK_DEVICE void strike_group_operands(const stfk_gemm &a, const tile_place &p,
                                       wide k, bool again, const real *slab,
                                       real (&sum)[TN][TM])
{
    const real *slab_b = slab + B_AT;

    each_fault(
        a, p, -1, again, [&](const stfk_gemm_fault &f, int row, int col) {
            const bool in_a = f.struck == STRUCK_A;
            if (f.k < k || f.k >= k + BK || !has_element(row, col)
                || (!in_a && f.struck != STRUCK_B))
                return;
            const int step = (int)(f.k - k);
            const real change =
                in_a ? change_of(f, slab, operand_a::place_of_step(row, step),
                                 unit_a(a, f))
                     : change_of(f, slab_b, operand_b::place_of_step(col, step),
                                 unit_b(a, f));
            STFK_UNROLL
            for (int j = 0; j < TN; j++)
                STFK_UNROLL
            for (int i = 0; i < TM; i++) {
                const int y = operand_b::place_of_step(col_of(j), step);
                const int x = operand_a::place_of_step(row_of(i), step);
                if (in_a ? row_of(i) == row : col_of(j) == col)
                    sum[j][i] +=
                        change * (in_a ? half_at(slab_b, y) : half_at(slab, x));
            }
        });
}
#elif STFK_UNIT == 2
/* An element of 16 steps is in word e / 8 % 2 + 2 (k / 8) of x[e / 16], if words
 * are in the order of elements, or else in 2 (e / 8 % 2) + k / 8. */
template <int COUNT>
STFK_DEVICE void strike_half(const stfk_gemm_fault &f, int e, int k,
                             bool steps_first, unsigned (&x)[COUNT][4],
                             double unit)
{
    const int lane = e % 8 * 4 + k % 8 / 2, low = e / 8 % 2, high = k / 8;
    const int word = steps_first ? 2 * low + high : low + 2 * high;

    STFK_UNROLL
    for (int i = 0; i < COUNT; i++)
        STFK_UNROLL
    for (int n = 0; n < 4; n++)
        if ((int)thread_index() % 32 == lane && i == e / 16 && n == word)
            x[i][n] = changed_half(f, x[i][n], k % 2, unit);
}

STFK_DEVICE void strike_operands(const stfk_gemm &a, const tile_place &p,
                                 wide k, bool again, unsigned (&x)[TM / 4][4],
                                 unsigned (&y)[TN / 2][4])
{
    each_fault(a, p, -1, again,
               [&](const stfk_gemm_fault &f, int row, int col) {
                   if (f.k < k || f.k >= k + STEP || !has_element(row, col))
                       return;
                   if (f.struck == STRUCK_A)
                       strike_half(f, row % (RT * TM), (int)(f.k - k), true, x,
                                   unit_a(a, f));
                   if (f.struck == STRUCK_B)
                       strike_half(f, col % (CT * TN), (int)(f.k - k), false, y,
                                   unit_b(a, f));
               });
}
#else
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
#endif

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
                acc[j][i] = changed(f, acc[j][i], unit_a(a, f) * unit_b(a, f));
    });
}

#if STFK_UNIT == 3
/* The faults in a slab, from step k on. */
STFK_DEVICE void strike_slab(const stfk_gemm &a, const tile_place &p, wide k,
                             bool again, const real *slab, real (&sum)[TN][TM])
{
    strike_group_operands(a, p, k, again, slab, sum);
    for (int n = 0; n < BK; n++)
        strike_accumulators(a, p, k + n, again, sum);
}
#endif

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

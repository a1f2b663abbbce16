/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The sums that checks expect, by the units that groups of threads use: these
 * multiply the weighed rows of A of a tile as 8 more of its rows, so that no thread
 * reads a slab for them. A weighed sum is 2^9 times the sum of three halves, its
 * digits: the first rounded, the others what is left, each times 2^11 (BF16: 2^8)
 * more. Together they have as many bits as a number in F32, and those of F16, all of
 * whose numbers are whole multiples of 2^-24, do not leave the range: a tile has at
 * most 2^9 rows. */
#ifndef STFK_GEMM_PREDICT_GROUP_H
#define STFK_GEMM_PREDICT_GROUP_H

#include "gemm/predict_half.h"

namespace stfk
{

/* Adds the products of STEP steps of a slab's weighed rows, from k on, and of
 * 64 columns, from `col` on. */
STFK_DEVICE void predict_steps(group_products &products, const real *slab,
                               const stored *columns, int col, int k,
                               predictions &r)
{
#if STFK_UNIT_SUMS && !STFK_EXPECTED
    constexpr int ROW_BYTES = 128;
    const stored *rows = (const stored *)(slab + SUMS_AT);

    products.template multiply<HALF, UNIT_ROWS, STFK_B_ALONG_K, true,
                               BK * ROW_BYTES>(
        r.of, columns + operand_b::group_begins(col, k), rows + k);
#endif
}

/* Adds the products of a slab's columns, from `col` on, and rows, of which the weighed
 * ones are the last. */
STFK_DEVICE void multiply_joined(group_products &products,
                                 const stored *columns, const stored *rows,
                                 int col, real (&sum)[TN][TM], predictions &r)
{
#if STFK_UNIT_SUMS && !STFK_EXPECTED
    if constexpr (sums_joined)
        STFK_UNROLL
    for (int k = 0; k < BK; k += STEP)
        products.template multiply_more<HALF, BM, STFK_B_ALONG_K, BK * 128>(
            sum, r.of, columns + operand_b::group_begins(col, k),
            rows + operand_a::group_begins(0, k));
#endif
}

/* Adds the sums of a slab, which begin again. */
STFK_DEVICE void take_out(predictions &own, predictions &r)
{
    STFK_UNROLL
    for (int w = 0; w < SUM_VECTORS; w++)
        STFK_UNROLL
    for (int v = 0; v < SUM_COLUMNS; v++) {
        r.of[w][v] += own.of[w][v];
        own.of[w][v] = 0;
    }
}

/* Adds up the digits. Thread 4 g + q of a group of 32 has rows 2 q and 2 q + 1 of
 * columns g and g + 8 of its 16. */
STFK_DEVICE void gather_digits(const predictions &r, real *sums)
{
#if STFK_UNIT_SUMS && !STFK_EXPECTED
    const int row = (int)thread_index() % 4 * 2;
    const real scale = splits ? 1 : (real)(1 << DIGITS_MORE);

    STFK_UNROLL
    for (int j = 0; j < TN; j++) {
        real sum = r.of[j][0] * digit_weight(row);
        if (has_digit(row + 1))
            sum = multiply_add(r.of[j][1], digit_weight(row + 1), sum);
        sum += shuffle_xor(sum, 1);
        if (row % (DIGITS + 1) == 0)
            sums[row / (DIGITS + 1) * BN + col_of(j)] = sum * scale;
    }
#endif
}

} // namespace stfk

#endif

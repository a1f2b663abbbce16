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

/* Adds the products of a slab's weighed rows and of 64 columns, from `col` on. */
STFK_DEVICE void predict_slab(group_products &products, const real *slab,
                              const stored *columns, int col, predictions &r)
{
    constexpr int ROW_BYTES = 128;
    const stored *rows = (const stored *)(slab + SLAB_A + SLAB_B);

#if STFK_CHECK && !STFK_SPLIT
    STFK_UNROLL
    for (int k = 0; k < BK; k += STEP)
        products.template multiply<HALF, UNIT_ROWS, STFK_B_ALONG_K, true,
                                   BK * ROW_BYTES>(
            r.of, columns + operand_b::group_begins(col, k), rows + k);
#endif
}

/* Adds up the digits. Thread 4 g + q of a group of 32 has rows 2 q and 2 q + 1 of
 * columns g and g + 8 of its 16. */
STFK_DEVICE void gather_digits(const predictions &r, real *sums)
{
    const int row = (int)thread_index() % 4 * 2;

    STFK_UNROLL
    for (int j = 0; j < TN; j++) {
        real sum = r.of[j][0] * digit_weight(row);
        if (has_digit(row + 1))
            sum = multiply_add(r.of[j][1], digit_weight(row + 1), sum);
        sum += shuffle_xor(sum, 1);
        if (row % (DIGITS + 1) == 0)
            sums[row / (DIGITS + 1) * BN + col_of(j)] = sum;
    }
}

} // namespace stfk

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Where the weighed rows of A lie, and in which form (predict_group.h). */
#ifndef STFK_GEMM_WEIGHED_H
#define STFK_GEMM_WEIGHED_H

#include "gemm/shape.h"

namespace stfk
{

/* How long the rows are, of which the end is 0. */
STFK_DEVICE wide weighed_length(const stfk_gemm &a)
{
    return (a.k + WHOLE_STEPS - 1) / WHOLE_STEPS * WHOLE_STEPS;
}

/* From a row to the next one, in reals: units have rows of halves. */
STFK_DEVICE wide weighed_step(const stfk_gemm &a)
{
    return sums_by_unit ? weighed_length(a) / 2 : weighed_length(a);
}

/* The first row of a tile, from step k on, which is even. */
STFK_DEVICE real *weighed_rows(const stfk_gemm &a, wide member, wide tile,
                               wide k)
{
    const wide row =
        (member * a.tiles_m + tile) * (sums_by_unit ? UNIT_ROWS : VECTORS);

    return (real *)a.weighed + row * weighed_step(a)
           + (sums_by_unit ? k / 2 : k);
}

#if STFK_HALF
/* Bits from a digit to the next, and the power of two of the first. */
constexpr int DIGIT_BITS = STFK_HALF - 1 == HALF_BF16 ? 8 : 11, DIGITS_TOP = 9;

/* What a row's digits count. */
STFK_DEVICE real digit_weight(int row)
{
    const int e = DIGITS_TOP - row % (DIGITS + 1) * DIGIT_BITS;

    return (real)from_bits((unsigned)(e + 127) << 23);
}

/* Digit n of a sum. */
STFK_DEVICE stored digit_of(real sum, int n)
{
    constexpr real up = (real)(1 << DIGIT_BITS);
    real rest = sum * (1 / (real)(1 << DIGITS_TOP));
    unsigned digit = half_rounded<STFK_HALF - 1>(rest);

    for (int i = 0; i < n; i++) {
        rest = (rest - half_widened<STFK_HALF - 1>(digit)) * up;
        digit = half_rounded<STFK_HALF - 1>(rest);
    }
    return (stored)digit;
}
#endif

} // namespace stfk

#endif

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

/* A tile has at most 2^9 rows. */
constexpr int DIGITS_MORE = 9;

/* The power of two by which the digits of a tile's sums were scaled. Numbers of 11
 * bits are whole multiples of 2^-24 and never leave the range; split ones do, so that
 * the largest row of the tile counts. */
STFK_DEVICE int digits_scale(const stfk_gemm &a, wide member, wide tile)
{
    constexpr int TOP_OF_HALVES = 15, GROUPED = BM / STFK_GEMM_LINES;
    const wide first = (a.a.shared ? 0 : member) * a.half_a.lines + tile * BM;
    int e = STFK_GEMM_NOTHING;

    for (int n = 0; n < (sums_split ? GROUPED : 0); n++) {
        const int other = a.half_a.most[first / STFK_GEMM_LINES + n];
        e = other > e ? other : e;
    }
    return sums_split ? TOP_OF_HALVES - DIGITS_MORE - e : -DIGITS_MORE;
}

#if STFK_UNIT_SUMS
/* What digits are, and the bits from one to the next. */
constexpr int DIGIT = STFK_HALF == 2 ? HALF_BF16 : HALF_F16;
constexpr int DIGIT_BITS = DIGIT == HALF_BF16 ? 8 : 11;

/* What a row's digits count, before the sums are scaled back. */
STFK_DEVICE real digit_weight(int row)
{
    const int e = -row % (DIGITS + 1) * DIGIT_BITS;

    return (real)from_bits((unsigned)(e + 127) << 23);
}

/* Digit n of a sum. */
STFK_DEVICE unsigned short digit_of(real sum, int n)
{
    constexpr real up = (real)(1 << DIGIT_BITS);
    real rest = sum;
    unsigned digit = half_rounded<DIGIT>(rest);

    for (int i = 0; i < n; i++) {
        rest = (rest - half_widened<DIGIT>(digit)) * up;
        digit = half_rounded<DIGIT>(rest);
    }
    return (unsigned short)digit;
}
#endif

} // namespace stfk

#endif

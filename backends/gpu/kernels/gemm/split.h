/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Numbers in F32 as sums of two halves each (STFK_SPLIT), by which matrix units of
 * F16 multiply them [Ootomo2022]. Rows of A and columns of B are scaled by powers
 * of two to 2^15, so that both halves of all but the smallest elements are normal
 * numbers: x = upper + lower, to within 2^-23 |x| or 2^-40 of the row's largest.
 * Each slab of k takes three turns, lower times upper, upper times lower, and
 * upper times upper, in sums of its own, which are then added to those of the
 * tile: units cut off their sums, and small sums lose less. */
#ifndef STFK_GEMM_SPLIT_H
#define STFK_GEMM_SPLIT_H

#include "gemm/slabs.h"

namespace stfk
{

/* What an upper half is at most, 2^TOP. */
constexpr int TOP = 15;

#if STFK_SPLIT
/* The sums of a slab's turns. */
struct sums_of_turns {
    real sum[TN][TM];

    STFK_MEMBER void clear()
    {
        STFK_UNROLL
        for (int j = 0; j < TN; j++)
            STFK_UNROLL
        for (int i = 0; i < TM; i++)
            sum[j][i] = 0;
    }

    STFK_MEMBER real (&of(real (&)[TN][TM]))[TN][TM]
    {
        return sum;
    }

    STFK_MEMBER void take_out(real (&acc)[TN][TM])
    {
        STFK_UNROLL
        for (int j = 0; j < TN; j++)
            STFK_UNROLL
        for (int i = 0; i < TM; i++) {
            acc[j][i] += sum[j][i];
            sum[j][i] = 0;
        }
    }
};

STFK_DEVICE stfk_gemm_operand operand_of(const stfk_gemm_halves &x, int shared)
{
    return {x.base, x.length, 1, shared ? 0 : x.lines * x.length, 1, shared};
}

STFK_DEVICE pipeline pipeline_of(const stfk_gemm &a, const tile_place &p,
                                 real *shared)
{
    pipeline pipe = {shared,
                     {operand_of(a.half_a, a.a.shared), p, p.row, p.rows},
                     {operand_of(a.half_b, a.b.shared), p, p.col, p.cols}};

    pipe.a.lower = a.half_a.lower;
    pipe.b.lower = a.half_b.lower;
    pipe.turn = 0;
    return pipe;
}

/* The exponent by which a row of A was scaled, or a column of B. */
STFK_DEVICE int exponent_of(const stfk_gemm_halves &x, int shared, wide member,
                            wide line)
{
    return x.exponent[(shared ? 0 : member) * x.lines + line];
}

/* x 2^e, rounded once unless it is denormal. */
STFK_DEVICE real scaled(real x, int e)
{
    return (real)((double)x * power_of_two(e));
}

/* An element whose row or column has Inf or NaN, by the definition. */
STFK_DEVICE real chain_of(const stfk_gemm &a, const tile_place &p, int row,
                          int col)
{
    const original *x = (const original *)a.a.base + p.member * a.a.dist
                        + (p.row + row) * a.a.across + p.k * a.a.along;
    const original *y = (const original *)a.b.base + p.member * a.b.dist
                        + (p.col + col) * a.b.across + p.k * a.b.along;
    real sum = 0;

    for (wide k = 0; k < p.steps; k++, x += a.a.along, y += a.b.along)
        sum = multiply_add(get_original(x), get_original(y), sum);
    return sum;
}

/* Whether 2^e is a normal number in F32. */
STFK_DEVICE bool is_near(int e)
{
    return e >= -126 && e <= 127;
}

/* 2^e, if it is near. */
STFK_DEVICE real near_power(int e)
{
    return (real)from_bits((unsigned)(e + 127) << 23);
}

/* Finishes a sum that is not scaled by a near power: whose row or column has Inf
 * or NaN, or is far from 1. */
STFK_DEVICE real finished_far(const stfk_gemm &a, const tile_place &p, int row,
                              int col, real x)
{
    const int ea = exponent_of(a.half_a, a.a.shared, p.member, p.row + row);
    const int eb = exponent_of(a.half_b, a.b.shared, p.member, p.col + col);

    if (ea != STFK_GEMM_SPECIAL && eb != STFK_GEMM_SPECIAL)
        return is_near(ea + eb - 2 * TOP) ? x : scaled(x, ea + eb - 2 * TOP);
    return row < p.rows && col < p.cols ? chain_of(a, p, row, col) : x;
}

/* Finishes those that finish_sums() leaves. They are rare: one loop for all takes
 * little code, and no registers of the others. */
STFK_DEVICE void finish_others(const stfk_gemm &a, const tile_place &p,
                               real (&acc)[TN][TM])
{
    STFK_ROLL
    for (int n = 0; n < TN * TM; n++) {
        real x = 0;
        STFK_UNROLL
        for (int j = 0; j < TN; j++)
            STFK_UNROLL
        for (int i = 0; i < TM; i++)
            x = n == j * TM + i ? acc[j][i] : x;
        x = finished_far(a, p, row_of(n % TM), col_of(n / TM), x);
        STFK_UNROLL
        for (int j = 0; j < TN; j++)
            STFK_UNROLL
        for (int i = 0; i < TM; i++)
            acc[j][i] = n == j * TM + i ? x : acc[j][i];
    }
}

/* Scales the sums of checks back. */
STFK_DEVICE void finish_predictions(const stfk_gemm &a, const tile_place &p,
                                    predictions &r)
{
    const int top = sums_by_unit ? digits_scale(a, p.member, p.row / BM) : 0;

    STFK_UNROLL
    for (int v = 0; v < SUM_COLUMNS; v++)
        STFK_UNROLL
    for (int w = 0; w < SUM_VECTORS; w++) {
        const int col = sums_by_unit ? col_of(w) : summed_col(v);
        const int e = exponent_of(a.half_b, a.b.shared, p.member, p.col + col);
        r.of[w][v] = e == STFK_GEMM_SPECIAL ? r.of[w][v]
                                            : scaled(r.of[w][v], e - TOP - top);
    }
}

/* Scales the sums of a tile and those of checks back. */
STFK_DEVICE void finish_sums(const stfk_gemm &a, const tile_place &p,
                             real (&acc)[TN][TM], predictions &r)
{
    bool others = false;

    STFK_UNROLL
    for (int j = 0; j < TN; j++) {
        const int eb =
            exponent_of(a.half_b, a.b.shared, p.member, p.col + col_of(j));
        STFK_UNROLL
        for (int i = 0; i < TM; i++) {
            const int ea =
                exponent_of(a.half_a, a.a.shared, p.member, p.row + row_of(i));
            const int e = ea + eb - 2 * TOP;
            acc[j][i] *= is_near(e) ? near_power(e) : 1;
            others = others || !is_near(e);
        }
    }
    if (others)
        finish_others(a, p, acc);
    if constexpr (checked)
        finish_predictions(a, p, r);
}

#else
/* Without splitting there is nothing to do. */
struct sums_of_turns {
    STFK_MEMBER void clear()
    {
    }

    STFK_MEMBER real (&of(real (&acc)[TN][TM]))[TN][TM]
    {
        return acc;
    }

    STFK_MEMBER void take_out(real (&)[TN][TM])
    {
    }
};

STFK_DEVICE pipeline pipeline_of(const stfk_gemm &a, const tile_place &p,
                                 real *shared)
{
    return {shared, {a.a, p, p.row, p.rows}, {a.b, p, p.col, p.cols}};
}

STFK_DEVICE void finish_sums(const stfk_gemm &, const tile_place &,
                             real (&)[TN][TM], predictions &)
{
}
#endif

} // namespace stfk

#endif

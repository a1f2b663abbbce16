/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Sums by which each group of 32 threads (a warp) checks its part of a tile (level
 * WARP): for each of its columns j and each of two vectors w of signs of its rows,
 *
 *     d_j = sum_i w_i C_ij - sum_k (sum_i w_i A_ik) B_kj
 *
 * The group weighs its rows of A in the slab, which it reads apart from what it
 * multiplies, by shuffles only, so that nothing waits for other groups. A lane weighs
 * some rows of one step, and expects V columns for some steps of the slab. */
#ifndef STFK_GEMM_WARP_SUMS_H
#define STFK_GEMM_WARP_SUMS_H

#include "gemm/slabs.h"

#if STFK_BY_WARP

namespace stfk
{

/* Units of V rows or columns of a group's part of the tile. */
constexpr int ROW_UNITS = RT * TM / V, COL_UNITS = CT * TN / V;
/* Lanes that share the rows of a step, and those that share a unit of columns. */
constexpr int STEP_LANES = 32 / BK, STEP_GROUPS = 32 / COL_UNITS;
static_assert(STEP_LANES >= 2 && BK % STEP_GROUPS == 0, "no whole steps");
static_assert(ROW_UNITS % 8 == 0, "too few rows");

STFK_DEVICE int own_lane()
{
    return (int)thread_index() % 32;
}

STFK_DEVICE int own_warp_row()
{
    return (int)thread_index() / 32 % WARPS_M;
}

/* What a lane of this group has; a wave may have two groups. */
template <class T> STFK_DEVICE T from_lane(T x, int lane)
{
    return shuffle(x, (int)thread_index() % STFK_WAVE / 32 * 32 + lane);
}

/* A unit of four rows has the signs + + + - under one vector and + - + + under the
 * other, times + in even units and - in odd ones: what hits a unit alike is seen, data
 * of one sign have small sums, and the vectors are orthogonal over each unit. So the
 * sums under both come from two others. */
struct pair_of_sums {
    real even, odd;

    STFK_MEMBER void add(real x0, real x1, real x2, real x3)
    {
        even += x0 + x2;
        odd += x1 - x3;
    }

    STFK_MEMBER real under(int vector, bool minus) const
    {
        const real s = vector == 0 ? even + odd : even - odd;

        return minus ? -s : s;
    }
};

/* Adds a slab to the sums that the group expects. Lanes that read at the same time
 * begin at different units, so that they use all banks. */
STFK_DEVICE void predict_in_warp(const real *slab, predictions &r)
{
    constexpr bool turned = operand_a::LENGTH % 32 == 0;
    const int lane = own_lane(), k = lane % BK;
    const int first = lane / BK ^ (turned ? k % 8 : 0);
    const real *a = slab + k * operand_a::LENGTH + own_warp_row() * (RT * TM);
    const real *b = slab + B_AT + lane / COL_UNITS * operand_b::LENGTH
                    + (int)thread_index() / 32 / WARPS_M * (CT * TN)
                    + lane % COL_UNITS * V;
    pair_of_sums s = {0, 0};
    real weighed[VECTORS];

    STFK_UNROLL
    for (int n = 0; n < ROW_UNITS; n += STEP_LANES) {
        const unit x = *(const unit *)(a + (n ^ first) * V);
        s.add(x.of[0], x.of[1], x.of[2], x.of[3]);
    }
    STFK_UNROLL
    for (int w = 0; w < VECTORS; w++) {
        weighed[w] = s.under(w, (first & 1) != 0);
        STFK_UNROLL
        for (int m = BK; m < 32; m *= 2)
            weighed[w] += shuffle_xor(weighed[w], m);
    }
    STFK_UNROLL
    for (int n = 0; n < BK; n += STEP_GROUPS) {
        const unit y = *(const unit *)(b + n * operand_b::LENGTH);
        STFK_UNROLL
        for (int w = 0; w < VECTORS; w++) {
            const real x = from_lane(weighed[w], n + lane / COL_UNITS);
            STFK_UNROLL
            for (int v = 0; v < V; v++)
                r.of[w][v] = multiply_add(x, y.of[v], r.of[w][v]);
        }
    }
}

/* The element of a thread whose column it judges: threads of one column of the group's
 * part share its TN columns. */
STFK_DEVICE int judged_element()
{
    const int row = own_lane() % RT;

    return row % (TN / V) * V + row / (TN / V) % V;
}

/* The column of this element, which may not be an index of an array. */
STFK_DEVICE int col_of_judged()
{
    return col_of(judged_element());
}

/* What a lane knows of the column that it judges. */
struct warp_sums {
    real of[VECTORS], squares; /* of C; squares times 2^-2e */
    real expected[VECTORS];
};

STFK_DEVICE warp_sums sum_in_warp(const real (&acc)[TN][TM], const real *shrink,
                                  const predictions &r)
{
    const int own = judged_element();
    const bool minus = own_lane() % RT % 2 != 0;
    const int owner = own / V * CT + own_lane() / RT;
    warp_sums found = {};

    STFK_UNROLL
    for (int j = 0; j < TN; j++) {
        const real down = shrink[col_of(j)];
        pair_of_sums s = {0, 0};
        real q = 0;
        STFK_UNROLL
        for (int i = 0; i < TM; i += V)
            s.add(acc[j][i], acc[j][i + 1], acc[j][i + 2], acc[j][i + 3]);
        STFK_UNROLL
        for (int i = 0; i < TM; i++)
            q = multiply_add(acc[j][i] * down, acc[j][i] * down, q);
        real x[VECTORS] = {s.under(0, minus), s.under(1, minus)};
        STFK_UNROLL
        for (int m = 1; m < RT; m *= 2) {
            STFK_UNROLL
            for (int w = 0; w < VECTORS; w++)
                x[w] += shuffle_xor(x[w], m);
            q += shuffle_xor(q, m);
        }
        if (j == own)
            found = {{x[0], x[1]}, q, {0, 0}};
    }
    STFK_UNROLL
    for (int w = 0; w < VECTORS; w++)
        STFK_UNROLL
    for (int v = 0; v < V; v++) {
        real x = r.of[w][v];
        STFK_UNROLL
        for (int m = COL_UNITS; m < 32; m *= 2)
            x += shuffle_xor(x, m);
        x = from_lane(x, owner);
        if (v == own % V)
            found.expected[w] = x;
    }
    return found;
}

} // namespace stfk

#endif

#endif

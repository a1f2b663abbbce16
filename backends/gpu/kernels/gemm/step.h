/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* A step of k: a thread reads its elements of the operands from shared memory and
 * multiplies them. An element of C is one chain of multiply-adds in the order of
 * k. Halves by matrix units: step_half.h. */
#ifndef STFK_GEMM_STEP_H
#define STFK_GEMM_STEP_H

#include "gemm/slabs.h"

namespace stfk
{

/* What a thread multiplies: its elements of one step of A and of B. Of matrix
 * units it is what the thread passes to them: each has one of the STEP steps,
 * of one in 8 rows. */
constexpr int HELD_A = units ? TM / 2 : TM;

struct fragment {
    real a[HELD_A], b[TN];
};

STFK_DEVICE void read_unit_fragment(const real *slab, int k, fragment &f)
{
    const int own = k + (int)thread_index() % STEP;

    STFK_UNROLL
    for (int i = 0; i < HELD_A; i++)
        f.a[i] = slab[own * operand_a::LENGTH + held_row(i)];
    STFK_UNROLL
    for (int j = 0; j < TN; j++)
        f.b[j] = slab[B_AT + own * operand_b::LENGTH + col_of(j)];
}

STFK_DEVICE void read_fragment(const real *slab, int k, fragment &f)
{
    if constexpr (units) {
        read_unit_fragment(slab, k, f);
        return;
    }
    const real *a = slab + k * operand_a::LENGTH + row_of(0);
    const real *b = slab + B_AT + k * operand_b::LENGTH + col_of(0);

    STFK_UNROLL
    for (int i = 0; i < HELD_A; i += V) {
        const unit u = *(const unit *)(a + i * RT);
        STFK_UNROLL
        for (int v = 0; v < V; v++)
            f.a[i + v] = u.of[v];
    }
    STFK_UNROLL
    for (int j = 0; j < TN; j += V) {
        const unit u = *(const unit *)(b + j * CT);
        STFK_UNROLL
        for (int v = 0; v < V; v++)
            f.b[j + v] = u.of[v];
    }
}

/* Adds a slab to the sums that the checks expect. */
STFK_DEVICE void predict(const real *slab, predictions &r)
{
    const int group = (int)thread_index() / UNITS_N;
    const int col = (int)thread_index() % UNITS_N * V;
    const real *sums = slab + SUMS_AT;

    if (GROUPS * UNITS_N < THREADS && group >= GROUPS)
        return;
    STFK_UNROLL
    for (int n = 0; n < OWN_STEPS; n++) {
        const int k = group + n * GROUPS;
        const unit u =
            *(const unit *)(slab + B_AT + k * operand_b::LENGTH + col);
        STFK_UNROLL
        for (int w = 0; w < VECTORS; w++) {
            const real s = sums[w * BK + k];
            STFK_UNROLL
            for (int v = 0; v < V; v++)
                r.of[w][v] = multiply_add(s, u.of[v], r.of[w][v]);
        }
        if (own_norms)
            STFK_UNROLL
        for (int v = 0; v < V; v++)
            r.of[SUM_VECTORS - 1][v] =
                multiply_add(u.of[v], u.of[v], r.of[SUM_VECTORS - 1][v]);
    }
}

STFK_DEVICE void multiply_step(const fragment &f, real (&acc)[TN][TM])
{
#if STFK_UNIT
    STFK_UNROLL
    for (int j = 0; j < TN; j += 2)
        STFK_UNROLL
    for (int i = 0; i < TM; i += 2)
        unit_multiply(acc[j][i], acc[j][i + 1], acc[j + 1][i],
                      acc[j + 1][i + 1], f.b[j], f.b[j + 1], f.a[i / 2]);
#else
    STFK_UNROLL
    for (int j = 0; j < TN; j++)
        STFK_UNROLL
    for (int i = 0; i < TM; i++)
        acc[j][i] = multiply_add(f.b[j], f.a[i], acc[j][i]);
#endif
}

} // namespace stfk

#endif

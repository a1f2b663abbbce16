/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Steps of 16 k by matrix units of halves (arch/units_sm75.h). What they call rows
 * are columns of C here, so that a thread has neighbouring rows of C: as in the
 * units of doubles, thread 4 g + q of a group has rows 2 q and 2 q + 1 of each 8,
 * and column g. */
#ifndef STFK_GEMM_STEP_HALF_H
#define STFK_GEMM_STEP_HALF_H

#include "gemm/slabs.h"

namespace stfk
{

constexpr int HALF = STFK_HALF - 1;

/* What a thread passes to the units: a[i] is of 16 rows of op(A), two words of
 * each 8; b[j] of 16 columns of op(B). */
struct fragment {
    unsigned a[TM / 4][4], b[TN / 2][4];
};

/* The first row and column of a group of 32 threads. */
STFK_DEVICE int group_row()
{
    return (int)thread_index() / 32 % WARPS_M * RT * TM;
}

STFK_DEVICE int group_col()
{
    return (int)thread_index() / 32 / WARPS_M * CT * TN;
}

STFK_DEVICE void read_fragment(const real *slab, int k, fragment &f)
{
    STFK_UNROLL
    for (int i = 0; i < TM / 4; i++)
        operand_a::read<true>(slab, group_row() + i * 16, k, f.a[i]);
    STFK_UNROLL
    for (int j = 0; j < TN / 2; j++)
        operand_b::read<false>(slab + SLAB_A, group_col() + j * 16, k, f.b[j]);
}

STFK_DEVICE void multiply_step(const fragment &f, real (&acc)[TN][TM])
{
    STFK_UNROLL
    for (int j = 0; j < TN; j += 2)
        STFK_UNROLL
    for (int i = 0; i < TM; i += 2) {
        const unsigned a[2] = {f.a[i / 4][i % 4], f.a[i / 4][i % 4 + 1]};
        float c[4] = {acc[j][i], acc[j][i + 1], acc[j + 1][i],
                      acc[j + 1][i + 1]};
        half_multiply<HALF>(c, f.b[j / 2], a);
        acc[j][i] = c[0];
        acc[j][i + 1] = c[1];
        acc[j + 1][i] = c[2];
        acc[j + 1][i + 1] = c[3];
    }
}

/* ------------------------------------------------------------------- checks */

/* Halves that a thread reads at once. */
static_assert(SUMMED == 4 && OWN_STEPS % 4 == 0, "threads read 8 bytes");

struct alignas(8) four_halves {
    unsigned of[2];

    STFK_MEMBER real operator[](int i) const
    {
        return half_widened<HALF>(of[i / 2] >> i % 2 * 16 & 0xffffu);
    }
};

/* The weighed sums of 4 steps. */
struct alignas(16) unit_of_sums {
    real of[4];
};

/* Where 4 steps from k on of column i of a thread lie, or its 4 columns of step
 * k + i. */
STFK_DEVICE int piece_at(int k, int i)
{
    return STFK_B_ALONG_K ? summed_col(i) * operand_b::LENGTH + k
                          : (k + i) * operand_b::LENGTH + summed_col(0);
}

/* Adds a slab to the sums that the checks expect. A thread takes OWN_STEPS
 * neighbouring steps of its columns. */
STFK_DEVICE void predict(const real *slab, predictions &r)
{
    const int first = (int)thread_index() / UNITS_N * OWN_STEPS;
    const stored *b = (const stored *)(slab + SLAB_A);
    const real *sums = slab + SLAB_A + SLAB_B;

    if (GROUPS * UNITS_N < THREADS && first >= BK)
        return;
    STFK_UNROLL
    for (int n = 0; n < OWN_STEPS; n += 4) {
        const int k = first + n;
        unit_of_sums s[VECTORS];
        STFK_UNROLL
        for (int w = 0; w < VECTORS; w++)
            s[w] = *(const unit_of_sums *)(sums + w * BK + k);
        STFK_UNROLL
        for (int i = 0; i < 4; i++) {
            const four_halves x = *(const four_halves *)(b + piece_at(k, i));
            STFK_UNROLL
            for (int v = 0; v < 4; v++) {
                const int c = STFK_B_ALONG_K ? i : v;
                const int m = STFK_B_ALONG_K ? v : i;
                STFK_UNROLL
                for (int w = 0; w < VECTORS; w++)
                    r.of[w][c] = multiply_add(s[w].of[m], x[v], r.of[w][c]);
            }
        }
    }
}

} // namespace stfk

#endif

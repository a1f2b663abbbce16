/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Steps of 16 k by matrix units of halves (arch/units_sm75.h). What they call rows
 * are columns of C here, so that a thread has neighbouring rows of C: as in the
 * units of doubles, thread 4 g + q of a group has rows 2 q and 2 q + 1 of each 8,
 * and column g. */
#ifndef STFK_GEMM_STEP_HALF_H
#define STFK_GEMM_STEP_HALF_H

#include "gemm/predict_half.h"

namespace stfk
{

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
        operand_b::read<false>(slab + B_AT, group_col() + j * 16, k, f.b[j]);
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

} // namespace stfk

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The sums that checks expect, from slabs of halves. */
#ifndef STFK_GEMM_PREDICT_HALF_H
#define STFK_GEMM_PREDICT_HALF_H

#include "gemm/slabs.h"

namespace stfk
{

constexpr int HALF = STFK_HALF - 1;

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
    return STFK_B_ALONG_K ? operand_b::place(summed_col(i), k)
                          : operand_b::place(k + i, summed_col(0));
}

/* Adds a slab to the sums that the checks expect. A thread takes OWN_STEPS
 * neighbouring steps of its columns. */
STFK_DEVICE void predict(const real *slab, predictions &r)
{
    const int first = (int)thread_index() / UNITS_N * OWN_STEPS;
    const stored *b = (const stored *)(slab + B_AT);
    const real *sums = slab + SUMS_AT;

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

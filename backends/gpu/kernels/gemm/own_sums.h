/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Sums by which each thread checks its own elements of C (level THREAD). In each step
 * a thread adds up its elements of A, with signs, and multiplies its elements of B by
 * the sum:
 *
 *     d_j = sum_i w_i C_ij - sum_k (sum_i w_i A_ik) B_kj
 *
 * over its TM rows i, for each of its TN columns j. Nothing is exchanged before the
 * verdict, but there are (TM + TN) / (TM TN) of the product's instructions more. The
 * sums are of the registers that are multiplied: a wrong element is seen only if it
 * gets wrong after it was added up. */
#ifndef STFK_GEMM_OWN_SUMS_H
#define STFK_GEMM_OWN_SUMS_H

#include "gemm/slabs.h"

namespace stfk
{

/* Four neighbours have the sum 2 or -2, so that what hits them alike is seen; eight
 * have the sum 0, so that data of one sign have small sums. */
STFK_DEVICE real own_sign(int i)
{
    return ((i & 3) == 3) != ((i >> 2 & 1) != 0) ? (real)-1 : (real)1;
}

/* Rows of threads, of which each has residuals of its own; and the squares, before
 * the residuals. */
constexpr int OWN_ROWS = BM / TM, OWN_SUMS = OWN_ROWS * BN;

#if STFK_BY_THREAD
STFK_DEVICE int own_row()
{
    const int t = (int)thread_index();

    return t / 32 % WARPS_M * RT + t % RT;
}

STFK_DEVICE void predict_own(const fragment &f, predictions &r)
{
    real sum = 0;

    STFK_UNROLL
    for (int i = 0; i < TM; i++)
        sum += own_sign(i) * f.a[i];
    STFK_UNROLL
    for (int j = 0; j < TN; j++)
        r.of[0][j] = multiply_add(sum, f.b[j], r.of[0][j]);
}

/* Puts what this thread found beside that of the others. Squares are of C times
 * 2^-e, as those of columns. */
STFK_DEVICE void put_own_sums(const real (&acc)[TN][TM], const real *shrink,
                              const predictions &r, real *sums)
{
    STFK_UNROLL
    for (int j = 0; j < TN; j++) {
        const int at = own_row() * BN + col_of(j);
        const real down = shrink[col_of(j)];
        real s = 0, q = 0;
        STFK_UNROLL
        for (int i = 0; i < TM; i++) {
            const real y = acc[j][i] * down;
            s = multiply_add(own_sign(i), acc[j][i], s);
            q = multiply_add(y, y, q);
        }
        sums[at] = q;
        sums[OWN_SUMS + at] = s - r.of[0][j];
    }
}
#endif

} // namespace stfk

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Products that are checked as a whole. The sums of A and B are made before the
 * product (encode.h, and a product of the weighed rows of A and B), which is
 * computed as without protection. Here a block sums up a tile of C as it lies in
 * memory. For each column j of the tile and each vector w of signs,
 *
 *     d_j = sum_i w_i (C_ij - beta before_ij) - alpha predicted_wj
 *
 * is 0 but for rounding. A tile that is not clean is computed again and compared
 * with what was stored. The order of additions is the same, so that other bits
 * are a fault; the same bits are none, unless the definition contradicts. */
#ifndef STFK_GEMM_SETTLE_H
#define STFK_GEMM_SETTLE_H

#include "gemm/check.h"

namespace stfk
{

/* Sums of a column of a tile, in block memory behind the slabs. */
struct column_sums {
    double of[VECTORS], squares;
};

struct settle_memory {
    column_sums sum[BN];
    real line[BM];
    double ratio[BN];
    int worst;
};

/* Calls f(copy, element) for the elements of a tile of C that thread number `thread`
 * has, with addresses of its own. */
template <class F>
STFK_DEVICE void each_kept(const stfk_gemm &a, int thread, F f)
{
    const wide number = separate_copy(a.first + (wide)block_index());
    const tile_place p = place_of(a, 1, number);
    const real *c = (const real *)a.c + p.member * a.dist_c + p.row;
    real *to = (real *)a.before + p.member * a.m * a.n + p.row;

    for (int e = thread; e < p.cols * BM; e += STFK_GEMM_THREADS)
        if (e % BM < p.rows)
            f(to + (p.col + e / BM) * a.m + e % BM,
              c + (p.col + e / BM) * a.ldc + e % BM);
}

/* Copies a tile of C as it is before the product, if it counts. A wrong copy would make
 * the repair of a right result a wrong one, so that other threads compare, and a third
 * one copies again what differs. */
STFK_DEVICE void keep_tile(const stfk_gemm &a)
{
    const auto copy = [](real *to, const real *c) { *to = *c; };
    const int t = (int)thread_index(), last = STFK_GEMM_THREADS - 1;
    bool differs = false;

    if (scalar(a.beta, a.beta_at) == 0)
        return;
    each_kept(a, t, copy);
    block_sync();
    each_kept(a, last - t, [&](const real *to, const real *c) {
        differs = differs || !is_same(*to, *c);
    });
    if (!block_any(differs))
        return;
    each_kept(a, t ^ STFK_GEMM_THREADS / 2, copy);
    if (t == 0)
        note_outcome(a, place_of(a, 1, a.first + (wide)block_index()),
                     STFK_CORRECT ? STFI_FT_RECOMPUTED : STFI_FT_DETECTED, 0);
}

/* What C is made of beside the product. */
STFK_DEVICE real before_at(const stfk_gemm &a, const tile_place &p, int row,
                           int col)
{
    return ((const real *)
                a.before)[(p.member * a.n + p.col + col) * a.m + p.row + row];
}

/* Groups of 32 threads sum up a column each; all take as many turns, since waves
 * of 64 threads exchange their sums together. */
STFK_DEVICE void sum_columns(const stfk_gemm &a, const tile_place &p,
                             settle_memory *m)
{
    const double beta = (double)scalar(a.beta, a.beta_at);
    const real *c = (const real *)a.c + p.member * a.dist_c + p.row;
    const int lane = (int)thread_index() % 32;

    for (int j = (int)thread_index() / 32;
         j - (int)thread_index() / 32 < p.cols; j += THREADS / 32) {
        double s[VECTORS + 1] = {};
        for (int i = lane; j < p.cols && i < p.rows; i += 32) {
            const double x = (double)c[(p.col + j) * a.ldc + i];
            const double y =
                beta != 0 ? beta * (double)before_at(a, p, i, j) : 0;
            for (int w = 0; w < VECTORS; w++)
                s[w] += (double)sign_of(w, i) * (x - y);
            s[VECTORS] += x * x + y * y;
        }
        for (int w = 0; w <= VECTORS; w++)
            for (int n = 1; n < 32; n *= 2)
                s[w] += shuffle_xor(s[w], n);
        if (lane == 0 && j < p.cols)
            m->sum[j] = {{s[0], s[1]}, s[VECTORS]};
    }
    block_sync();
}

STFK_DEVICE double predicted_at(const stfk_gemm &a, const tile_place &p, int w,
                                int col)
{
    const real *at = (const real *)a.predicted
                     + (p.member * a.n + p.col + col) * VECTORS * a.tiles_m
                     + p.row / BM * VECTORS + w;

    return (double)*at;
}

/* The finding of a column. Squares of doubles may leave the range: such columns
 * are suspect. */
STFK_DEVICE finding look_at_stored(const stfk_gemm &a, const tile_place &p,
                                   const settle_memory *m, int col, bool again)
{
    int count;
    const double *pieces = pieces_of(a, p, &count);
    const norms n = {norm_over(pieces, 1, count), norm_of_column(a, p, col)};
    const double alpha = (double)scalar(a.alpha, a.alpha_at);
    const double one = magnitude(alpha) * n.a * n.b;
    const double all = square_root(a.chain * m->sum[col].squares);
    const double tau = a.factor * (all > one ? all : one) + a.floor;
    finding f;

    for (int w = 0; w < VECTORS; w++) {
        real predicted = (real)predicted_at(a, p, w, col);
#if STFK_STRIKE
        for (wide i = 0; i < a.faults; i++)
            if (a.fault[i].struck == STRUCK_CHECKSUM && w == 0 && !again
                && a.fault[i].member == p.member
                && a.fault[i].col == p.col + col && a.fault[i].row >= p.row
                && a.fault[i].row < p.row + p.rows)
                predicted = changed(a.fault[i], predicted);
#endif
        (void)again;
        f.d[w] = m->sum[col].of[w] - alpha * (double)predicted;
    }
    judge_residuals(f, tau, n);
    return f;
}

/* Computes the finished sums of a tile: those of parts of k in their order. */
STFK_DEVICE void compute_again(const stfk_gemm &a, tile_place p, real *shared,
                               real (&sum)[TN][TM])
{
    real acc[TN][TM];
    predictions unused;

    for (p.part = 0; p.part < a.parts; p.part++) {
        p.k = p.part * a.part;
        p.steps = lesser(a.part, a.k - p.k);
        block_sync();
        accumulate(a, p, shared, true, acc, unused);
        STFK_UNROLL
        for (int j = 0; j < TN; j++)
            STFK_UNROLL
        for (int i = 0; i < TM; i++)
            sum[j][i] = p.part == 0 ? acc[j][i] : sum[j][i] + acc[j][i];
    }
    block_sync();
}

/* Makes C of a tile again; returns 1 to all threads if what is stored has other
 * bits, which the new ones replace if the plan corrects. */
STFK_DEVICE bool replace(const stfk_gemm &a, const tile_place &p,
                         const real (&sum)[TN][TM])
{
    const scalars s(a);
    real *c = (real *)a.c + p.member * a.dist_c + p.col * a.ldc + p.row;
    bool differs = false;

    STFK_UNROLL
    for (int j = 0; j < TN; j++)
        STFK_UNROLL
    for (int i = 0; i < TM; i++) {
        if (col_of(j) >= p.cols || row_of(i) >= p.rows)
            continue;
        real *at = c + col_of(j) * a.ldc + row_of(i);
        const real old =
            s.beta != 0 ? before_at(a, p, row_of(i), col_of(j)) : no_c();
        const real made = s.apply(sum[j][i], old);
        if (is_same(made, *at))
            continue;
        differs = true;
        if (STFK_CORRECT)
            *at = made;
    }
    return block_any(differs);
}

/* What became of a tile that was not clean, in thread 0. */
STFK_DEVICE stfi_ft_outcome settle_tile(const stfk_gemm &a, const tile_place &p,
                                        real *shared, settle_memory *m,
                                        finding f)
{
    bool replaced = false;
    real sum[TN][TM];

    for (int look = 0; look < LOOKS; look++) {
        const bool finite =
            !block_any(f.verdict != STFI_FT_UNVERIFIABLE
                       && (!is_finite(f.d[0]) || !is_finite(f.d[1])));
        const bool unknown = block_any(f.verdict == STFI_FT_UNVERIFIABLE);
        const int verdict = worst_of(f, !block_any(f.verdict != STFI_FT_CLEAN));
        if (replaced && verdict == STFI_FT_CLEAN)
            return STFI_FT_RECOMPUTED;
        if ((int)thread_index() < p.cols)
            m->ratio[thread_index()] = f.ratio;
        block_sync();
        if (thread_index() == 0) {
            m->worst = 0;
            for (int j = 1; j < p.cols; j++)
                if (m->ratio[j] > m->ratio[m->worst])
                    m->worst = j;
        }
        compute_again(a, p, shared, sum);
        if (!replace(a, p, sum)) {
            if (verdict == STFI_FT_FAULTY && finite && !arbitrate(a, p, m, sum))
                return STFK_CORRECT ? STFI_FT_UNCORRECTABLE : STFI_FT_DETECTED;
            return replaced  ? STFI_FT_RECOMPUTED
                   : unknown ? STFI_FT_NON_FINITE
                   : !finite ? STFI_FT_OVERFLOWED
                             : STFI_FT_RECHECKED;
        }
        if (!STFK_CORRECT)
            return STFI_FT_DETECTED;
        replaced = true;
        block_sync();
        sum_columns(a, p, m);
        if ((int)thread_index() < p.cols)
            f = look_at_stored(a, p, m, (int)thread_index(), true);
    }
    return STFI_FT_UNCORRECTABLE;
}

/* Checks a tile of C that was stored. */
STFK_DEVICE void settle(const stfk_gemm &a)
{
    tile_place p = place_of(a, 1, a.first + (wide)block_index());
    real *shared = (real *)shared_memory();
    settle_memory *m = (settle_memory *)(shared + STAGES * SLAB);
    finding f = {{0, 0}, 0, STFI_FT_CLEAN};
    int verdict;

    static_assert((STAGES * SLAB * sizeof(real)) % alignof(settle_memory) == 0,
                  "not aligned");
    if (is_scaling(a))
        return;
    if (block_index() == 0 && thread_index() == 0 && a.first == 0)
        atomic_add(&a.ledger->count[STFI_FT_CHECKED],
                   (count_t)(a.tiles_m * a.tiles_n * a.batch));
    p.k = 0;
    p.steps = a.k;
    const float noted = noted_so_far(a);
    sum_columns(a, p, m);
    if ((int)thread_index() < p.cols)
        f = look_at_stored(a, p, m, (int)thread_index(), false);
    note_ratio(a, noted, f.ratio);
    verdict = worst_of(f, !block_any(f.verdict != STFI_FT_CLEAN));
    if (verdict == STFI_FT_CLEAN
        || (!STFK_CORRECT && verdict == STFI_FT_SUSPICIOUS))
        return;
    const float ratio = (float)f.ratio;
    const stfi_ft_outcome outcome = settle_tile(a, p, shared, m, f);
    if (thread_index() == 0)
        note_outcome(a, p, outcome, ratio);
}

} // namespace stfk

#endif

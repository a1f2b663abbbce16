/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Correction of single elements (scheme TWO_SIDED). Columns say that a tile is wrong,
 * as always; only then its rows are summed up, too:
 *
 *     e_i = sum_j v_j C_ij - sum_k A_ik (sum_j v_j B_kj)
 *
 * If as many rows as columns are wrong, and each column has one row whose residual
 * is the same, these are the elements. Each is made anew from the sums that its column
 * should have and the other elements of it. It is taken if all columns are clean then
 * and it is right by the definition to within a chain's rounding errors; otherwise the
 * tile is computed again. */
#ifndef STFK_GEMM_TWO_SIDED_H
#define STFK_GEMM_TWO_SIDED_H

#include "gemm/arbiter.h"

#if STFK_TWO_SIDED

namespace stfk
{

/* Steps whose weighed columns of B are made at once. */
constexpr int BUNCH = 64;
/* Groups of 32 along the columns, which add up parts of a row. */
constexpr int WARPS_N = BN / (CT * TN);
static_assert(THREADS >= BUNCH, "too few threads");

/* A line's residual and threshold, of a row or a column. */
struct line_sum {
    double of, tau;
};

/* Block memory of a search, where the slabs were. */
struct search_memory {
    line_sum part[WARPS_N]
                 [BM]; /* sums of rows and of squares; then residuals */
    line_sum col[VECTORS][BN];
    double norm_a[BM]; /* squared */
    double weighed[BUNCH], norm_b[BUNCH];
};
static_assert(sizeof(search_memory) <= STAGES * SLAB * sizeof(real),
              "no room for a search");

/* Puts what each group of 32 has of the rows of C. */
STFK_DEVICE void sum_rows(const real (&acc)[TN][TM], search_memory *m)
{
    const int t = (int)thread_index();

    STFK_UNROLL
    for (int i = 0; i < TM; i++) {
        line_sum s = {0, 0};
        STFK_UNROLL
        for (int j = 0; j < TN; j++) {
            const double x = (double)acc[j][i];
            s.of += (double)sign_of(0, col_of(j)) * x;
            s.tau += x * x;
        }
        for (int n = RT; n < 32; n *= 2) {
            s.of += shuffle_xor(s.of, n);
            s.tau += shuffle_xor(s.tau, n);
        }
        m->norm_a[row_of(i)] = 0;
        if (t % 32 < RT)
            m->part[t / 32 / WARPS_M][row_of(i)] = s;
    }
    block_sync();
    for (int i = t; i < BM; i += THREADS)
        for (int n = 1; n < WARPS_N; n++) {
            m->part[0][i].of += m->part[n][i].of;
            m->part[0][i].tau += m->part[n][i].tau;
        }
}

/* Weighs columns of B for a bunch of steps from k on, of which thread n makes the
 * n-th. Returns the sum of their squares. */
STFK_DEVICE double weigh_bunch(const stfk_gemm &a, const tile_place &p, wide k,
                               search_memory *m)
{
    const int t = (int)thread_index();
    double sum = 0, squares = 0;

    if (t >= BUNCH)
        return 0;
    for (int j = 0; j < p.cols && k + t < p.steps; j++) {
        const double y = (double)get_original(
            (const original *)a.b.base + p.member * a.b.dist
            + (p.col + j) * a.b.across + (p.k + k + t) * a.b.along);
        sum += (double)sign_of(0, j) * y;
        squares += y * y;
    }
    m->weighed[t] = sum;
    return squares;
}

/* Takes from the sums of rows what they should be, and makes thresholds, in which
 * squares of C are before. What does not fit a double has none that are exceeded. */
STFK_DEVICE void finish_rows(const stfk_gemm &a, const tile_place &p,
                             search_memory *m)
{
    const int t = (int)thread_index();
    double squares_b = 0, norm = 0;

    for (wide k = 0; k < p.steps; k += BUNCH) {
        block_sync();
        squares_b += weigh_bunch(a, p, k, m);
        block_sync();
        for (int i = t; i < p.rows; i += THREADS)
            for (int n = 0; n < lesser(BUNCH, p.steps - k); n++) {
                const double x = (double)get_original(
                    (const original *)a.a.base + p.member * a.a.dist
                    + (p.row + i) * a.a.across + (p.k + k + n) * a.a.along);
                m->part[0][i].of -= m->weighed[n] * x;
                m->norm_a[i] += x * x;
            }
    }
    if (t < BUNCH)
        m->norm_b[t] = squares_b;
    block_sync();
    for (int n = 0; n < BUNCH; n++)
        norm += m->norm_b[n];
    for (int i = t; i < p.rows; i += THREADS) {
        const double all = square_root(a.chain * m->part[0][i].tau);
        const double one = square_root(m->norm_a[i]) * square_root(norm);
        m->part[0][i].tau = a.factor * (all > one ? all : one) + a.floor;
    }
    block_sync();
}

/* Whether a row and a column are wrong by the same: sums of large numbers are rounded
 * in F32 or F64. */
STFK_DEVICE bool are_alike(const stfk_gemm &a, const search_memory *m, int row,
                           int col)
{
    const line_sum e = m->part[0][row];
    bool same = true;

    for (int w = 0; w < VECTORS; w++) {
        const line_sum d = m->col[w][col];
        const double differ =
            (double)sign_of(w, row) * d.of - (double)sign_of(0, col) * e.of;
        same = same
               && magnitude(differ)
                      <= d.tau + e.tau + 64 * a.unit * magnitude(e.of);
    }
    return same;
}

/* Finds the wrong elements, by one thread. Of one row and one column their sums may be
 * anything. */
STFK_DEVICE void pair_lines(const stfk_gemm &a, const tile_place &p,
                            const search_memory *m, memory *kept)
{
    int rows[MOST_WRONG], found = 0, paired = 0;

    for (int i = 0; i < p.rows; i++)
        if (!(magnitude(m->part[0][i].of) <= m->part[0][i].tau)) {
            if (found < MOST_WRONG)
                rows[found] = i;
            found++;
        }
    for (int j = 0; j < p.cols && found <= MOST_WRONG; j++) {
        if (m->col[0][j].tau < 0)
            continue;
        int row = -1, alike = 0;
        for (int n = 0; n < found; n++)
            if (found == 1 || are_alike(a, m, rows[n], j)) {
                row = rows[n];
                alike++;
            }
        for (int n = 0; n < paired && n < MOST_WRONG; n++)
            alike += kept->wrong[n].row == row;
        if (alike == 1 && paired < MOST_WRONG)
            kept->wrong[paired] = {(unsigned short)row, (unsigned short)j};
        paired += alike == 1 ? 1 : MOST_WRONG + 1;
    }
    kept->wrongs =
        (unsigned char)(paired == found && found <= MOST_WRONG ? found : 0);
}

/* Whether a column is wrong: above its threshold, or so large that its squares
 * overflowed, which has no ratio. */
STFK_DEVICE bool is_wrong(const finding &f)
{
    return f.verdict == STFI_FT_FAULTY
           || (f.verdict == STFI_FT_SUSPICIOUS && f.ratio == 0);
}

/* Finds the wrong elements of a tile, of whose columns threads have findings. */
STFK_DEVICE void locate(const stfk_gemm &a, const tile_place &p, real *shared,
                        const real (&acc)[TN][TM], const finding &f)
{
    search_memory *m = (search_memory *)shared;
    const int t = (int)thread_index();

    sum_rows(acc, m);
    if (t < p.cols)
        for (int w = 0; w < VECTORS; w++) {
            const double size = magnitude(f.d[0]) > magnitude(f.d[1])
                                    ? magnitude(f.d[0])
                                    : magnitude(f.d[1]);
            m->col[w][t] = {f.d[w], is_wrong(f) ? size / f.ratio : -1};
        }
    finish_rows(a, p, m);
    if (t == 0)
        pair_lines(a, p, m, memory_of(shared));
    block_sync();
}

/* Sets the wrong elements. */
STFK_DEVICE void set_wrong(const memory *m, real (&acc)[TN][TM])
{
    STFK_ROLL
    for (int n = 0; n < m->wrongs; n++)
        STFK_UNROLL
    for (int j = 0; j < TN; j++)
        STFK_UNROLL
    for (int i = 0; i < TM; i++)
        if (row_of(i) == m->wrong[n].row && col_of(j) == m->wrong[n].col)
            acc[j][i] = m->line[n];
}

/* Corrects wrong elements of a tile; returns 1 to all threads if it is right then. */
STFK_DEVICE bool correct_elements(const stfk_gemm &a, const tile_place &p,
                                  real *shared, real (&acc)[TN][TM],
                                  const predictions &r, const finding &first)
{
    memory *m = memory_of(shared);
    const int t = (int)thread_index();

    if (block_any(first.verdict == STFI_FT_UNVERIFIABLE)
        || !block_any(is_wrong(first)))
        return false;
    locate(a, p, shared, acc, first);
    if (m->wrongs == 0)
        return false;
    if (t < MOST_WRONG)
        m->line[t] = 0;
    block_sync();
    set_wrong(m, acc);
    block_sync();
    bool clean;
    const finding without = observe(a, p, shared, acc, r, true, &clean);
    for (int n = 0; n < m->wrongs; n++)
        if (m->wrong[n].col == t) {
            const int row = m->wrong[n].row;
            m->line[n] = (real)(-0.5
                                * ((double)sign_of(0, row) * without.d[0]
                                   + (double)sign_of(1, row) * without.d[1]));
        }
    block_sync();
    set_wrong(m, acc);
    block_sync();
    (void)observe(a, p, shared, acc, r, true, &clean);
    return !block_any(!are_rounding(a, p, m)) && clean;
}

} // namespace stfk

#endif

#endif

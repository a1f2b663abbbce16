/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The sums of a computed tile, its residuals, and what they mean; see check.h. */
#ifndef STFK_GEMM_VERDICT_H
#define STFK_GEMM_VERDICT_H

#include "gemm/loop.h"

namespace stfk
{

/* Sums over C by column: of vectors and of squares, for each group of threads
 * along the rows; and those that the checks expect, for each group of steps. */
constexpr int SUMS_C = by_thread ? OWN_SUMS : (VECTORS + 1) * WARPS_M * BN;
constexpr int SUMS_R = by_thread ? OWN_SUMS
                       : by_warp ? WARPS_M * BN
                                 : VECTORS * GROUPS * BN;
static_assert(!checked || SUMS_C + SUMS_R <= STAGES * SLAB, "no room for sums");

/* ------------------------------------------------------------------- sums */

/* The sign of row i of thread 0 is known to the compiler. Those of another thread are
 * the same or all others within each class of i: its rows differ by multiples of V in
 * less than 32, or of 32. */
constexpr int CLASSES = V == 4 ? 1 : 4;

STFK_DEVICE bool is_minus_first(int vector, int i)
{
    const int row = i / V * RT * V + i % V;

    return is_minus_in_four(vector, row) != is_minus_four(vector, row);
}

/* Weighs the columns of C in registers, times 2^-e where they are squared. */
STFK_DEVICE void weigh_columns(const real (&acc)[TN][TM], const real *shrink,
                               real *sums)
{
    const int t = (int)thread_index(), warp = t / 32 % WARPS_M;
    real sign[VECTORS][CLASSES];

    STFK_UNROLL
    for (int w = 0; w < VECTORS; w++)
        STFK_UNROLL
    for (int i = 0; i < CLASSES; i++)
        sign[w][i] = is_minus_first(w, i) ? -sign_of(w, row_of(i))
                                          : sign_of(w, row_of(i));
    STFK_UNROLL
    for (int j = 0; j < TN; j++) {
        const real down = shrink[col_of(j)];
        real s[VECTORS + 1] = {}, part[VECTORS][CLASSES] = {};
        STFK_UNROLL
        for (int i = 0; i < TM; i++) {
            const real x = acc[j][i], y = x * down;
            STFK_UNROLL
            for (int w = 0; w < VECTORS; w++)
                part[w][i % CLASSES] += is_minus_first(w, i) ? -x : x;
            s[VECTORS] = multiply_add(y, y, s[VECTORS]);
        }
        STFK_UNROLL
        for (int w = 0; w < VECTORS; w++)
            STFK_UNROLL
        for (int i = 0; i < CLASSES; i++)
            s[w] = multiply_add(sign[w][i], part[w][i], s[w]);
        STFK_UNROLL
        for (int w = 0; w <= VECTORS; w++) {
            STFK_UNROLL
            for (int m = 1; m < RT; m *= 2)
                s[w] += shuffle_xor(s[w], m);
            if (t % RT == 0)
                sums[(w * WARPS_M + warp) * BN + col_of(j)] = s[w];
        }
    }
}

/* Puts the predictions of this thread beside those of the others. */
STFK_DEVICE void gather_predictions(const predictions &r, real *sums)
{
    const int group = (int)thread_index() / UNITS_N;

#if STFK_UNIT == 3
    if constexpr (sums_by_unit) {
        gather_digits(r, sums);
        return;
    }
#endif
    if (group < GROUPS)
        STFK_UNROLL
    for (int w = 0; w < VECTORS; w++)
        STFK_UNROLL
    for (int v = 0; v < SUMMED; v++)
        sums[(w * GROUPS + group) * BN + summed_col(v)] = r.of[w][v];
}

STFK_DEVICE double total(const real *sums, int count, int col)
{
    double sum = 0;

    for (int n = 0; n < count; n++)
        sum += (double)sums[n * BN + col];
    return sum;
}

/* --------------------------------------------------------------- verdicts */

/* A column's residuals, and what they mean. */
struct finding {
    double d[VECTORS], ratio;
    int verdict;
};

/* Comparisons are negated, so that NaN exceeds any threshold; so does what is
 * compared with a threshold that overflows. */
STFK_DEVICE int judge(double size, double tau, const norms &n)
{
    if (!is_finite(n.a) || !is_finite(n.b))
        return STFI_FT_UNVERIFIABLE;
    if (!is_finite(tau))
        return is_finite(size) ? STFI_FT_SUSPICIOUS : STFI_FT_FAULTY;
    if (size == 0)
        return STFI_FT_CLEAN;
    if (!(size <= tau))
        return STFI_FT_FAULTY;
    return !(size <= tau / 2) ? STFI_FT_SUSPICIOUS : STFI_FT_CLEAN;
}

/* Judges the residuals of f, a column's or a part of it. */
STFK_DEVICE void judge_residuals(finding &f, double tau, const norms &n)
{
    double size = 0;

    STFK_UNROLL
    for (int w = 0; w < VECTORS; w++)
        size = !(magnitude(f.d[w]) <= size) ? magnitude(f.d[w]) : size;
    if (!is_finite(f.d[0]) || !is_finite(f.d[1]))
        size = 1 / 0.0;
    f.verdict = judge(size, tau, n);
    f.ratio = size == 0 || f.verdict == STFI_FT_UNVERIFIABLE ? 0 : size / tau;
}

STFK_DEVICE finding look_at(const stfk_gemm &a, const tile_place &p,
                            const norms &n, const real *sums, int col)
{
    const real *predicted = sums + SUMS_C;
    const double squares = total(sums + VECTORS * WARPS_M * BN, WARPS_M, col);
    const double scale = power_of_two(exponent_above(n.a * n.b));
    const double one = n.a * n.b;
    const double all = square_root(a.chain * squares) * scale;
    const double tau = a.factor * (all > one ? all : one) + a.floor;
    finding f;

    (void)p;
    STFK_UNROLL
    for (int w = 0; w < VECTORS; w++)
        f.d[w] = total(sums + w * WARPS_M * BN, WARPS_M, col)
                 - total(predicted + w * GROUPS * BN, GROUPS, col);
    judge_residuals(f, tau, n);
    return f;
}

/* The same of a column whose residuals are those of single threads: its worst one.
 * Rounding of the expected sum is another chain, of numbers that are in the mean not
 * larger than the square root of S_j; hence twice the squares. */
STFK_DEVICE finding look_at_own(const stfk_gemm &a, const norms &n,
                                const real *sums, int col)
{
    const double one = n.a * n.b;
    const double scale = power_of_two(exponent_above(one));
    finding worst = {{0, 0}, 0, STFI_FT_CLEAN};

    for (int row = 0; row < OWN_ROWS; row++) {
        const real *at = sums + row * BN + col;
        const double squares = (double)at[0], d = (double)at[OWN_SUMS];
        const double all = square_root(2 * a.chain * squares) * scale;
        const double tau = a.factor * (all > one ? all : one) + a.floor;
        const double size = is_finite(d) ? magnitude(d) : 1 / 0.0;
        const int verdict = judge(size, tau, n);
        const double ratio =
            size == 0 || verdict == STFI_FT_UNVERIFIABLE ? 0 : size / tau;
        worst.d[0] += d;
        if (verdict > worst.verdict)
            worst.verdict = verdict;
        if (!(ratio <= worst.ratio)) {
            worst.ratio = ratio;
            worst.d[1] = d;
        }
    }
    return worst;
}

#if STFK_BY_WARP
/* What a lane finds of the column that it judges. What is expected is STEP_GROUPS
 * chains, whose sums are in the mean not larger than the square root of S_j. */
STFK_DEVICE finding look_in_warp(const stfk_gemm &a, const tile_place &p,
                                 const norms &n, warp_sums s, int col,
                                 bool again)
{
    const double one = n.a * n.b;
    const double chain = a.chain * (1 + 1.0 / STEP_GROUPS);
    const double all = square_root(chain * (double)s.squares)
                       * power_of_two(exponent_above(one));
    const double tau = a.factor * (all > one ? all : one) + a.floor;
    finding f = {{0, 0}, 0, STFI_FT_CLEAN};

    if (col >= p.cols)
        return f;
#if STFK_STRIKE
    each_fault(a, p, -1, again, [&](const stfk_gemm_fault &x, int row, int at) {
        if (x.struck == STRUCK_CHECKSUM && at == col
            && row / (RT * TM) == own_warp_row())
            s.expected[0] = changed(x, s.expected[0]);
    });
#endif
    (void)again;
    STFK_UNROLL
    for (int w = 0; w < VECTORS; w++)
        f.d[w] = (double)s.of[w] - (double)s.expected[w];
    judge_residuals(f, tau, n);
    return f;
}

/* Finds the worst of what the groups of 32 found of a column, for each. */
STFK_DEVICE finding worst_of_warps(const finding &own, int own_col,
                                   const tile_place &p, real *shared)
{
    const int t = (int)thread_index();
    finding worst = {{0, 0}, 0, STFI_FT_CLEAN};
    real *at = shared + own_warp_row() * BN + own_col;

    static_assert(SUMS_C + SUMS_R == 4 * WARPS_M * BN, "four numbers each");
    at[0] = (real)own.d[0];
    at[WARPS_M * BN] = (real)own.d[1];
    at[2 * WARPS_M * BN] =
        !(own.ratio <= 0x1p60) ? (real)0x1p60 : (real)own.ratio;
    at[3 * WARPS_M * BN] = (real)own.verdict;
    block_sync();
    for (int n = 0; n < WARPS_M && t < p.cols; n++) {
        const real *from = shared + n * BN + t;
        const double ratio = (double)from[2 * WARPS_M * BN];
        const int verdict = (int)from[3 * WARPS_M * BN];
        if (verdict > worst.verdict)
            worst.verdict = verdict;
        if (ratio > worst.ratio || n == 0)
            worst.ratio = ratio;
        worst.d[0] += (double)from[0];
        worst.d[1] += (double)from[WARPS_M * BN];
    }
    return worst;
}

/* What observe() makes of a tile with sums of groups of 32: if nothing is wrong, each
 * lane has its own finding, and no group has waited for another one's sums. */
STFK_DEVICE finding observe_in_warps(const stfk_gemm &a, const tile_place &p,
                                     real *shared, const real *shrink,
                                     const norms *n, const real (&acc)[TN][TM],
                                     const predictions &r, bool again)
{
    const int col = col_of_judged();
    const warp_sums s = sum_in_warp(acc, shrink, r);
    const finding own = look_in_warp(a, p, n[col], s, col, again);

    return block_any(own.verdict != STFI_FT_CLEAN)
               ? worst_of_warps(own, col, p, shared)
               : own;
}
#endif

/* Makes the sums of a tile; threads of number below the columns' have a
 * finding each. */
STFK_DEVICE finding observe(const stfk_gemm &a, const tile_place &p,
                            real *shared, const real (&acc)[TN][TM],
                            const predictions &r, bool again)
{
    const int t = (int)thread_index();
    memory *m = memory_of(shared);
    finding f = {{0, 0}, 0, STFI_FT_CLEAN};

#if STFK_BY_WARP
    return observe_in_warps(a, p, shared, m->shrink, m->norm, acc, r, again);
#elif STFK_BY_THREAD
    put_own_sums(acc, m->shrink, r, shared);
#else
    weigh_columns(acc, m->shrink, shared);
    gather_predictions(r, shared + SUMS_C);
#endif
    block_sync();
#if STFK_STRIKE
    if (t == 0)
        each_fault(
            a, p, -1, again, [&](const stfk_gemm_fault &x, int, int col) {
                if (x.struck == STRUCK_CHECKSUM)
                    shared[SUMS_C + col] = changed(x, shared[SUMS_C + col]);
            });
    block_sync();
#endif
    (void)again;
    if (t < p.cols)
        f = by_thread ? look_at_own(a, m->norm[t], shared, t)
                      : look_at(a, p, m->norm[t], shared, t);
    return f;
}

} // namespace stfk

#endif

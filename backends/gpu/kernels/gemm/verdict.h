/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The sums of a computed tile, its residuals, and what they mean; see check.h. */
#ifndef STFK_GEMM_VERDICT_H
#define STFK_GEMM_VERDICT_H

#include "gemm/encode.h"
#include "gemm/loop.h"

namespace stfk
{

/* Sums over C by column: of vectors and of squares, for each group of threads
 * along the rows; and those that the checks expect, for each group of steps. */
constexpr int SUMS_C = by_thread ? OWN_SUMS : (VECTORS + 1) * WARPS_M * BN;
constexpr int SUMS_R = by_thread        ? OWN_SUMS
                       : by_warp        ? WARPS_M * BN
                       : expected_there ? 0
                                        : SUM_VECTORS * GROUPS * BN;
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

/* Weighs a column of C in registers: s[w] are its sums, and s[VECTORS] that of the
 * squares of its elements, times `down` if they are scaled. Units of four rows have the
 * signs + + + - and + - + + (is_minus_in_four()), so that the sums under both come from
 * two others; every other unit of a thread has its signs turned under the second. */
template <bool scaled>
STFK_DEVICE void weigh_column(const real (&x)[TM], real down,
                              const real (&sign)[VECTORS][CLASSES],
                              real (&s)[VECTORS + 1])
{
    real part[VECTORS][CLASSES] = {}, even[2] = {}, odd[2] = {};

    s[VECTORS] = 0;
    STFK_UNROLL
    for (int i = 0; i < TM; i++) {
        const real y = scaled ? x[i] * down : x[i];
        s[VECTORS] = multiply_add(y, y, s[VECTORS]);
    }
    if constexpr (V == 4) {
        STFK_UNROLL
        for (int i = 0; i < TM; i += V) {
            even[i / V % 2] += x[i] + x[i + 2];
            odd[i / V % 2] += x[i + 1] - x[i + 3];
        }
        s[0] = sign[0][0] * (even[0] + even[1] + (odd[0] + odd[1]));
        s[1] = sign[1][0] * (even[0] - even[1] - (odd[0] - odd[1]));
        return;
    }
    STFK_UNROLL
    for (int w = 0; w < VECTORS; w++) {
        s[w] = 0;
        STFK_UNROLL
        for (int i = 0; i < TM; i++)
            part[w][i % CLASSES] += is_minus_first(w, i) ? -x[i] : x[i];
        STFK_UNROLL
        for (int i = 0; i < CLASSES; i++)
            s[w] = multiply_add(sign[w][i], part[w][i], s[w]);
    }
}

/* Adds up the numbers of the RT threads that share TN columns. With each exchange a
 * thread keeps half of those that it has, as long as it has several. In the end
 * keepers have KEPT sums, which are those of columns kept_by(). */
constexpr int KEPT = TN > RT ? TN / RT : 1, KEEPERS = TN < RT ? TN : RT;

STFK_DEVICE bool is_keeper()
{
    return (int)thread_index() % RT < KEEPERS;
}

STFK_DEVICE int kept_by(int n)
{
    const int lane = (int)thread_index() % RT;
    int first = 0;

    STFK_UNROLL
    for (int m = 1; m < KEEPERS; m *= 2)
        first += (lane & m) != 0 ? TN / 2 / m : 0;
    return first + n;
}

STFK_DEVICE void add_in_columns(real (&x)[TN])
{
    STFK_UNROLL
    for (int m = 1; m < RT; m *= 2) {
        const bool upper = ((int)thread_index() & m) != 0;
        const int half = TN / 2 / m;
        if (m >= KEEPERS) {
            x[0] += shuffle_xor(x[0], m);
            continue;
        }
        STFK_UNROLL
        for (int j = 0; j < TN / 2; j++) {
            if (j >= half)
                continue;
            const real given = upper ? x[j] : x[j + half];
            x[j] = (upper ? x[j + half] : x[j]) + shuffle_xor(given, m);
        }
    }
}

/* Weighs the columns of C in registers, scaled by 2^-e where they are squared. */
template <bool scaled>
STFK_DEVICE void weigh_columns(const real (&acc)[TN][TM], const real *shrink,
                               real *sums)
{
    const int t = (int)thread_index(), warp = t / 32 % WARPS_M;
    real sign[VECTORS][CLASSES], all[VECTORS + 1][TN];

    STFK_UNROLL
    for (int w = 0; w < VECTORS; w++)
        STFK_UNROLL
    for (int i = 0; i < CLASSES; i++)
        sign[w][i] = is_minus_first(w, i) ? -sign_of(w, row_of(i))
                                          : sign_of(w, row_of(i));
    STFK_UNROLL
    for (int j = 0; j < TN; j++) {
        real s[VECTORS + 1];
        weigh_column<scaled>(acc[j], scaled ? shrink[col_of(j)] : 1, sign, s);
        STFK_UNROLL
        for (int w = 0; w <= VECTORS; w++)
            all[w][j] = s[w];
    }
    STFK_UNROLL
    for (int w = 0; w <= VECTORS; w++)
        add_in_columns(all[w]);
    if (is_keeper())
        STFK_UNROLL
    for (int n = 0; n < KEPT; n++)
        STFK_UNROLL
    for (int w = 0; w <= VECTORS; w++)
        sums[(w * WARPS_M + warp) * BN + col_of(kept_by(n))] = all[w][n];
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
    for (int w = 0; w < SUM_VECTORS; w++)
        STFK_UNROLL
    for (int v = 0; v < SUMMED; v++)
        sums[(w * GROUPS + group) * BN + summed_col(v)] = r.of[w][v];
}

STFK_DEVICE double total(const real *sums, int count, int col)
{
    double sum = 0;

    STFK_UNROLL
    for (int n = 0; n < count; n++)
        sum += (double)sums[n * BN + col];
    return sum;
}

/* The sum that a column's is compared with. */
STFK_DEVICE double expected_sum(const real *sums, int w, int col)
{
    const real *made = sums + SUMS_C + w * GROUPS * BN;

    return expected_there ? (double)memory_of((real *)sums)->vector[w][col]
                          : total(made, GROUPS, col);
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

/* Larger than any number. Compilers make 1 / 0.0 a call, whose result is not used. */
STFK_DEVICE double infinite()
{
    return from_bits((count_t)0x7ff << 52);
}

/* Roots and quotients of which few digits matter: those of floats take less time. */
STFK_DEVICE double rough_root(double x)
{
    return sizeof(real) == 4 ? (double)square_root((float)x) : square_root(x);
}

STFK_DEVICE double rough_quotient(double x, double y)
{
    return sizeof(real) == 4 ? (double)((float)x / (float)y) : x / y;
}

/* Judges the residuals of f, a column's or a part of it. */
STFK_DEVICE void judge_residuals(finding &f, double tau, const norms &n)
{
    double size = 0;

    STFK_UNROLL
    for (int w = 0; w < VECTORS; w++)
        size = !(magnitude(f.d[w]) <= size) ? magnitude(f.d[w]) : size;
    if (!is_finite(f.d[0]) || !is_finite(f.d[1]))
        size = infinite();
    f.verdict = judge(size, tau, n);
    f.ratio = size == 0 || f.verdict == STFI_FT_UNVERIFIABLE
                  ? 0
                  : rough_quotient(size, tau);
}

/* What look_at() finds of a column whose squares may have left the range. */
enum { OUT_OF_RANGE = -1 };

/* Whether squares of a column of B and of C, which were not scaled, have lost nothing
 * that counts beside `one`, the product of the norms. */
STFK_DEVICE bool are_whole(double of_b, double of_c, double one)
{
    const bool small = sizeof(real) == 4;
    const double least = small ? 0x1p-40 : 0x1p-300;
    const double most = small ? 0x1p100 : 0x1p600;

    return of_b >= least * least && of_b <= most && of_c <= most
           && (of_c >= least * least || one >= least);
}

/* scaled: squares of C are, and the norms of B are known. */
template <bool scaled>
STFK_DEVICE finding look_at(const stfk_gemm &a, norms *n, const real *sums,
                            int col)
{
    const double squares = total(sums + VECTORS * WARPS_M * BN, WARPS_M, col);
    finding f;

    STFK_UNROLL
    for (int w = 0; w < VECTORS; w++)
        f.d[w] = total(sums + w * WARPS_M * BN, WARPS_M, col)
                 - expected_sum(sums, w, col);
    if constexpr (!scaled) {
        const double of_b =
            total(sums + SUMS_C + VECTORS * GROUPS * BN, GROUPS, col);
        n->b = rough_root(of_b);
        if (!are_whole(of_b, squares, n->a * n->b)) {
            f.verdict = OUT_OF_RANGE;
            f.ratio = 0;
            return f;
        }
    }
    const double one = n->a * n->b;
    const double scale = scaled ? power_of_two(exponent_above(one)) : 1;
    const double all = rough_root(a.chain) * rough_root(squares) * scale;
    const double tau = a.factor * (all > one ? all : one) + a.floor;

    judge_residuals(f, tau, *n);
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
        const double all = rough_root(2 * a.chain * squares) * scale;
        const double tau = a.factor * (all > one ? all : one) + a.floor;
        const double size = is_finite(d) ? magnitude(d) : infinite();
        const int verdict = judge(size, tau, n);
        const double ratio = size == 0 || verdict == STFI_FT_UNVERIFIABLE
                                 ? 0
                                 : rough_quotient(size, tau);
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
    const double all = rough_root(chain * (double)s.squares)
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

#if STFK_OWN_NORMS
/* Reads the norms of the tile's columns of B, whatever their size. Groups of 32
 * threads take a column each, all as many turns, since waves of 64 threads exchange
 * their sums together. */
STFK_DEVICE void measure_columns(const stfk_gemm &a, const tile_place &p,
                                 memory *m)
{
    const int lane = (int)thread_index() % 32;
    const stored *b = (const stored *)a.b.base + p.member * a.b.dist
                      + p.col * a.b.across + p.k * a.b.along;

    STFK_ROLL
    for (int j = (int)thread_index() / 32;
         j - (int)thread_index() / 32 < p.cols; j += THREADS / 32) {
        squares q = {0, 0, 0};
        STFK_ROLL
        for (wide k = lane; j < p.cols && k < p.steps; k += 32)
            q.add((double)get_element(b + j * a.b.across + k * a.b.along));
        add_lanes(q);
        if (lane != 0 || j >= p.cols)
            continue;
        m->norm[j].b = sizeof(real) == 4 ? square_root(q.stored()) : q.stored();
        m->shrink[j] = shrink_of(m->norm[j]);
    }
    block_sync();
}
#endif

/* Makes the sums of a tile and looks at them: threads of number below the columns'
 * have a finding each. */
template <bool scaled>
STFK_DEVICE finding look_at_tile(const stfk_gemm &a, const tile_place &p,
                                 real *shared, const real (&acc)[TN][TM],
                                 const predictions &r, bool again)
{
    const int t = (int)thread_index();
    memory *m = memory_of(shared);
    finding f = {{0, 0}, 0, STFI_FT_CLEAN};

#if STFK_BY_THREAD
    put_own_sums(acc, m->shrink, r, shared);
#else
    weigh_columns<scaled>(acc, m->shrink, shared);
    if (!expected_there)
        gather_predictions(r, shared + SUMS_C);
#endif
    block_sync();
#if STFK_STRIKE
    if (t == 0)
        each_fault(
            a, p, -1, again, [&](const stfk_gemm_fault &x, int, int col) {
                real *struck = expected_there ? m->vector[0] : shared + SUMS_C;
                if (x.struck == STRUCK_CHECKSUM)
                    struck[col] = changed(x, struck[col]);
            });
    block_sync();
#endif
    (void)again;
    if (t < p.cols)
        f = by_thread ? look_at_own(a, m->norm[t], shared, t)
                      : look_at<scaled>(a, &m->norm[t], shared, t);
    return f;
}

/* Threads of number below the columns' have a finding each. All know whether each of
 * these is clean. */
STFK_DEVICE finding observe(const stfk_gemm &a, const tile_place &p,
                            real *shared, const real (&acc)[TN][TM],
                            const predictions &r, bool again, bool *clean_p)
{
    finding f;

#if STFK_BY_WARP
    memory *m = memory_of(shared);

    f = observe_in_warps(a, p, shared, m->shrink, m->norm, acc, r, again);
    *clean_p = !block_any(f.verdict != STFI_FT_CLEAN);
#elif STFK_OWN_NORMS
    f = look_at_tile<false>(a, p, shared, acc, r, again);
    *clean_p = !block_any(f.verdict != STFI_FT_CLEAN);
    if (!*clean_p && block_any(f.verdict == OUT_OF_RANGE)) {
        measure_columns(a, p, memory_of(shared));
        f = look_at_tile<true>(a, p, shared, acc, r, again);
        *clean_p = !block_any(f.verdict != STFI_FT_CLEAN);
    }
#else
    f = look_at_tile<true>(a, p, shared, acc, r, again);
    *clean_p = !block_any(f.verdict != STFI_FT_CLEAN);
#endif
    return f;
}

} // namespace stfk

#endif

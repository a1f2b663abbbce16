/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Checked tiles. With level BLOCK, for each column j of a tile and each vector w of signs,
 *
 *     d_j = sum_i w_i C_ij - sum_k (sum_i w_i A_ik) B_kj
 *
 * is 0 but for rounding. The weighed rows of A were made beforehand
 * (encode.h); the sums over k are made beside the product, from what lies in
 * shared memory. The verdict comes before anything is stored, and repair is
 * computing the tile again. Thresholds: doc/abft.md; outcomes:
 * lib/ft/outcome.h. Norms: prepare.h. Level THREAD: own_sums.h. */
#ifndef STFK_GEMM_CHECK_H
#define STFK_GEMM_CHECK_H

#include "gemm/loop.h"
#include "gemm/store.h"

namespace stfk
{

enum { LOOKS = 3 };

/* Sums over C by column: of vectors and of squares, for each group of threads
 * along the rows; and those that the checks expect, for each group of steps. */
constexpr int SUMS_C = by_thread ? OWN_SUMS : (VECTORS + 1) * WARPS_M * BN;
constexpr int SUMS_R = by_thread ? OWN_SUMS : VECTORS * GROUPS * BN;
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
    double size = 0;

    (void)p;
    STFK_UNROLL
    for (int w = 0; w < VECTORS; w++) {
        f.d[w] = total(sums + w * WARPS_M * BN, WARPS_M, col)
                 - total(predicted + w * GROUPS * BN, GROUPS, col);
        size = !(magnitude(f.d[w]) <= size) ? magnitude(f.d[w]) : size;
    }
    if (!is_finite(f.d[0]) || !is_finite(f.d[1]))
        size = 1 / 0.0;
    f.verdict = judge(size, tau, n);
    f.ratio = size == 0 || f.verdict == STFI_FT_UNVERIFIABLE ? 0 : size / tau;
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

/* Makes the sums of a tile; threads of number below the columns' have a
 * finding each. */
STFK_DEVICE finding observe(const stfk_gemm &a, const tile_place &p,
                            real *shared, const real (&acc)[TN][TM],
                            const predictions &r, bool again)
{
    const int t = (int)thread_index();
    memory *m = memory_of(shared);
    finding f = {{0, 0}, 0, STFI_FT_CLEAN};

#if STFK_BY_THREAD
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

/* Keeps the largest finite residual, in the squares that stfk_ledger has. */
STFK_DEVICE void note_ratio(const stfk_gemm &a, double ratio)
{
    const double most = 0x1p60;
    const double r = ratio < most ? ratio : most;
    const float square = (float)(r * r);

    if (is_finite(ratio) && square > make_float(a.ledger->worst))
        atomic_max(&a.ledger->worst, bits_of(square));
}

/* ---------------------------------------------------------------- arbiter */

/* A sum in two parts, with about twice the digits of a double. */
struct long_sum {
    double high, low;

    STFK_MEMBER void add(double x)
    {
        const double s = high + x, z = s - high;

        low += (high - (s - z)) + (x - z);
        high = s;
    }
};

/* Returns 1 if an element of C is right to within the rounding errors of a
 * chain, by the definition. */
STFK_DEVICE bool is_rounding(const stfk_gemm &a, const tile_place &p, int row,
                             int col, double x)
{
    const original *pa = (const original *)a.a.base + p.member * a.a.dist
                         + (p.row + row) * a.a.across + p.k * a.a.along;
    const original *pb = (const original *)a.b.base + p.member * a.b.dist
                         + (p.col + col) * a.b.across + p.k * a.b.along;
    long_sum sum = {0, 0};
    double size = 0;

    for (wide k = 0; k < p.steps; k++, pa += a.a.along, pb += a.b.along) {
        const double y = (double)get_original(pa), z = (double)get_original(pb);
        const double product = y * z;
        sum.add(product);
        sum.low += multiply_add(y, z, -product);
        size += magnitude(product);
    }
    return magnitude((x - sum.high) - sum.low)
           <= (double)(p.steps + 2) * (a.unit * size + a.least);
}

/* Returns 1 to all threads if the worst column of the tile is rounding. */
STFK_DEVICE bool arbitrate(const stfk_gemm &a, const tile_place &p, memory *m,
                           const real (&acc)[TN][TM])
{
    bool wrong = false;

    STFK_UNROLL
    for (int j = 0; j < TN; j++)
        if (col_of(j) == m->worst)
            STFK_UNROLL
    for (int i = 0; i < TM; i++)
        m->line[row_of(i)] = acc[j][i];
    block_sync();
    for (int i = (int)thread_index(); i < p.rows; i += THREADS)
        wrong = wrong || !is_rounding(a, p, i, m->worst, (double)m->line[i]);
    return !block_any(wrong);
}

/* ---------------------------------------------------------------- a tile */

/* Returns the verdict on the tile to all threads. */
STFK_DEVICE int worst_of(const finding &f)
{
    if (!block_any(f.verdict != STFI_FT_CLEAN))
        return STFI_FT_CLEAN;
    if (block_any(f.verdict == STFI_FT_FAULTY))
        return STFI_FT_FAULTY;
    return block_any(f.verdict == STFI_FT_SUSPICIOUS) ? STFI_FT_SUSPICIOUS
                                                      : STFI_FT_UNVERIFIABLE;
}

/* Compares the residuals with those of the look before, and keeps them. */
STFK_DEVICE bool are_same(memory *m, const finding &f, int cols)
{
    const int t = (int)thread_index();
    bool differs = false;

    if (t < cols) {
        for (int w = 0; w < VECTORS; w++) {
            const real d = (real)f.d[w];
            differs = differs || !STFI_FT_IS_SAME(d, m->before[w][t]);
            m->before[w][t] = d;
        }
        m->ratio[t] = !(f.ratio <= 0x1p60) ? (real)0x1p60 : (real)f.ratio;
    }
    return !block_any(differs);
}

/* Notes the worst column, and another look at the tile. */
STFK_DEVICE void remember(memory *m, const tile_place &p, int verdict,
                          bool same)
{
    if (thread_index() == 0) {
        m->worst = 0;
        for (int j = 1; j < p.cols; j++)
            if (m->ratio[j] > m->ratio[m->worst])
                m->worst = j;
        stfi_ft_observe(&m->state, verdict, same);
    }
    block_sync();
}

STFK_DEVICE void note_outcome(const stfk_gemm &a, const tile_place &p,
                              stfi_ft_outcome outcome, float ratio)
{
    stfk_ledger *ledger = a.ledger;

    if (outcome == STFI_FT_CHECKED)
        return;
    if (outcome != STFI_FT_DETECTED)
        atomic_add(&ledger->count[outcome], 1);
    if (!stfi_ft_is_fault(outcome))
        return;
    atomic_add(&ledger->count[STFI_FT_DETECTED], 1);
    atomic_min(&ledger->first,
               (count_t)p.member << 24 | (count_t)(bits_of(ratio) >> 16));
}

STFK_DEVICE void store_any(const stfk_gemm &a, const tile_place &p,
                           const real (&acc)[TN][TM])
{
    if (a.parts > 1)
        store_partial(a, p, acc);
    else if constexpr (group_units)
        store_staged(a, p, acc);
    else
        store_tile(a, p, acc);
}

/* What the looks at a tile have shown, in all threads. */
struct evidence {
    bool finite;  /* all residuals of finite data are */
    bool unknown; /* some columns' data have Inf or NaN */
    float ratio;  /* the largest of the first look */
};

/* Concludes what became of a tile that was not clean at first. */
STFK_DEVICE void conclude(const stfk_gemm &a, const tile_place &p, memory *m,
                          const real (&acc)[TN][TM], const evidence &e)
{
    bool rounding = false;

    if (m->state.same && m->state.verdict == STFI_FT_FAULTY && e.finite)
        rounding = arbitrate(a, p, m, acc);
    if (thread_index() != 0)
        return;
    if (rounding)
        m->state.verdict = STFI_FT_SUSPICIOUS;
    if (e.unknown && m->state.verdict == STFI_FT_SUSPICIOUS)
        m->state.verdict = STFI_FT_UNVERIFIABLE;
    stfi_ft_outcome outcome = stfi_ft_classify(&m->state, e.finite);
    if (!STFK_CORRECT && stfi_ft_is_fault(outcome))
        outcome = STFI_FT_DETECTED;
    note_outcome(a, p, outcome, e.ratio);
}

/* Computes a tile until its residuals are clean or come out the same again. In
 * mode DETECT, C is what was computed first, and is computed again only if a
 * residual is above its threshold: to know whether it is rounding. */
STFK_DEVICE void compute_checked(const stfk_gemm &a, const tile_place &p,
                                 real *shared, real (&acc)[TN][TM])
{
    constexpr bool correct = STFK_CORRECT != 0;
    memory *m = memory_of(shared);
    evidence e = {true, false, 0};
    predictions r;
    bool again = false;

    for (;;) {
        accumulate(a, p, shared, again, acc, r);
        block_sync();
        const finding f = observe(a, p, shared, acc, r, again);
        const int verdict = worst_of(f);
        if (f.ratio > 0)
            note_ratio(a, f.ratio);
        if (!correct && !again)
            store_any(a, p, acc);
        if (!again
            && (verdict == STFI_FT_CLEAN
                || (!correct && verdict == STFI_FT_SUSPICIOUS)))
            break;
        if (!again && thread_index() == 0)
            m->state = {0, 0, 0, 0, 0};
        remember(m, p, verdict, are_same(m, f, p.cols));
        if (!again)
            e.ratio = (float)m->ratio[m->worst];
        again = true;
        e.unknown = block_any(f.verdict == STFI_FT_UNVERIFIABLE);
        e.finite = !block_any(f.verdict != STFI_FT_UNVERIFIABLE
                              && (!is_finite(f.d[0]) || !is_finite(f.d[1])));
        if (stfi_ft_is_settled(&m->state) || m->state.looks > LOOKS)
            break;
        block_sync();
    }
    if (again)
        conclude(a, p, m, acc, e);
    if (correct)
        store_any(a, p, acc);
}

} // namespace stfk

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Checked tiles. With level BLOCK, for each column j of a tile and each vector
 * w of signs,
 *
 *     d_j = sum_i w_i C_ij - sum_k (sum_i w_i A_ik) B_kj
 *
 * is 0 but for rounding. The weighed rows of A were made beforehand (encode.h); the
 * sums over k are made beside the product, from what lies in shared memory, or by a
 * product of their own (expected_there). The verdict comes before anything is stored,
 * and repair is computing the tile again, which another kernel does. Thresholds:
 * doc/abft.md; outcomes: lib/ft/outcome.h. Norms: prepare.h. Level THREAD: own_sums.h;
 * WARP: warp_sums.h. */
#ifndef STFK_GEMM_CHECK_H
#define STFK_GEMM_CHECK_H

#include "gemm/store.h"
#include "gemm/two_sided.h"

namespace stfk
{

enum { LOOKS = 3 };

/* The square of a residual's ratio, as stfk_ledger has it; 0 unless it is finite. */
STFK_DEVICE float noted_square(double ratio)
{
    const double most = 0x1p60;
    const double r = ratio < most ? ratio : most;

    return is_finite(ratio) && ratio > 0 ? (float)(r * r) : 0;
}

/* Keeps the largest finite residual of the columns, of those that threads have.
 * Groups of 32 have one, and compare it with what was noted when the tile was begun:
 * if each column read that word, or changed it, all would wait for it. */
STFK_DEVICE void note_ratio(const stfk_gemm &a, float noted, double ratio)
{
    float square = noted_square(ratio);

    if (!by_warp && (int)thread_index() / STFK_WAVE * STFK_WAVE >= BN)
        return;
    STFK_UNROLL
    for (int n = 1; n < 32; n *= 2) {
        const float other = shuffle_xor(square, n);
        square = other > square ? other : square;
    }
    if (thread_index() % 32 == 0 && square > noted)
        atomic_max(&a.ledger->worst, bits_of(square));
}

/* ---------------------------------------------------------------- a tile */

/* Returns the verdict on the tile to all threads. */
STFK_DEVICE int worst_of(const finding &f, bool clean)
{
    if (clean)
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
            differs = differs || !STFI_FT_IS_SAME(d, m->vector[w][t]);
            m->vector[w][t] = d;
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

#if STFK_TWO_SIDED
/* What is detected, and neither computed again nor given up, was corrected. */
STFK_DEVICE void note_corrected(const stfk_gemm &a, const tile_place &p,
                                const finding &f)
{
    memory *m = memory_of((real *)shared_memory());
    const int t = (int)thread_index();

    if (t < p.cols)
        m->ratio[t] = !(f.ratio <= 0x1p60) ? (real)0x1p60 : (real)f.ratio;
    block_sync();
    if (t != 0)
        return;
    real most = 0;
    for (int j = 0; j < p.cols; j++)
        most = m->ratio[j] > most ? m->ratio[j] : most;
    note_outcome(a, p, STFI_FT_DETECTED, (float)most);
}
#endif

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

/* Takes another look at a tile into account. */
STFK_DEVICE void take_look(memory *m, const tile_place &p, const finding &f,
                           evidence &e)
{
    remember(m, p, worst_of(f, !block_any(f.verdict != STFI_FT_CLEAN)),
             are_same(m, f, p.cols));
    e.unknown = block_any(f.verdict == STFI_FT_UNVERIFIABLE);
    e.finite = !block_any(f.verdict != STFI_FT_UNVERIFIABLE
                          && (!is_finite(f.d[0]) || !is_finite(f.d[1])));
}

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

/* Computes a tile again until its residuals are clean or come out the same, after a
 * first look with this finding; in mode CORRECT it is stored then. */
STFK_DEVICE void compute_again(const stfk_gemm &a, const tile_place &p,
                               finding f)
{
    real *shared = (real *)shared_memory();
    memory *m = memory_of(shared);
    evidence e;
    predictions r;
    real acc[TN][TM];

    if (thread_index() == 0)
        m->state = {0, 0, 0, 0, 0};
    take_look(m, p, f, e);
    e.ratio = (float)m->ratio[m->worst];
    do {
        bool clean;
        block_sync();
        accumulate(a, p, shared, true, acc, r);
        block_sync();
        f = observe(a, p, shared, acc, r, true, &clean);
        note_ratio(a, m->noted, f.ratio);
        take_look(m, p, f, e);
    } while (!stfi_ft_is_settled(&m->state) && m->state.looks <= LOOKS);
    conclude(a, p, m, acc, e);
    if (STFK_CORRECT)
        store_any(a, p, acc);
}

STFK_DEVICE finding *findings_of(const stfk_gemm &a, wide number)
{
    return (finding *)a.found + number * lesser(BN, a.n);
}

/* Threads that say that a tile is left, each with its own number of the tile: one
 * that is wrong about the number neither hides its own tile, which would not be stored,
 * nor has another one stored twice, to which beta C would be added again. */
constexpr int WITNESSES = 4;

STFK_DEVICE bool is_left(const stfk_gemm &a, wide number)
{
    return a.odd[number] > 1;
}

/* The kernel that computes a tile first leaves what it found to another one, mend():
 * with the code that computes it again, it would have fewer registers for its main
 * path, or wait for a function's, and for units that groups of threads use. For most
 * products that takes longer than a launch; for short ones, which are a few launches
 * long, it does not (bench/results/cuda-h200-gemm.md). */
STFK_DEVICE void leave_finding(const stfk_gemm &a, const tile_place &p,
                               const finding &f)
{
    const int t = (int)thread_index();
    static_assert(sizeof(finding) == STFK_GEMM_FINDING, "the host counts so");

    if (t < p.cols)
        findings_of(a, own_number(a))[t] = f;
    if (t % (THREADS / WITNESSES) == 0)
        atomic_add(&a.odd[own_number(a)], 1);
}

/* Computes a tile again that was left, if its number is there and it was. */
STFK_DEVICE void mend_tile(const stfk_gemm &a, wide number)
{
    const tile_place p = place_of(a, a.parts, number);
    const int t = (int)thread_index();
    finding f = {{0, 0}, 0, STFI_FT_CLEAN};

    if (t < p.cols)
        f = findings_of(a, number)[t];
    block_sync();
    prepare(a, p, memory_of((real *)shared_memory()));
    block_sync();
    compute_again(a, p, f);
}

/* Computes the tiles again that were left. Few or none are: each thread looks for one
 * of its block's. */
STFK_DEVICE void mend(const stfk_gemm &a)
{
    const wide all = a.tiles_m * a.tiles_n * a.parts * a.batch;
    const wide step = (wide)block_count();

    if (is_scaling(a))
        return;
    for (wide n = (wide)block_index(); n < all; n += step * THREADS) {
        const wide own = n + (wide)thread_index() * step;
        if (!block_any(own < all && is_left(a, own)))
            continue;
        for (wide i = n; i < all && i < n + step * THREADS; i += step)
            if (is_left(a, i))
                mend_tile(a, i);
    }
}

/* The tiles from which on mend() begins while the last of them run: many more than run
 * at once. Of fewer, it takes room beside those that are not done (1024 points in F32
 * took 69 us so, 65 without, and 2048 406 and 398). */
constexpr unsigned MANY_TILES = 1024;

/* Computes a tile, and leaves it to mend() if its residuals are not clean. In mode
 * DETECT, C is what was computed first, and is computed again only if a residual is
 * above its threshold: to know whether it is rounding. Returns 1 if the tile is still
 * to be stored. */
STFK_DEVICE bool compute_checked(const stfk_gemm &a, const tile_place &p,
                                 real *shared, real (&acc)[TN][TM])
{
    constexpr bool correct = STFK_CORRECT != 0;
    memory *m = memory_of(shared);
    predictions r;
    bool clean;

    accumulate(a, p, shared, false, acc, r);
    if constexpr (expected_there) {
        wait_for_previous(); /* what makes the sums has run beside this tile */
        if (norms_late)
            prepare(a, p, m);
        take_expected(a, p, m);
    }
    if (block_count() >= MANY_TILES)
        let_next_begin(); /* mend(), where the last tiles leave room */
    block_sync();
    const finding f = observe(a, p, shared, acc, r, false, &clean);
    note_ratio(a, m->noted, f.ratio);
    if (!correct)
        store_any(a, p, acc);
    if (thread_index() == 0)
        a.odd[own_number(a)] = 0;
    if (clean)
        return correct;
#if STFK_TWO_SIDED
    if (correct_elements(a, p, shared, acc, r, f)) {
        note_corrected(a, p, f);
        return correct;
    }
#endif
    if (!block_any(f.verdict < STFI_FT_UNVERIFIABLE
                   && f.verdict
                          > (correct ? STFI_FT_CLEAN : STFI_FT_SUSPICIOUS))) {
        if (block_any(f.verdict == STFI_FT_UNVERIFIABLE) && thread_index() == 0)
            note_outcome(a, p, STFI_FT_NON_FINITE, 0);
        return correct;
    }
    leave_finding(a, p, f);
    return false;
}

} // namespace stfk

#endif

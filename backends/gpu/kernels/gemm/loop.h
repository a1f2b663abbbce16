/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The main loop: slabs of both operands go through shared memory, and each
 * thread multiplies rows and columns of them. The operands of the next step are
 * read while this step is computed. */
#ifndef STFK_GEMM_LOOP_H
#define STFK_GEMM_LOOP_H

#include "gemm/slabs.h"

#if STFK_UNIT == 3
#include "gemm/predict_group.h"
#elif STFK_UNIT == 2
#include "gemm/step_half.h"
#else
#include "gemm/step.h"
#endif
#include "gemm/own_sums.h"
#include "gemm/prepare.h"
#include "gemm/strike.h"
#include "gemm/warp_sums.h"

namespace stfk
{

/* Begins a tile: the first slab is in shared memory, others are under way. */
STFK_DEVICE void begin(const stfk_gemm &a, const tile_place &p, bool again,
                       pipeline &pipe, real (&acc)[TN][TM], predictions &r)
{
    pipe.steps = (int)p.steps;
    pipe.whole = p.rows == BM && p.cols == BN;
    if constexpr (predicts) {
        const wide member = a.a.shared ? 0 : p.member;
        const int t = (int)thread_index();
        pipe.weighed = weighed_rows(a, member, p.row / BM, p.k)
                       + t / ROW_PIECES * weighed_step(a)
                       + t % ROW_PIECES * SUM_PIECE;
        for (int w = 0; w < SUM_VECTORS; w++)
            for (int v = 0; v < SUM_COLUMNS; v++)
                r.of[w][v] = 0;
    }
    STFK_UNROLL
    for (int j = 0; j < TN; j++)
        STFK_UNROLL
    for (int i = 0; i < TM; i++)
        acc[j][i] = 0;
#if STFK_WAITS_LATE
    const real *first = pipe.weighed;
    piece_of_sums held[AHEAD];
    for (int s = 0; s < AHEAD; s++)
        pipe.template begin<false>(s);
    if (!again && !expected_there)
        wait_for_previous();
    pipe.take_first_sums(first, p.steps, held);
#else
    for (int s = 0; s < (STFK_ASYNC ? AHEAD : 1); s++)
        pipe.begin(s);
#endif
    if (checked && !norms_late && !again)
        prepare(a, p, memory_of(pipe.shared));
#if STFK_WAITS_LATE
    pipe.put_first_sums(p.steps, held);
#endif
    pipe.end(0);
    block_sync();
}

} // namespace stfk

#if STFK_UNIT == 3
#include "gemm/loop_group.h"
#else

namespace stfk
{

/* When a slab is added to the sums of checks: before its last step, at which the
 * block gives it up. */
constexpr int PREDICT_AT = half_units ? 0 : units ? 1 : 2;
static_assert(BK / STEP % 2 == 0 && BK / STEP > PREDICT_AT + 1, "few steps");

/* A step from k on, with faults if the kernel has any. */
STFK_DEVICE void struck_step(const stfk_gemm &a, const tile_place &p, wide k,
                             bool again, fragment &f, real (&acc)[TN][TM])
{
#if STFK_STRIKE
    strike_operands(a, p, k, again, f.a, f.b);
    multiply_step(f, acc);
    for (int n = 0; n < STEP; n++)
        strike_accumulators(a, p, k + n, again, acc);
#else
    multiply_step(f, acc);
#endif
}

/* Adds to the sums that checks expect, at step s of a slab, unless they are of
 * halves. */
STFK_DEVICE void predict_at(int s, const real *slab, const fragment &f,
                            predictions &r)
{
    (void)s, (void)slab, (void)f, (void)r;
#if STFK_BY_THREAD
    predict_own(f, r);
#elif STFK_BY_WARP
    if (s == PREDICT_AT)
        predict_in_warp(slab, r);
#else
    if (predicts && !half_units && s == PREDICT_AT)
        predict(slab, r);
#endif
}

/* Computes a tile. `again` is 1 if it was computed before. */
STFK_DEVICE void accumulate(const stfk_gemm &a, const tile_place &p,
                            real *shared, bool again, real (&acc)[TN][TM],
                            predictions &r)
{
    pipeline pipe = pipeline_of(a, p, shared);
    const int steps = (int)p.steps;
    fragment f[2];
    int stage = 0, next_load = STAGES - 1, turn = 0;
    sums_of_turns part;

    begin(a, p, again, pipe, acc, r);
    part.clear();
    read_fragment(pipe.slab(0), 0, f[0]);
    for (int k = 0; k < steps; k += turn == 0 ? BK : 0) {
        const int next = stage + 1 == STAGES ? 0 : stage + 1;
        STFK_UNROLL
        for (int s = 0; s < BK / STEP; s++) {
            keep_order();
            /* Before the registers of the next step are taken. */
            if (predicts && half_units && s == PREDICT_AT
                && (!splits || turn < SPLIT_TURNS - 1))
                predict(pipe.slab(stage), r);
            if (s == BK / STEP - 1) {
                pipe.end(next);
                block_sync();
                read_fragment(pipe.slab(next), 0, f[0]);
            } else {
                read_fragment(pipe.slab(stage), (s + 1) * STEP, f[(s + 1) & 1]);
            }
            if (s == 0)
                pipe.begin(next_load);
            predict_at(s, pipe.slab(stage), f[s & 1], r);
            if (turn == SPLIT_TURNS - 1)
                struck_step(a, p, p.k + k + s * STEP, again, f[s & 1],
                            part.of(acc));
            else
                multiply_step(f[s & 1], part.of(acc));
        }
        turn = turn == SPLIT_TURNS - 1 ? 0 : turn + 1;
        if (turn == 0)
            part.take_out(acc);
        stage = next;
        next_load = next_load + 1 == STAGES ? 0 : next_load + 1;
    }
    finish_sums(a, p, acc, r);
}

} // namespace stfk

#endif

#endif

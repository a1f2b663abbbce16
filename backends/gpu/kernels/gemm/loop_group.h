/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The main loop with matrix units that groups of 128 threads use together
 * (arch/groups_sm90.h): while these multiply a slab, the threads begin the copies
 * of a later one. What the units call rows are 64
 * columns of C, so that a thread has neighbouring rows of C. */
#ifndef STFK_GEMM_LOOP_GROUP_H
#define STFK_GEMM_LOOP_GROUP_H

#include "gemm/strike.h"

namespace stfk
{

static_assert(TN == 2 && WARPS_M == 1 && STEP == 16, "not the units' shape");

/* Begins the products of a slab. */
STFK_DEVICE void multiply_slab(group_products &products, const real *slab,
                               real (&sum)[TN][TM], bool predicts,
                               predictions &r)
{
    constexpr int GROUP = 128, COLUMNS = 64, ROW_BYTES = 128;
    const int col = (int)thread_index() / GROUP * COLUMNS;
    const stored *x = (const stored *)(slab + B_AT);
    const stored *y = (const stored *)slab;

    products.begin();
    if (sums_joined && predicts) {
        multiply_joined(products, x, y, col, sum, r);
        products.commit();
        return;
    }
    /* In turn: products of the same sums follow each other by the latency of units. */
    STFK_UNROLL
    for (int k = 0; k < BK; k += STEP) {
        products.template multiply<HALF, BM, STFK_B_ALONG_K, STFK_A_ALONG_K,
                                   BK * ROW_BYTES>(
            sum, x + operand_b::group_begins(col, k),
            y + operand_a::group_begins(0, k));
        if (sums_by_unit && !sums_joined && predicts)
            predict_steps(products, slab, x, col, k, r);
    }
    products.commit();
}

/* Computes a tile. `again` is 1 if it was computed before. */
STFK_DEVICE void accumulate(const stfk_gemm &a, const tile_place &p,
                            real *shared, bool again, real (&acc)[TN][TM],
                            predictions &r)
{
    pipeline pipe = pipeline_of(a, p, shared);
    const int steps = (int)p.steps;
    int stage = 0, next_load = AHEAD, turn = 0;
    sums_of_turns part;
    group_products products;
    predictions own = {}; /* of a slab of split numbers */

    begin(a, p, again, pipe, acc, r);
    part.clear();
    for (int k = 0; k < steps; k += turn == 0 ? BK : 0) {
        const int next = stage + 1 == STAGES ? 0 : stage + 1;
        const bool last = turn == SPLIT_TURNS - 1;
        multiply_slab(products, pipe.slab(stage), part.of(acc),
                      !splits || !last, splits ? own : r);
        /* Nobody reads that stage any more: all have passed the barrier behind
         * the products of the slab that was there. */
        pipe.begin(next_load);
        if (STFK_STRIKE || (splits && last))
            products.template wait<0>();
        else
            products.template wait<1>();
#if STFK_STRIKE
        if (last)
            strike_slab(a, p, p.k + k, again, pipe.slab(stage), part.of(acc));
#endif
        if (last) {
            part.take_out(acc);
            if (splits)
                take_out(own, r);
        }
        pipe.end(next);
        block_sync();
        turn = last ? 0 : turn + 1;
        stage = next;
        next_load = next_load + 1 == STAGES ? 0 : next_load + 1;
    }
    products.template wait<0>();
    finish_sums(a, p, acc, r);
}

} // namespace stfk

#endif

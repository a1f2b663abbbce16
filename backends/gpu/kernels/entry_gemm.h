/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The entry point of the kernels of matrix products. */
#ifndef STFK_ENTRY_GEMM_H
#define STFK_ENTRY_GEMM_H

#include "gemm/check.h"
#include "gemm/encode.h"
#if STFK_GEMM_HALVES
#include "gemm/halve.h"
#endif
#include "gemm/settle.h"

namespace stfk
{

/* Counts the tiles that a launch checks; one thread of a launch does this. */
STFK_DEVICE void count_tiles(const stfk_gemm &a)
{
    const wide tiles = a.tiles_m * a.tiles_n * a.parts * a.batch;

    if (block_index() == 0 && thread_index() == 0 && a.first == 0)
        atomic_add(&a.ledger->count[STFI_FT_CHECKED], (count_t)tiles);
}

STFK_DEVICE void multiply(const stfk_gemm &a)
{
    const tile_place p = place_of(a, a.parts, own_number(a));
    real *shared = (real *)shared_memory();
    real acc[TN][TM];
    predictions unused;

    if constexpr (checked)
        count_tiles(a);
    if (is_surely_scaling(a)) {
        if (STFK_WAITS_LATE)
            wait_for_previous();
        STFK_UNROLL
        for (int j = 0; j < TN; j++)
            STFK_UNROLL
        for (int i = 0; i < TM; i++)
            acc[j][i] = 0;
    } else if constexpr (checked) {
        if (!compute_checked(a, p, shared, acc))
            return;
    } else {
        accumulate(a, p, shared, false, acc, unused);
    }
    store_any(a, p, acc); /* in one place: it is long */
}

template <int what> STFK_DEVICE void run(const stfk_gemm &a)
{
    if constexpr (what == GEMM_MULTIPLY)
        multiply(a);
    else if constexpr (what == GEMM_ENCODE)
        encode(a);
#if STFK_GEMM_HALVES
    else if constexpr (what == GEMM_SPLIT)
        split_operands(a);
#endif
    else if constexpr (what == GEMM_ADD)
        add_parts(a);
    else if constexpr (what == GEMM_KEEP)
        keep_tile(a);
    else if constexpr (what == GEMM_MEND)
        mend(a);
    else
        settle(a);
}

constexpr bool has_tiles = STFK_GEMM == GEMM_MULTIPLY
                           || STFK_GEMM == GEMM_SETTLE
                           || STFK_GEMM == GEMM_MEND;
constexpr int entry_threads = has_tiles ? THREADS : STFK_GEMM_THREADS;

/* Sums that are made apart are made beside the tiles' product, which waits for them
 * when a tile is done: their launches let the next one begin (STFK_LEADS). They do so at
 * once, unless tiles read norms before: then the product of the sums does so when what
 * made the norms has ended. */
constexpr bool leads_at_once =
    STFK_LEADS && (STFK_GEMM == GEMM_ADD || sizeof(real) == 4);

} // namespace stfk

STFK_ENTRY(STFK_NAME, stfk::entry_threads, STFK_BLOCKS)(STFK_PARAM stfk_gemm a)
{
    if (stfk::leads_at_once)
        stfk::let_next_begin();
    if (stfk::STFK_GEMM != stfk::GEMM_MULTIPLY || !STFK_WAITS_LATE)
        stfk::wait_for_previous();
    if (STFK_LEADS && !stfk::leads_at_once)
        stfk::let_next_begin();
#if STFK_CHECK
    stfk::run<stfk::STFK_GEMM>(STFK_IN_PLACE(stfk_gemm, a));
#else
    stfk::run<stfk::STFK_GEMM>(a);
#endif
}

#endif

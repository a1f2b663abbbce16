/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* What from_memory.h sums up in tiles of R2C and C2R: the points at which a trial sums
 * up registers are called once more, with what memory holds. */
#ifndef STFK_FROM_MEMORY_REAL_H
#define STFK_FROM_MEMORY_REAL_H

#include "protect/second_read.h"
#include "protect/tiles.h"

namespace stfk
{

/* Reads what memory has of a thread's registers of a stage of radix R. */
template <class Side, int R>
STFK_DEVICE void read_again(const work &a, member m, cx *v)
{
    each_again<Side, R>(a, m, [&](int i, int, cx x) { v[i] = x; });
}

/* Calls use(q, x, y) with the pair that a thread has in each round q of Go. Several are
 * read before the first is used. */
template <class Side, class Go, bool vector, class Use>
STFK_DEVICE void each_pair_in_memory(const work &a, const Use &use)
{
    constexpr int together = sizeof(real) == 4 ? 4 : 2;

    STFK_UNROLL
    for (int p = 0; p < Go::rounds; p += together) {
        cx x[together], y[together];

        STFK_UNROLL
        for (int q = p; q < p + together && q < Go::rounds; q++)
            if (Go::has(q))
                load_both<Side, Go>(a, locate<Side>(a, Go::lane(q)), q, vector,
                                    x[q - p], y[q - p]);
        STFK_UNROLL
        for (int q = p; q < p + together && q < Go::rounds; q++)
            if (Go::has(q))
                use(q, x[q - p], y[q - p]);
    }
}

/* Whether a side's spectra move in rows by way of block memory. */
STFK_CONST bool moves_rows(load_side)
{
    return sweeps_spectra<trial>();
}
STFK_CONST bool moves_rows(store_side)
{
    return stores_rows<trial>();
}

/* The same as each_pair_in_memory() of such spectra. */
template <class Side, class Go, class Use>
STFK_DEVICE void each_pair_of_rows(const work &a, const Use &use)
{
    block_sync();
    load_rows<Side>(a);
    STFK_UNROLL
    for (int q = 0; q < Go::rounds; q++) {
        cx x, y;
        if (!Go::has(q))
            continue;
        get<BOTH>(place_in_round<Go>(q), x);
        get<BOTH>(mirror_in_round<Go>(q), y);
        use(q, x, y);
    }
}

template <class Side, class Go, class Use>
STFK_DEVICE void each_pair_again(const work &a, const Use &use)
{
    if constexpr (moves_rows(Side()))
        each_pair_of_rows<Side, Go>(a, use);
    else if (is_half_complex<Side>() || Side::of(a).vector != 0)
        each_pair_in_memory<Side, Go, true>(a, use);
    else
        each_pair_in_memory<Side, Go, false>(a, use);
}

struct ends_of_r2c {
    STFK_MEMBER static void sum_results(trial &c, const work &a)
    {
        typedef store_half_sweep<trial> go;

        each_pair_again<store_side, go>(a, [&](int q, cx x, cx y) {
            const cx pair[2] = {x, y};
            c.sum_pair(go::element(q), pair);
        });
    }
    STFK_MEMBER static void sum_inputs(trial &c, const work &a)
    {
        constexpr int interleave = shared_before ? T : STFK_LOAD_INTERLEAVE;
        const member m = who_anew<interleave>();
        cx v[V];

        read_again<load_side, R_FIRST>(a, m, v);
        turn_direction<V>(a, v);
        c.template loaded_reals<OP_R2C, R_FIRST>(m, v);
    }
};

struct ends_of_c2r {
    STFK_MEMBER static void sum_results(trial &c, const work &a)
    {
        const member m = who_anew<STFK_STORE_INTERLEAVE>();
        cx v[V];

        read_again<store_side, R_LAST>(a, m, v);
        c.template stored_reals<OP_C2R, R_LAST>(m, v);
    }
    STFK_MEMBER static void sum_inputs(trial &c, const work &a)
    {
        typedef load_half_sweep<trial> go;

        each_pair_again<load_side, go>(a, [&](int q, cx x, cx y) {
            c.template loaded_pair<go>(go::element(q), x, y);
        });
        c.end_pairs();
    }
};

} // namespace stfk

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Residuals from memory to memory, in plans of one pass with an end-to-end
 * check. When a tile has been stored, its results are read back and its input is
 * loaded once more, with addresses that are computed anew, and both sums are made
 * of these values. So what changes a value before its first sum or after its last
 * one is detected, and so is a wrong address, without sweeps of their own: most
 * tiles are still in the second-level cache. A block that ends before it has come
 * to that is not detected.
 *
 * The verdict comes after the store; the input still exists then. In place it does
 * not: such launches sum up their results in registers, as other passes do, and their
 * input in memory, before it is overwritten. That what was stored is what was summed up
 * says a signature (signature.h), as in plans of several passes; or kernels of their own
 * check such launches end to end. */
#ifndef STFK_FROM_MEMORY_H
#define STFK_FROM_MEMORY_H

#include "protect/from_memory_real.h"

namespace stfk
{

/* A pass of complex elements; those of others are in from_memory_real.h. */
template <int op> struct ends {
    STFK_MEMBER static void sum_results(trial &c, const work &a)
    {
        const member m = who_anew<STFK_STORE_INTERLEAVE>();
        const e_held es(c, m.t);
        const real sign = a->inverse ? -1 : 1;

        each_again<store_side, R_OUT>(a, m, [&](int i, int e, cx x) {
            c.template add_result<R_OUT>(es, i, e, turned_as(sign, x));
        });
        c.end_results(m);
    }
    STFK_MEMBER static void sum_inputs(trial &c, const work &a)
    {
        const member m = who_anew<LOAD_HOLDERS>();
        const row_held row(c, m.t);
        const real unit = unit_of(c, 0, m.lane), sign = a->inverse ? -1 : 1;

        each_again<load_side, R_FIRST>(a, m, [&](int i, int e, cx x) {
            const cx z = turned_as(sign, x);
            square_loaded(c.in, z, unit);
            sub_loaded(c.in, as_direction(row.at(c, i, e)), z);
        });
        end_load_sum(c);
    }
};

/* Rader's algorithm, whose threads sum up what they move to and from block memory. */
template <> struct ends<OP_CONV> {
    template <class Side, class Go, bool vector>
    STFK_MEMBER static void read(const work &a, cx *u)
    {
        STFK_UNROLL
        for (int q = 0; q < Go::rounds; q++) {
            const int e = Go::nearest::element(q);
            const auto s = locate<Side>(a, Go::lane(q));
            u[q] = seen_again<Side>(a, s, s.p + distance<Side>(Side::of(a), e),
                                    e, vector);
        }
    }
    template <class Side, class Go>
    STFK_MEMBER static void read_again(const work &a, cx *u)
    {
        if (Side::of(a).vector)
            read<Side, Go, true>(a, u);
        else
            read<Side, Go, false>(a, u);
    }
    STFK_MEMBER static void sum_results(trial &c, const work &a)
    {
        typedef store_sweep<trial> go;
        cx u[go::rounds];

        read_again<store_side, go>(a, u);
        turn_direction<go::rounds>(a, u);
        STFK_UNROLL
        for (int q = 0; q < go::rounds; q++)
            if (go::has(q))
                c.stored_swept(go::element(q), u[q], cx{1, 0});
    }
    STFK_MEMBER static void sum_inputs(trial &c, const work &a)
    {
        typedef load_sweep<trial> go;
        cx u[go::rounds];

        read_again<load_side, go>(a, u);
        c.template loaded_swept<go>(u);
    }
};

template <> struct ends<OP_R2C> : ends_of_r2c {
};
template <> struct ends<OP_C2R> : ends_of_c2r {
};

/* Makes all sums of what memory holds. */
STFK_DEVICE void sum_memory(trial &c)
{
    const work a = work_anew(c.a);

    wait_for_results();
    c.sum_now(true);
    ends<STFK_OP>::sum_results(c, a);
    ends<STFK_OP>::sum_inputs(c, a);
    c.sum_now(false);
}

/* A tile that is stored before it is judged. */
template <class Tile> struct stored_first {
    Tile tile;

    STFK_MEMBER void compute(trial &c)
    {
        tile.compute(c);
        if (c.sums_now())
            return;
        tile.strike_stored(c);
        tile.store(c);
        sum_memory(c);
    }
    STFK_MEMBER void strike_stored(const trial &c)
    {
        if (c.sums_now())
            tile.strike_stored(c);
    }
    STFK_MEMBER void store(trial &c)
    {
        if (c.sums_now())
            tile.store(c);
    }
};

/* Sums up what memory holds of a tile's input that the tile will overwrite. */
STFK_DEVICE void sum_before(trial &c)
{
    ends<STFK_OP>::sum_inputs(c, work_anew(c.a));
    leave_block_memory();
    c.signature = 0;
    c.how |= LOADED_BEFORE;
}

/* Runs a tile in place. This is apart from the kernel's main path, as
 * compute_apart() is. */
template <class Tile>
STFK_APART void run_in_place(const stfk_args &args, lane_t first)
{
    const work a = {args, first};
    trial c(a, 0);
    Tile tile;

    c.how = SUMS_NOW;
    if constexpr (is_signed)
        sum_before(c);
    tile.compute(c);
    settle_tile(a, c, tile, SUSPECTED | SUMS_NOW);
}

template <class Tile> STFK_DEVICE void run_from_memory(const work &a)
{
    typedef stored_first<Tile> stored_tile;

    if (a->load.base != a->store.base)
        run_alone<stored_tile>(a);
    else if (has_faults(a))
        compute_apart<stored_tile>(a.args, a.first, 0, SUFFERS | SUMS_NOW,
                                   nullptr);
    else
        run_in_place<stored_tile>(a.args, a.first);
}

} // namespace stfk

#endif

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
 * not: such launches sum up registers, as other passes do, and kernels of their
 * own check them end to end. */
#ifndef STFK_FROM_MEMORY_H
#define STFK_FROM_MEMORY_H

#include "protect/second_read.h"

namespace stfk
{

STFK_DEVICE void sum_results(trial &c, const work &a)
{
    const member m = who_anew<STFK_STORE_INTERLEAVE>();
    const e_held es(c, m.t);
    const real sign = a->inverse ? -1 : 1;

    each_again<store_side, R_OUT>(a, m, [&](int i, int e, cx x) {
        c.template add_result<R_OUT>(es, i, e, turned_as(sign, x));
    });
    c.end_results(m);
}

STFK_DEVICE void sum_inputs(trial &c, const work &a)
{
    const member m = who_anew<LOAD_HOLDERS>();
    const row_held row(c, m.t);
    const real unit = unit_of(c, 0, m.lane), sign = a->inverse ? -1 : 1;

    each_again<load_side, R_FIRST>(a, m, [&](int i, int e, cx x) {
        const cx z = turned_as(sign, x);
        c.in.square(z, unit);
        c.in.sub(as_direction(row.at(c, i, e)), z);
    });
    end_load_sum(c);
}

/* Makes all sums of what memory holds. Where results went through block memory,
 * other threads have stored what this one reads. */
STFK_DEVICE void sum_memory(trial &c)
{
    const work a = work_anew(c.a);

    if (STFK_STORE_STAGED)
        block_sync();
    sum_results(c, a);
    sum_inputs(c, a);
}

/* A tile that is stored before it is judged. Faults of tests that strike after
 * the last stage's results are those of stage S + 1. */
template <class Tile> struct stored_first {
    Tile tile;

    STFK_MEMBER void compute(trial &c)
    {
        tile.compute(c);
        if (c.sums_registers())
            return;
        c.template strike<R_OUT>(S + 1, tile.to(), tile.v);
        tile.store(c);
        sum_memory(c);
    }
    STFK_MEMBER void store(trial &c)
    {
        if (c.sums_registers())
            tile.store(c);
    }
};

/* Runs a tile in place. This is apart from the kernel's main path, as
 * compute_apart() is. */
template <class Tile>
STFK_APART void run_in_place(const stfk_args &args, lane_t first)
{
    const work a = {args, first};
    trial c(a, 0);
    Tile tile;

    c.how = REGISTERS;
    tile.compute(c);
    settle_tile(a, c, tile, SUSPECTED | REGISTERS);
}

template <class Tile> STFK_DEVICE void run_from_memory(const work &a)
{
    typedef stored_first<Tile> stored_tile;

    if (a->load.base != a->store.base)
        run_alone<stored_tile>(a);
    else if (has_faults(a))
        compute_apart<stored_tile>(a.args, a.first, 0, SUFFERS | REGISTERS,
                                   nullptr);
    else
        run_in_place<stored_tile>(a.args, a.first);
}

} // namespace stfk

#endif

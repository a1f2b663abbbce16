/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Tiles of protected passes, which hold their results until they are known
 * to be right (tiles of fft/ store results as soon as they are made), and
 * how a tile of each operation is run. */
#ifndef STFK_TILES_H
#define STFK_TILES_H

#include "fft/ops.h"
#include "fft/real.h"
#include "protect/group.h"
#include "protect/observe_real.h"

namespace stfk
{

/* Rader's results go through shared memory to get their order, and are then
 * held in registers until they are known to be right. */
struct swept_tile {
    typedef store_sweep<trial> go;
    cx u[go::rounds];

    STFK_MEMBER void compute(trial &c)
    {
        member m = who<STFK_STORE_INTERLEAVE>();
        cx v[V];

        take_inputs(c, m, v);
        transform_inputs(c, m, m, row_held(c, m.t), ask_for_roots(c.a, m, m),
                         v);
        results_to_tile(m, v);
        each_swept(
            c, [&](int q, const spot<store_side> &, int, cx x) { u[q] = x; });
    }
    STFK_MEMBER void store(trial &c)
    {
        STFK_UNROLL
        for (int q = 0; q < go::rounds; q++)
            if (go::has(q))
                store_swept<trial>(c.a, locate<store_side>(c.a, go::lane(q)),
                                   go::element(q), u[q]);
    }
};

/* A tile of R2C. Each pair is stored as soon as it is made, or takes the place of
 * the two elements that it was made of, in shared memory, until the tile is known
 * to be right, or all of it can be stored as rows. Registers that hold a thread's pairs
 * would leave fewer blocks. */
struct pair_tile {
    typedef store_half_sweep<trial> go;
    /* Pairs are made several at a time, so that what they read is on its way
     * together. */
    static constexpr int together = sizeof(real) == 4 ? 4 : 2;

    STFK_MEMBER static void move(trial &c, int q, bool at_once, cx x[2])
    {
        const int lane = go::lane(q), k = go::element(q);

        if (at_once)
            store_made<trial>(c.a, lane, k, x);
        else
            keep_pair(lane, k, x);
    }
    STFK_MEMBER void compute(trial &c)
    {
        const bool at_once = !stores_rows<trial>() && stores_at_once(c);

        transform_reals<OP_R2C>(c);
        STFK_UNROLL
        for (int p = 0; p < go::rounds; p += together) {
            cx x[together][2];
            STFK_UNROLL
            for (int q = p; q < p + together && q < go::rounds; q++)
                if (go::has(q))
                    make_pair(c, go::lane(q), go::element(q), x[q - p]);
            STFK_UNROLL
            for (int q = p; q < p + together && q < go::rounds; q++)
                if (go::has(q))
                    move(c, q, at_once, x[q - p]);
        }
    }
    STFK_MEMBER void store(trial &c)
    {
        if constexpr (stores_rows<trial>()) {
            store_rows<trial>(c.a);
            return;
        }
        if (stores_at_once(c))
            return;
        STFK_UNROLL_SOME
        for (int q = 0; q < go::rounds; q++) {
            const int lane = go::lane(q), k = go::element(q);
            cx x[2];
            if (!go::has(q))
                continue;
            get<BOTH>(place(lane, k), x[0]);
            get<BOTH>(place(lane, N - k), x[1]);
            store_made<trial>(c.a, lane, k, x);
        }
    }
};

/* A tile of R2C_TWO, or of an R2C whose shared memory serves the sums of its check,
 * too: a thread's pairs are held until they are known to be right. */
template <int op> struct held_tile {
    typedef typename either<op == OP_R2C>::template of<
        store_half_sweep<trial>,
        lane_sweep<N / 2 + 1, STORE_SUM_INTERLEAVE>>::type go;
    cx x[go::rounds][2];

    STFK_MEMBER void compute(trial &c)
    {
        transform_reals<op>(c);
        STFK_UNROLL
        for (int q = 0; q < go::rounds; q++) {
            if (!go::has(q))
                continue;
            if constexpr (op == OP_R2C)
                make_pair(c, go::lane(q), go::element(q), x[q]);
            else
                make_two(c, go::lane(q), go::element(q), x[q]);
        }
    }
    STFK_MEMBER void store(trial &c)
    {
        STFK_UNROLL
        for (int q = 0; q < go::rounds; q++) {
            if (!go::has(q))
                continue;
            if constexpr (op == OP_R2C)
                store_made<trial>(c.a, go::lane(q), go::element(q), x[q]);
            else
                store_two_made<trial>(c.a, go::lane(q), go::element(q), x[q]);
        }
    }
};

template <int op>
using spectrum_tile =
    typename either<op == OP_R2C && !STFK_CHECK_SHARED>::template of<
        pair_tile, held_tile<op>>::type;

template <int op> STFK_DEVICE void run_spectrum(const work &a)
{
    if constexpr (checked) {
        run_tile<spectrum_tile<op>>(a);
    } else if (has_faults(a)) {
        if constexpr (strikable)
            compute_apart<spectrum_tile<op>>(a.args, a.first, 0, SUFFERS,
                                             nullptr);
    } else {
        trial c(a);
        transform_reals<op>(c);
        if constexpr (op == OP_R2C)
            store_spectrum(c);
        else
            store_spectra(c);
    }
}

/* Runs all tiles of a block, one after the other, in a launch with faults. */
template <class Tile> STFK_DEVICE void run_apart(work a)
{
    for (; (wide)a.first < a->lanes; a.first += (lane_t)block_count() * L) {
        compute_apart<Tile>(a.args, a.first, 0, SUFFERS, nullptr);
        block_sync();
    }
}

} // namespace stfk

#endif

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
    STFK_MEMBER void strike_stored(const trial &c)
    {
        STFK_UNROLL
        for (int q = 0; q < go::rounds; q++)
            if (go::has(q))
                c.strike_pair(trial::STORED_STAGE, go::lane(q), go::element(q),
                              u + q);
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
 * would leave fewer blocks. Faults of tests strike pairs as soon as they are made. */
struct pair_tile {
    STFK_MEMBER static bool stores_later(const trial &c)
    {
        return !stores_at_once(c) || !stores_vectors(c.a);
    }
    STFK_MEMBER void compute(trial &c)
    {
        transform_reals<OP_R2C>(c);
        make_spectrum(c, stores_later(c));
    }
    STFK_MEMBER void strike_stored(const trial &)
    {
    }
    STFK_MEMBER void store(trial &c)
    {
        if constexpr (stores_rows<trial>())
            store_rows<trial>(c.a);
        else if (stores_later(c))
            store_kept<trial>(c.a);
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
        if constexpr (op == OP_R2C) {
            make_pairs<go>(c, [&](int q, const cx *made) {
                x[q][0] = made[0];
                x[q][1] = made[1];
            });
        } else {
            STFK_UNROLL
            for (int q = 0; q < go::rounds; q++)
                if (go::has(q))
                    make_two(c, go::lane(q), go::element(q), x[q]);
        }
    }
    STFK_MEMBER void strike_stored(const trial &)
    {
    }
    STFK_MEMBER void store(trial &c)
    {
        STFK_UNROLL
        for (int q = 0; q < go::rounds; q++) {
            if (!go::has(q))
                continue;
            if constexpr (op == OP_R2C)
                store_made<trial, go>(c.a, q, x[q], c.a->store.vector != 0);
            else
                store_two_made<trial>(c.a, go::lane(q), go::element(q), x[q]);
        }
    }
};

template <int op>
using spectrum_tile =
    typename either<op == OP_R2C && !STFK_CHECK_SHARED>::template of<
        pair_tile, held_tile<op>>::type;

/* Runs R2C or R2C_TWO in a kernel that does not check its passes. */
template <int op> STFK_DEVICE void run_spectrum(const work &a)
{
    if (has_faults(a)) {
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

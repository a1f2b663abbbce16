/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The classes that may watch a pass. Transforms are templates over a class
 * Watch, and each tile has an object of that class. They report to it what they
 * load, the inputs and outputs of each stage, and what they store; it may sum
 * these up or change them. `unwatched`, below, is the class that does nothing;
 * it also lists the members that such a class must have. The class that checks
 * is in protect/trial.h.
 *
 *   a              the tile that is computed: arguments, first lane
 *   lanes          1: each element that is loaded or stored is reported
 *   one_lane       1: where elements move through shared memory, a thread has
 *                  to stay with one lane, interleaved by load_interleave and
 *                  store_interleave
 *   butterflies    1: each butterfly is reported
 *   put()          writes a result to memory
 *
 * The points of a complex pass: strike_inputs() before anything is made of what was
 * loaded; loading (made before the loads, so
 * that its own loads are issued together with them), turns(), count_turn(),
 * begin_load(), loaded(), end_load(); stage, strike() before the butterflies of
 * a stage, strike_columns() if they are computed on matrix units,
 * strike_results() after the last ones; multiplied() in the middle of a
 * convolution; storing, stored_at(), end_store(), turns(), count_turn(). Real
 * transforms and Rader's, whose elements come in other orders, have points of
 * their own: *_swept, *_reals, *_halves, *_pair and *_two. */
#ifndef STFK_WATCH_H
#define STFK_WATCH_H

#include "fft/memory.h"

namespace stfk
{

/* The pair k of UNTANGLE or TANGLE; real.h. */
struct pair_made {
    cx x, y;
};

struct unwatched {
    const work &a;
    static constexpr bool lanes = false, one_lane = false, butterflies = false;
    static constexpr int load_interleave = T, store_interleave = T;

    /* Holds nothing of use. Compilers dissolve an object into scalars at
     * once unless it has an array, and then order the instructions of tiles
     * that come ahead worse: without this array they have 16 more. */
    struct idle {
        cx d;
        STFK_MEMBER idle() : d{0, 0}
        {
        }
    };
    idle sums[1];

    STFK_MEMBER explicit unwatched(const work &w) : a(w)
    {
    }
    template <class P, class Value> STFK_MEMBER static void put(P *p, Value v)
    {
        store_global(p, v);
    }

    struct loading {
        STFK_MEMBER loading(const unwatched &, int)
        {
        }
    };
    /* What faults of tests strike; see trial.h. */
    enum { STORED_STAGE, LOADED_STAGE, LOAD_TURN, STORE_TURN };
    /* Whether the inputs of a load, or the results of a store, are turned for the
     * run's direction; and that they have been. */
    template <int R> STFK_MEMBER bool turns(int, member) const
    {
        return a->inverse != 0;
    }
    STFK_MEMBER void count_turn()
    {
    }
    template <int R> STFK_MEMBER void begin_load(member, const cx *)
    {
    }
    /* Register i holds element e, which is about to be multiplied by t. */
    STFK_MEMBER void loaded(const loading &, int, int, const cx &)
    {
    }
    STFK_MEMBER void loaded(const loading &, int, int, const cx &, const cx &)
    {
    }
    STFK_MEMBER void end_load()
    {
    }

    /* R: the radix; P: the product of the earlier radices. The last argument
     * says that the stage's inputs are what was loaded. */
    template <int R, int P> struct stage {
        template <class Watch> STFK_MEMBER stage(Watch &, member, bool)
        {
        }
    };
    template <int R> STFK_MEMBER void strike(int, member, cx *) const
    {
    }
    template <int R> STFK_MEMBER void strike_inputs(member, cx *) const
    {
    }
    template <int R> STFK_MEMBER void strike_results(member, cx *) const
    {
    }
    template <int R> STFK_MEMBER void strike_columns(int, cx *) const
    {
    }
    STFK_MEMBER void multiplied(int, cx, cx, cx)
    {
    }

    struct storing {
        STFK_MEMBER storing(const unwatched &, int)
        {
        }
    };
    /* Register i holds element e, which has been multiplied by t. */
    template <int R> STFK_MEMBER void stored_at(const storing &, int, int, cx)
    {
    }
    template <int R>
    STFK_MEMBER void stored_at(const storing &, int, int, cx, cx)
    {
    }
    STFK_MEMBER void end_store(member)
    {
    }

    template <class Go> STFK_MEMBER void loaded_swept(const cx *)
    {
    }
    STFK_MEMBER void stored_swept(int, const cx &, const cx &)
    {
    }
    /* The signals of a lane have been balanced; `bad`: one of them is not finite. */
    STFK_MEMBER void loaded_balanced(bool)
    {
    }
    template <int op, int R> STFK_MEMBER void loaded_reals(member, const cx *)
    {
    }
    template <int op, int R> STFK_MEMBER void stored_reals(member, const cx *)
    {
    }
    template <class Go> STFK_MEMBER void loaded_halves(cx *, const cx *)
    {
    }
    template <class Go> STFK_MEMBER void strike_loaded(int, cx *) const
    {
    }
    template <class Go> STFK_MEMBER void loaded_pair(int, cx, cx)
    {
    }
    STFK_MEMBER void end_pairs()
    {
    }
    STFK_MEMBER void stored_pair(int, cx *)
    {
    }
    template <class Go> STFK_MEMBER void loaded_two(const cx *, const cx *)
    {
    }
    STFK_MEMBER void stored_two(int, const cx *)
    {
    }
    STFK_MEMBER void stored_two(int, const cx *, const cx &)
    {
    }
    /* Makes pair k from x and y; i counts the pairs of the lane; real.h. */
    STFK_MEMBER static pair_made make_pair(const work &a, wide k, cx x, cx y,
                                           int i);
};

/* A tile that nothing watches. A Tile has compute() and store(). */
template <class Tile> STFK_DEVICE void run_unwatched(const work &a)
{
    unwatched c(a);
    Tile tile;

    tile.compute(c);
    tile.store(c);
}

} // namespace stfk

#endif

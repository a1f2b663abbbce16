/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Tiles that are so large that few blocks fill a multiprocessor: while their
 * threads waited for memory, no other block could work. So a block goes from tile
 * to tile, and while it computes one, the next one moves into shared memory as
 * memory holds it: a row, which is one run of memory, by the bulk copy engine;
 * columns of halves by asynchronous copies of neighbouring lanes. If that leaves
 * too little memory for both, the exchanges move one component at a time. Passes
 * that check themselves do not do this: lib/fft/gpu_columns.c, go_ahead(). */
#ifndef STFK_AHEAD_H
#define STFK_AHEAD_H

#include "fft/ops.h"
#if STFK_DIRECT
#include "fft/direct.h"
#endif

namespace stfk
{

typedef vec2<load_side::stored> arrived;

constexpr int TILE_BYTES = L * N * (int)sizeof(arrived);

STFK_DEVICE unsigned char *arrivals()
{
    return shared_memory() + STFK_AHEAD_AT;
}

STFK_DEVICE void *arrival_sign()
{
    return arrivals() + TILE_BYTES;
}

/* A row. Of its threads, the first one asks the engine, which moves units of 16
 * bytes. */
struct row_ahead {
    STFK_MEMBER static bool is_aligned(const work &a)
    {
        return a->load.vector * (int)sizeof(arrived) >= 16;
    }
    STFK_MEMBER void prepare()
    {
        if (own_thread() == 0)
            bulk_prepare(arrival_sign());
        block_sync();
    }
    /* Starts the copy of a tile. No thread may still read the tile before
     * it. */
    STFK_MEMBER void send_for(const work &a)
    {
        if (own_thread() == 0 && (wide)a.first < a->lanes)
            bulk_copy(arrivals(), locate<load_side>(a, 0).p, TILE_BYTES,
                      arrival_sign());
    }
    STFK_MEMBER void wait(int phase)
    {
        bulk_wait(arrival_sign(), phase);
    }
    STFK_MEMBER static int place(int lane, int e)
    {
        return lane * N + e;
    }
};

/* Columns: each copy has the same element of a few neighbouring lanes. */
struct columns_ahead {
    static constexpr int count = pack<load_side>::count;
    async_copies copies;

    STFK_MEMBER static bool is_aligned(const work &a)
    {
        return row_ahead::is_aligned(a);
    }
    STFK_MEMBER void prepare()
    {
    }
    STFK_MEMBER void send_for(const work &a)
    {
        constexpr int parts = L < count ? 1 : L / count, step = B / parts;
        const int lane = (int)own_thread() % parts * count;
        const int first = (int)own_thread() / parts;
        const auto s = locate<load_side>(a, lane);
        arrived *to = (arrived *)arrivals();

        STFK_UNROLL
        for (int q = 0; q < (N + step - 1) / step; q++) {
            const int e = first + q * step;
            if (is_in_round(q, step, N, e))
                copies.template copy<16>(to + place(lane, e),
                                         s.p + distance<load_side>(a->load, e),
                                         s.there ? 16 : 0);
        }
        copies.commit();
    }
    STFK_MEMBER void wait(int)
    {
        copies.template wait<0>();
        block_sync();
    }
    /* Threads that need elements e and e + 8 j of a lane need other banks. */
    STFK_MEMBER static int place(int lane, int e)
    {
        constexpr int pieces = L / count;
        constexpr int swap = !STFK_DIRECT || pieces < 2 ? 0
                             : pieces < 8               ? pieces - 1
                                                        : 7;
        return e * L
               + ((lane / count ^ (e >> 3 & swap)) * count + lane % count);
    }
};

typedef either<load_side::across>::of<columns_ahead, row_ahead>::type coming;

template <int op, class Watch>
STFK_DEVICE void take_arrived(const work &, transform_tile<op, Watch> &tile)
{
    const arrived *from = (const arrived *)arrivals();
    const member m = tile.from();

    each_held<R_FIRST>(m.t, [&](int i, int b, int j) {
        arrived u = from[coming::place(m.lane, b + j * (N / R_FIRST))];
        tile.v[i] = {(real)u.x, (real)u.y};
    });
}

#if STFK_DIRECT
struct words_arrived {
    STFK_MEMBER unsigned at(int lane, int e) const
    {
        return ((const unsigned *)arrivals())[coming::place(lane, e)];
    }
};

template <int op, class Watch>
STFK_DEVICE void take_arrived(const work &a, direct_tile<op, Watch> &tile)
{
    multiply_words(a, words_arrived{}, tile.v);
}
#endif

template <class Tile, class Watch> STFK_DEVICE void run_ahead(work a)
{
    const bool aligned = coming::is_aligned(a);
    coming ahead;

    if (aligned) {
        ahead.prepare();
        ahead.send_for(a);
    }
    for (int phase = 0; (wide)a.first < a->lanes; phase ^= 1) {
        const work next = {a.args, a.first + (lane_t)block_count() * L};
        Tile tile;
        Watch c(a);
        if (aligned) {
            ahead.wait(phase);
            take_arrived(a, tile);
        } else {
            tile.take(a);
        }
        /* Now all threads have taken their elements, and stored the previous
         * tile. */
        block_sync();
        if (aligned)
            ahead.send_for(next);
        tile.finish(c);
        tile.store(c);
        a.first = next.first;
    }
}

} // namespace stfk

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Tiles of rows that are so long that one block fills a multiprocessor:
 * while its threads waited for memory, no other block could work. So the
 * block goes from tile to tile, and while it computes one, the bulk copy
 * engine moves the next one, which is one run of memory, into shared memory.
 * The exchanges therefore move one component at a time. Passes that check
 * themselves do not do this: lib/fft/gpu_shape.c, go_ahead(). */
#ifndef STFK_AHEAD_H
#define STFK_AHEAD_H

#include "fft/ops.h"

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

/* Starts the copy of a tile. No thread may still read the tile before it. */
STFK_DEVICE void send_for(const work &a)
{
    if (own_thread() == 0 && (wide)a.first < a->lanes)
        bulk_copy(arrivals(), locate<load_side>(a, 0).p, TILE_BYTES,
                  arrival_sign());
}

STFK_DEVICE void take_arrived(member m, cx *v)
{
    const arrived *tile = (const arrived *)arrivals() + m.lane * N;

    each_held<R_FIRST>(m.t, [&](int i, int b, int j) {
        arrived u = tile[b + j * (N / R_FIRST)];
        v[i] = {(real)u.x, (real)u.y};
    });
}

template <int op, class Watch> STFK_DEVICE void run_ahead(work a)
{
    /* The engine moves units of 16 bytes. */
    const bool aligned = a->load.vector * (int)sizeof(arrived) >= 16;

    if (aligned) {
        if (own_thread() == 0)
            bulk_prepare(arrival_sign());
        block_sync();
        send_for(a);
    }
    for (int phase = 0; (wide)a.first < a->lanes; phase ^= 1) {
        const work next = {a.args, a.first + (lane_t)block_count() * L};
        transform_tile<op, Watch> tile;
        Watch c(a);
        if (aligned) {
            bulk_wait(arrival_sign(), phase);
            take_arrived(tile.from(), tile.v);
        } else {
            load_direct(a, tile.from(), tile.v);
        }
        /* Now all threads have taken their elements, and stored the previous
         * tile. */
        block_sync();
        if (aligned)
            send_for(next);
        tile.finish(c);
        tile.store(c);
        a.first = next.first;
    }
}

} // namespace stfk

#endif

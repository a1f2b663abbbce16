/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The lanes of a checked pass: tile by tile, or in pieces (bracket.h). */
#ifndef STFI_PROTECT_CHECKED_LANES_H
#define STFI_PROTECT_CHECKED_LANES_H

#include "backends/cpu/protect/bracket.h"

/* Computes lanes [k->lane, k->end) of a checked pass. The check counts the tiles
 * itself; if the loop ends early, the rest follows. */
static void run_lanes_checked(tile *t, const method *m)
{
    probe *k = t->probe;

    for (int round = 0; round < 2 && k->lane < k->end; round++) {
        int64_t end = k->end;
        walk at[2];
        if (k->in_pieces)
            run_pieces(t, m);
        walks_start(at, t, k->lane);
        for (int64_t lane = k->lane; lane < end; lane += W) {
            tile_next(t, at, lane, end);
            if (!run_tile_checked(t, m))
                walks_start(at, t, k->lane + W);
            if (k->is_signed)
                sign_tile(t);
            k->lane += W;
        }
    }
}

/* Computes all lanes of a checked pass. What had to be repaired may have been a
 * store to a wrong address, which spoilt the results of another tile; so all
 * tiles are computed once more then, if their input is still there. If the sums over
 * it are others than before, the store has hit it. Faults that are injected do not
 * strike again. */
static void run_tiles_checked(tile *t, const method *m)
{
    stfi_cpu_watch *watch = t->run->watch;
    probe *k = t->probe;
    int64_t begin = k->lane;
    int again = watch->again;
    words read;

    memset(&k->read, 0, sizeof k->read);
    run_lanes_checked(t, m);
    if (!k->repaired || k->lost || k->late)
        return;
    watch->again = 1;
    k->lane = begin;
    sign_open(k, k->is_signed);
    read = k->read;
    memset(&k->read, 0, sizeof k->read);
    run_lanes_checked(t, m);
    watch->again = again;
    if (memcmp(&read, &k->read, sizeof read) != 0)
        note_changed_input(t);
}

#endif

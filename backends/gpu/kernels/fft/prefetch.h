/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Rows of tiles to come, which a block asks the second-level cache for. A long row fills
 * most of a multiprocessor, so that few blocks, or one, have it to themselves: memory
 * idles while they compute. Blocks are started in the order of their tiles, so those
 * that are started when this one ends are as many tiles on as blocks run at once. */
#ifndef STFK_PREFETCH_H
#define STFK_PREFETCH_H

#include "fft/placed.h"

namespace stfk
{

/* The reals that memory has of a row. */
constexpr unsigned ROW_REALS = load_side::order != ORDER_NONE
                                   ? (unsigned)whole_reals<load_side>()
                               : load_side::form == FORM_REAL ? N
                               : load_side::form == FORM_HALF ? N / 2 * 2 + 2
                               : STFK_OP == OP_C2R            ? 2 * N + 2
                                                              : 2 * N;

/* Asks for the row, in whole units of 16 bytes. Protected blocks do so when their own row
 * is there, others as soon as they have asked for that; and protected blocks, which are
 * slower, for that of three quarters as many tiles on: both measured. */
STFK_DEVICE void prefetch_row(const work &a)
{
#if STFK_PREFETCH
    constexpr unsigned long long unit = 16;
    constexpr unsigned row = ROW_REALS * (unsigned)sizeof(load_side::stored);
    const lane_t tiles = (lane_t)unit_count() * STFK_BLOCKS;
    const lane_t next = a.first + (STFK_CHECK ? 3 * tiles / 4 : tiles);

    if (own_thread() == 0 && (wide)next < a->lanes) {
        const char *p = (const char *)locate_number<load_side>(a, next).p;
        const unsigned skip = (unsigned)(-(unsigned long long)p % unit);
        bulk_prefetch(p + skip, (row - skip) / (unsigned)unit * (unsigned)unit);
    }
#else
    (void)a;
#endif
}

} // namespace stfk

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The signature of a launch of several passes, in plans with an end-to-end check.
 * The residual of a pass says that what it stores follows from what it loads, as
 * registers have both. Whatever happens between one pass's registers and the next
 * one's (a store, a load, their addresses, memory, a tile that nobody computes)
 * changes the bits that are loaded. So a pass subtracts the bits of what it loads
 * from the signature and adds those of what it stores. They are taken from the
 * registers that the residual sums up. Nothing comes before the first pass and after
 * the last one: these read their input or output a second time, mostly from the
 * second-level cache, with addresses that are computed anew. Then the sum of all is
 * 0, modulo 2^32: no rounding is involved, and a flip of one bit always shows.
 *
 * A tile counts when it is right: one that is computed again adds the bits of that
 * attempt. */
#ifndef STFK_SIGNATURE_H
#define STFK_SIGNATURE_H

#include "protect/second_read.h"

namespace stfk
{

/* Returns the bits of what memory has on one side of a tile, as the transform
 * sees it. The turn is one of numbers, as that of the transform is: of bits, it would
 * give other bits where there is no number. C2R stores what it has summed up, and of
 * reals nothing is turned. */
template <class Side, int R>
STFK_DEVICE unsigned bits_in_memory(const work &a, member m)
{
    constexpr bool turned = STFK_OP != OP_C2R && Side::form != FORM_REAL;
    unsigned bits = 0;

    each_again<Side, R>(a, m, [&](int, int, cx z) {
        if (turned)
            turn_direction<1>(a, &z);
        bits += word_of(cx{z.x, separate_copy(z.y)});
    });
    return is_lane(a, m.lane) ? bits : 0;
}

/* Reads once more what nothing else would compare. The tile has been stored.
 * Elements that a thread turns change the sum by 2^31 each, which an even number of
 * them does not show. So threads count their turns, and the launch's arguments say
 * how many there are. */
STFK_DEVICE void sign_ends(trial &c, const work &a)
{
    if (a->signature == 0)
        return;
    c.signature -= a->turns;
    if (STFK_SIGN_INPUT)
        c.signature +=
            bits_in_memory<load_side, R_FIRST>(a, who_anew<LOAD_HOLDERS>());
    if (STFK_SIGN_OUTPUT) {
        wait_for_results();
        c.signature -= bits_in_memory<store_side, R_OUT>(
            a, who_anew<STFK_STORE_INTERLEAVE>());
    }
}

/* Stores a tile, and completes its part of the signature; `a` is the tile, found
 * anew. */
template <class Tile>
STFK_DEVICE void store_signed(trial &c, Tile &tile, const work &a)
{
    tile.strike_stored(c);
    tile.store(c);
    sign_ends(c, a);
}

/* Adds a thread's part to the signature of the launch. */
STFK_DEVICE void leave_signature(const work &a, unsigned bits)
{
    if (a->signature != 0)
        add_in_wave(a->signature + block_index() % STFK_SIGNATURE_WORDS, bits);
}

} // namespace stfk

#endif

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
 * In place, a first pass reads its input before the tile is computed. The bits of every
 * second pass count three times, so that they are missed where a tile stays as it was.
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

    each_again<Side, R>(a, m, [&](int, int e, cx z) {
        if (Side::limit && !is_kept(e))
            return;
        if (turned)
            turn_direction<1>(a, &z);
        bits += word_of(cx{z.x, separate_copy(z.y)});
    });
    return is_lane(a, m.lane) ? bits : 0;
}

/* The bits of a tile's input, and of what it has stored, as memory has them. Of half
 * spectra, a thread reads the pairs that it computes with: signed_ends.h. */
STFK_DEVICE unsigned bits_loaded(const work &a);
STFK_DEVICE unsigned bits_stored(const work &a);

/* Whether a tile's input is gone once the tile has been stored. */
STFK_DEVICE bool is_overwritten(const work &a)
{
    return a->load.base == a->store.base;
}

/* The bits of a tile's input before anything is stored. This is apart from the kernel's
 * main path, which would otherwise have the code of this read twice. */
STFK_APART unsigned bits_of_input(const stfk_args &args, lane_t first)
{
    return bits_loaded({args, first});
}

/* Reads the input of a tile that will overwrite it, if nothing else would compare
 * it. */
STFK_DEVICE void sign_before(trial &c, const work &a)
{
    if (!(STFK_SIGN_INPUT && c.signs() && a->signature != 0
          && is_overwritten(a)))
        return;
    c.before = bits_of_input(a.args, a.first);
    leave_block_memory();
}

/* Reads once more what nothing else would compare. The tile has been stored.
 * Elements that a thread turns change the sum by 2^31 each, which an even number of
 * them does not show. So threads count their turns, and the launch's arguments say
 * how many there are. */
STFK_DEVICE void sign_ends(trial &c, const work &a)
{
    if (!c.signs() || a->signature == 0)
        return;
    c.signature -= a->turns;
    if (STFK_SIGN_INPUT && c.signs_loads())
        c.signature +=
            a->load_factor * (is_overwritten(a) ? c.before : bits_loaded(a));
    if (STFK_SIGN_OUTPUT) {
        wait_for_results();
        c.signature -= a->store_factor * bits_stored(a);
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

/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Verdicts that each wave of a block makes for itself, on a tile of one lane. What comes
 * after a tile's last result is a chain of instructions that wait for each other, and
 * where a multiprocessor has no other block, nothing else happens meanwhile. So each
 * wave adds up the sums of its own threads, one barrier follows, and every thread adds
 * up what the waves have left. Most often the residual is so small that no other
 * question matters; then no thread waits for an answer. Otherwise all threads see the
 * same sums, and go on to the verdict of the block. */
#ifndef STFK_EACH_WAVE_H
#define STFK_EACH_WAVE_H

#include "protect/judge.h"

namespace stfk
{

constexpr int WAVES = (B + wave_size - 1) / wave_size;

static_assert(L == 1 && CHECKS == 1 && TILES == 1 && !STFK_STORE_STAGED,
              "a block has one lane, one verdict, and no barrier after it");
static_assert(WAVES <= LOAD_PARTS + STORE_PARTS,
              "there is room for the sums of all waves");

/* Returns the value of the thread of the wave whose number differs by `mask`, or 0
 * where the block's last wave has none. */
STFK_DEVICE sum from_other(sum v, int mask)
{
    const int i = (int)own_thread(), other = i ^ mask;

    if (B % wave_size == 0)
        return shuffle_xor(v, mask);
    v = shuffle(v, (other < B ? other : i) % wave_size);
    return other < B ? v : 0;
}

/* Adds up the sums of a full wave. The first quarter of its threads gets that of real
 * parts, the second that of imaginary parts, the others that of squares: the first two
 * exchanges halve what a thread still has to add up. */
STFK_DEVICE sum sum_by_quarter(tally t)
{
    const bool high = (own_thread() & wave_size / 2) != 0;
    const bool odd = (own_thread() & wave_size / 4) != 0;
    const sum from = shuffle_xor(high ? t.d.x : t.s, wave_size / 2);
    const sum y = t.d.y + shuffle_xor(t.d.y, wave_size / 2);
    const sum x_or_s = (high ? t.s : t.d.x) + from;
    sum own = odd && !high ? y : x_or_s;

    own += shuffle_xor(odd || high ? x_or_s : y, wave_size / 4);
    STFK_UNROLL
    for (int m = wave_size / 8; m > 0; m /= 2)
        own += shuffle_xor(own, m);
    return own;
}

/* Where the waves leave their sums: all real parts, then all imaginary parts, then all
 * squares. */
STFK_DEVICE sum *sums_of_waves()
{
    return load_parts<sum>(0);
}

STFK_DEVICE void put_sum_of_wave(tally t)
{
    constexpr int quarter = wave_size / 4;
    const int lane = (int)own_thread() % wave_size;
    sum *mine = sums_of_waves() + (int)own_thread() / wave_size;

    if (B % wave_size == 0) {
        const sum own = sum_by_quarter(t);
        if (lane % quarter == 0 && lane < 3 * quarter)
            mine[lane / quarter * WAVES] = own;
        return;
    }
    STFK_UNROLL
    for (int m = 1; m < wave_size; m *= 2)
        t = t
            + tally{{from_other(t.d.x, m), from_other(t.d.y, m)},
                    from_other(t.s, m)};
    if (lane == 0) {
        mine[0] = t.d.x;
        mine[WAVES] = t.d.y;
        mine[2 * WAVES] = t.s;
    }
}

template <int from, int many> STFK_DEVICE sum sum_of_waves()
{
    if constexpr (many > 1)
        return sum_of_waves<from, many / 2>()
               + sum_of_waves<from + many / 2, many - many / 2>();
    else
        return sums_of_waves()[from];
}

/* Adds up the sums of all threads of a block, for each of them. */
STFK_DEVICE tally sum_of_block(tally t)
{
    if (STFK_CHECK_SHARED)
        block_sync();
    put_sum_of_wave(t);
    block_sync();
    return {{sum_of_waves<0, WAVES>(), sum_of_waves<WAVES, WAVES>()},
            sum_of_waves<2 * WAVES, WAVES>()};
}

/* Returns whether the first attempt at a tile needs no verdict of the block: its
 * residual is small, or this thread alone thinks that it is not, because of a fault
 * in what it has just added up, and others have left. One thread notes residuals. */
STFK_DEVICE bool is_settled(const work &a, tally t)
{
    const sum square = square_of(a, t), faulty = faulty_square_of(a, t, 1);

    if (!(is_small(square, faulty) && is_in_range(t)))
        return !block_is_whole();
    if (own_thread() == 0)
        note_sampled(a, square, faulty);
    return true;
}

} // namespace stfk

#endif

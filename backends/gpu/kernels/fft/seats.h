/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* What stages on matrix units have in common whatever the units' shape is: what
 * they multiply, and whose elements a thread holds before a stage. See matrix.h. */
#ifndef STFK_SEATS_H
#define STFK_SEATS_H

#include "fft/tile.h"

namespace stfk
{

static_assert(sizeof(real) == 4, "units take F32 as halves");
static_assert(B % wave_size == 0 && wave_size == STFK_WAVE,
              "units take whole waves");

enum { UNIT_SPLIT, UNIT_F16, UNIT_BF16 };

/* Elements have two pieces; each is of this type. */
constexpr bool two_pieces = STFK_UNIT == UNIT_SPLIT;
constexpr int piece_type = STFK_UNIT == UNIT_BF16 ? HALF_BF16 : HALF_F16;
constexpr bool has_range_of_f32 = STFK_UNIT == UNIT_BF16;

/* A word of the matrix has the real part of a root and minus its imaginary part, by
 * which the real part of a result is made; the imaginary part of that is made by
 * the word that this returns. */
STFK_DEVICE unsigned turned_word(unsigned word)
{
    return (word << 16 | word >> 16) ^ 0x8000u;
}

/* Returns the part of the tile of thread first + i, both of one
 * wave. If the threads of a wave are of one lane, or of as many lanes, the compiler
 * can compute what they have in common once. */
STFK_DEVICE member neighbour(int first, int i)
{
    constexpr int interleave = STFK_STORE_INTERLEAVE;
    const bool same = interleave % wave_size == 0;
    const bool apart = interleave == 1 && L % wave_size == 0;
    int n = same || apart ? first : first + i;
    member m = {n / interleave % L,
                n % interleave + n / (interleave * L) * interleave};

    return {apart ? m.lane + i : m.lane, same ? m.t + i : m.t};
}

/* Calls use(i, lane, b, j) for each register i before a stage of radix R: it
 * holds element b + j N/R of the lane. */
template <int R, class Seat, class Use>
STFK_DEVICE void each_before(const Seat &s, const Use &use)
{
    STFK_UNROLL
    for (int k = 0; k < rounds(R); k++) {
        STFK_UNROLL
        for (int t = 0; t < 4; t++) {
            member m = neighbour(s.first + s.g, wave_size / 4 * t);
            STFK_UNROLL
            for (int i = 0; i < R / 4; i++)
                use(k * R + t * (R / 4) + i, m.lane, m.t + k * T, s.q + 4 * i);
        }
    }
}

} // namespace stfk

#endif

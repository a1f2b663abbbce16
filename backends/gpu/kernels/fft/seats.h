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

/* A column of a product has 8 elements or more: those of a butterfly of radix 16 or 8,
 * of two of radix 4 or of four of radix 2, whose matrix has blocks and zeros between
 * them. These butterflies are a thread's of successive rounds, and so of one lane: zero
 * times a number that is not finite must not reach another lane. element_in() and
 * block_in() say which element of which of these butterflies element e of a column
 * is; so with results. */
STFK_CONST int column_size(int r)
{
    return r < 8 ? 8 : r;
}
STFK_CONST int column_blocks(int r)
{
    return column_size(r) / r;
}
STFK_CONST int element_in(int r, int e)
{
    return r == 2 ? e / 4 : r == 4 ? e % 4 : e;
}
STFK_CONST int block_in(int r, int e)
{
    return r == 2 ? e % 4 : r == 4 ? e / 4 : 0;
}
/* Returns the thread's number, for a stage of radix r. A tile has many stages of radix 4
 * or 2, which have the same places in shared memory. If these are not at known distances,
 * the compiler would keep them from one stage to the next, and lack registers for it. */
STFK_DEVICE unsigned thread_of_stage(int r)
{
    return STFK_SWIZZLE && r < 8 ? thread_index_anew<B>() : own_thread();
}
/* Columns that a thread has elements of, for each of four products. */
STFK_CONST int column_rounds(int r)
{
    return rounds(r) / column_blocks(r);
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

/* Which part of a column's elements, e of a column of thread m, a thread has: element j
 * of butterfly b + more, where the compiler knows `more`, and that its bits are not in
 * b if T is a power of two. `own` is the first of the thread's e. */
template <int R> struct column_part {
    int b, more, j;
    STFK_MEMBER column_part(member m, int k, int own, int e)
        : b(m.t + block_in(R, own) * T),
          more((k * column_blocks(R) + block_in(R, e) - block_in(R, own)) * T),
          j(element_in(R, e))
    {
    }
};

/* Calls use(i, lane, part) for each register i before a stage of radix R: it
 * holds element b + more + j N/R of the lane. */
template <int R, class Seat, class Use>
STFK_DEVICE void each_before(const Seat &s, const Use &use)
{
    constexpr int size = column_size(R);

    STFK_UNROLL
    for (int k = 0; k < column_rounds(R); k++) {
        STFK_UNROLL
        for (int t = 0; t < 4; t++) {
            member m = neighbour(s.first + s.g, wave_size / 4 * t);
            STFK_UNROLL
            for (int i = 0; i < size / 4; i++)
                use(k * size + t * (size / 4) + i, m.lane,
                    column_part<R>(m, k, s.q, s.q + 4 * i));
        }
    }
}

} // namespace stfk

#endif

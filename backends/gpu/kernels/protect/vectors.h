/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The vectors of residuals, e and the row, as tables and persistent blocks
 * hold them. What they are: lib/ft/instrument.h. */
#ifndef STFK_VECTORS_H
#define STFK_VECTORS_H

#include "protect/sums.h"

namespace stfk
{

/* An inverse transform has the conjugates of all vectors. */
STFK_DEVICE cx as_direction(cx w)
{
    return STFK_INVERSE ? conj(w) : w;
}

STFK_DEVICE cx e_of(unsigned both)
{
    return {(real)make_float(both << 16), (real)make_float(both & 0xffff0000u)};
}

STFK_DEVICE real e_of(real whole)
{
    return whole;
}

/* Where e follows a sign pattern (lib/ft/weights/sign_pattern.h), its element
 * for register i of a store is i^turns, times 1 + i if it is odd, times a
 * factor of the thread's own. */
constexpr bool coded = by_lane && STFK_SIGN_PATTERN;
constexpr int KEPT_E = coded ? T : N;

STFK_CONST int code_turns(int i)
{
    return (int)((STFK_SIGN_PATTERN_TURNS >> 2 * i) & 3);
}
STFK_CONST bool code_odd(int i)
{
    return (STFK_SIGN_PATTERN_ODD >> i & 1) != 0;
}

/* Returns i^q z, or, for an inverse transform, (conj i^q) z. */
STFK_DEVICE cx turned(cx z, int q)
{
    const int turns = STFK_INVERSE ? (4 - q) % 4 : q;

    return turns == 0   ? z
           : turns == 1 ? cx{-z.y, z.x}
           : turns == 2 ? cx{-z.x, -z.y}
                        : cx{z.y, -z.x};
}

/* Returns (1 + i) z, or, for an inverse transform, (1 - i) z. */
STFK_DEVICE cx half_turned(cx z)
{
    return STFK_INVERSE ? cx{z.x + z.y, z.y - z.x} : cx{z.x - z.y, z.x + z.y};
}

/* The type of an element of a transform's row:
 * lib/ft/weights/sign_pattern.h. */
typedef either<STFK_REAL_ROW>::of<real, cx>::type weight;

/* The type of an element of e, which may be real, too, and how it is stored: a
 * complex one is packed in four bytes. */
typedef either<STFK_REAL_E>::of<real, cx>::type phase;
typedef either<STFK_REAL_E>::of<real, unsigned>::type stored_phase;
static_assert(!STFK_REAL_E || !(STFK_REAL_ROW || STFK_SIGN_PATTERN),
              "e has one form");

/* Returns where element i of a table of Ts is, by the address of element `from`; see
 * by_address(). */
template <class T>
STFK_DEVICE const T *table_place(const void *table, int from, int i)
{
    return by_address((const T *)table, from, i);
}

STFK_DEVICE void load_phase(const void *table, int from, int i, real &e)
{
    e = load_table(table_place<real>(table, from, i));
}

STFK_DEVICE void load_phase(const void *table, int from, int i, unsigned &e)
{
    e = load_word(table_place<unsigned>(table, from, i));
}

STFK_DEVICE real as_direction(real w)
{
    return w;
}

STFK_DEVICE void load_weight(const void *table, int from, int i, real &w)
{
    w = load_table(table_place<real>(table, from, i));
}

STFK_DEVICE void load_weight(const void *table, int from, int i, cx &w)
{
    w = table_at(table_place<vec2<real>>(table, from, i), 0);
}

/* The place in shared memory where a persistent block keeps the row,
 * followed by KEPT_E elements of e. */
STFK_DEVICE weight *kept_row()
{
    return (weight *)(shared_memory() + STFK_VECTORS_AT);
}

STFK_DEVICE stored_phase *kept_e()
{
    return (stored_phase *)(kept_row() + N);
}

/* Vectors in the order of registers (host/fft/tables.c): thread t reads what
 * belongs to the elements that it holds. The row is real then, and e follows no
 * sign pattern. */
constexpr bool by_register = by_lane && STFK_ORDERED;
static_assert(!STFK_ORDERED || (STFK_REAL_ROW && !STFK_SIGN_PATTERN),
              "complex rows and sign patterns are by element");

template <int per_quad> struct held_quads {
    enum {
        PER_QUAD = per_quad,
        QUADS = by_register ? (V + per_quad - 1) / per_quad : 1
    };
    words quad[QUADS];
    int own; /* the thread's first element */

    STFK_MEMBER held_quads(const void *table, int t) : own(t)
    {
        STFK_UNROLL
        for (int q = 0; by_register && q < QUADS; q++)
            quad[q] = load_words((const words *)table + q * T + t);
    }
};

STFK_DEVICE void from_words(const words &q, int i, float &w)
{
    w = make_float(q.of[i]);
}

STFK_DEVICE void from_words(const words &q, int i, double &w)
{
    w = from_bits((count_t)q.of[2 * i + 1] << 32 | q.of[2 * i]);
}

/* In the order of registers, a component of e is a byte b, whose value is
 * b/64 - 2. Floats near 2^17 are 1/64 apart, and so are doubles near 2^46: b
 * is put into the lowest bits of such a number. */
STFK_DEVICE void from_byte(unsigned word, int i, float &w)
{
    w = make_float(with_byte(bits_of(0x1p17f), word, i)) - (0x1p17f + 2);
}

STFK_DEVICE void from_byte(unsigned word, int i, double &w)
{
    w = from_bits(bits_of(0x1p46) | with_byte(0, word, i)) - (0x1p46 + 2);
}

/* Both components of an element. */
STFK_DEVICE void from_byte(unsigned word, int i, cx &w)
{
    from_byte(word, i, w.x);
    from_byte(word, i + 1, w.y);
}

} // namespace stfk

#endif

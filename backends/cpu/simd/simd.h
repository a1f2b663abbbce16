/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Vectors of one instruction set. The includer defines the types STFI_STORED,
 * STFI_REAL and STFI_SUM of a component, the sizes STFI_STORED_BYTES and
 * STFI_REAL_BYTES, and STFI_LANES, which is 1 for plain C. */
#ifndef STFI_SIMD_SIMD_H
#define STFI_SIMD_SIMD_H

#include <stdint.h>
#include <string.h>

typedef STFI_STORED stored; /* in arrays of the user and of the workspace */
typedef STFI_REAL real;     /* in tiles, tables and arithmetic */
typedef STFI_SUM sum;       /* weights and bounds of checks */

enum { W = STFI_LANES, ELEM = 2 * STFI_LANES };

#define INLINE static inline __attribute__((always_inline))
#ifdef STFI_PAIRS
#define UNROLL _Pragma("GCC unroll 32")
#else
#define UNROLL _Pragma("GCC unroll 16")
#endif
#define STFI_CAT2(a, b) a##b
#define STFI_CAT(a, b) STFI_CAT2(a, b)

#if STFI_LANES > 1
typedef real V
    __attribute__((vector_size(STFI_LANES * STFI_REAL_BYTES), may_alias));
typedef real VU __attribute__((vector_size(STFI_LANES * STFI_REAL_BYTES),
                               aligned(STFI_REAL_BYTES), may_alias));
#define CONVERT(v, type) __builtin_convertvector(v, type)
#else
typedef real V;
typedef real VU;
#define CONVERT(v, type) ((type)(v))
#endif

/* Where the vector or square of `size` begins that has element e of `count`, e a multiple
 * of the size: the last one overlaps the one before, unless it is the only one. */
INLINE int64_t square_at(int64_t e, int64_t size, int64_t count)
{
    return e + size <= count || count < size ? e : count - size;
}

INLINE V load(const real *p)
{
    return *(const V *)p;
}
INLINE void store(real *p, V v)
{
    *(V *)p = v;
}
INLINE V loadu(const real *p)
{
    return (V) * (const VU *)p;
}

#if STFI_LANES > 1
#define SHUFFLE(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)

/* Index lists of shuffles, by the number of lanes: the even and the odd
 * components of two vectors (EVEN, ODD), and the lower and the upper halves of
 * two vectors with their components alternating (LOW, HIGH). */
#define EVEN_2 0, 2
#define ODD_2 1, 3
#define EVEN_4 0, 2, 4, 6
#define ODD_4 1, 3, 5, 7
#define LOW_4 0, 4, 1, 5
#define HIGH_4 2, 6, 3, 7
#define EVEN_8 0, 2, 4, 6, 8, 10, 12, 14
#define ODD_8 1, 3, 5, 7, 9, 11, 13, 15
#define LOW_8 0, 8, 1, 9, 2, 10, 3, 11
#define HIGH_8 4, 12, 5, 13, 6, 14, 7, 15
#define EVEN_16 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30
#define ODD_16 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31
#define LOW_16 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23
#define HIGH_16 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31
#define LOW_2 0, 2
#define HIGH_2 1, 3

#define SWAP_2 1, 0
#define SWAP_4 SWAP_2, 3, 2
#define SWAP_8 SWAP_4, 5, 4, 7, 6
#define SWAP_16 SWAP_8, 9, 8, 11, 10, 13, 12, 15, 14

/* Exchanges the parts of each (re, im) pair. */
INLINE V swapped(V x)
{
    return SHUFFLE(x, x, STFI_CAT(SWAP_, STFI_LANES));
}

#define ACROSS_4 2, 3, 0, 1
#define ACROSS_8 ACROSS_4, 6, 7, 4, 5
#define ACROSS_16 ACROSS_8, 10, 11, 8, 9, 14, 15, 12, 13

/* Exchanges the two pairs of each four lanes; two lanes stay as they are. */
INLINE V across(V x)
{
#if STFI_LANES >= 4
    return SHUFFLE(x, x, STFI_CAT(ACROSS_, STFI_LANES));
#else
    return x;
#endif
}

#define BLEND_2 0, 3
#define BLEND_4 0, 5, 2, 7
#define BLEND_8 BLEND_4_OF_8, 4, 13, 6, 15
#define BLEND_4_OF_8 0, 9, 2, 11
#define BLEND_16 0, 17, 2, 19, 4, 21, 6, 23, 8, 25, 10, 27, 12, 29, 14, 31

/* The real parts of a and the imaginary parts of b. */
INLINE V blended(V a, V b)
{
    return SHUFFLE(a, b, STFI_CAT(BLEND_, STFI_LANES));
}

/* With vectors of 32 bytes, components are picked within both halves first, of which the
 * middle pieces then change places: four instructions for evens and odds, where
 * compilers take six for floats. */
#if STFI_LANES * STFI_REAL_BYTES == 32
typedef double two_halves __attribute__((vector_size(32), may_alias));
#define EVEN_IN_4 0, 4, 2, 6
#define ODD_IN_4 1, 5, 3, 7
#define EVEN_IN_8 0, 2, 8, 10, 4, 6, 12, 14
#define ODD_IN_8 1, 3, 9, 11, 5, 7, 13, 15
#define LOW_IN_4 0, 4, 2, 6
#define HIGH_IN_4 1, 5, 3, 7
#define LOW_IN_8 0, 8, 1, 9, 4, 12, 5, 13
#define HIGH_IN_8 2, 10, 3, 11, 6, 14, 7, 15
#define EVEN_IN STFI_CAT(EVEN_IN_, STFI_LANES)
#define ODD_IN STFI_CAT(ODD_IN_, STFI_LANES)
#define LOW_IN STFI_CAT(LOW_IN_, STFI_LANES)
#define HIGH_IN STFI_CAT(HIGH_IN_, STFI_LANES)

INLINE V in_order(V v)
{
    return (V)SHUFFLE((two_halves)v, (two_halves)v, 0, 2, 1, 3);
}
#else
#define EVEN_IN STFI_CAT(EVEN_, STFI_LANES)
#define ODD_IN STFI_CAT(ODD_, STFI_LANES)
#define LOW_IN STFI_CAT(LOW_, STFI_LANES)
#define HIGH_IN STFI_CAT(HIGH_, STFI_LANES)

INLINE V in_order(V v)
{
    return v;
}
#endif

/* The even components of two vectors, the odd ones, and the sums of pairs. */
INLINE V evens(V a, V b)
{
    return in_order(SHUFFLE(a, b, EVEN_IN));
}

INLINE V odds(V a, V b)
{
    return in_order(SHUFFLE(a, b, ODD_IN));
}

INLINE V pair_totals(V a, V b)
{
    return in_order(SHUFFLE(a, b, EVEN_IN) + SHUFFLE(a, b, ODD_IN));
}

/* Converts W complex elements (re, im, re, im, ...) of a table to separate
 * parts. */
INLINE void load_table(const real *p, V *re, V *im)
{
    V a = loadu(p), b = loadu(p + W);
    *re = evens(a, b);
    *im = odds(a, b);
}

/* Index lists for transposing W vectors: first squares inside 128-bit quarters,
 * then whole quarters, with one shuffle per vector and step. */
#define L4LO_4 0, 4, 1, 5
#define L4HI_4 2, 6, 3, 7
#define P4LO_4 0, 1, 4, 5
#define P4HI_4 2, 3, 6, 7
#define L4LO_8 0, 8, 1, 9, 4, 12, 5, 13
#define L4HI_8 2, 10, 3, 11, 6, 14, 7, 15
#define P4LO_8 0, 1, 8, 9, 4, 5, 12, 13
#define P4HI_8 2, 3, 10, 11, 6, 7, 14, 15
#define L4LO_16 0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29
#define L4HI_16 2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30, 15, 31
#define P4LO_16 0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29
#define P4HI_16 2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31
#define L2LO_2 0, 2
#define L2HI_2 1, 3
#define L2LO_4 0, 4, 2, 6
#define L2HI_4 1, 5, 3, 7
#define L2LO_8 0, 8, 2, 10, 4, 12, 6, 14
#define L2HI_8 1, 9, 3, 11, 5, 13, 7, 15

#if STFI_REAL_BYTES == 4
enum { SQUARE = 4 };
INLINE void transpose_squares(V *v)
{
    UNROLL
    for (int i = 0; i < W; i += 4) {
        V a = SHUFFLE(v[i], v[i + 1], STFI_CAT(L4LO_, STFI_LANES));
        V b = SHUFFLE(v[i], v[i + 1], STFI_CAT(L4HI_, STFI_LANES));
        V c = SHUFFLE(v[i + 2], v[i + 3], STFI_CAT(L4LO_, STFI_LANES));
        V d = SHUFFLE(v[i + 2], v[i + 3], STFI_CAT(L4HI_, STFI_LANES));
        v[i] = SHUFFLE(a, c, STFI_CAT(P4LO_, STFI_LANES));
        v[i + 1] = SHUFFLE(a, c, STFI_CAT(P4HI_, STFI_LANES));
        v[i + 2] = SHUFFLE(b, d, STFI_CAT(P4LO_, STFI_LANES));
        v[i + 3] = SHUFFLE(b, d, STFI_CAT(P4HI_, STFI_LANES));
    }
}
#else
enum { SQUARE = 2 };
INLINE void transpose_squares(V *v)
{
    UNROLL
    for (int i = 0; i < W; i += 2) {
        V a = SHUFFLE(v[i], v[i + 1], STFI_CAT(L2LO_, STFI_LANES));
        v[i + 1] = SHUFFLE(v[i], v[i + 1], STFI_CAT(L2HI_, STFI_LANES));
        v[i] = a;
    }
}
#endif

#if STFI_LANES * STFI_REAL_BYTES == 64
#if STFI_REAL_BYTES == 4
#define Q02 0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27
#define Q13 4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31
#else
#define Q02 0, 1, 4, 5, 8, 9, 12, 13
#define Q13 2, 3, 6, 7, 10, 11, 14, 15
#endif
INLINE void transpose_quarters(V *v)
{
    UNROLL
    for (int c = 0; c < SQUARE; c++) {
        V x0 = SHUFFLE(v[c], v[c + SQUARE], Q02);
        V x1 = SHUFFLE(v[c], v[c + SQUARE], Q13);
        V y0 = SHUFFLE(v[c + 2 * SQUARE], v[c + 3 * SQUARE], Q02);
        V y1 = SHUFFLE(v[c + 2 * SQUARE], v[c + 3 * SQUARE], Q13);
        v[c] = SHUFFLE(x0, y0, Q02);
        v[c + SQUARE] = SHUFFLE(x1, y1, Q02);
        v[c + 2 * SQUARE] = SHUFFLE(x0, y0, Q13);
        v[c + 3 * SQUARE] = SHUFFLE(x1, y1, Q13);
    }
}
#elif STFI_LANES * STFI_REAL_BYTES == 32
#if STFI_REAL_BYTES == 4
#define H0 0, 1, 2, 3, 8, 9, 10, 11
#define H1 4, 5, 6, 7, 12, 13, 14, 15
#else
#define H0 0, 1, 4, 5
#define H1 2, 3, 6, 7
#endif
INLINE void transpose_quarters(V *v)
{
    UNROLL
    for (int c = 0; c < SQUARE; c++) {
        V a = SHUFFLE(v[c], v[c + SQUARE], H0);
        v[c + SQUARE] = SHUFFLE(v[c], v[c + SQUARE], H1);
        v[c] = a;
    }
}
#else
INLINE void transpose_quarters(V *v)
{
    (void)v;
}
#endif

INLINE void transpose(V *v)
{
    transpose_squares(v);
    transpose_quarters(v);
}

/* Sums over the even lanes of each row of a square, and over the odd ones, within
 * quarters: additions of two shuffles take less than a transposition. */
#if STFI_REAL_BYTES == 4
INLINE void square_pairs(const V *v, V *even, V *odd)
{
    V a = SHUFFLE(v[0], v[1], STFI_CAT(L4LO_, STFI_LANES))
          + SHUFFLE(v[0], v[1], STFI_CAT(L4HI_, STFI_LANES));
    V b = SHUFFLE(v[2], v[3], STFI_CAT(L4LO_, STFI_LANES))
          + SHUFFLE(v[2], v[3], STFI_CAT(L4HI_, STFI_LANES));

    *even = SHUFFLE(a, b, STFI_CAT(P4LO_, STFI_LANES));
    *odd = SHUFFLE(a, b, STFI_CAT(P4HI_, STFI_LANES));
}
#else
INLINE void square_pairs(const V *v, V *even, V *odd)
{
    *even = SHUFFLE(v[0], v[1], STFI_CAT(L2LO_, STFI_LANES));
    *odd = SHUFFLE(v[0], v[1], STFI_CAT(L2HI_, STFI_LANES));
}
#endif

/* The same over all lanes. */
INLINE V square_totals(const V *v)
{
    V even, odd;

    square_pairs(v, &even, &odd);
    return even + odd;
}

/* Adds up the quarters of what squares have added up within them. */
INLINE V quarter_totals(const V *s)
{
#if STFI_LANES * STFI_REAL_BYTES == 64
    const V a = SHUFFLE(s[0], s[1], Q02) + SHUFFLE(s[0], s[1], Q13);
    const V b = SHUFFLE(s[2], s[3], Q02) + SHUFFLE(s[2], s[3], Q13);
    return SHUFFLE(a, b, Q02) + SHUFFLE(a, b, Q13);
#elif STFI_LANES * STFI_REAL_BYTES == 32
    return SHUFFLE(s[0], s[1], H0) + SHUFFLE(s[0], s[1], H1);
#else
    return s[0];
#endif
}

/* In lane l, the sum over the lanes of v[l]. */
INLINE V row_totals(const V *v)
{
    V s[W / SQUARE];

    UNROLL
    for (int i = 0; i < W / SQUARE; i++)
        s[i] = square_totals(v + i * SQUARE);
    return quarter_totals(s);
}

/* 1 if all lanes of a comparison are true. */
#define ALL(mask) all_of(&(mask), sizeof(mask))
INLINE int all_of(const void *mask, size_t bytes)
{
    uint64_t word[sizeof(V) / 8], all = ~(uint64_t)0;

    memcpy(word, mask, bytes);
    UNROLL
    for (size_t w = 0; w < sizeof word / sizeof *word; w++)
        all &= word[w];
    return ~all == 0;
}

#else /* plain C */

INLINE void load_table(const real *p, V *re, V *im)
{
    *re = p[0];
    *im = p[1];
}
#endif

#ifdef STFI_PAIRS
#include "backends/cpu/simd/pairs.h"
#else

/* One complex number in each of W lanes. */
typedef struct C {
    V r, i;
} C;

INLINE C c_load(const real *p, int ro, int io)
{
    return (C){load(p + ro), load(p + io)};
}

INLINE void c_store(real *p, int ro, int io, C a)
{
    store(p + ro, a.r);
    store(p + io, a.i);
}

INLINE C c_add(C a, C b)
{
    return (C){a.r + b.r, a.i + b.i};
}
INLINE C c_sub(C a, C b)
{
    return (C){a.r - b.r, a.i - b.i};
}
/* The same number in all lanes. */
INLINE C c_set(real re, real im)
{
    V zero = (V){0};
    return (C){zero + re, zero + im};
}

/* -i a */
INLINE C c_turn(C a)
{
    return (C){a.i, -a.r};
}
INLINE C c_scale(C a, real s)
{
    return (C){a.r * s, a.i * s};
}

/* a * (wr + i wi), w the same for all lanes. */
INLINE C c_mul1(C a, real wr, real wi)
{
    return (C){a.r * wr - a.i * wi, a.r * wi + a.i * wr};
}

INLINE C c_mul(C a, C b)
{
    return (C){a.r * b.r - a.i * b.i, a.r * b.i + a.i * b.r};
}

/* a + b s */
INLINE C c_add_scaled(C a, C b, real s)
{
    return (C){a.r + b.r * s, a.i + b.i * s};
}

/* a * exp(-i pi/4) and a * exp(-3 i pi/4), where h is the root of 1/2. */
INLINE C c_eighth(C a, real h)
{
    return (C){(a.r + a.i) * h, (a.i - a.r) * h};
}

INLINE C c_three_eighths(C a, real h)
{
    return (C){(a.i - a.r) * h, -(a.r + a.i) * h};
}

#endif

#endif

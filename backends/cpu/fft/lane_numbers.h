/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Complex elements of lanes that are anywhere in memory, each read and written as one
 * unit of two reals: component by component there are twice as many loads and stores, and
 * a vector that was stored so waits when it is loaded. */
#ifndef STFI_FFT_LANE_NUMBERS_H
#define STFI_FFT_LANE_NUMBERS_H

#include "backends/cpu/fft/tile.h"

#if STFI_LANES > 1 && !defined(STFI_HALF)
#define STFI_HAS_NUMBERS

/* Lanes by twos of vectors of numbers, whose even components are real parts and whose odd
 * ones imaginary parts. The first vector has the first half of a piece of lanes, the
 * second one the rest: pieces of 16 bytes where shuffles of vectors of 32 keep to these,
 * else all lanes. */
enum {
    PIECE = W * STFI_REAL_BYTES == 32 ? 16 / STFI_REAL_BYTES : W,
    HALF_PIECE = PIECE / 2
};

INLINE int lane_of_number(int k)
{
    return k / HALF_PIECE * PIECE + k % HALF_PIECE;
}

#if STFI_REAL_BYTES == 4
typedef double number; /* the bits of two floats */
typedef number numbers __attribute__((vector_size(W * 4), may_alias));

INLINE number number_at(const stored *p)
{
    number x;

    memcpy(&x, p, sizeof x);
    return x;
}

/* The numbers at component i of every lane, from number k = 0 of either vector on. */
INLINE V numbers_of(const port *p, int64_t i, int second)
{
    numbers x;

    UNROLL
    for (int k = 0; k < W / 2; k++)
        x[k] =
            number_at(component(p, lane_of_number(k) + second * HALF_PIECE, i));
    return (V)x;
}
#else
typedef real number __attribute__((vector_size(16), may_alias));
typedef real number_of_two __attribute__((vector_size(32), may_alias));

INLINE number number_at(const stored *p)
{
    number x;

    memcpy(&x, p, sizeof x);
    return x;
}

INLINE V numbers_of(const port *p, int64_t i, int second)
{
    number x[W / 2];

    UNROLL
    for (int k = 0; k < W / 2; k++)
        x[k] =
            number_at(component(p, lane_of_number(k) + second * HALF_PIECE, i));
#if STFI_LANES == 2
    return x[0];
#elif STFI_LANES == 4
    return SHUFFLE(x[0], x[1], 0, 1, 2, 3);
#else
    const number_of_two low = SHUFFLE(x[0], x[1], 0, 1, 2, 3),
                        high = SHUFFLE(x[2], x[3], 0, 1, 2, 3);
    return SHUFFLE(low, high, 0, 1, 2, 3, 4, 5, 6, 7);
#endif
}
#endif

/* The complex elements at component i of all W lanes. */
INLINE C read_numbers(const port *p, int64_t i)
{
    const V x = numbers_of(p, i, 0), y = numbers_of(p, i, 1);

    return (C){SHUFFLE(x, y, EVEN_IN), SHUFFLE(x, y, ODD_IN)};
}

/* The reverse. */
INLINE void write_numbers(const port *p, int64_t i, C v)
{
    const V both[2] = {SHUFFLE(v.r, v.i, LOW_IN), SHUFFLE(v.r, v.i, HIGH_IN)};

    UNROLL
    for (int k = 0; k < W; k++) {
        const int second = k / (W / 2), n = k % (W / 2);
        memcpy(component(p, lane_of_number(n) + second * HALF_PIECE, i),
               (const real *)&both[second] + 2 * n, 2 * sizeof(real));
    }
}
#endif

#endif

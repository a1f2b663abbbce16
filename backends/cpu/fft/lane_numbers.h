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

/* A number, and W/2 of them as one vector. */
#if STFI_REAL_BYTES == 4
typedef double number; /* the bits of two floats */
typedef number numbers __attribute__((vector_size(W * 4), may_alias));

INLINE V joined(const number *x)
{
    numbers v;

    UNROLL
    for (int k = 0; k < W / 2; k++)
        v[k] = x[k];
    return (V)v;
}
#else
typedef real number __attribute__((vector_size(16), may_alias));

INLINE V joined(const number *x)
{
#if STFI_LANES == 2
    return x[0];
#elif STFI_LANES == 4
    return SHUFFLE(x[0], x[1], 0, 1, 2, 3);
#else
    return SHUFFLE(SHUFFLE(x[0], x[1], 0, 1, 2, 3),
                   SHUFFLE(x[2], x[3], 0, 1, 2, 3), 0, 1, 2, 3, 4, 5, 6, 7);
#endif
}
#endif

/* The numbers at component i of the lanes of either vector. */
INLINE V numbers_of(const port *p, int64_t i, int second)
{
    number x[W / 2];

    UNROLL
    for (int k = 0; k < W / 2; k++)
        memcpy(&x[k], component(p, lane_of_number(k) + second * HALF_PIECE, i),
               sizeof x[k]);
    return joined(x);
}

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

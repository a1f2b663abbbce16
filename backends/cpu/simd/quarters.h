/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Vectors as quarters of 16 bytes, SQUARE reals each, that are loaded from places of
 * their own: a vector then has some reals of several short rows, and nothing of what lies
 * between these. */
#ifndef STFI_SIMD_QUARTERS_H
#define STFI_SIMD_QUARTERS_H

#include "backends/cpu/simd/stored.h"

#if STFI_LANES > 1
enum { QUARTERS = STFI_LANES / SQUARE };

/* A quarter of a vector of 64 bytes. */
typedef real Q __attribute__((vector_size(16), may_alias));
typedef real QU
    __attribute__((vector_size(16), aligned(STFI_REAL_BYTES), may_alias));

/* Half of one. */
typedef real HU
    __attribute__((vector_size(32), aligned(STFI_REAL_BYTES), may_alias));

#define UP_2 0, 1
#define UP_4 UP_2, 2, 3
#define UP_8 UP_4, 4, 5, 6, 7
#define UP_16 UP_8, 8, 9, 10, 11, 12, 13, 14, 15

#if STFI_LANES * STFI_REAL_BYTES > 16 && defined __AVX__
#include <immintrin.h>

/* Inserts what is in memory without a shuffle, which a compiler does not find. */
#define INSERT_128(v, q) \
    _mm256_insertf128_pd(_mm256_castpd128_pd256((__m128d)(v)), (__m128d)(q), 1)
#define INSERT_256(v, h) \
    _mm512_insertf64x4(_mm512_castpd256_pd512((__m256d)(v)), (__m256d)(h), 1)
#endif

INLINE V joined(const Q *q)
{
#if STFI_LANES * STFI_REAL_BYTES == 16
    return q[0];
#elif defined INSERT_128 && STFI_LANES * STFI_REAL_BYTES == 32
    return (V)INSERT_128(q[0], q[1]);
#elif defined INSERT_128
    return (V)_mm512_insertf64x2(
        _mm512_insertf64x2(_mm512_castpd256_pd512(INSERT_128(q[0], q[1])),
                           (__m128d)q[2], 2),
        (__m128d)q[3], 3);
#elif STFI_LANES * STFI_REAL_BYTES == 32
    return SHUFFLE(q[0], q[1], STFI_CAT(UP_, STFI_LANES));
#elif STFI_REAL_BYTES == 4
    return SHUFFLE(SHUFFLE(q[0], q[1], UP_8), SHUFFLE(q[2], q[3], UP_8), UP_16);
#else
    return SHUFFLE(SHUFFLE(q[0], q[1], UP_4), SHUFFLE(q[2], q[3], UP_4), UP_8);
#endif
}

#if STFI_REAL_BYTES == 4
/* Two reals that are moved as one. */
typedef double two_eights __attribute__((vector_size(16)));
typedef double eight_bytes __attribute__((aligned(STFI_REAL_BYTES), may_alias));
#endif

/* The first `reals` of a quarter. */
INLINE Q load_quarter(const stored *p, int reals)
{
#if STFI_REAL_BYTES == 4
    if (reals < SQUARE) {
        Q q = (Q)(two_eights){*(const eight_bytes *)(const void *)p, 0};
        if (reals > 2)
            q[2] = p[2];
        return q;
    }
#endif
    (void)reals;
    return *(const QU *)p;
}

/* Reals of rows i, i + SQUARE, ... of W rows, in quarters, of which each has at most
 * SQUARE. */
INLINE V load_quarters(const stored *at, int64_t step, int i, int reals)
{
    Q q[QUARTERS];

    UNROLL
    for (int k = 0; k < QUARTERS; k++)
        q[k] = load_quarter(at + (k * SQUARE + i) * step, reals);
    return joined(q);
}

/* Half a vector from `at` and one from `apart` reals behind it. */
INLINE V load_halves(const stored *at, int64_t apart)
{
#if defined INSERT_256 && STFI_LANES * STFI_REAL_BYTES == 64
    return (V)INSERT_256(*(const HU *)at, *(const HU *)(at + apart));
#elif STFI_LANES * STFI_REAL_BYTES == 64
    return SHUFFLE(*(const HU *)at, *(const HU *)(at + apart),
                   STFI_CAT(UP_, STFI_LANES));
#else
    return load_quarters(at, apart, 0, SQUARE);
#endif
}
#endif

#endif

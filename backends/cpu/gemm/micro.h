/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Micro tiles: the product of a strip of A and a strip of B. Each size is a
 * function of its own with constant bounds, so that the accumulators are
 * registers. */
#ifndef STFI_CPU_MICRO_H
#define STFI_CPU_MICRO_H

/* Columns of a micro tile. With two vectors of rows, the accumulators, one
 * column of A and an element of B take 2 NR + 3 registers: 31 of the 32 of
 * AVX-512, 15 of the 16 of the others. */
#if STFI_LANES * STFI_REAL_BYTES == 64
#define STFI_NR 14
#elif STFI_LANES > 1
#define STFI_NR 6
#else
#define STFI_NR 3
#endif
enum { NR = STFI_NR, MR = 2 * W };

/* Continues the chains of `mv` vectors of rows and `nr` columns by `depth`
 * steps. */
INLINE void micro(int mv, int nr, int64_t depth, const real *a, const real *b,
                  real *sums, int first)
{
    V c[NR][2];

#pragma GCC unroll 14
    for (int j = 0; j < nr; j++)
#pragma GCC unroll 2
        for (int v = 0; v < mv; v++)
            c[j][v] = first ? (V){0} : load(sums + (j * mv + v) * W);
    for (int64_t p = 0; p < depth; p++) {
        V x[2];
#pragma GCC unroll 2
        for (int v = 0; v < mv; v++)
            x[v] = load(a + v * W);
#pragma GCC unroll 14
        for (int j = 0; j < nr; j++)
#pragma GCC unroll 2
            for (int v = 0; v < mv; v++)
                c[j][v] += x[v] * b[j];
        a += mv * W;
        b += nr;
    }
#pragma GCC unroll 14
    for (int j = 0; j < nr; j++)
#pragma GCC unroll 2
        for (int v = 0; v < mv; v++)
            store(sums + (j * mv + v) * W, c[j][v]);
}

typedef void micro_fn(int64_t depth, const real *a, const real *b, real *sums,
                      int first);

#define MICRO(mv, nr)                                                          \
    static void micro_##mv##_##nr(int64_t depth, const real *a, const real *b, \
                                  real *sums, int first)                       \
    {                                                                          \
        micro(mv, nr, depth, a, b, sums, first);                               \
    }
#define MICRO_PAIR(nr) MICRO(1, nr) MICRO(2, nr)
#define MICRO_ROW(nr)              \
    {                              \
        micro_1_##nr, micro_2_##nr \
    }

MICRO_PAIR(1)
MICRO_PAIR(2)
MICRO_PAIR(3)
#if STFI_NR > 3
MICRO_PAIR(4)
MICRO_PAIR(5)
MICRO_PAIR(6)
#endif
#if STFI_NR > 6
MICRO_PAIR(7)
MICRO_PAIR(8)
MICRO_PAIR(9)
MICRO_PAIR(10)
MICRO_PAIR(11)
MICRO_PAIR(12)
MICRO_PAIR(13)
MICRO_PAIR(14)
#endif

/* By columns - 1 and vectors of rows - 1. */
static micro_fn *const micros[NR][2] = {
    MICRO_ROW(1),  MICRO_ROW(2),  MICRO_ROW(3),
#if STFI_NR > 3
    MICRO_ROW(4),  MICRO_ROW(5),  MICRO_ROW(6),
#endif
#if STFI_NR > 6
    MICRO_ROW(7),  MICRO_ROW(8),  MICRO_ROW(9),  MICRO_ROW(10),
    MICRO_ROW(11), MICRO_ROW(12), MICRO_ROW(13), MICRO_ROW(14),
#endif
};

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Vectors of the parts of complex elements, in an order of lanes that is cheap
 * to get. */
#ifndef STFI_CPU_SPLIT_H
#define STFI_CPU_SPLIT_H

#include "backends/cpu/simd/stored.h"

#if STFI_LANES > 1

/* The parts of W complex elements with lanes in another order, which takes no
 * shuffle across the 128-bit quarters of a vector: lane_of_split() is the lane
 * of element i. split() brings reals into that order. */
#define SPLIT_R_2 0, 2
#define SPLIT_I_2 1, 3
#define SPLIT_2 0, 1
#if STFI_REAL_BYTES == 4
#define SPLIT_R_4 0, 2, 4, 6
#define SPLIT_I_4 1, 3, 5, 7
#define SPLIT_4 0, 1, 2, 3
#define SPLIT_R_8 0, 2, 8, 10, 4, 6, 12, 14
#define SPLIT_I_8 1, 3, 9, 11, 5, 7, 13, 15
#define SPLIT_8 0, 1, 4, 5, 2, 3, 6, 7
#define SPLIT_R_16 0, 2, 16, 18, 4, 6, 20, 22, 8, 10, 24, 26, 12, 14, 28, 30
#define SPLIT_I_16 1, 3, 17, 19, 5, 7, 21, 23, 9, 11, 25, 27, 13, 15, 29, 31
#define SPLIT_16 0, 1, 8, 9, 2, 3, 10, 11, 4, 5, 12, 13, 6, 7, 14, 15
#else
#define SPLIT_R_4 0, 4, 2, 6
#define SPLIT_I_4 1, 5, 3, 7
#define SPLIT_4 0, 2, 1, 3
#define SPLIT_R_8 0, 8, 2, 10, 4, 12, 6, 14
#define SPLIT_I_8 1, 9, 3, 11, 5, 13, 7, 15
#define SPLIT_8 0, 4, 1, 5, 2, 6, 3, 7
#endif

INLINE V split(V x)
{
    return SHUFFLE(x, x, STFI_CAT(SPLIT_, STFI_LANES));
}

INLINE int lane_of_split(int i)
{
    static const int order[W] = {STFI_CAT(SPLIT_, STFI_LANES)};
    int lane = 0;

    UNROLL
    for (int l = 0; l < W; l++)
        lane = order[l] == i ? l : lane;
    return lane;
}

/* W complex elements; with `inverse`, their parts are exchanged. */
INLINE C split_at(const stored *at, int inverse)
{
    V a = load_stored(at, STFI_REAL_ID);
    V b = load_stored(at + W, STFI_REAL_ID);
    C v = {SHUFFLE(a, b, STFI_CAT(SPLIT_R_, STFI_LANES)),
           SHUFFLE(a, b, STFI_CAT(SPLIT_I_, STFI_LANES))};

    return inverse ? (C){v.i, v.r} : v;
}

#endif
#endif

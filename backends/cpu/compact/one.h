/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Single short arrays (cpu_one.h) of one precision, instruction set and number
 * of lanes, which the includer defines as STFI_LANES. */
#ifndef STFI_CPU_ONE_KERNEL_H
#define STFI_CPU_ONE_KERNEL_H

#include "backends/cpu/compact/cpu_one.h"
#include "backends/cpu/compact/split.h"
#include "backends/cpu/fft/butterfly.h"
#include "backends/cpu/fft/scale.h"

/* Stores W elements whose parts are in the order of split_at(). */
INLINE void store_split(stored *at, C v, int inverse)
{
    V a = inverse ? v.i : v.r, b = inverse ? v.r : v.i;
#if STFI_REAL_BYTES == 4
    store_stored(at, STFI_REAL_ID, SHUFFLE(a, b, STFI_CAT(L4LO_, STFI_LANES)));
    store_stored(at + W, STFI_REAL_ID,
                 SHUFFLE(a, b, STFI_CAT(L4HI_, STFI_LANES)));
#else
    store_stored(at, STFI_REAL_ID, SHUFFLE(a, b, STFI_CAT(L2LO_, STFI_LANES)));
    store_stored(at + W, STFI_REAL_ID,
                 SHUFFLE(a, b, STFI_CAT(L2HI_, STFI_LANES)));
#endif
}

/* Multiplies n elements by what one real cannot hold. */
static __attribute__((noinline)) void scale_array(stored *x, int n, factor f)
{
    for (int i = 0; i < 2 * n; i++)
        x[i] = (stored)v_times((V){x[i]}, f)[0];
}

/* Turns W vectors of W lanes over j into the elements p of W columns j, of which
 * lanes are in the order of split_at(). */
INLINE void turn_columns(const C *v, C *z)
{
    V re[W], im[W];

    UNROLL
    for (int j = 0; j < W; j++) {
        re[lane_of_split(j)] = v[j].r;
        im[lane_of_split(j)] = v[j].i;
    }
    transpose(re);
    transpose(im);
    UNROLL
    for (int p = 0; p < W; p++)
        z[p] = (C){re[lane_of_split(p)], im[lane_of_split(p)]};
}

#define ONE_OF_LANES STFI_CAT(bf_, STFI_LANES)

/* An array of R * W elements as a table [R][W]: butterflies of R over its
 * columns, twiddles, butterflies of W over its rows, W of them at a time. R is at
 * least W; if it is no multiple, the last rows overlap those before. */
#define SQUARE_BODY(R)                                                        \
    INLINE void square_body_##R(const stored *in, stored *out, const real *w, \
                                real scale, int inverse)                      \
    {                                                                         \
        C v[R];                                                               \
        UNROLL                                                                \
        for (int j = 0; j < R; j++)                                           \
            v[j] = split_at(in + 2 * j * W, inverse);                         \
        bf_##R(v);                                                            \
        UNROLL                                                                \
        for (int j = 1; j < R; j++)                                           \
            v[j] = c_mul(v[j], (C){loadu(w + (2 * j - 2) * W),                \
                                   loadu(w + (2 * j - 1) * W)});              \
        UNROLL                                                                \
        for (int b = 0; b < R; b += W) {                                      \
            const int at = b + W <= R ? b : R - W;                            \
            C z[W];                                                           \
            turn_columns(v + at, z);                                          \
            ONE_OF_LANES(z);                                                  \
            UNROLL                                                            \
            for (int k = 0; k < W; k++)                                       \
                store_split(out + 2 * (k * R + at), c_scale(z[k], scale),     \
                            inverse);                                         \
        }                                                                     \
    }                                                                         \
    static void square_##R(const void *src, void *dst, const void *table,     \
                           double scale, int inverse)                         \
    {                                                                         \
        const factor f = factor_from(scale);                                  \
        const real high = f.low != 0 ? 1 : f.high;                            \
        if (inverse)                                                          \
            square_body_##R(src, dst, table, high, 1);                        \
        else                                                                  \
            square_body_##R(src, dst, table, high, 0);                        \
        if (f.low != 0)                                                       \
            scale_array(dst, R *W, f);                                        \
    }

/* Shorter arrays, and those of vectors of 16 bytes in F64, are pairs (one_pairs.h). */
#if STFI_LANES == 4
SQUARE_BODY(4)
SQUARE_BODY(5)
SQUARE_BODY(6)
SQUARE_BODY(7)
SQUARE_BODY(9)
#endif
#if STFI_LANES == 4 || STFI_LANES == 8
SQUARE_BODY(8)
SQUARE_BODY(10)
SQUARE_BODY(12)
SQUARE_BODY(15)
#endif
SQUARE_BODY(16)

#define ONES \
    STFI_ISA_NAME(STFI_ISA_CAT(STFI_ISA_CAT(stfi_cpu_one_, STFI_LANES), _))

extern const stfi_cpu_ones ONES;
const stfi_cpu_ones ONES = {
    .isa = STFI_ISA_TEXT,
    .precision = STFI_REAL_ID,
    .lanes = W,
    .element = {STFI_CAT(SPLIT_, STFI_LANES)},
#define ROW(r) [r] = square_##r
    .square =
        {
#if STFI_LANES == 4
            ROW(4),
            ROW(5),
            ROW(6),
            ROW(7),
            ROW(9),
#endif
#if STFI_LANES == 4 || STFI_LANES == 8
            ROW(8),
            ROW(10),
            ROW(12),
            ROW(15),
#endif
            ROW(16),
        },
#undef ROW
};

#endif

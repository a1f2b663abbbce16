/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Single short arrays (cpu_one.h) of one precision and instruction set, by one
 * butterfly over complex numbers that stay pairs (simd/pairs.h). */
#ifndef STFI_CPU_ONE_PAIRS_H
#define STFI_CPU_ONE_PAIRS_H

#include "backends/cpu/compact/cpu_one.h"
#include "backends/cpu/compact/long_butterfly.h"
#include "backends/cpu/fft/scale.h"

#if STFI_LANES == 2
INLINE C load_pair(const stored *at)
{
    return load_stored(at, STFI_REAL_ID);
}

INLINE void store_pair(stored *at, C v)
{
    store_stored(at, STFI_REAL_ID, v);
}
#else
/* Two reals that are moved as one. */
typedef double two __attribute__((vector_size(16)));
typedef double two_in_memory
    __attribute__((aligned(STFI_STORED_BYTES), may_alias));

INLINE C load_pair(const stored *at)
{
    return (C)(two){*(const two_in_memory *)(const void *)at};
}

INLINE void store_pair(stored *at, C v)
{
    *(two_in_memory *)(void *)at = ((two)v)[0];
}
#endif

/* Multiplies n elements by what one real cannot hold. */
static __attribute__((noinline)) void scale_array(stored *x, int n, factor f)
{
    for (int i = 0; i < n; i++)
        store_pair(x + 2 * i, v_times(load_pair(x + 2 * i), f));
}

/* An inverse transform has its results in the order of the negative indices. */
#define BODY(R)                                                         \
    static void pairs_##R(const void *src, void *dst, const void *none, \
                          double scale, int inverse)                    \
    {                                                                   \
        const factor f = factor_from(scale);                            \
        const real high = f.low != 0 ? 1 : f.high;                      \
        const stored *in = src;                                         \
        stored *out = dst;                                              \
        stored *at = out + (inverse ? 2 * (R - 1) : 2);                 \
        const int step = inverse ? -2 : 2;                              \
        C v[R];                                                         \
        (void)none;                                                     \
        UNROLL                                                          \
        for (int j = 0; j < R; j++)                                     \
            v[j] = load_pair(in + 2 * j);                               \
        bf_##R(v);                                                      \
        store_pair(out, c_scale(v[0], high));                           \
        UNROLL                                                          \
        for (int j = 1; j < R; j++, at += step)                         \
            store_pair(at, c_scale(v[j], high));                        \
        if (f.low != 0)                                                 \
            scale_array(out, R, f);                                     \
    }

EACH_LENGTH(BODY)

#define ONES STFI_ISA_NAME(stfi_cpu_pairs_)
#define ROW(r) [r] = pairs_##r,

extern const stfi_cpu_ones ONES;
const stfi_cpu_ones ONES = {
    .isa = STFI_ISA_TEXT,
    .precision = STFI_REAL_ID,
    .lanes = STFI_LANES,
    .whole = {EACH_LENGTH(ROW)},
};

#endif

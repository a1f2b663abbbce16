/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Batches of short rows (cpu_rows.h) of one precision and instruction set, with
 * vectors of two numbers in F64. */
#ifndef STFI_CPU_ROWS_KERNEL_H
#define STFI_CPU_ROWS_KERNEL_H

#include "backends/cpu/compact/cpu_rows.h"
#include "backends/cpu/compact/long_butterfly.h"

typedef real number __attribute__((vector_size(2 * STFI_REAL_BYTES)));
typedef real number_in_memory __attribute__((
    vector_size(2 * STFI_REAL_BYTES), aligned(STFI_REAL_BYTES), may_alias));

/* A number of each of two rows. */
INLINE C load_two(const real *a, const real *b)
{
    const number x = *(const number_in_memory *)a;
    const number y = *(const number_in_memory *)b;

    return SHUFFLE(x, y, 0, 1, 2, 3);
}

INLINE void store_two(real *a, real *b, C v)
{
    *(number_in_memory *)a = SHUFFLE(v, v, 0, 1);
    *(number_in_memory *)b = SHUFFLE(v, v, 2, 3);
}

/* Transforms two rows, b[0] and b[1] reals apart. An inverse transform has its
 * results in the order of the negative indices. The last row of an odd number is
 * both of two. */
#define BODY(R)                                                             \
    INLINE void two_rows_##R(const real *in, real *out, int64_t from,       \
                             int64_t to, real scale, int inverse)           \
    {                                                                       \
        const int step = inverse ? -2 : 2;                                  \
        real *at = out + (inverse ? 2 * (R - 1) : 2);                       \
        C v[R];                                                             \
        UNROLL                                                              \
        for (int j = 0; j < R; j++)                                         \
            v[j] = load_two(in + 2 * j, in + from + 2 * j);                 \
        bf_##R(v);                                                          \
        store_two(out, out + to, c_scale(v[0], scale));                     \
        UNROLL                                                              \
        for (int j = 1; j < R; j++, at += step)                             \
            store_two(at, at + to, c_scale(v[j], scale));                   \
    }                                                                       \
    static void rows_##R(const void *src, void *dst, const int64_t step[2], \
                         int64_t rows, double scale, int inverse)           \
    {                                                                       \
        for (int64_t i = 0; i < rows; i += 2) {                             \
            const int two = i + 1 < rows;                                   \
            two_rows_##R((const real *)src + i * step[0],                   \
                         (real *)dst + i * step[1], two ? step[0] : 0,      \
                         two ? step[1] : 0, (real)scale, inverse);          \
        }                                                                   \
    }

/* Rows of 2, 3, 4 and 8 are faster with one in each lane: their vectors are squares
 * that are turned at once. */
#define EACH_ROW(X) X(5) X(6) X(7) X(9) TENS_1(X) TENS_2(X) X(30)

EACH_ROW(BODY)

#define ROWS STFI_ISA_NAME(stfi_cpu_rows_)
#define ROW(r) [r] = rows_##r,

extern const stfi_cpu_rows ROWS;
const stfi_cpu_rows ROWS = {
    .isa = STFI_ISA_TEXT,
    .precision = STFI_REAL_ID,
    .run = {EACH_ROW(ROW)},
};

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Batches of short rows (cpu_rows.h) of one precision and instruction set, with
 * vectors of two numbers in F64. */
#ifndef STFI_CPU_ROWS_KERNEL_H
#define STFI_CPU_ROWS_KERNEL_H

#include <string.h>

#include "backends/cpu/compact/cpu_grid.h"
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

INLINE C load_lanes(const real *at, int64_t to, int wide)
{
    return wide ? loadu(at) : load_two(at, at + to);
}

INLINE void store_lanes(real *at, int64_t to, int wide, C v)
{
    if (wide)
        *(VU *)at = v;
    else
        store_two(at, at + to, v);
}

/* What two transforms have in common: the reals from number to number, and from the
 * first transform to the second, in the source and in the destination. If `wide`, the
 * second one is next to the first. */
typedef struct lanes {
    int64_t step, from, to;
    int wide;
} lanes;

/* An inverse transform has its results in the order of the negative indices. */
#define BODY(R)                                                              \
    INLINE void two_##R(const real *in, real *out, lanes t, real scale,      \
                        int inverse)                                         \
    {                                                                        \
        const int64_t step = inverse ? -t.step : t.step;                     \
        real *at = out + (inverse ? (R - 1) * t.step : t.step);              \
        C v[R];                                                              \
        UNROLL                                                               \
        for (int j = 0; j < R; j++)                                          \
            v[j] = load_lanes(in + j * t.step, t.from, t.wide);              \
        bf_##R(v);                                                           \
        store_lanes(out, t.to, t.wide, c_scale(v[0], scale));                \
        UNROLL                                                               \
        for (int j = 1; j < R; j++, at += step)                              \
            store_lanes(at, t.to, t.wide, c_scale(v[j], scale));             \
    }                                                                        \
    static void rows_##R(const void *src, void *dst, const int64_t step[2],  \
                         int64_t rows, double scale, int inverse)            \
    {                                                                        \
        for (int64_t i = 0; i < rows; i += 2) {                              \
            const int two = i + 1 < rows;                                    \
            two_##R((const real *)src + i * step[0],                         \
                    (real *)dst + i * step[1],                               \
                    (lanes){2, two ? step[0] : 0, two ? step[1] : 0, 0},     \
                    (real)scale, inverse);                                   \
        }                                                                    \
    }                                                                        \
    static void columns_##R(void *array, int64_t s, int64_t blocks,          \
                            double scale, int inverse)                       \
    {                                                                        \
        real *at = array;                                                    \
        if (s % 2 == 0)                                                      \
            for (int64_t b = 0; b < blocks; b++, at += 2 * R * s)            \
                for (int64_t q = 0; q < s; q += 2)                           \
                    two_##R(at + 2 * q, at + 2 * q, (lanes){2 * s, 0, 0, 1}, \
                            (real)scale, inverse);                           \
        else                                                                 \
            for (int64_t l = 0; l < blocks * s; l += 2) {                    \
                real *a = column(array, R, s, l);                            \
                const int64_t to =                                           \
                    l + 1 < blocks * s ? column(array, R, s, l + 1) - a : 0; \
                two_##R(a, a, (lanes){2 * s, to, to, 0}, (real)scale,        \
                        inverse);                                            \
            }                                                                \
    }

/* Where column l of blocks of r rows of s numbers begins. */
INLINE real *column(real *array, int64_t r, int64_t s, int64_t l)
{
    return array + 2 * (l / s * r * s + l % s);
}

EACH_LENGTH(BODY)

/* Transforms the axes of an array but the last. */
INLINE void run_columns(const stfi_cpu_array *a, void *array, double scale,
                        int inverse)
{
    for (int i = 1; i < a->rank; i++)
        a->axis[i].run(array, a->axis[i].s, a->axis[i].blocks,
                       i == a->rank - 1 ? scale : 1, inverse);
}

/* Transforms an array, its rows first, the other axes in place. */
static void run_array(const void *src, void *dst, const void *table,
                      double scale, int inverse)
{
    const stfi_cpu_array *a = table;
    const int64_t n = a->n, step[2] = {2 * n, 2 * n};

    if (a->rows != NULL)
        a->rows(src, dst, step, a->count, 1, inverse);
    else
        for (int64_t i = 0; i < a->count; i++)
            a->one.run((const real *)src + i * 2 * n, (real *)dst + i * 2 * n,
                       a->one.table, 1, inverse);
    run_columns(a, dst, scale, inverse);
}

/* Transforms rows of an array of reals or of half spectra. */
INLINE void run_rows(const stfi_cpu_real_array *a, const real *src,
                     int64_t from, real *dst, int64_t to, double scale,
                     int inverse)
{
    for (int64_t i = 0; i < a->half.count; i++)
        a->row.run(src + i * from, dst + i * to, a->row.table, scale, inverse);
}

/* Transforms an array of reals, or of half spectra, of which a copy is worked on. */
static void run_real_array(const void *src, void *dst, const void *table,
                           double scale, int inverse)
{
    /* A row of two reals has a half spectrum of twice as many. */
    _Alignas(64) real mid[4 * STFI_CPU_GRID_POINTS];
    const stfi_cpu_real_array *a = table;
    const int64_t line = 2 * a->half.n;

    if (a->back) {
        memcpy(mid, src, (size_t)(a->half.count * line) * sizeof *mid);
        run_columns(&a->half, mid, 1, inverse);
        run_rows(a, mid, line, dst, a->pitch, scale, inverse);
    } else {
        run_rows(a, src, a->pitch, dst, line, 1, inverse);
        run_columns(&a->half, dst, scale, inverse);
    }
}

#define ROWS STFI_ISA_NAME(stfi_cpu_rows_)
#define ROW(r) [r] = rows_##r,
#define COLUMN(r) [r] = columns_##r,

extern const stfi_cpu_rows ROWS;
const stfi_cpu_rows ROWS = {
    .isa = STFI_ISA_TEXT,
    .precision = STFI_REAL_ID,
    .rows = {EACH_LENGTH(ROW)},
    .columns = {EACH_LENGTH(COLUMN)},
    .run_array = run_array,
    .run_real_array = run_real_array,
};

#endif

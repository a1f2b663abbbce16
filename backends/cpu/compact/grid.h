/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Grids (cpu_grid.h) of one precision and instruction set, with vectors of two
 * numbers in F64 and four in F32. */
#ifndef STFI_CPU_GRID_KERNEL_H
#define STFI_CPU_GRID_KERNEL_H

#include "backends/cpu/compact/cpu_grid.h"
#include "backends/cpu/compact/long_butterfly.h"
#include "backends/cpu/fft/scale.h"

enum { NUMBERS = STFI_LANES / 2 };

/* Reals of vectors that begin at any number. */
INLINE C load_numbers(const real *at, int inverse)
{
    const C v = loadu(at);

    return inverse ? swapped(v) : v;
}

INLINE void store_numbers(real *at, C v)
{
    *(VU *)at = v;
}

/* Turns NUMBERS vectors over columns into as many over rows. */
INLINE void turn_numbers(C *v)
{
#if STFI_LANES == 4
    const C a = v[0];

    v[0] = SHUFFLE(a, v[1], 0, 1, 4, 5);
    v[1] = SHUFFLE(a, v[1], 2, 3, 6, 7);
#else
    const C a = SHUFFLE(v[0], v[1], 0, 1, 8, 9, 4, 5, 12, 13);
    const C b = SHUFFLE(v[0], v[1], 2, 3, 10, 11, 6, 7, 14, 15);
    const C c = SHUFFLE(v[2], v[3], 0, 1, 8, 9, 4, 5, 12, 13);
    const C d = SHUFFLE(v[2], v[3], 2, 3, 10, 11, 6, 7, 14, 15);

    v[0] = SHUFFLE(a, c, 0, 1, 2, 3, 8, 9, 10, 11);
    v[1] = SHUFFLE(b, d, 0, 1, 2, 3, 8, 9, 10, 11);
    v[2] = SHUFFLE(a, c, 4, 5, 6, 7, 12, 13, 14, 15);
    v[3] = SHUFFLE(b, d, 4, 5, 6, 7, 12, 13, 14, 15);
#endif
}

/* Stores `count` results of NUMBERS columns, fewer than a vector has, as rows of so
 * many. */
INLINE void turn_few(const C *v, int count, real *rows)
{
    _Alignas(64) real part[NUMBERS][STFI_LANES];

    for (int k = 0; k < count; k++)
        store_numbers(part[k], v[k]);
    for (int i = 0; i < NUMBERS; i++)
        for (int k = 0; k < count; k++)
            memcpy(rows + 2 * (i * count + k), part[k] + 2 * i,
                   2 * sizeof(real));
}

/* Transforms NUMBERS of `columns` columns of R numbers each. And stores their results as
 * rows of R. And the step of an axis of R numbers, the slowest of several: over columns,
 * which become rows, so that another axis is the slowest one then. And the step over
 * columns that stay. What is behind the columns, if they are less than a vector, is read
 * and overwritten. */
#define AXIS(R)                                                             \
    INLINE void butterfly_##R(const real *in, int64_t columns, int inverse, \
                              C *v)                                         \
    {                                                                       \
        UNROLL                                                              \
        for (int p = 0; p < R; p++)                                         \
            v[p] = load_numbers(in + 2 * p * columns, inverse);             \
        bf_##R(v);                                                          \
    }                                                                       \
    INLINE void turn_##R(const C *v, real *rows)                            \
    {                                                                       \
        if (R < NUMBERS)                                                    \
            turn_few(v, R, rows);                                           \
        UNROLL                                                              \
        for (int k = 0; k < R && R >= NUMBERS; k += NUMBERS) {              \
            const int at = (int)square_at(k, NUMBERS, R);                   \
            C square[NUMBERS];                                              \
            UNROLL                                                          \
            for (int i = 0; i < NUMBERS; i++)                               \
                square[i] = v[at + i < R ? at + i : 0];                     \
            turn_numbers(square);                                           \
            UNROLL                                                          \
            for (int i = 0; i < NUMBERS; i++)                               \
                store_numbers(rows + 2 * (i * R + at), square[i]);          \
        }                                                                   \
    }                                                                       \
    static void axis_##R(const void *src, void *dst, int64_t columns,       \
                         double scale, int inverse)                         \
    {                                                                       \
        for (int64_t i = 0; i < columns; i += NUMBERS) {                    \
            const int64_t j = square_at(i, NUMBERS, columns);               \
            const real *in = (const real *)src + 2 * j;                     \
            C v[R];                                                         \
            butterfly_##R(in, columns, inverse, v);                         \
            UNROLL                                                          \
            for (int k = 0; k < R; k++) {                                   \
                v[k] = c_scale(v[k], (real)scale);                          \
                v[k] = inverse ? swapped(v[k]) : v[k];                      \
            }                                                               \
            turn_##R(v, (real *)dst + 2 * j * R);                           \
        }                                                                   \
    }                                                                       \
    static void columns_##R(const void *src, void *dst, int64_t columns,    \
                            int inverse)                                    \
    {                                                                       \
        for (int64_t i = 0; i < columns; i += NUMBERS) {                    \
            const int64_t j = square_at(i, NUMBERS, columns);               \
            const real *in = (const real *)src + 2 * j;                     \
            real *out = (real *)dst + 2 * j;                                \
            C v[R];                                                         \
            butterfly_##R(in, columns, inverse, v);                         \
            UNROLL                                                          \
            for (int k = 0; k < R; k++)                                     \
                store_numbers(out + 2 * k * columns,                        \
                              inverse ? swapped(v[k]) : v[k]);              \
        }                                                                   \
    }

/* Both steps of a radix R: over the columns of the input, of which there are b, whose
 * results go to a table of rows of R; and over the columns of that table, a of them. */
#define STEPS(R)                                                               \
    INLINE void column_##R(const real *in, real *mid, const real *w,           \
                           int64_t columns, int inverse)                       \
    {                                                                          \
        C v[R];                                                                \
        butterfly_##R(in, columns, inverse, v);                                \
        UNROLL                                                                 \
        for (int k = 1; k < R; k++) {                                          \
            const real *at = w + 4 * (k - 1) * columns;                        \
            v[k] = v[k] * loadu(at) + swapped(v[k]) * loadu(at + 2 * columns); \
        }                                                                      \
        turn_##R(v, mid);                                                      \
    }                                                                          \
    static void first_##R(const stfi_cpu_grid *g, const void *src, void *mid,  \
                          int inverse)                                         \
    {                                                                          \
        const real *w = (const real *)(const void *)g->twiddle;                \
        for (int64_t i = 0; i < g->b; i += NUMBERS) {                          \
            const int64_t j = square_at(i, NUMBERS, g->b);                     \
            if (inverse)                                                       \
                column_##R((const real *)src + 2 * j, (real *)mid + 2 * j * R, \
                           w + 2 * j, g->b, 1);                                \
            else                                                               \
                column_##R((const real *)src + 2 * j, (real *)mid + 2 * j * R, \
                           w + 2 * j, g->b, 0);                                \
        }                                                                      \
    }                                                                          \
    static void second_##R(const stfi_cpu_grid *g, const void *mid, void *dst, \
                           double scale, int inverse)                          \
    {                                                                          \
        const int64_t a = g->a;                                                \
        for (int64_t i = 0; i < a; i += NUMBERS) {                             \
            const int64_t k = square_at(i, NUMBERS, a);                        \
            const real *in = (const real *)mid + 2 * k;                        \
            real *out = (real *)dst + 2 * k;                                   \
            C v[R];                                                            \
            butterfly_##R(in, a, 0, v);                                        \
            UNROLL                                                             \
            for (int q = 0; q < R; q++) {                                      \
                const C y = c_scale(v[q], (real)scale);                        \
                store_numbers(out + 2 * q * a, inverse ? swapped(y) : y);      \
            }                                                                  \
        }                                                                      \
    }

/* Multiplies n numbers by what one real cannot hold. */
static __attribute__((noinline)) void scale_array(real *x, int64_t n, factor f)
{
    for (int64_t i = 0; i < 2 * n; i++)
        x[i] = v_times((V){x[i]}, f)[0];
}

static void run_grid(const void *src, void *dst, const void *table,
                     double scale, int inverse)
{
    _Alignas(64) real mid[2 * STFI_CPU_GRID_POINTS];
    const stfi_cpu_grid *g = table;
    const factor f = factor_from(scale);

    g->first(g, src, mid, inverse);
    g->second(g, mid, dst, f.low != 0 ? 1 : (double)f.high, inverse);
    if (f.low != 0)
        scale_array(dst, g->a * g->b, f);
}

static void run_axes(const void *src, void *dst, const void *table,
                     double scale, int inverse)
{
    _Alignas(64) real mid[2][2 * STFI_CPU_GRID_POINTS];
    const stfi_cpu_axes *g = table;
    const factor f = factor_from(scale);
    const double high = f.low != 0 ? 1 : (double)f.high;
    const int last = g->rank - 1;

    for (int i = 0; i <= last; i++)
        g->axis[i].run(i == 0 ? src : mid[i % 2], i < last ? mid[~i & 1] : dst,
                       g->axis[i].columns, i < last ? 1 : high, inverse);
    if (f.low != 0)
        scale_array(dst, g->n, f);
}

/* The same of an array with an axis whose columns are less than a vector, in memory that
 * has room behind the array. */
static void run_narrow_axes(const void *src, void *dst, const void *table,
                            double scale, int inverse)
{
    enum {
        POINTS = (NUMBERS - 1) * STFI_CPU_GRID_RADIX,
        BEHIND = NUMBERS * STFI_CPU_GRID_RADIX
    };
    _Alignas(64) real mid[2][2 * (POINTS + BEHIND)];
    const stfi_cpu_axes *g = table;
    const size_t bytes = (size_t)(2 * g->n) * sizeof(real);

    for (int i = 0; i < 2; i++) /* what vectors read there */
        store_numbers(&mid[i][2 * g->n], (C){0});
    memcpy(mid[0], src, bytes);
    for (int i = 0; i < g->rank; i++)
        g->axis[i].run(mid[i % 2], mid[~i & 1], g->axis[i].columns, 1, inverse);
    memcpy(dst, mid[g->rank % 2], bytes);
    if (scale != 1)
        scale_array(dst, g->n, factor_from(scale));
}

#define FROM_4(X) X(4) X(5) X(6) X(7) X(8) X(9)
#define FROM_10(X) X(10) X(11) X(12) X(13) X(14) X(15) X(16) X(18)
#define FROM_20(X) X(20) X(21) X(24) X(25) X(27) X(28) X(30)
#define EACH_RADIX(X) FROM_4(X) FROM_10(X) FROM_20(X)

#define EACH_AXIS(X) X(2) X(3) EACH_RADIX(X)

EACH_AXIS(AXIS)
EACH_RADIX(STEPS)

#define GRIDS STFI_ISA_NAME(stfi_cpu_grid_)
#define FIRST(r) [r] = first_##r,
#define SECOND(r) [r] = second_##r,
#define AXIS_OF(r) [r] = axis_##r,
#define COLUMNS_OF(r) [r] = columns_##r,

extern const stfi_cpu_grids GRIDS;
const stfi_cpu_grids GRIDS = {
    .isa = STFI_ISA_TEXT,
    .precision = STFI_REAL_ID,
    .numbers = NUMBERS,
    .run = run_grid,
    .first = {EACH_RADIX(FIRST)},
    .second = {EACH_RADIX(SECOND)},
    .run_axes = run_axes,
    .run_narrow_axes = run_narrow_axes,
    .axis = {EACH_AXIS(AXIS_OF)},
    .columns = {EACH_AXIS(COLUMNS_OF)},
};

#endif

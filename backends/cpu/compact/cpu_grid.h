/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Arrays of a * b elements that registers do not hold, alone or in F64 rows of a batch,
 * one by one: butterflies of a over columns, twiddles, butterflies of b over rows,
 * through memory of the function's own. The parts of a number stay neighbours in vectors
 * of a few numbers, so that a butterfly takes half of the registers, and rows of 10 waste
 * none. */
#ifndef STFI_CPU_GRID_H
#define STFI_CPU_GRID_H

#include "backends/cpu/compact/cpu_one.h"

enum {
    STFI_CPU_GRID_RADIX = 30,
    STFI_CPU_GRID_POINTS = STFI_CPU_GRID_RADIX * STFI_CPU_GRID_RADIX
};

/* The table of a stfi_cpu_one.run: its two steps, and the twiddles of column j for
 * results k > 0: reals [k - 1][0][j] are the real part twice, [k - 1][1][j] are minus
 * the imaginary part and the imaginary part. */
typedef struct stfi_cpu_grid {
    void (*first)(const struct stfi_cpu_grid *g, const void *src, void *mid,
                  int inverse);
    void (*second)(const struct stfi_cpu_grid *g, const void *mid, void *dst,
                   double scale, int inverse);
    int64_t a, b;
    _Alignas(64) unsigned char twiddle[];
} stfi_cpu_grid;

/* Transforms one axis over the columns of an array, which become its rows. */
typedef void stfi_cpu_axis_fn(const void *src, void *dst, int64_t columns,
                              double scale, int inverse);

/* The same over columns that stay, from one array to another. If the columns are less
 * than a vector, as much is read and written behind the array. */
typedef void stfi_cpu_columns_out_fn(const void *src, void *dst,
                                     int64_t columns, int inverse);

/* The table of the stfi_cpu_one.run of an array of several axes, the slowest first. */
typedef struct stfi_cpu_axes {
    int rank;
    int64_t n; /* elements of the array */
    struct {
        stfi_cpu_axis_fn *run;
        int64_t columns;
    } axis[STF_MAX_RANK];
} stfi_cpu_axes;

/* The functions of one instruction set and precision; NULL where there is no such
 * radix. */
typedef struct stfi_cpu_grids {
    const char *isa;
    stf_precision precision;
    int numbers; /* complex ones of a vector: a and b are at least as many */
    stfi_cpu_one_fn *run;
    __typeof__(((stfi_cpu_grid *)0)->first) first[STFI_CPU_GRID_RADIX + 1];
    __typeof__(((stfi_cpu_grid *)0)->second) second[STFI_CPU_GRID_RADIX + 1];
    stfi_cpu_one_fn *run_axes;
    /* The same where an axis has less than `numbers` columns. */
    stfi_cpu_one_fn *run_narrow_axes;
    stfi_cpu_axis_fn *axis[STFI_CPU_GRID_RADIX + 1];
    stfi_cpu_columns_out_fn *columns[STFI_CPU_GRID_RADIX + 1];
} stfi_cpu_grids;

/* Returns the functions of an instruction set and precision, or NULL. */
const stfi_cpu_grids *stfi_cpu_grids_find(const char *isa,
                                          stf_precision precision);

/* As stfi_cpu_one_suits_many(), for rows that are grids. */
int stfi_cpu_grid_suits_many(const char *isa, stf_precision precision,
                             int64_t n, int radix[2]);

/* As stfi_cpu_one_make(), also by a grid. */
stf_status stfi_cpu_grid_make(const char *isa, stf_precision precision,
                              int64_t n, stfi_cpu_one *one_p);
/* The same of an array of several axes, whose lengths are n, the last one first. */
stf_status stfi_cpu_grid_make_axes(const char *isa, stf_precision precision,
                                   int rank, const int64_t *n,
                                   stfi_cpu_one *one_p);

#endif

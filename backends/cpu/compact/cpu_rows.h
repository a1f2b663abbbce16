/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Batches of short rows: complex transforms by one butterfly each, in vectors that
 * have one number of several rows. The parts of a number stay neighbours, so that
 * nothing is transposed, and a butterfly takes half of the registers. */
#ifndef STFI_CPU_ROWS_H
#define STFI_CPU_ROWS_H

#include "backends/cpu/compact/cpu_one.h"

/* Transforms rows that are step[0] reals apart in the source, step[1] in the
 * destination, which may be the source. */
typedef void stfi_cpu_rows_fn(const void *src, void *dst, const int64_t step[2],
                              int64_t rows, double scale, int inverse);

/* The functions of one instruction set and precision. */
typedef struct stfi_cpu_rows {
    const char *isa;
    stf_precision precision;
    stfi_cpu_rows_fn *run[STFI_CPU_ONE_WHOLE + 1]; /* [n]: n elements */
} stfi_cpu_rows;

/* Returns the function for rows of n elements, or NULL. */
stfi_cpu_rows_fn *stfi_cpu_rows_find(const char *isa, stf_precision precision,
                                     int64_t n);

#endif

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

/* Transforms columns in place: of `blocks` arrays of rows of s numbers, one behind the
 * other. */
typedef void stfi_cpu_columns_fn(void *array, int64_t s, int64_t blocks,
                                 double scale, int inverse);

/* The table of the stfi_cpu_one.run of an array of several axes. */
typedef struct stfi_cpu_array {
    int64_t n, count;       /* of the last axis: numbers of a row, rows */
    stfi_cpu_rows_fn *rows; /* all of them, or NULL: */
    stfi_cpu_one one;       /* each of them */
    int rank;
    struct {
        stfi_cpu_columns_fn *run;
        int64_t s, blocks;
    } axis[STF_MAX_RANK]; /* the last one, which is none, first */
} stfi_cpu_array;

/* The table of the stfi_cpu_one.run of an array of reals with several axes: rows one by
 * one, the other axes as those of a packed array of half spectra. */
typedef struct stfi_cpu_real_array {
    stfi_cpu_one row;    /* what transforms a row, owned by others */
    int back;            /* 1: half spectra become reals */
    int64_t pitch;       /* reals from row to row of reals */
    stfi_cpu_array half; /* the half spectra, without a function for rows */
} stfi_cpu_real_array;

/* The functions of one instruction set and precision. */
typedef struct stfi_cpu_rows {
    const char *isa;
    stf_precision precision;
    stfi_cpu_rows_fn *rows[STFI_CPU_ONE_WHOLE + 1]; /* [n]: n elements */
    stfi_cpu_columns_fn *columns[STFI_CPU_ONE_WHOLE + 1];
    stfi_cpu_one_fn *run_array, *run_real_array;
} stfi_cpu_rows;

/* Returns the function for batches of rows of n elements; NULL if there is none, or if
 * other kernels are faster. */
stfi_cpu_rows_fn *stfi_cpu_rows_find(const char *isa, stf_precision precision,
                                     int64_t n);

/* 1 if arrays of several axes, whose lengths are n, the last one first, are faster with
 * neighbours in a vector than with an array in each lane. */
int stfi_cpu_array_suits(const char *isa, stf_precision precision, int rank,
                         const int64_t *n);
/* Makes what computes one of them. Errors: MEMORY. */
stf_status stfi_cpu_array_make(const char *isa, stf_precision precision,
                               int rank, const int64_t *n, stfi_cpu_one *one_p);

/* Makes what computes one short array of reals, with so many reals from row to row, of
 * *one_p, which transforms a row and does not own its table; *one_p is as before if
 * there is nothing for it. Errors: MEMORY. */
stf_status stfi_cpu_real_array_make(const char *isa, stf_precision precision,
                                    int rank, const int64_t *n, int64_t pitch,
                                    int back, stfi_cpu_one *one_p);

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Single short arrays: complex transforms of one packed array that is loaded
 * into registers, transformed there and stored, with vectors inside of it. A
 * plan of few such transforms has nothing else to do, so that little may lie
 * between the call and the first load. */
#ifndef STFI_CPU_ONE_H
#define STFI_CPU_ONE_H

#include <stdint.h>

#include "steadfast.h"

enum {
    STFI_CPU_ONE_RADIX = 16,
    STFI_CPU_ONE_LANES = 16,
    STFI_CPU_ONE_WHOLE = 30
};

/* Transforms an array. An inverse transform exchanges the parts of elements
 * where it loads and stores. table: of stfi_cpu_one_make(). */
typedef void stfi_cpu_one_fn(const void *src, void *dst, const void *table,
                             double scale, int inverse);

/* The functions of one instruction set, precision and number of lanes. */
typedef struct stfi_cpu_ones {
    const char *isa;
    stf_precision precision;
    int lanes;
    int element[STFI_CPU_ONE_LANES]; /* which one is in each lane */
    stfi_cpu_one_fn *square[STFI_CPU_ONE_RADIX + 1]; /* [r]: r * lanes */
    stfi_cpu_one_fn *whole[STFI_CPU_ONE_WHOLE + 1];  /* [n]: n elements */
} stfi_cpu_ones;

typedef struct stfi_cpu_one {
    stfi_cpu_one_fn *run; /* NULL: there is none */
    void *table;          /* twiddles [j - 1][re, im][lane], or NULL */
    void *inner;          /* a table that the table has a pointer to, or NULL */
} stfi_cpu_one;

/* 1 if many arrays of n elements are faster one by one, with vectors inside of
 * each, than with an array in each lane; radix then has the two stages. */
int stfi_cpu_one_suits_many(const char *isa, stf_precision precision, int64_t n,
                            int radix[2]);

/* Finds the function for n elements, of an instruction set or of a lesser one,
 * and makes its table. Errors: MEMORY. */
stf_status stfi_cpu_one_make(const char *isa, stf_precision precision,
                             int64_t n, stfi_cpu_one *one_p);
void stfi_cpu_one_free(stfi_cpu_one *one);

#endif

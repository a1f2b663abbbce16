/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Single rows of real kinds: of real numbers and their half spectra, and of the real to
 * real kinds. They are complex transforms inside of which vectors run, with a step
 * before and one after: of pairs of reals; or, if these do not fill a vector or the
 * length is odd, of as many complex numbers without an imaginary part. */
#ifndef STFI_CPU_REALS_H
#define STFI_CPU_REALS_H

#include "backends/cpu/compact/cpu_one.h"
#include "backends/cpu/simd/isas.h"
#include "fft/schedule.h"

/* A row of a kind; the sides are those of its schedule, of a real to real kind. */
typedef struct stfi_cpu_row {
    stf_kind kind;
    int64_t n;
    const stfi_side *side[2];
} stfi_cpu_row;

typedef struct stfi_cpu_reals stfi_cpu_reals;

/* Makes the array `to` of `from`, and multiplies it by `scale` if that is its task. */
typedef void stfi_cpu_reals_fn(const stfi_cpu_reals *r, const void *from,
                               void *to, double scale);

/* What is done before and after the transform; NULL: nothing. */
typedef struct stfi_cpu_reals_steps {
    stfi_cpu_reals_fn *before, *after;
} stfi_cpu_reals_steps;

enum {
    STFI_CPU_REALS_POINTS = 900, /* most numbers of `one` */
    STFI_CPU_REALS_KINDS = STF_HC2R + 1
};

/* The functions of one instruction set and precision, of arrays that have more
 * numbers than a vector. */
typedef struct stfi_cpu_reals_kernels {
    stfi_isa_key key;
    stfi_cpu_reals_steps pairs[STFI_CPU_REALS_KINDS];
    stfi_cpu_reals_steps whole[STFI_CPU_REALS_KINDS];
    stfi_cpu_one_fn *run; /* all of it, with `one` and in memory of its own */
} stfi_cpu_reals_kernels;

struct stfi_cpu_reals {
    stfi_cpu_reals_steps steps;
    int scales;       /* `after` multiplies by the scale */
    int turned;       /* the transform is the inverse one of its direction */
    int64_t n;        /* complex numbers of the transform */
    int64_t reals;    /* of the real transform */
    stfi_cpu_one one; /* the transform, if it has such a function */
    int32_t
        *place; /* real to real kinds without pairs: [side][m], where logical
                       real m lies */
    /* Pairs of R2C and C2R: -i exp(-pi i k / n) of numbers k: reals [0][k] are the
     * real part twice, [1][k] are minus the imaginary part and the imaginary part.
     * Pairs of real to real kinds: [2][re, im][k], by what sums and differences of
     * numbers k and n - k are multiplied, or numbers k before and after. Without
     * pairs: [side][m], the signs of logical reals, and [k][re, im], by what numbers
     * are multiplied. */
    _Alignas(64) unsigned char turn[];
};

/* Returns how many complex numbers are transformed for a row; 0: there is nothing for
 * it. */
int64_t stfi_cpu_reals_length(const char *isa, stf_precision precision,
                              const stfi_cpu_row *row);
/* Makes what a row needs around a complex transform of r->n numbers, without `one`.
 * *r_p is NULL if there is nothing for it. Errors: MEMORY. */
stf_status stfi_cpu_reals_make(const char *isa, stf_precision precision,
                               const stfi_cpu_row *row, stfi_cpu_reals **r_p);
/* What runs all of it, if r->one does the transform. */
stfi_cpu_one_fn *stfi_cpu_reals_run(const char *isa, stf_precision precision);
void stfi_cpu_reals_free(stfi_cpu_reals *r);

#endif

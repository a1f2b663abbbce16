/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Single arrays of real numbers and their half spectra, by complex transforms inside of
 * which vectors run: of pairs of reals, with a step that separates or joins the spectra
 * of both; or, if the length is odd, of as many complex numbers without an imaginary
 * part. */
#ifndef STFI_CPU_REALS_H
#define STFI_CPU_REALS_H

#include "backends/cpu/compact/cpu_one.h"
#include "backends/cpu/simd/isas.h"

typedef struct stfi_cpu_reals stfi_cpu_reals;

/* Makes the array `to` of `from`, and multiplies it by `scale` if that is its task. */
typedef void stfi_cpu_reals_fn(const stfi_cpu_reals *r, const void *from,
                               void *to, double scale);

/* The functions of one instruction set and precision, of arrays that have more
 * numbers than a vector. */
typedef struct stfi_cpu_reals_kernels {
    stfi_isa_key key;
    /* For n real numbers in pairs: what follows the transform of R2C, and what comes
     * before that of C2R. */
    stfi_cpu_reals_fn *separate, *join;
    /* The same for n numbers without pairs. */
    stfi_cpu_reals_fn *widen, *cut, *mirror, *narrow;
    stfi_cpu_one_fn *run; /* all of it, with `one` and in memory of its own */
} stfi_cpu_reals_kernels;

enum { STFI_CPU_REALS_POINTS = 256 }; /* most numbers of `one` */

struct stfi_cpu_reals {
    stfi_cpu_reals_fn *before, *after; /* the transform; NULL: nothing */
    int scales;                        /* `after` multiplies by the scale */
    int64_t n;                         /* complex numbers of the transform */
    int64_t reals;
    stfi_cpu_one one; /* the transform, if it has such a function */
    /* -i exp(-pi i k / n) of numbers k: reals [0][k] are the real part twice, [1][k]
     * are minus the imaginary part and the imaginary part. */
    _Alignas(64) unsigned char turn[];
};

/* Returns how many complex numbers are transformed for so many reals; 0: there is
 * nothing for them. */
int64_t stfi_cpu_reals_length(const char *isa, stf_precision precision,
                              int64_t reals);
/* Makes what R2C (or, with `back`, C2R) of `reals` numbers needs around a complex
 * transform of r->n numbers, without `one`. *r_p is NULL if there is nothing for
 * them. Errors: MEMORY. */
stf_status stfi_cpu_reals_make(const char *isa, stf_precision precision,
                               int64_t reals, int back, stfi_cpu_reals **r_p);
/* What runs all of it, if r->one does the transform. */
stfi_cpu_one_fn *stfi_cpu_reals_run(const char *isa, stf_precision precision);
void stfi_cpu_reals_free(stfi_cpu_reals *r);

#endif

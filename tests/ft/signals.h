/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Signals of many kinds and their transforms, for tests of checksums: packed
 * arrays on the cpu device, of which the input is kept. */
#ifndef STFI_TESTS_FT_SIGNALS_H
#define STFI_TESTS_FT_SIGNALS_H

#include "support/problem/distribution.h"
#include "support/problem/problem.h"

typedef struct stfi_signals {
    stf_fft_desc d;
    stf_direction direction;
    stf_device *dev;
    stf_plan *plan, *back;       /* back: makes the spectra of a C2R */
    int64_t in_count, out_count; /* components of one transform */
    size_t bytes;                /* of a component */
    void *in, *out, *real;       /* real: the signals behind those spectra */
} stfi_signals;

/* Inverse transforms are scaled by 1/N. Close it in any case; a failure is a
 * failed test. Returns 1 if all is well. */
int stfi_signals_open(stfi_signals *s, stf_device *dev, const char *word,
                      stf_direction direction);
void stfi_signals_close(stfi_signals *s);

/* Draws all inputs of the batch and transforms them. */
int stfi_signals_draw(stfi_signals *s, int distribution, uint64_t *state);
int stfi_signals_run(stfi_signals *s);

/* The report of stf_check_fft() on in and out; poison before. */
int stfi_signals_check(const stfi_signals *s, stf_ft_report *report_p);

/* Rounding errors in L2 of transforms `out` of the batch in s->in, against F80:
 * error[batch]. Some signals (an impulse, a constant) are transformed nearly
 * without any: it is taken as at least least * sqrt(L) u of the output, L the
 * stages of radix 2. A signal of zeros has no such measure: INFINITY. */
int stfi_signals_measure(const stfi_signals *s, const void *out, double least,
                         double *error);

/* A component of an array as a number, and the reverse. */
double stfi_signals_get(const stfi_signals *s, const void *array, int64_t i);
void stfi_signals_set(const stfi_signals *s, void *array, int64_t i,
                      double value);

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Signals of many distributions and their transforms, for tests of checksums:
 * packed arrays on the cpu device. The input is kept. */
#ifndef STFI_TESTS_FT_SIGNALS_H
#define STFI_TESTS_FT_SIGNALS_H

#include "support/problem/distribution.h"
#include "support/problem/problem.h"

typedef struct stfi_signals {
    stf_fft_desc d;
    stf_direction direction;
    stf_device *dev;
    stf_plan *plan, *back;       /* back: the plan that makes the spectra of a
                                  * C2R */
    int64_t in_count, out_count; /* components of one transform */
    size_t bytes;                /* bytes of one component */
    void *in, *out, *real;       /* real: the signals whose spectra a C2R
                                  * gets */
} stfi_signals;

/* Opens a batch of signals with its plans. Inverse transforms are scaled by
 * 1/N. Close it in any case; a failure is a failed test. Returns 1 on
 * success. */
int stfi_signals_open(stfi_signals *s, stf_device *dev, const char *word,
                      stf_direction direction);
void stfi_signals_close(stfi_signals *s);

/* Draws the inputs of the whole batch and transforms them. */
int stfi_signals_draw(stfi_signals *s, int distribution, uint64_t *state);
int stfi_signals_run(stfi_signals *s);

/* Lets the next execution of a plan run its passes, as protected plans do, by a
 * neutral fault (ft/fault.h); on devices other than the cpu there is nothing to
 * do. */
stf_status stfi_signals_by_passes(stf_plan *plan);

/* Calls stf_check_fft() on in and out. *report_p is filled with garbage
 * first. */
int stfi_signals_check(const stfi_signals *s, stf_ft_report *report_p);

/* Rounding errors in L2 of transforms `out` of the batch in s->in, against F80.
 * Shape: error[batch]. An error is taken as at least least * sqrt(L) u of the
 * output, where L is the number of stages of radix 2, since some signals (an
 * impulse, a constant) are transformed nearly without error. A signal of zeros
 * has no such measure and gets INFINITY. */
int stfi_signals_measure(const stfi_signals *s, const void *out, double least,
                         double *error);

/* Reads or writes a component of an array. */
double stfi_signals_get(const stfi_signals *s, const void *array, int64_t i);
void stfi_signals_set(const stfi_signals *s, void *array, int64_t i,
                      double value);

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* A trio of plans of one transform, unprotected, DETECT and CORRECT, for tests
 * of protection: packed arrays on a device, signals of many kinds, faults. */
#ifndef STFI_TESTS_FT_TRIO_H
#define STFI_TESTS_FT_TRIO_H

#include "tests/ft/signals.h"

typedef enum stfi_trio_mode {
    STFI_TRIO_PLAIN, /* unprotected */
    STFI_TRIO_DETECT,
    STFI_TRIO_CORRECT,
    STFI_TRIO_MODES
} stfi_trio_mode;

typedef struct stfi_trio {
    stfi_signals s; /* on the cpu: the input is s.in */
    stf_device *dev, *cpu;
    stf_ft_desc ft; /* of the protected plans, but for the mode */
    stf_plan *plan[STFI_TRIO_MODES];
    int in_place;
    size_t in_bytes, out_bytes; /* of the batch */
    void *in, *out;             /* on the device; one in place */
    void *want, *got;           /* outputs on the host */
} stfi_trio;

/* 1: ready; 0: a failure, which is reported; -1: the device does not protect
 * transforms. Close it in any case. _as: protected as ft says. */
int stfi_trio_open(stfi_trio *trio, stf_device *dev, const char *word,
                   stf_direction direction);
int stfi_trio_open_as(stfi_trio *trio, stf_device *dev, const char *word,
                      stf_direction direction, const stf_ft_desc *ft);
void stfi_trio_close(stfi_trio *trio);

/* Draws inputs and takes them to the device; want is what the unprotected
 * plan makes of them. Returns 1 if all is well. */
int stfi_trio_draw(stfi_trio *trio, int distribution, uint64_t *state);

/* As stfi_trio_draw(), with the input that is already in s.in. */
int stfi_trio_load(stfi_trio *trio);

/* Resets the plan, arms it with the faults, transforms into got, and tells
 * what the execution and the report returned: UNCORRECTED or CORRECTED is on
 * a GPU known to the report only. Other failures are reported tests. */
typedef struct stfi_trio_result {
    int ran;
    stf_status status;
    stf_ft_report r;
} stfi_trio_result;
stfi_trio_result stfi_trio_run(stfi_trio *trio, stfi_trio_mode mode,
                               const stf_fault *fault, int count);

/* Rounding errors in L2 of the transforms in want, error[batch]; at least
 * 0.4 sqrt(L) u of the output, which is what most signals have. */
int stfi_trio_measure(stfi_trio *trio, double *error);

/* L2 of the difference between got and want in one transform. */
double stfi_trio_change(const stfi_trio *trio, int64_t signal);

/* 1 if all transforms are bitwise alike, or all but one. */
int stfi_trio_same(const stfi_trio *trio, int64_t but);

#endif

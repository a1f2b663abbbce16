/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* A protected plan beside an unprotected one, for tests of protection: packed
 * arrays on a device, signals of many kinds, faults. */
#ifndef STFI_TESTS_FT_RIG_H
#define STFI_TESTS_FT_RIG_H

#include "tests/ft/signals.h"

typedef enum stfi_rig_mode {
    STFI_RIG_PLAIN, /* unprotected */
    STFI_RIG_DETECT,
    STFI_RIG_CORRECT,
    STFI_RIG_MODES
} stfi_rig_mode;

typedef struct stfi_rig {
    stfi_signals s; /* on the cpu: the input is s.in */
    stf_device *dev, *cpu;
    stf_ft_desc ft; /* of the protected plans, but for the mode */
    stf_plan *plan[STFI_RIG_MODES];
    int in_place;
    size_t in_bytes, out_bytes; /* of the batch */
    void *in, *out;             /* on the device; one in place */
    void *want, *got;           /* outputs on the host */
} stfi_rig;

/* 1: ready; 0: a failure, which is reported; -1: the device does not protect
 * transforms. Close it in any case. _as: protected as ft says. */
int stfi_rig_open(stfi_rig *rig, stf_device *dev, const char *word,
                  stf_direction direction);
int stfi_rig_open_as(stfi_rig *rig, stf_device *dev, const char *word,
                     stf_direction direction, const stf_ft_desc *ft);
void stfi_rig_close(stfi_rig *rig);

/* Draws inputs and takes them to the device; want is what the unprotected
 * plan makes of them. Returns 1 if all is well. */
int stfi_rig_draw(stfi_rig *rig, int distribution, uint64_t *state);

/* As stfi_rig_draw(), with the input that is already in s.in. */
int stfi_rig_load(stfi_rig *rig);

/* Resets the plan, arms it with the faults, transforms into got, and tells
 * what the execution and the report returned: UNCORRECTED or CORRECTED is on
 * a GPU known to the report only. Other failures are reported tests. */
typedef struct stfi_rig_result {
    int ran;
    stf_status status;
    stf_ft_report r;
} stfi_rig_result;
stfi_rig_result stfi_rig_run(stfi_rig *rig, stfi_rig_mode mode,
                             const stf_fault *fault, int count);

/* Rounding errors in L2 of the transforms in want, error[batch]; at least
 * 0.4 sqrt(L) u of the output, which is what most signals have. */
int stfi_rig_measure(stfi_rig *rig, double *error);

/* L2 of the difference between got and want in one transform. */
double stfi_rig_change(const stfi_rig *rig, int64_t signal);

/* 1 if all transforms are bitwise alike, or all but one. */
int stfi_rig_same(const stfi_rig *rig, int64_t but);

#endif

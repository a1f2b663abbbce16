/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Faults on purpose: which ones a schedule can have, and where one strikes. */
#ifndef STFI_FT_FAULT_H
#define STFI_FT_FAULT_H

#include "fft/schedule.h"

/* Returns the number of places of a pass at which its values can be struck: the
 * inputs of each of its stages, and its results. */
int stfi_fault_stages(const stfi_pass *p);

/* Checks a fault. Errors: ARGUMENT, naming the field. */
stf_status stfi_fault_check(const stfi_schedule *s, const stf_fault *fault);

/* Where a valid fault strikes: the lane, counted over the pass's loops within
 * the signal's chunk (the last chunk may have fewer signals), and the element
 * within the lane. */
typedef struct stfi_fault_place {
    int64_t chunk; /* number of the chunk that has the signal */
    int64_t lane;
    int64_t element;
} stfi_fault_place;
stfi_fault_place stfi_fault_find(const stfi_schedule *s,
                                 const stf_fault *fault);

/* Draws a random fault: a flipped bit of a value at random, of all passes and
 * stages. The result depends on the schedule and the seed only. */
stf_fault stfi_fault_draw(const stfi_schedule *s, uint64_t seed);

/* Returns a fault at the same place that changes nothing, as it adds -0 once. With
 * it a plan runs the passes that faults strike; without one, a cpu computes small
 * arrays otherwise (backends/cpu/compact/), which rounds differently. */
stf_fault stfi_fault_neutral(stf_fault fault);

#endif

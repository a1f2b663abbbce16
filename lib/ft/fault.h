/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Faults to be suffered: which there are in a schedule, and where one lies. */
#ifndef STFI_FT_FAULT_H
#define STFI_FT_FAULT_H

#include "fft/schedule.h"

/* Places of a pass, 0 .. this - 1, at which its values can be struck: the
 * inputs of its stages, and its results. */
int stfi_fault_stages(const stfi_pass *p);

/* Checks a fault. Errors: ARGUMENT, naming the field. */
stf_status stfi_fault_check(const stfi_schedule *s, const stf_fault *fault);

/* The lane of a pass, counted over its loops in the chunk of the signal (the
 * last may have fewer signals), and the place in the lane that a valid fault
 * is at. */
typedef struct stfi_fault_place {
    int64_t chunk; /* number of the chunk that has the signal */
    int64_t lane;
    int64_t element;
} stfi_fault_place;
stfi_fault_place stfi_fault_find(const stfi_schedule *s,
                                 const stf_fault *fault);

/* A random fault: a value at random of all passes and stages, a bit of it.
 * The seed alone decides. */
stf_fault stfi_fault_draw(const stfi_schedule *s, uint64_t seed);

#endif

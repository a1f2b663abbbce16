/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* One problem set up on a device: its plan, its device arrays and their copies
 * on the host, with random data. `verify` and `inject` use it. `bench`, which
 * keeps large arrays from problem to problem, uses only the first two
 * functions. */
#ifndef STFI_COMMAND_SETUP_H
#define STFI_COMMAND_SETUP_H

#include <stddef.h>

#include "support/problem/problem.h"

typedef struct stfi_setup {
    stf_device *dev;   /* owned by the caller */
    stf_fft_desc full; /* completed; rows are padded if real and in place */
    stf_direction direction;
    int in_place;
    size_t in_bytes, out_bytes;
    void *host_in;  /* the input, never changed */
    void *host_out; /* the last result that was fetched */
    void *in, *out; /* device memory; the same in place */
    stf_plan *plan;
} stfi_setup;

/* Transforms in place let N(0,1) data grow; they are limited to 2 to this
 * power. Squares, summed over the points of a transform, are then still far
 * from F32's largest number. Up to there all arithmetic and all thresholds
 * scale with the data, and times do not depend on the data's size. */
enum { STFI_MOST_DOUBLINGS = 40 };

/* The descriptor completed with the layouts that the problem's place asks for.
 * Errors: ARGUMENT. */
stf_status stfi_setup_complete(const stfi_problem *problem,
                               stf_fft_desc *full_p);

/* The number of executions in place, at least one, after which the data must be
 * loaded again: each multiplies the size of the data by up to the square root
 * of twice the points. */
int stfi_setup_most_in_place(const stf_fft_desc *full);

/* Plans a problem and allocates its arrays. Strides must not be negative.
 * Errors: those of planning and allocating. */
stf_status stfi_setup_make(stf_device *dev, const stfi_problem *problem,
                           stf_direction direction, uint64_t seed,
                           stfi_setup *t_p);
void stfi_setup_free(stfi_setup *t);

/* Copies the input to the device; out of place, fills the output with NaNs
 * where `poison` is set. */
stf_status stfi_setup_load(stfi_setup *t, int poison);

/* Executes once, without waiting. */
stf_status stfi_setup_execute(stfi_setup *t);

/* Waits, and copies the result to the host. */
stf_status stfi_setup_fetch(stfi_setup *t);

#endif

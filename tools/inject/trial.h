/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* One problem made ready to run on a device with random data: what bench and
 * verify do before they differ. */
#ifndef STFI_INJECT_TRIAL_H
#define STFI_INJECT_TRIAL_H

#include <stddef.h>

#include "support/problem/problem.h"

typedef struct stfi_trial {
    stf_device *dev;   /* borrowed */
    stf_fft_desc full; /* completed; padded rows in place */
    stf_direction direction;
    int in_place;
    size_t in_bytes, out_bytes;
    void *host_in;  /* the input, never changed */
    void *host_out; /* the last result that was fetched */
    void *in, *out; /* device memory; the same in place */
    stf_plan *plan;
} stfi_trial;

/* Plans a problem and allocates its arrays. Strides must not be negative.
 * Errors: those of planning and allocating. */
stf_status stfi_trial_make(stf_device *dev, const stfi_problem *problem,
                           stf_direction direction, uint64_t seed,
                           stfi_trial *t_p);
void stfi_trial_free(stfi_trial *t);

/* Copies the input to the device; out of place, fills the output with NaNs
 * where `poison` is set. */
stf_status stfi_trial_load(stfi_trial *t, int poison);

/* One execution, not waited for. */
stf_status stfi_trial_execute(stfi_trial *t);

/* Waits, and copies the result to the host. */
stf_status stfi_trial_fetch(stfi_trial *t);

#endif

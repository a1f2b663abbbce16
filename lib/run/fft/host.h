/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Executing plans on host arrays: parts of the batch are packed into staging
 * buffers and pass through the device on streams of their own, so that
 * packing, copies both ways and transforms overlap. */
#ifndef STFI_RUN_HOST_H
#define STFI_RUN_HOST_H

#include "run/fft/fft_plan.h"

/* Transforms host arrays of any layout, and waits for the results. The first
 * call allocates what it needs and leaves it with the plan. Errors: ARGUMENT
 * (in place, but the layouts differ), MEMORY (one transform does not fit),
 * DEVICE. Thread: one per plan. */
stf_status stfi_host_execute(stfi_fft_plan *plan, stf_direction direction,
                             const void *in, void *out);

#endif

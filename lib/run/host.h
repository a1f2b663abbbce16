/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Executing plans on host arrays: parts of the batch are packed into staging
 * buffers and pass through the device on streams of their own, so that
 * packing, copies both ways and transforms overlap. */
#ifndef STFI_RUN_HOST_H
#define STFI_RUN_HOST_H

#include "run/plan.h"

/* 1 if device memory is host memory, so that nothing need be staged. */
int stfi_host_is_device(const stf_device *dev);

/* Transforms host arrays, whatever their layout, and waits. Errors: ARGUMENT
 * (in place, but the layouts differ), MEMORY (one transform does not fit),
 * DEVICE. Thread: one per plan. */
stf_status stfi_host_execute(stf_plan *plan, stf_direction direction,
                             const void *in, void *out);

/* The plan through whose device arrays host arrays pass; NULL before the first
 * of them. */
struct stf_plan *stfi_host_plan(const stf_plan *plan);

/* Frees what a plan keeps for this; nothing is a no-op. */
void stfi_staging_free(stf_plan *plan);

#endif

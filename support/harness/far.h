/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* A device for tests whose memory the host cannot reach: the cpu executes the
 * schedules of a GPU preset, and every pointer to device memory that the host
 * sees leads nowhere. Code that treats such a pointer as host memory
 * crashes. */
#ifndef STFI_HARNESS_FAR_H
#define STFI_HARNESS_FAR_H

#include "run/device.h"

/* Opens a far device; preset: the name of a row of presets.def.
 * Errors: ARGUMENT, MEMORY. */
stf_status stfi_far_open(const char *preset, stf_device **dev_p);

/* What far devices did since the last call of stfi_far_reset(). */
typedef struct stfi_far_count {
    long launches;
    long streams;       /* streams that are open now */
    long allocations;   /* allocations of device memory that are live now */
    size_t most_bytes;  /* the most device memory that was in use at once */
    size_t limit_bytes; /* allocations beyond this total fail; 0: no limit */
} stfi_far_count;

/* Not thread safe: one call at a time. */
stfi_far_count stfi_far_counted(void);
void stfi_far_reset(size_t limit_bytes);

/* Launch number `countdown` (1 = the next one) fails, once. 0: none fails. */
void stfi_far_fail_launch_at(long countdown);

/* Launch number `countdown` succeeds and returns the positive status `remark`,
 * once. */
void stfi_far_remark_at(long countdown, stf_status remark);

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* A device for tests whose memory the host cannot reach: the cpu device runs
 * the schedules of a GPU preset, and every pointer to device memory that the
 * host sees leads nowhere. Who treats it as host memory crashes. */
#ifndef STFI_HARNESS_FAR_H
#define STFI_HARNESS_FAR_H

#include "run/device.h"

/* Opens one; preset: a row of presets.def. Errors: ARGUMENT, MEMORY. */
stf_status stfi_far_open(const char *preset, stf_device **dev_p);

/* What far devices did since the last call of stfi_far_reset(). */
typedef struct stfi_far_count {
    long launches;
    long streams;       /* open now */
    long allocations;   /* open now, of device memory */
    size_t most_bytes;  /* of device memory at once */
    size_t limit_bytes; /* more than so much is refused; 0: no limit */
} stfi_far_count;

/* Thread: one at a time. */
stfi_far_count stfi_far_counted(void);
void stfi_far_reset(size_t limit_bytes);

/* Launch number `countdown` (1 = the next) fails, once. 0: none. */
void stfi_far_fail_launch_at(long countdown);

/* Launch number `countdown` is done with this remark, once. */
void stfi_far_remark_at(long countdown, stf_status remark);

#endif

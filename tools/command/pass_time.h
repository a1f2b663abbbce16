/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* How long a device takes for the passes of a plan, each on its own. */
#ifndef STFI_COMMAND_PASS_TIME_H
#define STFI_COMMAND_PASS_TIME_H

#include "fft/schedule.h"
#include "support/problem/problem.h"

typedef struct stfi_pass_times {
    double pass[STFI_MAX_PASSES]; /* seconds, over the whole batch */
    double all;                   /* of an execution */
} stfi_pass_times;

/* Plans the problem anew and times it. A pass on its own may find in a cache
 * what it would not find after the others, and the other way round: the sum
 * need not be `all`. Errors: those of planning, allocating and executing. */
stf_status stfi_pass_times_measure(stf_device *dev, const stfi_problem *p,
                                   stfi_pass_times *times_p);

#endif

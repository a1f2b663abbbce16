/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* How long a device takes for each pass of a plan, executed alone. */
#ifndef STFI_COMMAND_PASS_TIME_H
#define STFI_COMMAND_PASS_TIME_H

#include "fft/schedule.h"
#include "support/problem/problem.h"

typedef struct stfi_pass_times {
    double pass[STFI_MAX_PASSES]; /* seconds, over the whole batch */
    double all;                   /* seconds of one execution */
} stfi_pass_times;

/* Plans the problem again and measures its times. A pass alone may find other
 * data in the caches than it would after the other passes: the sum of all
 * passes may differ from `all` either way. Errors: those of planning,
 * allocating and executing. */
stf_status stfi_pass_times_measure(stf_device *dev, const stfi_problem *p,
                                   stfi_pass_times *times_p);

#endif

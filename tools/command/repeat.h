/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Repeats an execution to measure its time, within what keeps a command quick. */
#ifndef STFI_COMMAND_REPEAT_H
#define STFI_COMMAND_REPEAT_H

#include "tools/command/options.h"

/* Executes once; *seconds_p is the time that it took. */
typedef stf_status stfi_once(void *arg, double *seconds_p);

typedef struct stfi_repeated {
    int executions; /* those that count */
    double seconds; /* the median of them */
} stfi_repeated;

/* Repeats as often as --reps says, or for a third of a second. Positive statuses are
 * no errors. */
stf_status stfi_repeat(const stfi_args *args, stfi_once *once, void *arg,
                       stfi_repeated *repeated_p);

#endif

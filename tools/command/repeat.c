/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Repeated executions; see repeat.h. */
#include "tools/command/repeat.h"

#include "tools/command/command.h"
#include "tools/command/stats.h"

static const double REPEAT_SECONDS = 0.3;

enum { MAX_EXECUTIONS = 101 };

stf_status stfi_repeat(const stfi_args *args, stfi_once *once, void *arg,
                       stfi_repeated *repeated_p)
{
    int most = (int)stfi_args_integer(args, STFI_OPT_REPS, MAX_EXECUTIONS);
    double seconds[MAX_EXECUTIONS], began = stfi_clock();
    stf_status status = STF_OK;
    int executions = 0;

    if (most > MAX_EXECUTIONS)
        most = MAX_EXECUTIONS;
    /* The first execution finds cold caches and untouched memory, so it counts
     * only if there is no time for a second one. */
    for (int i = 0; i <= most && status >= STF_OK; i++) {
        status = once(arg, &seconds[i > 0 ? i - 1 : 0]);
        executions = i > 0 ? i : 1;
        if (stfi_clock() - began > REPEAT_SECONDS
            && !stfi_args_given(args, STFI_OPT_REPS))
            break;
    }
    if (status < STF_OK)
        return status;
    *repeated_p = (stfi_repeated){executions, stfi_median(seconds, executions)};
    return STF_OK;
}

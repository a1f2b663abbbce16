/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Efforts of descriptors; see effort.h. */
#include "base/effort.h"

#include "base/status.h"

stf_status stfi_effort_check(stf_effort effort, double effort_seconds)
{
    if ((int)effort < STF_EFFORT_ESTIMATE || effort > STF_EFFORT_EXHAUSTIVE)
        return stfi_error(STF_ERR_ARGUMENT,
                          "effort is %d; it must be STF_EFFORT_ESTIMATE, "
                          "STF_EFFORT_MEASURE or STF_EFFORT_EXHAUSTIVE",
                          (int)effort);
    if (!(effort_seconds >= 0.0 && effort_seconds <= 86400.0))
        return stfi_error(STF_ERR_ARGUMENT,
                          "effort_seconds is %g; it must be from 0 (the "
                          "effort's default) to 86400",
                          effort_seconds);
    return STF_OK;
}

int stfi_effort_each(stf_effort effort)
{
    return effort == STF_EFFORT_EXHAUSTIVE ? 4 : 2;
}

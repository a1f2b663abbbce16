/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Checks without faults: what they detect are false alarms. */
#ifndef STFI_INJECT_CLEAN_H
#define STFI_INJECT_CLEAN_H

#include "tools/inject/campaign.h"

/* Executes a protected plan on data that is drawn anew each time, without faults,
 * until so many checksums were compared, and adds the reports. Checks that compare
 * none, as those of signatures, end with the first execution. Errors: those of
 * planning, executing and allocating. */
stf_status stfi_clean_run(stf_device *dev, const stfi_problem *problem,
                          stf_direction direction, int64_t checksums,
                          stfi_chance chance, stfi_progress *progress,
                          stf_ft_report *report_p);

#endif

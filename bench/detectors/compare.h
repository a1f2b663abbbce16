/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Rules of detection compared: each judges the same transforms, without and
 * with a fault that nothing repairs. */
#ifndef STFI_BENCH_COMPARE_H
#define STFI_BENCH_COMPARE_H

#include "tools/inject/campaign.h"
#include "bench/detectors/detectors.h"

/* What one rule made of the trials. Classes are of campaign.h, but each has
 * all flips that are large enough. */
typedef struct stfi_score {
    int64_t false_alarms;
    int64_t missed[STFI_FLIP_CLASSES];
    double factor; /* of the threshold, the least without alarms */
    int64_t missed_then[STFI_FLIP_CLASSES]; /* with that one */
} stfi_score;

typedef struct stfi_comparison {
    int64_t trials; /* each without and with a fault */
    int64_t flips[STFI_FLIP_CLASSES];
    stfi_score score[STFI_DETECTORS];
} stfi_comparison;

/* On a rig of batch 1 and mode DETECT, which leaves results as they are.
 * Errors: those of stfi_detectors_make() and of executing. */
stf_status stfi_compare_run(stfi_rig *r, int64_t trials, stfi_chance chance,
                            stfi_progress *progress, stfi_comparison *result_p);

#endif

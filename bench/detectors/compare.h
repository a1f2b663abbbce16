/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The comparison of rules of detection: each rule judges the same transforms,
 * once without a fault and once with a fault that nothing repairs. */
#ifndef STFI_BENCH_COMPARE_H
#define STFI_BENCH_COMPARE_H

#include "tools/inject/campaign.h"
#include "bench/detectors/detectors.h"

/* How often one rule was wrong. The classes are those of campaign.h, but here a
 * class also counts the flips of all larger classes. */
typedef struct stfi_score {
    int64_t false_alarms;
    int64_t missed[STFI_FLIP_CLASSES];
    double factor; /* the least factor of the threshold without a false alarm */
    int64_t missed_then[STFI_FLIP_CLASSES]; /* flips missed with this factor */
} stfi_score;

typedef struct stfi_comparison {
    int64_t trials; /* each is run without and with a fault */
    int64_t flips[STFI_FLIP_CLASSES];
    stfi_score score[STFI_DETECTORS];
} stfi_comparison;

/* Runs the trials. The rig must be of batch 1 and mode DETECT, which leaves
 * results as they are. Errors: those of stfi_detectors_make() and of
 * executing. */
stf_status stfi_compare_run(stfi_rig *r, int64_t trials, stfi_chance chance,
                            stfi_progress *progress, stfi_comparison *result_p);

#endif

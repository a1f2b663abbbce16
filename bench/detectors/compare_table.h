/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* `steadfast inject --compare`: prints a table that compares rules of detection
 * and protected plans. */
#ifndef STFI_BENCH_COMPARE_TABLE_H
#define STFI_BENCH_COMPARE_TABLE_H

#include "tools/inject/campaign.h"
#include "tools/command/table.h"

/* What is compared, and how the results are printed. */
typedef struct stfi_contest {
    stf_device *dev;
    stfi_problem problem;
    stf_direction direction;
    int64_t trials;
    stfi_chance chance;
    stfi_format format;
    int quiet;
} stfi_contest;

/* Prints a row for each rule of detectors.def, all judged on the same
 * transforms; then a row for each protected plan that the device has, which is
 * run on as many faults of its own. Errors: those of stfi_compare_run() and
 * stfi_campaign_run(). */
stf_status stfi_compare_print(const stfi_contest *contest);

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Campaigns of faults. A trial is one transform; half of the trials, at random,
 * suffer the flip of one bit of one intermediate value. The data of a batch of
 * trials is drawn once and executed without faults. Then it is executed several
 * times with faults, so many that each tile has at most one fault in one
 * execution: when a tile is computed again, its other faults would be lost.
 *
 * The effect of a flip is measured where nothing is repaired: it is the change
 * of the struck transform, relative L2, in units of the transform's clean
 * rounding error. That error is taken as at least 0.2 sqrt(L) u, where L is the
 * number of stages of radix 2, since some data, such as constants, are
 * transformed nearly without error. In mode CORRECT, a flip is missed if the
 * output of the plan under test is still changed by half as much or more. In
 * mode DETECT, which leaves every output as it is, a flip is missed if the
 * report does not name its transform. */
#ifndef STFI_INJECT_CAMPAIGN_H
#define STFI_INJECT_CAMPAIGN_H

#include "tools/command/progress.h"
#include "tools/inject/change.h"

/* Classes of flips by their change: at least 8, 16 or 64 clean errors, and less
 * than the next class. Smaller changes have no class. */
enum { STFI_FLIP_8X, STFI_FLIP_16X, STFI_FLIP_64X, STFI_FLIP_CLASSES };
static const double stfi_flip_at[STFI_FLIP_CLASSES] = {8.0, 16.0, 64.0};

typedef struct stfi_tally {
    int64_t trials, faults, executions;
    int64_t false_alarms; /* detections in transforms without a fault */
    int64_t detected;     /* detections of faults */
    int64_t flips[STFI_FLIP_CLASSES];
    int64_t missed[STFI_FLIP_CLASSES];
    double worst_error;   /* of transforms that were repaired or have no fault,
                           * in units of the contract's bound; but for those
                           * that share a lane with one whose fault was missed,
                           * which changes them, too */
    stf_ft_report clean;  /* reports of executions without faults */
    stf_ft_report struck; /* reports of those with faults, less false alarms */
    double seconds;
} stfi_tally;

/* Runs a campaign of so many trials. Errors: those of planning, executing and
 * injecting. */
stf_status stfi_campaign_run(stfi_rig *r, int64_t trials, stfi_chance chance,
                             stfi_progress *progress, stfi_tally *tally_p);

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Campaigns of faults. A trial is one transform; half of the trials, at
 * random, suffer the flip of one bit of one intermediate value. A batch of
 * trials has its data once; it is executed without faults, and as often with
 * some as makes every tile have one fault at most: a tile that is computed
 * again would lose the others.
 *
 * What a flip does is measured where nothing is repaired: the change of the
 * struck transform, relative L2, in units of its clean rounding error. That is
 * taken as at least 0.2 sqrt(L) u, L the stages of radix 2: some data, such as
 * constants, are transformed nearly without any. A flip is missed if what the
 * plan under test left is still changed by half as much or more; in mode
 * DETECT, which leaves everything as it is, if the report does not name the
 * transform. */
#ifndef STFI_INJECT_CAMPAIGN_H
#define STFI_INJECT_CAMPAIGN_H

#include "tools/command/progress.h"
#include "tools/inject/rig.h"

/* Classes of flips: changes by at least 8, 16, 64 clean errors, and less. */
enum { STFI_FLIP_8X, STFI_FLIP_16X, STFI_FLIP_64X, STFI_FLIP_CLASSES };
extern const double stfi_flip_at[STFI_FLIP_CLASSES];

typedef struct stfi_tally {
    int64_t trials, faults, executions;
    int64_t false_alarms; /* detections in transforms without a fault */
    int64_t detected;     /* of faults */
    int64_t flips[STFI_FLIP_CLASSES];
    int64_t missed[STFI_FLIP_CLASSES];
    double worst_error;   /* of transforms that were repaired or changed
                               without a fault, in units of the contract's
                               bound */
    stf_ft_report clean;  /* what was reported of executions without faults, */
    stf_ft_report struck; /* and with some, less what was a false alarm */
    double seconds;
} stfi_tally;

/* What decides about trials: the distribution of their data, or -1 for all of
 * them in turn. */
typedef struct stfi_chance {
    uint64_t seed;
    int distribution;
} stfi_chance;

/* The data of a trial, and whether it suffers a fault: of trials 2i and 2i + 1
 * one does. */
stfi_draw stfi_chance_draw(stfi_chance chance, int64_t trial);
int stfi_chance_strikes(stfi_chance chance, int64_t trial);

/* What changes of a transform are measured by. */
typedef struct stfi_change {
    long double clean; /* error of the clean result, L2 */
    long double unit;  /* the same, at least 0.2 sqrt(L) u of the norm */
    long double norm;
} stfi_change;
stfi_change stfi_change_of(const stfi_rig *r, int64_t t, const void *clean);

/* How far the transform is from what it was, in units; INFINITY where there is
 * no unit or no number. */
double stfi_change_size(const stfi_rig *r, const stfi_change *c, int64_t t,
                        const void *clean, const void *now);

/* What is drawn, transformed by the rig's plan without a fault and with one:
 * results, reports, and the size of the change between them. Of a rig of one
 * transform. Errors: those of executing and injecting. */
stf_status stfi_change_draw(stfi_rig *r, const stfi_draw *draw, void *clean,
                            void *struck, stf_ft_report report[2],
                            double *size_p);

/* Runs trials. Errors: those of planning, executing and injecting. */
stf_status stfi_campaign_run(stfi_rig *r, int64_t trials, stfi_chance chance,
                             stfi_progress *progress, stfi_tally *tally_p);

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Campaigns of faults in matrix products. Random data are multiplied without
 * faults, then with one fault in each of some tiles of C, so that no repair has
 * another fault's tile computed again: by the plan under test and, in mode
 * CORRECT, by its twin of mode DETECT, which leaves C as the faults made it.
 *
 * The effect of a fault is the change of the line of its tile that it strikes,
 * a row or a column as the residuals of the plan go, relative to the rounding
 * error of that line (L2). In mode CORRECT, a fault is missed if half of the change
 * or more is left; in mode DETECT, where each execution has one fault, if nothing
 * was detected. */
#ifndef STFI_INJECT_GEMM_CAMPAIGN_H
#define STFI_INJECT_GEMM_CAMPAIGN_H

#include "ft/gemm_fault.h"
#include "tools/command/progress.h"
#include "tools/inject/campaign.h"
#include "tools/inject/gemm_rig.h"

/* What became of faults of one type. */
typedef struct stfi_gemm_tally {
    int64_t faults;
    int64_t harmless; /* no bit of C changed, without a repair either */
    int64_t found;    /* detected, or repaired to what C is without faults */
    int64_t flips[STFI_FLIP_CLASSES];
    int64_t missed[STFI_FLIP_CLASSES];
    double largest_missed; /* in rounding errors of its line */
} stfi_gemm_tally;

typedef struct stfi_gemm_outcome {
    stfi_gemm_tally type[STFI_STRUCK];
    int64_t executions;
    int64_t clean_tiles; /* checked in executions without faults */
    int64_t alarms;      /* there */
    int64_t spoilt;      /* tiles without a fault whose bits changed */
    double worst_error; /* of what was repaired; see stfi_gemm_line_measure() */
    stf_ft_report clean, struck;
    double seconds;
} stfi_gemm_outcome;

/* What a campaign does: so many faults, of each type in turn, and executions of
 * new data until so many tiles were checked without a fault. */
typedef struct stfi_gemm_chance {
    uint64_t seed;
    int kind; /* of data; -1: all in turn */
    int64_t faults, clean_tiles;
} stfi_gemm_chance;

/* Errors: those of planning, executing and injecting. */
stf_status stfi_gemm_campaign_run(stfi_gemm_rig *r,
                                  const stfi_gemm_chance *chance,
                                  stfi_progress *progress,
                                  stfi_gemm_outcome *outcome_p);

#endif

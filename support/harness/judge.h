/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Trials held against the bound on their error, and what came out of many. */
#ifndef STFI_HARNESS_JUDGE_H
#define STFI_HARNESS_JUDGE_H

#include "support/harness/trial.h"

enum { STFI_JUDGE_NAME_BYTES = 640 };

/* How a test runs a trial and tells of failures. */
typedef struct stfi_judge {
    /* The error of one run in units of the bound; negative if there is nothing
     * to compare with, NAN after a report. */
    double (*measure)(void *context, stfi_trial *t, stf_direction direction,
                      const char *name);
    void (*report)(void *context, const stfi_trial *t, const char *what,
                   const char *name);
    /* Sets what a word does not say, such as scale factors. */
    void (*choose)(void *context, stfi_problem *p);
    /* Sees each trial before it is run; may be NULL. */
    void (*note)(void *context, const stfi_trial *t);
    int most_draws; /* of one problem */
} stfi_judge;

typedef struct stfi_judgement {
    int problems, failures, unjudged;
    double worst; /* error in units of the bound */
    char worst_name[STFI_JUDGE_NAME_BYTES];
} stfi_judgement;

/* Judges the problem in a layout of stfi_trial_layout() or "misaligned", in
 * each direction that it has. The bound is one on a norm. Of a handful of
 * elements the norm of a single draw is a matter of luck: such problems are
 * drawn again, by `state`, until a few hundred elements were seen, and the root
 * mean square is held against the bound. */
void stfi_judge_word(const stfi_judge *judge, void *context, const char *word,
                     const char *layout, uint64_t *state,
                     stfi_judgement *tally);

#endif

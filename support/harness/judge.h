/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Compares the errors of trials with their bound, and keeps the result over
 * many trials. */
#ifndef STFI_HARNESS_JUDGE_H
#define STFI_HARNESS_JUDGE_H

#include "support/harness/trial.h"

enum { STFI_JUDGE_NAME_BYTES = 640 };

/* How a test runs a trial and reports failures. */
typedef struct stfi_judge {
    /* Runs the trial and returns its error in units of the bound: negative if
     * there is nothing to compare with, NAN if a failure was reported. */
    double (*measure)(void *context, stfi_trial *t, stf_direction direction,
                      const char *name);
    void (*report)(void *context, const stfi_trial *t, const char *what,
                   const char *name);
    /* Sets what the word of a problem does not say, such as scale factors. */
    void (*choose)(void *context, stfi_problem *p);
    /* Is called with each trial before it is run; may be NULL. */
    void (*note)(void *context, const stfi_trial *t);
    int most_draws; /* draws of random data per problem, at most */
} stfi_judge;

typedef struct stfi_judgement {
    int problems, failures, unjudged;
    double worst; /* error in units of the bound */
    char worst_name[STFI_JUDGE_NAME_BYTES];
} stfi_judgement;

/* Judges the problem in a layout of stfi_trial_layout() or "misaligned", in
 * each direction that its kind has. The bound holds for a norm, which for a
 * single draw of a few elements varies much by chance. Such problems are
 * therefore drawn several times, by `state`, until a few hundred elements were
 * seen, and the root mean square of the errors is compared with the bound. */
void stfi_judge_word(const stfi_judge *judge, void *context, const char *word,
                     const char *layout, uint64_t *state,
                     stfi_judgement *tally);

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Compares the errors of trials with their bound; see judge.h. */
#include "support/harness/judge.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "fft/desc.h"
#include "support/oracle/naive.h"

static int count_draws(const stfi_judge *judge, const stfi_trial *t)
{
    int64_t elements = t->points * t->full.batch;
    int64_t draws = STFI_NAIVE_ENOUGH / elements;

    if (draws > judge->most_draws)
        draws = judge->most_draws;
    return draws > 1 ? (int)draws : 1;
}

/* The root mean square of the errors of all draws; negative or NAN where
 * measure() returns that. */
static double mean_error(const stfi_judge *judge, void *context, stfi_trial *t,
                         stf_direction direction, uint64_t *state, char *name)
{
    int count = count_draws(judge, t);
    double squares = 0;

    for (int i = 0; i < count; i++) {
        double error;
        size_t used;
        if (i > 0)
            stfi_trial_renew(t, stfi_random_u64(state));
        stfi_trial_name(t, name, STFI_JUDGE_NAME_BYTES);
        used = strlen(name);
        snprintf(name + used, STFI_JUDGE_NAME_BYTES - used, " %s",
                 direction == STF_FORWARD ? "forward" : "inverse");
        error = judge->measure(context, t, direction, name);
        if (!(error >= 0))
            return error;
        squares += error * error / count;
    }
    return sqrt(squares);
}

static void judge_direction(const stfi_judge *judge, void *context,
                            stfi_trial *t, stf_direction direction,
                            uint64_t *state, stfi_judgement *tally)
{
    char name[STFI_JUDGE_NAME_BYTES], text[64];
    double error = mean_error(judge, context, t, direction, state, name);

    tally->problems++;
    tally->unjudged += error < 0;
    if (!(error >= 0))
        return;
    if (!(error <= tally->worst)) {
        tally->worst = error;
        memcpy(tally->worst_name, name, sizeof name);
    }
    if (!(error <= 1)) {
        snprintf(text, sizeof text, "error %.3g of the bound", error);
        judge->report(context, t, text, name);
    }
}

void stfi_judge_word(const stfi_judge *judge, void *context, const char *word,
                     const char *layout, uint64_t *state, stfi_judgement *tally)
{
    int shift = !strcmp(layout, "misaligned");
    stfi_problem p;
    stfi_trial t;

    if (stfi_problem_parse(word, &p)) {
        judge->report(context, NULL, stf_error_message(), word);
        return;
    }
    if (!stfi_trial_layout(&p, shift ? "packed" : layout, state))
        return;
    judge->choose(context, &p);
    if (stfi_trial_open(&t, &p, shift, stfi_random_u64(state))) {
        judge->report(context, NULL, stf_error_message(), word);
        return;
    }
    if (judge->note)
        judge->note(context, &t);
    if (stfi_desc_has_direction(&t.full, 0))
        judge_direction(judge, context, &t, STF_FORWARD, state, tally);
    if (stfi_desc_has_direction(&t.full, 1))
        judge_direction(judge, context, &t, STF_INVERSE, state, tally);
    stfi_trial_close(&t);
}

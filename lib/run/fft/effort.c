/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The effort of a plan: it is made as the model says, as wisdom says, or as is
 * measured now, which becomes wisdom. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "fft/desc.h"
#include "run/effort.h"
#include "run/fft/fft_measure.h"
#include "wisdom/list.h"

/* ---------------------------------------------------------------------- key */

static void put_layout(stfi_text *w, const char *name, const stf_layout *layout,
                       int rank)
{
    stfi_text_put(w, ":%s", name);
    for (int a = 0; a < rank; a++)
        stfi_text_put(w, "%" PRId64 ",", layout->stride[a]);
    stfi_text_put(w, "%" PRId64, layout->dist);
}

/* 1 if both arrays are packed. */
static int is_packed(const stf_fft_desc *full)
{
    stf_fft_desc packed = *full, completed;

    memset(&packed.in, 0, sizeof packed.in);
    memset(&packed.out, 0, sizeof packed.out);
    return stfi_desc_complete(&packed, &completed) == STF_OK
           && memcmp(&completed.in, &full->in, sizeof full->in) == 0
           && memcmp(&completed.out, &full->out, sizeof full->out) == 0;
}

/* Writes all of a problem that decides which plan is fast. */
static void put_problem(const stf_device *dev, const stf_fft_desc *full,
                        char words[STFI_WISDOM_TEXT_BYTES])
{
    stfi_text w = {words, STFI_WISDOM_TEXT_BYTES, 0};
    char problem[512];

    stfi_desc_print(full, problem, sizeof problem);
    stfi_text_put(&w, "%s:%s:t%d", problem, stfi_effort_compute(full->compute),
                  stfi_device_threads(dev, full->threads));
    stfi_effort_put_ft(&w, &full->ft);
    if (is_packed(full))
        return;
    put_layout(&w, "i", &full->in, full->rank);
    put_layout(&w, "o", &full->out, full->rank);
}

/* ------------------------------------------------------------------- making */

static int parse(const char *text, void *choice_p)
{
    return stfi_choice_parse(text, choice_p);
}

/* Says in the plan how it was chosen. */
static void say(stfi_fft_plan *plan, stfi_recalled recalled,
                const stfi_measured *m)
{
    char choice[STFI_CHOICE_TEXT] = "";

    stfi_choice_print(&plan->choice, choice);
    stfi_effort_say(plan->desc.effort, choice, recalled, m, plan->how,
                    sizeof plan->how);
}

static stf_status measure(stf_device *dev, const stf_fft_desc *d,
                          const stf_fft_desc *full, int workspace,
                          const char *words, stfi_recalled recalled,
                          stfi_fft_plan **plan_p)
{
    char value[STFI_CHOICE_TEXT];
    stfi_choice choice;
    stfi_measured m;
    stf_status status = stfi_fft_measure(dev, d, full, &choice, &m);

    if (status != STF_OK)
        return status;
    if (m.reason[0] == '\0' && stfi_choice_print(&choice, value))
        stfi_effort_keep(dev, words, full->effort, value);
    status = stfi_fft_plan_create_as(dev, d, workspace, &choice, plan_p);
    if (status == STF_OK)
        say(*plan_p, recalled, &m);
    return status;
}

stf_status stfi_fft_plan_create(stf_device *dev, const stf_fft_desc *d,
                                int workspace, stfi_fft_plan **plan_p)
{
    char words[STFI_WISDOM_TEXT_BYTES];
    stfi_recalled recalled;
    stfi_choice choice;
    stf_fft_desc full;
    stf_status status = stfi_desc_complete(d, &full);

    memset(&choice, 0, sizeof choice);
    if (status != STF_OK)
        return status;
    if (full.effort == STF_EFFORT_ESTIMATE) {
        choice.unit_radix = dev->unit_radix;
        return stfi_fft_plan_create_as(dev, d, workspace, &choice, plan_p);
    }
    put_problem(dev, &full, words);
    recalled = stfi_effort_recall(dev, words, full.effort, parse, &choice);
    /* Wisdom may be wrong: then the plan is as if there were none. */
    if (recalled == STFI_KNOWN) {
        if (stfi_fft_plan_create_as(dev, d, workspace, &choice, plan_p)
            == STF_OK) {
            say(*plan_p, recalled, NULL);
            return STF_OK;
        }
        recalled = STFI_NOT_USABLE;
    }
    return measure(dev, d, &full, workspace, words, recalled, plan_p);
}

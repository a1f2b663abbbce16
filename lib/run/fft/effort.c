/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The effort of a plan: it is made as the model says, as wisdom says, or as is
 * measured now, which becomes wisdom. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/status.h"
#include "base/text.h"
#include "run/fft/fft_plan.h"
#include "run/fft/measure.h"
#include "wisdom/wisdom.h"

static const char *const names[] = {
    [STF_EFFORT_ESTIMATE] = "estimate",
    [STF_EFFORT_MEASURE] = "measure",
    [STF_EFFORT_EXHAUSTIVE] = "exhaustive",
};

/* ---------------------------------------------------------------------- key */

/* Appends a name of a device, which may have any characters. */
static void put_name(stfi_text *w, const char *name)
{
    stfi_text_put(w, "/");
    for (; *name != '\0'; name++)
        stfi_text_put(
            w, "%c", *name > ' ' && *name <= '~' && *name != '/' ? *name : '_');
}

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

/* Appends all of a problem that decides which plan is fast. */
static void put_problem(stfi_text *w, const stf_fft_desc *full, int threads)
{
    static const char *const computes[] = {"native", "tensor", "split"};
    static const char *const modes[] = {"default", "off", "detect", "correct"};
    const stf_ft_desc *ft = &full->ft;
    char problem[512];

    stfi_desc_print(full, problem, sizeof problem);
    stfi_text_put(w, "/%s:%s:t%d:%s", problem, computes[full->compute], threads,
                  modes[ft->mode]);
    if (ft->mode != STF_FT_OFF)
        stfi_text_put(w, ".%d.%d.%d.%d", (int)ft->level, (int)ft->scheme,
                      (int)ft->transactions, (int)ft->end_to_end);
    if (is_packed(full))
        return;
    put_layout(w, "i", &full->in, full->rank);
    put_layout(w, "o", &full->out, full->rank);
}

/* Writes the key of a problem; returns 0 if it is too long, or the device says
 * nothing about itself: then there is no wisdom. */
static int make_key(const stf_device *dev, const stf_fft_desc *full,
                    stf_effort effort, char key[STFI_WISDOM_TEXT_BYTES])
{
    stfi_text w = {key, STFI_WISDOM_TEXT_BYTES, 0};
    stf_device_info info;

    if (dev->backend->info(dev->ctx, &info) != STF_OK)
        return 0;
    stfi_text_put(&w, "%s", stf_version());
    put_name(&w, info.backend);
    put_name(&w, info.arch);
    put_name(&w, info.model);
    put_problem(&w, full, stfi_device_threads(dev, full->threads));
    stfi_text_put(&w, "/%s", names[effort]);
    return w.length < STFI_WISDOM_TEXT_BYTES;
}

/* ------------------------------------------------------------------- making */

/* Looks for wisdom of the effort, or of more. What cannot be read is none. */
static int recall(const stf_device *dev, const stf_fft_desc *full,
                  stfi_choice *choice_p)
{
    char key[STFI_WISDOM_TEXT_BYTES], value[STFI_WISDOM_TEXT_BYTES];

    for (int e = STF_EFFORT_EXHAUSTIVE; e >= (int)full->effort; e--)
        if (make_key(dev, full, (stf_effort)e, key)
            && stfi_wisdom_find(key, value)
            && stfi_choice_parse(value, choice_p))
            return 1;
    return 0;
}

/* Keeps what was measured. */
static void keep(const stf_device *dev, const stf_fft_desc *full,
                 const stfi_choice *choice)
{
    char key[STFI_WISDOM_TEXT_BYTES], value[STFI_CHOICE_TEXT];

    if (make_key(dev, full, full->effort, key)
        && stfi_choice_print(choice, value))
        stfi_wisdom_learn(key, value);
}

/* Says in the plan how it was chosen. */
static void say(stfi_fft_plan *plan, const stfi_measured *m)
{
    stfi_text w = {plan->how, sizeof plan->how, 0};
    char choice[STFI_CHOICE_TEXT] = "";
    char remark[512];

    stfi_choice_print(&plan->choice, choice);
    stfi_text_put(&w, "effort %s: ", names[plan->desc.effort]);
    if (m == NULL)
        stfi_text_put(&w, "by wisdom, %s", choice);
    else if (m->reason[0] != '\0')
        stfi_text_put(&w, "%s, model", m->reason);
    else
        stfi_text_put(&w, "%d ways in %.2f s, %s, %.3f of the model's time",
                      m->ways, m->seconds, choice, m->ratio);
    stfi_wisdom_remark(remark, sizeof remark);
    if (remark[0] != '\0')
        stfi_text_put(&w, "\n  %s", remark);
}

static stf_status measure(stf_device *dev, const stf_fft_desc *d,
                          const stf_fft_desc *full, int workspace,
                          stfi_fft_plan **plan_p)
{
    stfi_measured m;
    stf_status status = stfi_fft_measure(dev, d, full, &m);

    if (status != STF_OK)
        return status;
    if (m.reason[0] == '\0')
        keep(dev, full, &m.choice);
    status = stfi_fft_plan_create_as(dev, d, workspace, &m.choice, plan_p);
    if (status == STF_OK)
        say(*plan_p, &m);
    return status;
}

stf_status stfi_fft_plan_create(stf_device *dev, const stf_fft_desc *d,
                                int workspace, stfi_fft_plan **plan_p)
{
    stfi_choice choice;
    stf_fft_desc full;
    stf_status status = stfi_desc_complete(d, &full);

    memset(&choice, 0, sizeof choice);
    if (status != STF_OK)
        return status;
    if (full.effort == STF_EFFORT_ESTIMATE)
        choice.unit_radix = dev->unit_radix;
    if (full.effort == STF_EFFORT_ESTIMATE)
        return stfi_fft_plan_create_as(dev, d, workspace, &choice, plan_p);
    /* Wisdom may be wrong: then the plan is as if there were none. */
    if (recall(dev, &full, &choice)
        && stfi_fft_plan_create_as(dev, d, workspace, &choice, plan_p)
               == STF_OK) {
        say(*plan_p, NULL);
        return STF_OK;
    }
    return measure(dev, d, &full, workspace, plan_p);
}

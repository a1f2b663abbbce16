/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Efforts of plans of any class; see effort.h. */
#include "run/effort.h"

#include "wisdom/wisdom.h"

static const char *const names[] = {
    [STF_EFFORT_ESTIMATE] = "estimate",
    [STF_EFFORT_MEASURE] = "measure",
    [STF_EFFORT_EXHAUSTIVE] = "exhaustive",
};

/* ---------------------------------------------------------------------- key */

void stfi_effort_put_ft(stfi_text *w, const stf_ft_desc *ft)
{
    static const char *const modes[] = {"default", "off", "detect", "correct"};

    stfi_text_put(w, ":%s", modes[ft->mode]);
    if (ft->mode != STF_FT_OFF)
        stfi_text_put(w, ".%d.%d.%d.%d", (int)ft->level, (int)ft->scheme,
                      (int)ft->transactions, (int)ft->end_to_end);
}

const char *stfi_effort_compute(stf_compute compute)
{
    static const char *const computes[] = {"native", "tensor", "split"};

    return computes[compute];
}

/* Appends a name of a device, which may have any characters. */
static void put_name(stfi_text *w, const char *name)
{
    stfi_text_put(w, "/");
    for (; *name != '\0'; name++)
        stfi_text_put(
            w, "%c", *name > ' ' && *name <= '~' && *name != '/' ? *name : '_');
}

/* Writes the key of a problem; returns 0 if there can be none. */
static int make_key(const stf_device *dev, const char *words, stf_effort effort,
                    char key[STFI_WISDOM_TEXT_BYTES])
{
    stfi_text w = {key, STFI_WISDOM_TEXT_BYTES, 0};
    stf_device_info info;

    if (dev->backend->info(dev->ctx, &info) != STF_OK)
        return 0;
    stfi_text_put(&w, "%s", stf_version());
    put_name(&w, info.backend);
    put_name(&w, info.arch);
    put_name(&w, info.model);
    stfi_text_put(&w, "/%s/%s", words, names[effort]);
    return w.length < STFI_WISDOM_TEXT_BYTES;
}

/* ------------------------------------------------------------------- wisdom */

stfi_recalled stfi_effort_recall(const stf_device *dev, const char *words,
                                 stf_effort effort, stfi_effort_parse *parse,
                                 void *choice_p)
{
    char key[STFI_WISDOM_TEXT_BYTES], value[STFI_WISDOM_TEXT_BYTES];
    stfi_recalled recalled = STFI_NOT_KNOWN;

    for (int e = STF_EFFORT_EXHAUSTIVE; e >= (int)effort; e--) {
        if (!make_key(dev, words, (stf_effort)e, key)
            || !stfi_wisdom_find(key, value))
            continue;
        if (parse(value, choice_p))
            return STFI_KNOWN;
        recalled = STFI_NOT_USABLE;
    }
    return recalled;
}

void stfi_effort_keep(const stf_device *dev, const char *words,
                      stf_effort effort, const char *choice)
{
    char key[STFI_WISDOM_TEXT_BYTES];

    if (make_key(dev, words, effort, key))
        stfi_wisdom_learn(key, choice);
}

void stfi_effort_say(stf_effort effort, const char *choice,
                     stfi_recalled recalled, const stfi_measured *m, char *text,
                     size_t capacity)
{
    stfi_text w = {text, capacity, 0};
    char remark[512];

    stfi_text_put(&w, "effort %s: ", names[effort]);
    if (m == NULL)
        stfi_text_put(&w, "by wisdom, %s", choice);
    else if (m->reason[0] != '\0')
        stfi_text_put(&w, "%s, model", m->reason);
    else
        stfi_text_put(&w, "%d ways in %.2f s, %s, %.3f of the model's time",
                      m->ways, m->seconds, choice, m->ratio);
    if (recalled == STFI_NOT_USABLE)
        stfi_text_put(&w,
                      "\n  wisdom of this problem is not possible here, and "
                      "was not used");
    stfi_wisdom_remark(remark, sizeof remark);
    if (remark[0] != '\0')
        stfi_text_put(&w, "\n  %s", remark);
}

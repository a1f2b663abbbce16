/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Problems made ready to run; see trial.h. */
#include "tools/inject/trial.h"

#include <string.h>

#include "base/alloc.h"
#include "base/status.h"
#include "fft/desc.h"
#include "tools/file/data.h"

/* The layouts that the problem's place asks for. */
static stf_status complete(const stfi_problem *problem, stf_fft_desc *full_p)
{
    stf_status status = stfi_desc_complete(&problem->desc, full_p);
    stf_ft_desc ft;

    if (status != STF_OK || !problem->in_place)
        return status;
    ft = full_p->ft;
    if (stfi_desc_padded(&problem->desc, full_p))
        full_p->ft = ft; /* padded rows come unprotected */
    else if (!stfi_desc_inplace_ok(full_p))
        return stfi_error(STF_ERR_ARGUMENT,
                          "the layouts of this problem "
                          "differ, so that it cannot run in place");
    return STF_OK;
}

static stf_status set_bytes(stfi_trial *t)
{
    size_t *const bytes[] = {&t->in_bytes, &t->out_bytes};
    stf_status status = STF_OK;

    for (int output = 0; output < 2 && status == STF_OK; output++) {
        int64_t lowest;
        int64_t span = stfi_problem_span(&t->full, output, &lowest);
        if (lowest < 0)
            return stfi_error(STF_ERR_UNSUPPORTED, "negative strides");
        status = stfi_bytes((size_t)span,
                            stfi_problem_element_bytes(&t->full, output), 1,
                            "the arrays", bytes[output]);
    }
    return status;
}

/* A padded row may end behind the last element: in place, the longer of the
 * two sides is what both have. */
static stf_status allocate(stfi_trial *t)
{
    size_t most = t->in_bytes > t->out_bytes ? t->in_bytes : t->out_bytes;
    stf_status status;

    if ((status = stfi_alloc(most, "the input", &t->host_in)) != STF_OK
        || (status = stfi_alloc(most, "the output", &t->host_out)) != STF_OK
        || (status = stf_malloc(t->dev, most, &t->in)) != STF_OK)
        return status;
    if (!t->in_place)
        return stf_malloc(t->dev, most, &t->out);
    t->out = t->in;
    return STF_OK;
}

stf_status stfi_trial_make(stf_device *dev, const stfi_problem *problem,
                           stf_direction direction, uint64_t seed,
                           stfi_trial *t_p)
{
    stfi_trial t = {
        .dev = dev, .direction = direction, .in_place = problem->in_place};
    stf_status status;

    if ((status = complete(problem, &t.full)) != STF_OK
        || (status = set_bytes(&t)) != STF_OK
        || (status = stf_plan_fft(dev, &t.full, &t.plan)) != STF_OK
        || (status = allocate(&t)) != STF_OK) {
        stfi_trial_free(&t);
        return status;
    }
    stfi_data_fill(&t.full, t.host_in, seed);
    *t_p = t;
    return STF_OK;
}

void stfi_trial_free(stfi_trial *t)
{
    stf_plan_destroy(t->plan);
    if (t->out != t->in)
        stf_free(t->dev, t->out);
    stf_free(t->dev, t->in);
    stfi_dealloc(t->host_out);
    stfi_dealloc(t->host_in);
    *t = (stfi_trial){.dev = NULL};
}

stf_status stfi_trial_load(stfi_trial *t, int poison)
{
    stf_status status = stf_upload(t->dev, t->in, t->host_in, t->in_bytes);

    if (status != STF_OK || !poison || t->in_place)
        return status;
    memset(t->host_out, 0xff, t->out_bytes);
    return stf_upload(t->dev, t->out, t->host_out, t->out_bytes);
}

stf_status stfi_trial_execute(stfi_trial *t)
{
    return stf_execute(t->plan, t->direction, t->in, t->out);
}

stf_status stfi_trial_fetch(stfi_trial *t)
{
    stf_status status = stf_synchronize(t->dev);
    return status == STF_OK
               ? stf_download(t->dev, t->host_out, t->out, t->out_bytes)
               : status;
}

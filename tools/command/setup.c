/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Problems made ready to run; see setup.h. */
#include "tools/command/setup.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/status.h"
#include "fft/desc.h"
#include "tools/file/data.h"

stf_status stfi_setup_complete(const stfi_problem *problem,
                               stf_fft_desc *full_p)
{
    stf_fft_desc full;
    stf_status status = stfi_desc_complete(&problem->desc, &full);
    stf_ft_desc ft = full.ft;

    if (status != STF_OK)
        return status;
    if (problem->in_place && stfi_desc_padded(&problem->desc, &full))
        full.ft = ft; /* a padded layout is completed without protection */
    else if (problem->in_place && !stfi_desc_inplace_ok(&full))
        return stfi_error(STF_ERR_ARGUMENT,
                          "the layouts of this problem "
                          "differ, so that it cannot run in place");
    *full_p = full;
    return STF_OK;
}

int stfi_setup_most_in_place(const stf_fft_desc *full)
{
    double doublings = 0.5;
    int most;

    for (int a = 0; a < full->rank; a++)
        doublings += 0.5 * log2((double)full->n[a]);
    most = (int)(STFI_MOST_DOUBLINGS / doublings);
    return most > 1 ? most : 1;
}

static stf_status set_bytes(stfi_setup *t)
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

/* A padded row may end behind the last element. In place, both sides share an
 * array that is as long as the longer side. */
static stf_status allocate(stfi_setup *t)
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

stf_status stfi_setup_make(stf_device *dev, const stfi_problem *problem,
                           stf_direction direction, uint64_t seed,
                           stfi_setup *t_p)
{
    stfi_setup t = {
        .dev = dev, .direction = direction, .in_place = problem->in_place};
    stf_status status;

    if ((status = stfi_setup_complete(problem, &t.full)) != STF_OK
        || (status = set_bytes(&t)) != STF_OK
        || (status = stf_plan_fft(dev, &t.full, &t.plan)) != STF_OK
        || (status = allocate(&t)) != STF_OK) {
        stfi_setup_free(&t);
        return status;
    }
    stfi_data_fill(&t.full, t.host_in, seed);
    *t_p = t;
    return STF_OK;
}

void stfi_setup_free(stfi_setup *t)
{
    stf_plan_destroy(t->plan);
    if (t->out != t->in)
        stf_free(t->dev, t->out);
    stf_free(t->dev, t->in);
    stfi_dealloc(t->host_out);
    stfi_dealloc(t->host_in);
    *t = (stfi_setup){.dev = NULL};
}

stf_status stfi_setup_load(stfi_setup *t, int poison)
{
    stf_status status = stf_upload(t->dev, t->in, t->host_in, t->in_bytes);

    if (status != STF_OK || !poison || t->in_place)
        return status;
    memset(t->host_out, 0xff, t->out_bytes);
    return stf_upload(t->dev, t->out, t->host_out, t->out_bytes);
}

stf_status stfi_setup_execute(stfi_setup *t)
{
    return stf_execute(t->plan, t->direction, t->in, t->out);
}

stf_status stfi_setup_fetch(stfi_setup *t)
{
    stf_status status = stf_synchronize(t->dev);
    return status == STF_OK
               ? stf_download(t->dev, t->host_out, t->out, t->out_bytes)
               : status;
}

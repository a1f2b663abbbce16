/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Checks without faults; see clean.h. */
#include "tools/inject/clean.h"

#include <string.h>

#include "base/alloc.h"
#include "run/device.h"
#include "tools/inject/draw.h"

typedef struct clean {
    stfi_setup setup;
    void *packed;     /* the transforms of the batch */
    stfi_draw *draws; /* [batch] */
    int64_t executions;
} clean;

static stf_status make(stf_device *dev, const stfi_problem *problem,
                       stf_direction direction, clean *c)
{
    const stf_fft_desc *full = &c->setup.full;
    void *draws = NULL;
    stf_status status = stfi_setup_make(dev, problem, direction, 1, &c->setup);

    if (status == STF_OK)
        status = stfi_alloc((size_t)full->batch * stfi_draw_bytes(full),
                            "the input", &c->packed);
    if (status == STF_OK)
        status = stfi_alloc((size_t)full->batch * sizeof *c->draws, "the draws",
                            &draws);
    c->draws = draws;
    return status;
}

static void free_all(clean *c)
{
    stfi_dealloc(c->draws);
    stfi_dealloc(c->packed);
    stfi_setup_free(&c->setup);
}

/* Draws the data of the next execution and executes it. */
static stf_status execute(clean *c, stfi_chance chance)
{
    const int64_t batch = c->setup.full.batch;
    stf_status status;

    for (int64_t t = 0; t < batch; t++)
        c->draws[t] = stfi_chance_draw(chance, c->executions * batch + t);
    c->executions++;
    stfi_draw_batch(&c->setup.full, c->draws,
                    stfi_device_threads(c->setup.dev, 0), c->packed,
                    c->setup.host_in);
    status = stfi_setup_load(&c->setup, 1);
    return status == STF_OK ? stfi_setup_execute(&c->setup) : status;
}

stf_status stfi_clean_run(stf_device *dev, const stfi_problem *problem,
                          stf_direction direction, int64_t checksums,
                          stfi_chance chance, stfi_progress *progress,
                          stf_ft_report *report_p)
{
    clean c = {.packed = NULL};
    stf_status status = make(dev, problem, direction, &c);
    int64_t before = -1;

    memset(report_p, 0, sizeof *report_p);
    while (status == STF_OK && report_p->groups_checked > before
           && report_p->groups_checked < checksums) {
        before = report_p->groups_checked;
        status = execute(&c, chance);
        if (status >= STF_OK || status == STF_ERR_UNCORRECTED)
            status = stf_plan_ft_report(c.setup.plan, report_p);
        if (status > STF_OK || status == STF_ERR_UNCORRECTED)
            status = STF_OK;
        stfi_progress_update(progress, (double)report_p->groups_checked, "");
    }
    free_all(&c);
    return status;
}

/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Making plans; see plan.h. */
#include "run/plan.h"

#include <string.h>

#include "base/alloc.h"
#include "base/status.h"
#include "plan/lower.h"
#include "run/host.h"

/* Lowers a completed descriptor into *schedule and makes it ready; tables are
 * shared with `like`, if it is not NULL. */
static stf_status make_exec(const stf_plan *plan, const stf_fft_desc *full,
                            int threads, stfi_schedule *schedule,
                            const stfi_exec *like, stfi_exec **exec_p)
{
    const stfi_backend *backend = plan->dev->backend;
    stfi_caps caps;
    stf_status status = backend->caps(plan->dev->ctx, &caps);

    if (status == STF_OK)
        status = stfi_lower(full, &caps, threads, schedule);
    for (int i = 0; status == STF_OK && i < schedule->npasses; i++)
        status = backend->supports(plan->dev->ctx, full->precision,
                                   &schedule->pass[i]);
    if (status == STF_OK)
        status = backend->exec_create(plan->dev->ctx, schedule, threads, like,
                                      exec_p);
    return status;
}

/* The in-place form with padded rows, where there is one. */
static stf_status make_padded(stf_plan *plan, const stf_fft_desc *d,
                              int threads)
{
    void *mem;
    stf_status status;

    if (!stfi_desc_padded(d, &plan->padded_desc))
        return STF_OK;
    status = stfi_alloc(sizeof *plan->schedule, "a plan", &mem);
    if (status != STF_OK)
        return status;
    status = make_exec(plan, &plan->padded_desc, threads, mem, plan->exec,
                       &plan->padded);
    stfi_dealloc(mem);
    return status;
}

static stf_status make_execs(stf_plan *plan, const stf_fft_desc *d)
{
    const stfi_backend *backend = plan->dev->backend;
    int threads = d->threads;
    stfi_caps caps;
    stf_status status = backend->caps(plan->dev->ctx, &caps);

    if (status != STF_OK)
        return status;
    if (threads == 0)
        threads = caps.gpu ? 1 : caps.units;
    status = make_exec(plan, &plan->desc, threads, plan->schedule, NULL,
                       &plan->exec);
    if (status == STF_OK)
        status = make_padded(plan, d, threads);
    if (status != STF_OK)
        return status;
    plan->workspace_bytes = backend->exec_workspace(plan->exec);
    if (plan->padded != NULL
        && backend->exec_workspace(plan->padded) > plan->workspace_bytes)
        plan->workspace_bytes = backend->exec_workspace(plan->padded);
    return STF_OK;
}

stf_status stfi_plan_create(stf_device *dev, const stf_fft_desc *d,
                            stf_plan **plan_p)
{
    stf_plan *plan;
    stf_fft_desc full;
    void *mem;
    stf_status status = stfi_desc_complete(d, &full);

    if (status != STF_OK)
        return status;
    if ((status = stfi_alloc(sizeof *plan, "a plan", &mem)) != STF_OK)
        return status;
    plan = mem;
    plan->dev = dev;
    plan->desc = full;
    plan->inplace_ok = stfi_desc_inplace_ok(&full);
    stfi_device_keep(dev);
    status = stfi_alloc(sizeof *plan->schedule, "a plan", &mem);
    if (status == STF_OK) {
        plan->schedule = mem;
        status = make_execs(plan, d);
    }
    if (status == STF_OK)
        status = dev->backend->mem_alloc(dev->ctx, plan->workspace_bytes,
                                         &plan->workspace);
    if (status != STF_OK) {
        stfi_plan_destroy(plan);
        return status;
    }
    *plan_p = plan;
    return STF_OK;
}

void stfi_plan_destroy(stf_plan *plan)
{
    const stfi_backend *backend;

    if (plan == NULL)
        return;
    backend = plan->dev->backend;
    stfi_staging_free(plan);
    backend->mem_free(plan->dev->ctx, plan->workspace);
    backend->exec_destroy(plan->padded); /* may share tables of the main one */
    backend->exec_destroy(plan->exec);
    stfi_dealloc(plan->schedule);
    stfi_device_drop(plan->dev);
    stfi_dealloc(plan);
}

stf_status stfi_plan_choose(const stf_plan *plan, int in_place,
                            stfi_exec **exec_p)
{
    if (in_place && plan->padded != NULL)
        *exec_p = plan->padded;
    else if (in_place && !plan->inplace_ok)
        return stfi_error(STF_ERR_ARGUMENT, "in equals out, but the plan's "
                          "in and out layouts differ; in place, both must "
                          "place every element alike (real rows padded to "
                          "2*(n/2+1))");
    else
        *exec_p = plan->exec;
    return STF_OK;
}

/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Making plans; see plan.h. */
#include "run/plan.h"

#include <stdint.h>
#include <string.h>

#include "base/alloc.h"
#include "base/status.h"
#include "fft/lower.h"
#include "run/host.h"
#include "run/end_to_end.h"

/* What execution may use. */
typedef struct limits {
    int threads;
    size_t work_bytes;
} limits;

/* Adds the checks that the descriptor asks for. */
static stf_status protect(const stf_plan *plan, const stf_fft_desc *full,
                          stfi_schedule *schedule, stfi_ft_vectors *vectors)
{
    stfi_ft_cache *cache;
    stf_status status;

    if (full->ft.mode == STF_FT_OFF || full->ft.level == STF_FT_OFFLINE)
        return STF_OK;
    status = stfi_device_checks(plan->dev, &cache);
    return status != STF_OK
               ? status
               : stfi_ft_instrument(cache, &full->ft, schedule, vectors);
}

/* Lowers a completed descriptor into *schedule and makes it ready; tables are
 * shared with `like`, if it is not NULL. */
static stf_status make_exec(const stf_plan *plan, const stf_fft_desc *full,
                            const limits *most, stfi_schedule *schedule,
                            stfi_ft_vectors *vectors, const stfi_exec *like,
                            stfi_exec **exec_p)
{
    const stfi_backend *backend = plan->dev->backend;
    stfi_caps caps;
    stf_status status = backend->caps(plan->dev->ctx, &caps);

    if (status == STF_OK)
        status = stfi_lower_within(full, &caps, most->threads, most->work_bytes,
                                   schedule);
    if (status == STF_OK)
        status = protect(plan, full, schedule, vectors);
    for (int i = 0; status == STF_OK && i < schedule->npasses; i++) {
        schedule->pass[i].gated = stfi_e2e_wanted(plan);
        status = backend->fft->supports(plan->dev->ctx, full->precision,
                                        &schedule->pass[i]);
    }
    if (status == STF_OK)
        status = backend->fft->create(plan->dev->ctx, schedule, most->threads,
                                      like, exec_p);
    return status;
}

/* The in-place form with padded rows, where there is one. */
static stf_status make_padded(stf_plan *plan, const stf_fft_desc *d,
                              const limits *most)
{
    void *mem;
    stf_status status;

    if (!stfi_desc_padded(d, &plan->padded_desc))
        return STF_OK;
    plan->padded_desc.ft = plan->desc.ft;
    status = stfi_alloc(sizeof *plan->schedule, "a plan", &mem);
    if (status != STF_OK)
        return status;
    status = make_exec(plan, &plan->padded_desc, most, mem, &plan->vectors[1],
                       plan->exec, &plan->padded);
    stfi_dealloc(mem);
    return status;
}

static stf_status make_execs(stf_plan *plan, const stf_fft_desc *d,
                             size_t most_bytes)
{
    const stfi_backend *backend = plan->dev->backend;
    limits most = {d->threads, most_bytes};
    stfi_caps caps;
    stf_status status = backend->caps(plan->dev->ctx, &caps);

    if (status != STF_OK)
        return status;
    if (most.threads == 0)
        most.threads = caps.gpu ? 1 : caps.units;
    status = make_exec(plan, &plan->desc, &most, plan->schedule,
                       &plan->vectors[0], NULL, &plan->exec);
    if (status == STF_OK)
        status = make_padded(plan, d, &most);
    if (status != STF_OK)
        return status;
    plan->workspace_bytes = backend->fft->workspace(plan->exec);
    if (plan->padded != NULL
        && backend->fft->workspace(plan->padded) > plan->workspace_bytes)
        plan->workspace_bytes = backend->fft->workspace(plan->padded);
    plan->e2e_at =
        (plan->workspace_bytes + STFI_ALIGN - 1) / STFI_ALIGN * STFI_ALIGN;
    if (stfi_e2e_wanted(plan))
        plan->workspace_bytes = plan->e2e_at + stfi_e2e_bytes(plan);
    return STF_OK;
}

static void drop_execs(stf_plan *plan)
{
    const stfi_backend *backend = plan->dev->backend;

    backend->fft->destroy(plan->padded); /* may share tables of the main one */
    backend->fft->destroy(plan->exec);
    for (int i = 0; i < 2; i++)
        stfi_ft_vectors_release(&plan->vectors[i]);
    plan->padded = plan->exec = NULL;
    plan->workspace_bytes = 0;
}

/* ---------------------------------------------------------- the workspace */

/* Allocates it, if so many bytes are free beside it. */
static stf_status make_workspace(stf_plan *plan, size_t spare_bytes)
{
    const stfi_backend *backend = plan->dev->backend;
    void *spare = NULL;
    stf_status status = STF_OK;

    if (spare_bytes > 0)
        status =
            backend->device->mem_alloc(plan->dev->ctx, spare_bytes, &spare);
    if (status == STF_OK)
        status = backend->device->mem_alloc(
            plan->dev->ctx, plan->workspace_bytes, &plan->workspace);
    backend->device->mem_free(plan->dev->ctx, spare);
    return status;
}

/* 1 if the workspace can be smaller. */
static int can_be_cut(const stf_plan *plan)
{
    const stfi_schedule *s = plan->schedule;

    return plan->workspace_bytes > 0 && s->npasses > 1
           && (s->chunk > 1 || s->slots > 1);
}

/* The executables and their workspace. Where memory is short, rounds are cut,
 * until beside the workspace of one there is room for an input, an output and
 * a workspace of the like: what is transformed needs memory too. */
static stf_status make_fitting(stf_plan *plan, const stf_fft_desc *d)
{
    size_t last = SIZE_MAX, most;
    stf_status status = make_execs(plan, d, SIZE_MAX);

    if (status == STF_OK)
        status = make_workspace(plan, 0);
    while (status == STF_ERR_MEMORY && can_be_cut(plan)
           && plan->workspace_bytes < last) {
        last = plan->workspace_bytes;
        most = plan->e2e_at / 2;
        drop_execs(plan);
        status = make_execs(plan, d, most);
        if (status == STF_OK)
            status = make_workspace(
                plan, can_be_cut(plan) ? 3 * plan->workspace_bytes : 0);
    }
    return status;
}

stf_status stfi_plan_create(stf_device *dev, const stf_fft_desc *d,
                            int workspace, stf_plan **plan_p)
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
        status =
            workspace ? make_fitting(plan, d) : make_execs(plan, d, SIZE_MAX);
    }
    if (status == STF_OK)
        status = stfi_e2e_create(plan);
    if (status != STF_OK) {
        stfi_plan_destroy(plan);
        return status;
    }
    *plan_p = plan;
    return STF_OK;
}

void stfi_plan_destroy(stf_plan *plan)
{
    if (plan == NULL)
        return;
    stfi_staging_free(plan);
    plan->dev->backend->device->mem_free(plan->dev->ctx, plan->workspace);
    drop_execs(plan);
    stfi_e2e_destroy(plan);
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
        return stfi_error(STF_ERR_ARGUMENT,
                          "in equals out, but the plan's "
                          "in and out layouts differ; in place, both must "
                          "place every element alike (real rows padded to "
                          "2*(n/2+1))");
    else
        *exec_p = plan->exec;
    return STF_OK;
}

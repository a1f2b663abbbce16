/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* What all plans have in common; see plan.h. */
#include "run/plan.h"

#include <inttypes.h>
#include <stdint.h>

#include "base/alloc.h"
#include "base/status.h"

stf_status stfi_plan_open(stf_device *dev, const stfi_plan_class *class,
                          size_t bytes, const stf_ft_desc *ft,
                          stf_plan **plan_p)
{
    stf_plan *plan;
    void *mem;
    stf_status status = stfi_alloc(bytes, "a plan", &mem);

    if (status != STF_OK)
        return status;
    plan = mem;
    plan->class = class;
    plan->dev = dev;
    plan->ft = *ft;
    stfi_device_keep(dev);
    *plan_p = plan;
    return STF_OK;
}

/* ---------------------------------------------------------- the workspace */

static void unmake(stf_plan *plan)
{
    plan->class->unmake(plan);
    plan->workspace_bytes = 0;
}

/* Allocates the workspace, but only if `spare_bytes` are free beside it. */
static stf_status make_workspace(stf_plan *plan, size_t spare_bytes)
{
    const stfi_device_ops *memory = plan->dev->backend->device;
    void *spare = NULL;
    stf_status status = STF_OK;

    if (spare_bytes > 0)
        status = memory->mem_alloc(plan->dev->ctx, spare_bytes, &spare);
    if (status == STF_OK)
        status = memory->mem_alloc(plan->dev->ctx, plan->workspace_bytes,
                                   &plan->workspace);
    memory->mem_free(plan->dev->ctx, spare);
    return status;
}

/* Refuses a workspace for which the device has no room. What else a plan makes,
 * such as tables, may take minutes and much memory, so this is done before.
 * Where the host's memory is the device's, allocating takes no time, and tells
 * of limits of the process, too. */
static stf_status check_room(stf_plan *plan, size_t spare_bytes)
{
    const stfi_backend *backend = plan->dev->backend;
    stfi_caps caps;
    stf_status status = backend->caps(plan->dev->ctx, &caps);

    if (status != STF_OK)
        return status;
    if (caps.memory_bytes > 0
        && plan->workspace_bytes + spare_bytes > (size_t)caps.memory_bytes)
        return stfi_error(STF_ERR_MEMORY,
                          "the plan needs %zu bytes of workspace; the device "
                          "has %" PRId64 " bytes of memory",
                          plan->workspace_bytes, caps.memory_bytes);
    if (!stfi_host_is_device(plan->dev))
        return STF_OK;
    status = make_workspace(plan, spare_bytes);
    if (status == STF_OK)
        backend->device->mem_free(plan->dev->ctx, plan->workspace);
    plan->workspace = NULL;
    return status;
}

/* If memory was short, there has to be room beside the workspace for three
 * times its size: an input, an output and the workspace of another plan. */
static size_t spare_of(const stf_plan *plan, size_t most_bytes)
{
    size_t least;

    return most_bytes < SIZE_MAX && plan->class->can_be_cut(plan, &least)
               ? 3 * plan->workspace_bytes
               : 0;
}

/* Designs and makes the executables, and allocates the workspace. */
static stf_status attempt(stf_plan *plan, size_t most_bytes)
{
    stf_status status = plan->class->design(plan, most_bytes);

    if (status == STF_OK)
        status = check_room(plan, spare_of(plan, most_bytes));
    if (status == STF_OK)
        status = plan->class->make(plan);
    if (status == STF_OK)
        status = make_workspace(plan, spare_of(plan, most_bytes));
    return status;
}

/* Makes the executables and the workspace; if memory is short, with less and
 * less workspace. */
static stf_status make_fitting(stf_plan *plan)
{
    size_t last = SIZE_MAX, most;
    stf_status status = attempt(plan, SIZE_MAX);

    while (status == STF_ERR_MEMORY && plan->class->can_be_cut(plan, &most)
           && plan->workspace_bytes < last) {
        last = plan->workspace_bytes;
        unmake(plan);
        status = attempt(plan, most);
    }
    return status;
}

stf_status stfi_plan_make(stf_plan *plan, int workspace)
{
    stf_status status;

    if (workspace)
        return make_fitting(plan);
    status = plan->class->design(plan, SIZE_MAX);
    return status == STF_OK ? plan->class->make(plan) : status;
}

void stfi_plan_destroy(stf_plan *plan)
{
    if (plan == NULL)
        return;
    plan->dev->backend->device->mem_free(plan->dev->ctx, plan->workspace);
    unmake(plan);
    plan->class->destroy(plan);
    stfi_device_drop(plan->dev);
    stfi_dealloc(plan);
}

/* -------------------------------------------------------------- questions */

stf_status stfi_plan_is_of(const stf_plan *plan, const stfi_plan_class *class,
                           const char *call)
{
    return plan->class == class ? STF_OK
                                : stfi_error(STF_ERR_ARGUMENT,
                                             "%s takes plans of %s; this is "
                                             "one of %s",
                                             call, class->name,
                                             plan->class->name);
}

stf_status stfi_plan_describe(const stf_plan *plan, char *text, size_t capacity)
{
    size_t length = plan->class->describe(plan, text, capacity);

    if (length >= capacity)
        return stfi_error(STF_ERR_ARGUMENT,
                          "capacity is %zu; the whole text "
                          "needs %zu bytes",
                          capacity, length + 1);
    return STF_OK;
}

/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Reports of protected plans, and their faults on purpose; see protect.h. */
#include "run/protect.h"

#include "base/status.h"

int stfi_plan_is_protected(const stf_plan *plan)
{
    return plan->class->report != NULL
           && (plan->ft.mode == STF_FT_DETECT
               || plan->ft.mode == STF_FT_CORRECT);
}

/* Adds up what the plan's checks found, and with `reset` clears it. */
static stf_status gather(stf_plan *plan, int reset, stf_ft_report *r)
{
    stf_status status;

    stfi_ft_report_clear(r);
    if (!stfi_plan_is_protected(plan))
        return STF_OK;
    status = plan->dev->backend->queue->sync(plan->dev->ctx, NULL);
    return status != STF_OK ? status : plan->class->report(plan, reset, r);
}

stf_status stfi_plan_report(stf_plan *plan, stf_ft_report *report_p)
{
    stf_ft_report report;
    stf_status status = gather(plan, 0, &report);

    if (status != STF_OK)
        return status;
    *report_p = report;
    if (report.uncorrectable > 0)
        return stfi_error(STF_ERR_UNCORRECTED,
                          "%lld checksums of pass %d (-1: "
                          "of input and output) of transform %lld and others "
                          "did not agree, and computing again, where that "
                          "could be done, did not help; the device or its "
                          "memory may be damaged",
                          (long long)report.uncorrectable,
                          (int)report.first_event.pass,
                          (long long)report.first_event.signal);
    return STF_OK;
}

stf_status stfi_plan_reset(stf_plan *plan)
{
    stf_ft_report report;

    return gather(plan, 1, &report);
}

/* ------------------------------------------------------------------ faults */

stf_status stfi_plan_inject(stf_plan *plan, const stf_fault *fault, int count)
{
    stf_status status = STF_OK;

    if (!stfi_plan_is_protected(plan))
        return stfi_error(STF_ERR_ARGUMENT,
                          "the plan is not protected; set "
                          "ft.mode to STF_FT_DETECT or STF_FT_CORRECT");
    for (int i = 0; i < count && status == STF_OK; i++)
        status = plan->class->check_fault(plan, &fault[i]);
    if (status == STF_OK)
        status = plan->dev->backend->queue->sync(plan->dev->ctx, NULL);
    if (status == STF_OK)
        status = plan->class->inject(plan, fault, count);
    plan->armed = status == STF_OK && count > 0;
    return status;
}

stf_status stfi_plan_draw_fault(const stf_plan *plan, uint64_t seed,
                                stf_fault *fault_p)
{
    if (plan->class->draw_fault == NULL)
        return stfi_error(STF_ERR_ARGUMENT, "plans of %s have no faults",
                          plan->class->name);
    *fault_p = plan->class->draw_fault(plan, seed);
    return STF_OK;
}

stf_status stfi_plan_disarm(stf_plan *plan, stf_status status)
{
    if (!plan->armed) /* not armed: other threads may be executing the plan */
        return status;
    plan->armed = 0;
    if (!plan->class->may_keep_faults(plan)
        || stfi_plan_inject(plan, NULL, 0) >= STF_OK)
        return status;
    return status < STF_OK ? status : STF_ERR_DEVICE;
}

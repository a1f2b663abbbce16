/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Public calls on plans of any class: arguments are checked here, work is done
 * in run/. */
#include "base/fp_env.h"
#include "base/status.h"
#include "run/protect.h"

size_t stf_plan_workspace(const stf_plan *plan)
{
    return plan != NULL ? plan->workspace_bytes : 0;
}

stf_status stf_plan_describe(const stf_plan *plan, char *text, size_t capacity)
{
    STFI_FP_GUARD;

    if (plan == NULL)
        return stfi_error(STF_ERR_ARGUMENT, "plan is NULL");
    if (text == NULL || capacity == 0)
        return stfi_error(STF_ERR_ARGUMENT, "text is NULL or capacity is 0");
    return stfi_plan_describe(plan, text, capacity);
}

stf_status stf_plan_ft_report(stf_plan *plan, stf_ft_report *report_p)
{
    STFI_FP_GUARD;

    if (plan == NULL)
        return stfi_error(STF_ERR_ARGUMENT, "plan is NULL");
    if (report_p == NULL)
        return stfi_error(STF_ERR_ARGUMENT, "report_p is NULL");
    return stfi_plan_report(plan, report_p);
}

stf_status stf_plan_ft_reset(stf_plan *plan)
{
    STFI_FP_GUARD;

    if (plan == NULL)
        return stfi_error(STF_ERR_ARGUMENT, "plan is NULL");
    return stfi_plan_reset(plan);
}

stf_status stf_plan_inject(stf_plan *plan, const stf_fault *fault, int count)
{
    STFI_FP_GUARD;

    if (plan == NULL)
        return stfi_error(STF_ERR_ARGUMENT, "plan is NULL");
    if (count < 0)
        return stfi_error(STF_ERR_ARGUMENT,
                          "count is %d; it must be 0 or "
                          "more",
                          count);
    if (fault == NULL && count > 0)
        return stfi_error(STF_ERR_ARGUMENT, "fault is NULL");
    return stfi_plan_inject(plan, fault, count);
}

stf_status stf_plan_draw_fault(const stf_plan *plan, uint64_t seed,
                               stf_fault *fault_p)
{
    STFI_FP_GUARD;

    if (plan == NULL)
        return stfi_error(STF_ERR_ARGUMENT, "plan is NULL");
    if (fault_p == NULL)
        return stfi_error(STF_ERR_ARGUMENT, "fault_p is NULL");
    return stfi_plan_draw_fault(plan, seed, fault_p);
}

void stf_plan_destroy(stf_plan *plan)
{
    stfi_plan_destroy(plan);
}

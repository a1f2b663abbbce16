/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Reports of protected plans; see protect.h. A plan has up to three
 * executables, of which each keeps a ledger: its main one, that of padded
 * rows, and, in its staging, the one that host arrays pass through. Another
 * one is that of checks from input to output. */
#include "run/protect.h"

#include "base/status.h"
#include "ft/fault.h"
#include "run/host.h"
#include "run/end_to_end.h"

int stfi_plan_is_protected(const stf_plan *plan)
{
    return plan->desc.ft.mode == STF_FT_DETECT
           || plan->desc.ft.mode == STF_FT_CORRECT;
}

/* Adds up the ledgers of a plan, or resets them. */
static stf_status read_ledgers(stf_plan *plan, int reset, stf_ft_report *r)
{
    const stfi_backend *backend = plan->dev->backend;
    stfi_exec *const execs[] = {plan->exec, plan->padded};
    stf_plan *inner = stfi_host_plan(plan);
    stfi_ft_ledger ledger;
    stf_status status = stfi_e2e_ledger(plan, reset, &ledger);

    if (status == STF_OK)
        stfi_ft_ledger_report(&ledger, r);
    for (size_t i = 0; i < sizeof execs / sizeof *execs; i++) {
        if (execs[i] == NULL || status != STF_OK)
            continue;
        status = backend->exec_ledger(execs[i], reset, &ledger);
        if (status == STF_OK)
            stfi_ft_ledger_report(&ledger, r);
    }
    if (inner != NULL && status == STF_OK)
        status = read_ledgers(inner, reset, r);
    return status;
}

static stf_status gather(stf_plan *plan, int reset, stf_ft_report *r)
{
    stf_status status;

    stfi_ft_report_clear(r);
    if (!stfi_plan_is_protected(plan))
        return STF_OK;
    status = plan->dev->backend->sync(plan->dev->ctx, NULL);
    return status != STF_OK ? status : read_ledgers(plan, reset, r);
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

stf_status stfi_plan_inject(stf_plan *plan, const stf_fault *fault, int count)
{
    const stfi_backend *backend = plan->dev->backend;
    stf_status status = STF_OK;

    if (!stfi_plan_is_protected(plan))
        return stfi_error(STF_ERR_ARGUMENT,
                          "the plan is not protected; set "
                          "ft.mode to STF_FT_DETECT or STF_FT_CORRECT");
    for (int i = 0; i < count && status == STF_OK; i++)
        status = stfi_fault_check(plan->schedule, &fault[i]);
    if (status == STF_OK)
        status = backend->sync(plan->dev->ctx, NULL);
    if (status == STF_OK)
        status = backend->exec_inject(plan->exec, fault, count);
    if (status == STF_OK && plan->padded != NULL)
        status = backend->exec_inject(plan->padded, fault, count);
    plan->armed = status == STF_OK && count > 0;
    return status;
}

stf_status stfi_plan_disarm(stf_plan *plan)
{
    if (!plan->armed)
        return STF_OK;
    plan->armed = 0;
    return plan->padded != NULL ? stfi_plan_inject(plan, NULL, 0) : STF_OK;
}

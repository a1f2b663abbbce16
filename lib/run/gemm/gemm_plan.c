/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The class of plans of matrix products; see gemm_plan.h. */
#include "run/gemm/gemm_plan.h"

#include "base/status.h"
#include "base/text.h"
#include "ft/gemm_fault.h"

/* The plan as its own type, which begins with the head. */
static stfi_gemm_plan *own(stf_plan *plan)
{
    return (stfi_gemm_plan *)plan;
}

const stfi_gemm_plan *stfi_gemm_plan_of(const stf_plan *plan)
{
    return (const stfi_gemm_plan *)plan;
}

static const stfi_gemm_ops *ops_of(const stf_plan *plan)
{
    return plan->dev->backend->gemm;
}

stf_status stfi_gemm_plan_get(stf_plan *plan, const char *call,
                              stfi_gemm_plan **gemm_p)
{
    stf_status status = stfi_plan_is_of(plan, &stfi_gemm_plan_class, call);

    if (status == STF_OK)
        *gemm_p = own(plan);
    return status;
}

/* ----------------------------------------------------------------- making */

static stf_status design(stf_plan *head, size_t most_bytes)
{
    stfi_gemm_plan *plan = own(head);
    int threads = stfi_device_threads(head->dev, plan->desc.threads);
    stf_status status = ops_of(head)->create(head->dev->ctx, &plan->gemm,
                                             threads, most_bytes, &plan->exec);

    if (status == STF_OK)
        head->workspace_bytes = ops_of(head)->workspace(plan->exec);
    return status;
}

/* Everything is there after design(). */
static stf_status make(stf_plan *head)
{
    (void)head;
    return STF_OK;
}

static void unmake(stf_plan *head)
{
    ops_of(head)->destroy(own(head)->exec);
    own(head)->exec = NULL;
}

static int can_be_cut(const stf_plan *head, size_t *most_p)
{
    const stfi_gemm_exec *exec = stfi_gemm_plan_of(head)->exec;

    *most_p = head->workspace_bytes / 2;
    return exec != NULL && ops_of(head)->can_be_cut(exec);
}

static void destroy(stf_plan *head)
{
    (void)head;
}

static size_t describe(const stf_plan *head, char *text, size_t capacity)
{
    const stfi_gemm_plan *plan = stfi_gemm_plan_of(head);
    stfi_text w = {text, capacity, 0};

    w.length = ops_of(head)->describe(plan->exec, text, capacity);
    if (plan->how[0] != '\0')
        stfi_text_put(&w, "%s\n", plan->how);
    return w.length;
}

/* -------------------------------------------------------------- protection */

static stf_status report(stf_plan *head, int reset, stf_ft_report *sum)
{
    stfi_ft_ledger ledger;
    stf_status status = ops_of(head)->ledger(own(head)->exec, reset, &ledger);

    if (status == STF_OK)
        stfi_ft_ledger_report(&ledger, sum);
    return status;
}

static stf_status check_fault(const stf_plan *head, const stf_fault *fault)
{
    return stfi_gemm_fault_check(&stfi_gemm_plan_of(head)->gemm, fault);
}

static stf_status inject(stf_plan *head, const stf_fault *fault, int count)
{
    return ops_of(head)->inject(own(head)->exec, fault, count);
}

static int may_keep_faults(const stf_plan *head)
{
    (void)head;
    return 0;
}

static stf_fault draw_fault(const stf_plan *head, uint64_t seed)
{
    return stfi_gemm_fault_draw(&stfi_gemm_plan_of(head)->gemm, seed);
}

const stfi_plan_class stfi_gemm_plan_class = {
    .name = "matrix products",
    .design = design,
    .make = make,
    .unmake = unmake,
    .can_be_cut = can_be_cut,
    .destroy = destroy,
    .describe = describe,
    .report = report,
    .check_fault = check_fault,
    .inject = inject,
    .may_keep_faults = may_keep_faults,
    .draw_fault = draw_fault,
};

stf_status stfi_gemm_plan_create_as(stf_device *dev, const stf_gemm_desc *full,
                                    int workspace,
                                    const stfi_gemm_choice *choice,
                                    stfi_gemm_plan **plan_p)
{
    stf_plan *head;
    stf_status status;

    if (dev->backend->gemm == NULL)
        return stfi_error(STF_ERR_UNSUPPORTED,
                          "%s devices compute no matrix products yet; the cpu "
                          "device does",
                          dev->backend->name);
    status = stfi_plan_open(dev, &stfi_gemm_plan_class, sizeof(stfi_gemm_plan),
                            &full->ft, &head);
    if (status != STF_OK)
        return status;
    own(head)->desc = *full;
    own(head)->gemm = stfi_gemm_lower(full);
    own(head)->gemm.choice = *choice;
    status = stfi_plan_make(head, workspace);
    if (status == STF_OK)
        *plan_p = own(head);
    else
        stfi_plan_destroy(head);
    return status;
}

/* -------------------------------------------------------------- execution */

static stf_status overlaps(const char *name)
{
    return stfi_error(STF_ERR_ARGUMENT,
                      "c shares elements with %s; the product needs a C of its "
                      "own",
                      name);
}

stf_status stfi_gemm_plan_launch(const stfi_gemm_plan *plan,
                                 const stfi_gemm_call *call, void *workspace,
                                 void *stream)
{
    const stfi_gemm *g = &plan->gemm;
    const int swapped = g->swapped;
    stfi_gemm_arrays arrays = {
        .a = swapped ? call->b : call->a,
        .b = swapped ? call->a : call->b,
        .c = call->c,
        .alpha = call->alpha,
        .beta = call->beta,
        .work = workspace,
    };

    if (arrays.a != NULL
        && stfi_gemm_overlaps(g, call->c, &g->a, g->m, g->k, arrays.a))
        return overlaps(swapped ? "b" : "a");
    if (arrays.b != NULL
        && stfi_gemm_overlaps(g, call->c, &g->b, g->k, g->n, arrays.b))
        return overlaps(swapped ? "a" : "b");
    return ops_of(&plan->head)->launch(plan->exec, &arrays, stream);
}

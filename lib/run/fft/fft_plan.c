/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The class of plans of Fourier transforms; see fft_plan.h. A plan has up to
 * three executables, each with a ledger: the main one, the one for padded rows,
 * and, in its staging, the one that transforms host arrays. The end-to-end
 * checks have another ledger. */
#include "run/fft/fft_plan.h"

#include <string.h>

#include "base/alloc.h"
#include "base/fp_env.h"
#include "base/status.h"
#include "base/text.h"
#include "ft/fault.h"
#include "fft/lower.h"
#include "run/protect.h"
#include "fft/schedule_text.h"

/* The plan as its own type, which begins with the head. */
static stfi_fft_plan *own(stf_plan *plan)
{
    return (stfi_fft_plan *)plan;
}

const stfi_fft_plan *stfi_fft_plan_of(const stf_plan *plan)
{
    return (const stfi_fft_plan *)plan;
}

stf_status stfi_fft_plan_get(stf_plan *plan, const char *call,
                             stfi_fft_plan **fft_p)
{
    stf_status status = stfi_plan_is_of(plan, &stfi_fft_plan_class, call);

    if (status == STF_OK)
        *fft_p = own(plan);
    return status;
}

/* ----------------------------------------------------------------- making */

/* Adds the checks that the descriptor asks for. */
static stf_status protect(const stfi_fft_plan *plan, const stf_fft_desc *full,
                          stfi_schedule *schedule, stfi_ft_vectors *vectors)
{
    stfi_ft_cache *cache;
    stf_status status;

    if (full->ft.mode == STF_FT_OFF || full->ft.level == STF_FT_OFFLINE)
        return STF_OK;
    status = stfi_device_checks(plan->head.dev, &cache);
    return status != STF_OK
               ? status
               : stfi_ft_instrument(cache, &full->ft, schedule, vectors);
}

/* Lowers a completed descriptor into *schedule. */
static stf_status lower(const stfi_fft_plan *plan, const stf_fft_desc *full,
                        stfi_schedule *schedule)
{
    const stf_device *dev = plan->head.dev;
    stfi_caps caps;
    stf_status status = dev->backend->caps(dev->ctx, &caps);

    return status != STF_OK ? status
                            : stfi_lower_chosen(full, &caps, plan->most.threads,
                                                plan->most.work_bytes,
                                                &plan->choice, schedule);
}

/* Makes the executable of a schedule, with its checks. It shares tables with
 * `like`, if that is not NULL. */
static stf_status make_exec(const stfi_fft_plan *plan, const stf_fft_desc *full,
                            stfi_schedule *schedule, stfi_ft_vectors *vectors,
                            const stfi_exec *like, stfi_exec **exec_p)
{
    const stf_device *dev = plan->head.dev;
    const stfi_fft_ops *fft = dev->backend->fft;
    stf_status status = protect(plan, full, schedule, vectors);

    if (status == STF_OK && stfi_ft_is_end_to_end(&plan->desc.ft))
        stfi_schedule_gate(schedule);
    for (int i = 0; status == STF_OK && i < schedule->npasses; i++)
        status = fft->supports(dev->ctx, full->precision, &schedule->pass[i]);
    if (status == STF_OK)
        status =
            fft->create(dev->ctx, schedule, plan->most.threads, like, exec_p);
    return status;
}

/* Gives an executable checks of transforms as a whole, if it wants them. */
static stf_status make_whole(stfi_fft_plan *plan, const stf_fft_desc *full,
                             const stfi_schedule *schedule, stfi_exec *exec,
                             stfi_ft_offline whole[2][STFI_WHOLE_CHECKS])
{
    stf_device *dev = plan->head.dev;
    const stfi_fft_ops *fft = dev->backend->fft;
    const int checks =
        stfi_ft_is_end_to_end(&plan->desc.ft) ? STFI_WHOLE_CHECKS : 1;
    stfi_ft_whole_checks all = {{{NULL}}};
    stfi_ft_cache *cache;
    int how = STFI_WHOLE_NONE;
    stf_status status = STF_OK;

    if (fft->may_check_whole != NULL && stfi_plan_is_protected(&plan->head)
        && plan->desc.ft.level != STF_FT_OFFLINE && stfi_ft_whole_suits(full))
        status = fft->may_check_whole(dev->ctx, exec, &how);
    if (status != STF_OK || how == STFI_WHOLE_NONE)
        return status;
    status = stfi_device_checks(dev, &cache);
    for (int i = 0; i < 2 * checks && status == STF_OK; i++) {
        const int inverse = i % 2, second = i / 2;
        if (!stfi_desc_has_direction(&plan->desc, inverse))
            continue;
        status = stfi_ft_whole_open(cache, full, schedule, (stfi_ft_whole)how,
                                    inverse ? STF_INVERSE : STF_FORWARD, second,
                                    &whole[inverse][second]);
        all.by[inverse][second] = &whole[inverse][second];
    }
    return status == STF_OK ? fft->check_whole(dev->ctx, exec, &all) : status;
}

/* Makes the executable for the in-place form with padded rows, if there is one. */
static stf_status make_padded(stfi_fft_plan *plan)
{
    void *mem;
    stf_status status;

    if (!plan->pads)
        return STF_OK;
    status = stfi_alloc(sizeof *plan->schedule, "a plan", &mem);
    if (status != STF_OK)
        return status;
    status = lower(plan, &plan->padded_desc, mem);
    if (status == STF_OK)
        status = make_exec(plan, &plan->padded_desc, mem, &plan->vectors[1],
                           plan->exec, &plan->padded);
    if (status == STF_OK)
        status = make_whole(plan, &plan->padded_desc, mem, plan->padded,
                            plan->whole[1]);
    stfi_dealloc(mem);
    return status;
}

/* Places the end-to-end checks' workspace behind `bytes`, those of executables. */
static void set_workspace(stfi_fft_plan *plan, size_t bytes)
{
    plan->e2e_at = (bytes + STFI_ALIGN - 1) / STFI_ALIGN * STFI_ALIGN;
    if (stfi_ft_is_end_to_end(&plan->desc.ft))
        bytes = plan->e2e_at + stfi_e2e_bytes(plan->head.dev, &plan->desc);
    plan->head.workspace_bytes = bytes;
}

static stf_status design(stf_plan *head, size_t most_bytes)
{
    stfi_fft_plan *plan = own(head);
    stfi_caps caps;
    stf_status status = head->dev->backend->caps(head->dev->ctx, &caps);

    if (status != STF_OK)
        return status;
    plan->most = (stfi_fft_limits){plan->desc.threads, most_bytes};
    if (plan->most.threads == 0)
        plan->most.threads = caps.gpu ? 1 : caps.units;
    status = lower(plan, &plan->desc, plan->schedule);
    if (status == STF_OK)
        set_workspace(plan, stfi_schedule_work_bytes(plan->schedule));
    return status;
}

static stf_status make(stf_plan *head)
{
    stfi_fft_plan *plan = own(head);
    const stfi_fft_ops *fft = head->dev->backend->fft;
    stf_status status = make_exec(plan, &plan->desc, plan->schedule,
                                  &plan->vectors[0], NULL, &plan->exec);
    size_t bytes;

    if (status == STF_OK)
        status = make_whole(plan, &plan->desc, plan->schedule, plan->exec,
                            plan->whole[0]);
    if (status == STF_OK)
        status = make_padded(plan);
    if (status != STF_OK)
        return status;
    bytes = fft->workspace(plan->exec);
    if (plan->padded != NULL && fft->workspace(plan->padded) > bytes)
        bytes = fft->workspace(plan->padded);
    set_workspace(plan, bytes);
    return STF_OK;
}

static void unmake(stf_plan *head)
{
    stfi_fft_plan *plan = own(head);
    const stfi_fft_ops *fft = head->dev->backend->fft;

    fft->destroy(plan->padded); /* may share tables with the main one, so goes
                                   first */
    fft->destroy(plan->exec);
    for (int i = 0; i < 2; i++) {
        stfi_ft_vectors_release(&plan->vectors[i]);
        for (int k = 0; k < 2 * STFI_WHOLE_CHECKS; k++) {
            stfi_ft_offline *check = &plan->whole[i][k % 2][k / 2];
            if (check->cache != NULL)
                stfi_ft_offline_close(check);
            check->cache = NULL;
        }
    }
    plan->padded = plan->exec = NULL;
}

/* The workspace can be cut if chunks can be shorter or fewer in flight. */
static int can_be_cut(const stf_plan *head, size_t *most_p)
{
    const stfi_fft_plan *plan = stfi_fft_plan_of(head);
    const stfi_schedule *s = plan->schedule;

    *most_p = plan->e2e_at / 2;
    return head->workspace_bytes > 0 && s->npasses > 1
           && (s->chunk > 1 || s->slots > 1);
}

static stf_status make_e2e(stfi_fft_plan *plan)
{
    const stfi_e2e_forms forms = {
        {&plan->desc, plan->padded != NULL ? &plan->padded_desc : NULL},
        stfi_ft_schedule_roundings(plan->schedule)};

    return stfi_ft_is_end_to_end(&plan->desc.ft) ? stfi_e2e_create(
               plan->head.dev, &forms, plan->e2e_at, &plan->e2e)
                                                 : STF_OK;
}

/* Makes everything of a plan that has its descriptors. */
static stf_status make_all(stfi_fft_plan *plan, int workspace)
{
    void *mem;
    stf_status status = stfi_alloc(sizeof *plan->schedule, "a plan", &mem);

    if (status != STF_OK)
        return status;
    plan->schedule = mem;
    status = stfi_plan_make(&plan->head, workspace);
    return status == STF_OK ? make_e2e(plan) : status;
}

stf_status stfi_fft_plan_create_as(stf_device *dev, const stf_fft_desc *d,
                                   int workspace, const stfi_choice *choice,
                                   stfi_fft_plan **plan_p)
{
    stfi_fft_plan *plan;
    stf_plan *head;
    stf_fft_desc full;
    stf_status status = stfi_desc_complete(d, &full);

    if (status == STF_OK)
        status = stfi_plan_open(dev, &stfi_fft_plan_class, sizeof *plan,
                                &full.ft, &head);
    if (status != STF_OK)
        return status;
    plan = own(head);
    plan->desc = full;
    plan->choice = *choice;
    plan->inplace_ok = stfi_desc_inplace_ok(&full);
    plan->pads = stfi_desc_padded(d, &plan->padded_desc);
    plan->padded_desc.ft = full.ft;
    status = make_all(plan, workspace);
    if (status != STF_OK) {
        stfi_plan_destroy(head);
        return status;
    }
    stfi_fft_plan_set_brief(plan);
    *plan_p = plan;
    return status;
}

static void destroy(stf_plan *head)
{
    stfi_fft_plan *plan = own(head);

    if (plan->staging != NULL)
        plan->staging->destroy(plan->staging);
    stfi_e2e_destroy(plan->e2e);
    stfi_dealloc(plan->schedule);
}

/* Says which passes have the matrix stages that the descriptor permits. */
static void put_compute(stfi_text *w, const stfi_schedule *s)
{
    int count = 0;

    for (int i = 0; i < s->npasses; i++)
        if (s->pass[i].matrix != 0)
            stfi_text_put(w, "%s %d",
                          count++ > 0 ? "," : "  matrix stages: pass", i);
    stfi_text_put(w, count > 0 ? "\n"
                               : "  compute native: no pass has matrix "
                                 "stages\n");
}

static size_t describe(const stf_plan *head, char *text, size_t capacity)
{
    const stfi_fft_plan *plan = stfi_fft_plan_of(head);
    stfi_text w = {text, capacity, 0};

    w.length = stfi_schedule_print(plan->schedule, text, capacity);
    if (plan->desc.compute != STF_COMPUTE_NATIVE)
        put_compute(&w, plan->schedule);
    if (plan->how[0] != '\0')
        stfi_text_put(&w, "  %s\n", plan->how);
    return w.length;
}

/* -------------------------------------------------------------- execution */

stf_status stfi_fft_plan_part(const stfi_fft_plan *plan,
                              const stfi_schedule *part, stfi_exec **exec_p)
{
    const stf_device *dev = plan->head.dev;
    const stfi_fft_ops *fft = dev->backend->fft;
    stf_status status =
        fft->create(dev->ctx, part, plan->most.threads, NULL, exec_p);

    if (status != STF_OK
        || fft->workspace(*exec_p) <= plan->head.workspace_bytes)
        return status;
    fft->destroy(*exec_p);
    return fft->create(dev->ctx, part, 1, NULL, exec_p);
}

stf_status stfi_fft_plan_choose(const stfi_fft_plan *plan, int in_place,
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

static double scale_of(const stfi_fft_plan *plan, int inverse)
{
    int root;

    return (inverse ? plan->desc.scale_inverse : plan->desc.scale_forward)
           * stfi_desc_factor(&plan->desc, &root);
}

void stfi_fft_plan_direct(const stfi_fft_plan *plan, stf_direction direction,
                          stfi_buffers *buffers)
{
    int inverse = direction == STF_INVERSE;

    /* Real to real kinds are the same transform in both directions. */
    buffers->inverse = inverse && !stfi_kind_is_r2r(plan->desc.kind);
    buffers->backward = inverse;
    /* Results and checks depend on it, so it is computed twice. */
    buffers->scale = scale_of(plan, inverse);
    if (*(volatile double *)&buffers->scale != scale_of(plan, inverse))
        buffers->scale = scale_of(plan, inverse);
}

stf_status stfi_fft_plan_launch(const stfi_fft_plan *plan, stfi_exec *exec,
                                const stfi_buffers *buffers, void *stream)
{
    stfi_e2e_which form =
        exec == plan->padded ? STFI_E2E_PADDED : STFI_E2E_MAIN;

    return plan->e2e != NULL
                   && !stfi_fft_plan_is_checked_by_passes(
                       plan, exec, buffers->in == buffers->out)
               ? stfi_e2e_launch(plan->e2e, form, exec, buffers, stream)
               : plan->head.dev->backend->fft->launch(exec, buffers, stream);
}

/* -------------------------------------------------------------- protection */

/* Adds up all ledgers of the plan. */
static stf_status report(stf_plan *head, int reset, stf_ft_report *sum)
{
    stfi_fft_plan *plan = own(head);
    stfi_exec *const execs[] = {plan->exec, plan->padded};
    stfi_ft_ledger ledger;
    stf_status status = stfi_e2e_ledger(plan->e2e, reset, &ledger);

    if (status == STF_OK)
        stfi_ft_ledger_report(&ledger, sum);
    for (size_t i = 0; i < sizeof execs / sizeof *execs; i++) {
        if (execs[i] == NULL || status != STF_OK)
            continue;
        status = head->dev->backend->fft->ledger(execs[i], reset, &ledger);
        if (status == STF_OK)
            stfi_ft_ledger_report(&ledger, sum);
    }
    if (plan->staging != NULL && status == STF_OK)
        status = report(&plan->staging->plan->head, reset, sum);
    return status;
}

static stf_status check_fault(const stf_plan *head, const stf_fault *fault)
{
    return stfi_fault_check(stfi_fft_plan_of(head)->schedule, fault);
}

static stf_status inject(stf_plan *head, const stf_fault *fault, int count)
{
    const stfi_fft_plan *plan = own(head);
    const stfi_fft_ops *fft = head->dev->backend->fft;
    stf_status status = fft->inject(plan->exec, fault, count);

    if (status == STF_OK && plan->padded != NULL)
        status = fft->inject(plan->padded, fault, count);
    return status;
}

/* Faults are given to both executables, and an execution runs only one. */
static int may_keep_faults(const stf_plan *head)
{
    return stfi_fft_plan_of(head)->padded != NULL;
}

static stf_fault draw_fault(const stf_plan *head, uint64_t seed)
{
    return stfi_fault_draw(stfi_fft_plan_of(head)->schedule, seed);
}

const stfi_plan_class stfi_fft_plan_class = {
    .name = "transforms",
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

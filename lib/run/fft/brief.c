/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Brief executions of plans of Fourier transforms, which look at nothing but their
 * arguments; see fft_plan.h. */
#include "base/fp_env.h"
#include "run/fft/fft_plan.h"
#include "run/protect.h"

int stfi_fft_plan_is_checked_by_passes(const stfi_fft_plan *plan,
                                       const stfi_exec *exec, int in_place)
{
    const stfi_fft_ops *fft = plan->head.dev->backend->fft;

    return fft->from_memory != NULL && fft->from_memory(exec, in_place);
}

/* Decides whether executions can be brief, and what they do then. */
static void set_brief(stfi_fft_plan *plan, int in_place, stfi_exec *exec,
                      stfi_fft_brief *b)
{
    const stfi_fft_ops *fft = plan->head.dev->backend->fft;

    if (fft->brief == NULL
        || (plan->e2e != NULL
            && !stfi_fft_plan_is_checked_by_passes(plan, exec, in_place))
        || (plan->head.workspace == NULL && plan->head.workspace_bytes > 0))
        return;
    b->as = fft->brief(exec);
    if (stfi_plan_is_protected(&plan->head)) /* it may have faults to suffer */
        b->as.kernel = NULL;
    b->exec = exec;
    b->unaligned = stfi_type_get(plan->desc.precision)->bytes - 1;
    for (int i = 0; i < 2; i++) {
        stfi_buffers buffers = {.in = NULL};
        stfi_fft_plan_direct(plan, i ? STF_INVERSE : STF_FORWARD, &buffers);
        b->allowed[i] =
            b->as.run != NULL && stfi_desc_has_direction(&plan->desc, i);
        b->way[i] = (stfi_brief_way){
            .scale = buffers.scale,
            .inverse = buffers.inverse,
            .backward = i,
        };
    }
}

void stfi_fft_plan_set_brief(stfi_fft_plan *plan)
{
    set_brief(plan, 0, plan->exec, &plan->brief[0]);
    if (plan->padded != NULL || plan->inplace_ok)
        set_brief(plan, 1, plan->padded != NULL ? plan->padded : plan->exec,
                  &plan->brief[1]);
}

int stfi_fft_plan_briefly(stf_plan *head, stf_direction direction,
                          const void *in, void *out)
{
    const stfi_fft_brief *b = &stfi_fft_plan_of(head)->brief[in == out];
    const int i = direction == STF_INVERSE;
    const stfi_brief_way *way = &b->way[i];

    if (head->class != &stfi_fft_plan_class || in == NULL || out == NULL
        || (((uintptr_t)in | (uintptr_t)out) & b->unaligned) != 0
        || (!i && direction != STF_FORWARD) || !b->allowed[i])
        return STFI_BRIEF_NOT;
    {
        STFI_FP_VECTOR_GUARD;
        if (b->as.asked != NULL)
            *b->as.asked = (stfi_brief_arrays){in, out};
        if (b->as.kernel == NULL)
            return b->as.run(b->exec, way, in, out, head->workspace);
        b->as.kernel(in, out, b->as.table, way->scale, way->inverse);
    }
    return STF_OK;
}

/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Sides whose reals have an order; see orders.h. */
#include "fft/gpu/orders.h"

int stfi_gpu_is_whole(const stfi_pass *p, const stfi_side *side)
{
    int whole = side->order != STFI_ORDER_NONE && side->index.elem == 1;

    for (int l = 0; l < p->nloops; l++)
        whole &= side->index.loop[l] == 0;
    return whole;
}

int stfi_gpu_is_long(const stfi_side *side)
{
    return side->order != STFI_ORDER_NONE && side->span >= INT32_MAX / 16;
}

/* Returns 1 if neighbouring reals of the order belong to elements at both ends. */
static int is_two_ended(const stfi_side *side)
{
    return (side->order == STFI_ORDER_FOLD || side->order == STFI_ORDER_ENDS)
           && side->form == STFI_FORM_PAIRS && side->mirror == 0
           && side->unit == 1;
}

int stfi_gpu_is_swapped(const stfi_pass *p, const stfi_side *side, int radix)
{
    int threads = p->block.threads / p->block.lanes;

    return is_two_ended(side) && stfi_gpu_is_whole(p, side)
           && p->conv == STFI_CONV_NONE && !stfi_pass_is_across(p, side)
           && threads % 2 == 0 && p->n / radix % threads == 0;
}

/* For orders see backends/gpu/kernels/fft/swapped.h. */
int stfi_gpu_most_at_once(const stfi_side *side)
{
    if (side->order != STFI_ORDER_NONE && side->form != STFI_FORM_COMPLEX)
        return !is_two_ended(side) ? 0 : side->order == STFI_ORDER_FOLD ? 4 : 2;
    if (side->form == STFI_FORM_PAIRS)
        return side->pair == 0 || side->pair == 1 ? 2 : 0;
    return side->form == STFI_FORM_REAL ? 0 : 2;
}

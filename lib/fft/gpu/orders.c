/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* What sides are like, above all those whose reals have an order; see orders.h. */
#include "fft/gpu/orders.h"

int stfi_gpu_is_whole(const stfi_pass *p, const stfi_side *side)
{
    int whole = side->order != STFI_ORDER_NONE && side->index.elem == 1
                && (side->limit == 0 || side->limit == p->signal / 2 + 1);

    for (int l = 0; l < p->nloops; l++)
        whole &= side->index.loop[l] == 0;
    return whole;
}

int stfi_gpu_is_run(const stfi_pass *p, const stfi_side *side)
{
    int64_t next = side->span;
    int run = p->nloops > 0 && stfi_gpu_is_whole(p, side) && side->unit == 1
              && side->form != STFI_FORM_COMPLEX;

    for (int l = 0; l < p->nloops; l++) {
        run &= side->loop_stride[l] == next;
        next *= p->loop_n[l];
    }
    return run;
}

/* Returns 1 if such rows are faster by way of block memory than real by real: short
 * ones that go there anyway; extensions, of which each real is loaded more than once;
 * results that are eight reals apart. Others are not, and neither are protected
 * doubles. Source: bench/results/cuda-h200-r2r.md. */
static int pays_copied(const stfi_pass *p, const stfi_side *side, int staged,
                       const stfi_gpu_config *c)
{
    const int single = stfi_gpu_config_real(c) == 4;
    const int extended =
        side->order == STFI_ORDER_EVEN || side->order == STFI_ORDER_ODD;

    if (c->check && !single)
        return 0;
    return staged || (p->op == STFI_OP_R2C && extended)
           || (side->order == STFI_ORDER_EIGHTH_BACK && single);
}

static int is_copied(const stfi_pass *p, const stfi_side *side, int staged,
                     const stfi_gpu_config *c)
{
    const int64_t room = p->block.split ? p->n : 2 * p->n;

    return stfi_gpu_is_run(p, side) && (side->span | 1) <= room
           && p->conv == STFI_CONV_NONE && !p->block.ahead && !p->is_signed
           && c->load_stored == c->real && c->store_stored == c->real
           && pays_copied(p, side, staged, c);
}

void stfi_gpu_set_copied(const stfi_pass *p, stfi_gpu_config *c)
{
    const stfi_op_row *op = stfi_op_get(p->op);

    c->load_copied = !op->loads_spectra && !c->load_swapped
                     && is_copied(p, &p->load, c->load_staged, c);
    c->store_copied = !op->stores_spectra && !c->store_swapped
                      && is_copied(p, &p->store, c->store_staged, c);
    c->load_staged &= !c->load_copied;
    c->store_staged &= !c->store_copied;
}

int stfi_gpu_is_adjoined(const stfi_side *side)
{
    return side->form != STFI_FORM_PAIRS || side->pair == 1;
}

int stfi_gpu_is_unit(const stfi_side *side)
{
    const int pairs =
        side->form == STFI_FORM_PAIRS && stfi_gpu_is_adjoined(side);

    return side->order != STFI_ORDER_NONE ? side->unit == 1
                                          : side->stride == 1 + pairs;
}

int stfi_gpu_is_long(const stfi_side *side)
{
    return side->order != STFI_ORDER_NONE && side->span >= INT32_MAX / 16;
}

/* Returns 1 if neighbouring reals of the order belong to elements at both ends. */
static int is_two_ended(const stfi_side *side)
{
    return (side->order == STFI_ORDER_FOLD || side->order == STFI_ORDER_ENDS)
           && side->form == STFI_FORM_PAIRS && side->unit == 1;
}

/* Returns 1 if partners are in the same wave: in rows they are neighbours; lanes
 * side by side are between them. */
static int is_near(const stfi_pass *p, const stfi_side *side, int wave)
{
    int lanes = p->block.lanes;

    if (side->mirror == 0)
        return stfi_gpu_is_whole(p, side) && !stfi_pass_is_across(p, side);
    return stfi_pass_is_across(p, side) && (lanes & (lanes - 1)) == 0
           && 2 * lanes <= wave && !side->reversed;
}

int stfi_gpu_is_swapped(const stfi_pass *p, const stfi_side *side, int radix,
                        int wave)
{
    int threads = p->block.threads / p->block.lanes;

    return is_two_ended(side) && is_near(p, side, wave)
           && p->conv == STFI_CONV_NONE && threads % 2 == 0
           && p->n / radix % threads == 0
           && (side->mirror == 0 || p->n / threads % 2 == 0);
}

/* For orders see backends/gpu/kernels/fft/swapped.h. */
int stfi_gpu_most_at_once(const stfi_side *side)
{
    if (side->order != STFI_ORDER_NONE && side->form != STFI_FORM_COMPLEX)
        return !is_two_ended(side)                                   ? 0
               : side->order == STFI_ORDER_FOLD && side->mirror == 0 ? 4
                                                                     : 2;
    if (side->form == STFI_FORM_PAIRS)
        return side->pair == 0 || side->pair == 1 ? 2 : 0;
    return side->form == STFI_FORM_REAL ? 0 : 2;
}

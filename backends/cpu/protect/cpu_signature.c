/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Signatures that launches without faults have; see cpu_signature.h. */
#include "backends/cpu/protect/cpu_signature.h"

#include <string.h>

#include "base/type.h"

/* 1 if both parts of all elements of a lane are in memory, at equal
 * distances. */
static int is_whole(const stfi_side *side)
{
    return side->form == STFI_FORM_COMPLEX && side->order == STFI_ORDER_NONE
           && side->limit == 0 && side->rows == 0 && side->block == 0;
}

/* The number of elements that a lane of a complex transform loads and stores; 0
 * for other operations. */
static int64_t elements_of(const stfi_pass *p)
{
    if (!stfi_op_is_conv(p->op))
        return p->op == STFI_OP_FFT ? p->n : 0;
    return p->conv == STFI_CONV_RADER       ? p->n + 1
           : p->conv == STFI_CONV_BLUESTEIN ? p->signal
                                            : p->n;
}

/* 1 if a pass loads exactly what the one before has stored, in the precision of
 * the arithmetic. */
static int is_carried(const stfi_cpu_pass *from, const stfi_cpu_pass *to,
                      stf_precision math)
{
    const stfi_pass *p = &from->p, *q = &to->p;
    int64_t stored = stfi_pass_signal_lanes(p) * elements_of(p);

    return p->store.buf == q->load.buf && from->store_format == math
           && to->load_format == math && is_whole(&p->store)
           && is_whole(&q->load) && stored > 0
           && stored == stfi_pass_signal_lanes(q) * elements_of(q);
}

/* 1 if each lane of a pass has a residual and a verdict of its own tile. */
static int has_residuals(const stfi_pass *p)
{
    return p->check.kind == STFI_CHECK_LANE && p->check.level != STF_FT_THREAD
           && p->check.transactions <= 1;
}

int stfi_cpu_sign_passes(stfi_cpu_pass *pass, int count, stf_precision data)
{
    stf_precision math = stfi_type_arithmetic(data)->id;

    for (int i = 0; i < count; i++) {
        if (!has_residuals(&pass[i].p)
            || (i > 0 && !is_carried(&pass[i - 1], &pass[i], math)))
            return 0;
    }
    for (int i = 1; i < count; i++)
        pass[i - 1].carries[1] = pass[i].carries[0] = 1;
    return 1;
}

uint64_t stfi_cpu_sign_lane(const stfi_cpu_pass *cp, const stfi_cpu_run *run)
{
    uint64_t scale;

    memcpy(&scale, &run->scale, sizeof scale);
    /* The sum is over the lanes of a run, of which there may be a power of two: it
     * loses the highest bits, among which are those of the exponent. */
    scale ^= scale >> 32;
    return ((uint64_t)(uintptr_t)cp + scale * STFI_CPU_SIGN_FROM
            + (uint64_t)run->batch * STFI_CPU_SIGN_TO + (run->inverse != 0))
           * STFI_CPU_SIGN_RUN;
}

uint64_t stfi_cpu_sign_origin(const stfi_side *side, const void *array)
{
    return side->buf == STFI_BUF_WORK0 || side->buf == STFI_BUF_WORK1
               ? (uint64_t)(uintptr_t)array
               : 0;
}

/* The sum of the addresses of all lanes of a side, whose loops have steps of
 * ls[] components. */
static uint64_t sum_addresses(const stfi_cpu_pass *cp, const stfi_cpu_run *run,
                              int loaded)
{
    const stfi_pass *p = &cp->p;
    const stfi_side *side = loaded ? &p->load : &p->store;
    const int64_t *ls = loaded ? cp->load_ls : cp->store_ls;
    const void *array = loaded ? run->src : run->dst;
    size_t bytes =
        stfi_type_get(loaded ? cp->load_format : cp->store_format)->bytes;
    uint64_t lanes = (uint64_t)(stfi_pass_signal_lanes(p) * run->batch);
    uint64_t total =
        lanes
        * ((uint64_t)(uintptr_t)array - stfi_cpu_sign_origin(side, array));

    for (int l = 0; l < p->nloops; l++) {
        uint64_t n = (uint64_t)(l == p->batch_loop ? run->batch : p->loop_n[l]);
        total += lanes / n * (n * (n - 1) / 2) * (uint64_t)ls[l] * bytes;
    }
    return total;
}

uint64_t stfi_cpu_sign(const stfi_cpu_pass *cp, const stfi_cpu_run *run)
{
    uint64_t lanes = (uint64_t)(stfi_pass_signal_lanes(&cp->p) * run->batch);

    return lanes * stfi_cpu_sign_lane(cp, run)
           + sum_addresses(cp, run, 1) * STFI_CPU_SIGN_FROM
           + sum_addresses(cp, run, 0) * STFI_CPU_SIGN_TO;
}

/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Predictions; see cost.h. */
#include "fft/cost.h"

#include <math.h>

#include "fft/factor.h"

/* Returns the reals that a side moves per lane. */
static double side_reals(const stfi_pass *p, const stfi_side *side, int store)
{
    const stfi_op_row *op = stfi_op_get(p->op);
    stfi_lane lane = store ? op->stores : op->loads;
    int pairs = op->transforms == 0, two = lane == STFI_LANE_TWO_SPECTRA;
    int spectrum = pairs || lane == STFI_LANE_SPECTRUM;
    double n = (double)(p->conv == STFI_CONV_SPREAD ? p->n : p->signal);

    if (side->order != STFI_ORDER_NONE && side->form != STFI_FORM_COMPLEX)
        return (side->mirror > 0 || side->rows > 0 || op->two ? 2.0 : 1.0)
               * (double)side->span
               / (double)(pairs ? p->loop_n[0] : side->index.elem);

    if (side->limit > 0) {
        double whole = n * (double)side->index.elem;
        n = whole > (double)side->limit && side->index.elem > 0
                ? (double)side->limit / (double)side->index.elem
                : n;
    }
    if (side->full > 0 && side->rows == 0 && side->limit == 0)
        n = n / 2 + 1;
    n += spectrum ? 1.0 : two ? 2.0 : 0.0;
    if (pairs)
        n /= (double)p->loop_n[0]; /* a row is shared among lanes */
    return side->form == STFI_FORM_REAL ? n : 2.0 * n;
}

/* Returns the number of lanes that move anything. */
static double used_lanes(const stfi_pass *p, const stfi_side *side)
{
    double lanes = (double)stfi_pass_lanes(p), all = 1.0;

    for (int l = 0; l < p->nloops && side->rows > 0; l++)
        all += (double)((p->loop_n[l] - 1) * side->index.loop[l]);
    return side->rows > 0 ? lanes * (double)side->rows / all : lanes;
}

static double side_bytes(const stfi_pass *p, const stfi_side *side,
                         stf_precision precision)
{
    stf_precision format = stfi_pass_format(p, precision, side->buf);

    return (double)stfi_type_get(format)->bytes * used_lanes(p, side)
           * side_reals(p, side, side == &p->store);
}

stfi_cost stfi_cost_pass(const stfi_pass *p, stf_precision precision,
                         const stfi_caps *caps)
{
    const stfi_type *type = stfi_type_get(precision);
    double lanes = (double)stfi_pass_lanes(p);
    double per_element = 10.0, memory, arithmetic;
    stfi_cost c;

    for (int s = 0; s < p->nstages; s++) {
        const stfi_radix *row = stfi_radix_at(0);
        for (int i = 0; row != NULL && row->r != p->radix[s]; i++)
            row = stfi_radix_at(i + 1);
        per_element += row != NULL ? 2.0 * row->ops + 6.0 : 0.0;
    }
    if (stfi_op_is_conv(p->op))
        per_element *= 2.0;
    c.bytes = side_bytes(p, &p->load, precision)
              + side_bytes(p, &p->store, precision);
    c.flops = lanes * (double)p->n * per_element;
    memory = c.bytes / caps->bandwidth;
    arithmetic = c.flops / caps->flops[type->wide];
    c.seconds =
        (memory > arithmetic ? memory : arithmetic) + caps->launch_seconds;
    return c;
}

stfi_cost stfi_cost_schedule(const stfi_schedule *s, const stfi_caps *caps)
{
    stfi_cost total = {0.0, 0.0, 0.0};
    double rounds = ceil((double)s->batch / (double)s->chunk);

    for (int i = 0; i < s->npasses; i++) {
        stfi_cost c = stfi_cost_pass(&s->pass[i], s->precision, caps);
        total.bytes += c.bytes * rounds;
        total.flops += c.flops * rounds;
        total.seconds += c.seconds * rounds;
    }
    return total;
}

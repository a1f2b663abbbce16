/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* What a pass does after its last stage: faults, modifiers, the residual. */
#ifndef STFI_PROTECT_FINISH_H
#define STFI_PROTECT_FINISH_H

#include "backends/cpu/fft/tile_store.h"
#include "backends/cpu/protect/strike.h"

/* Lets faults strike the results of the last stage, in natural order. */
static void strike_results(const tile *t)
{
    const stfi_pass *p = &t->cp->p;

    if (p->nstages > 0)
        strike(t, stfi_op_is_conv(p->op) ? 2 * p->nstages : p->nstages, 0, p->n,
               t->data, NULL);
}

/* Sums up results [e0, e0 + count) in the tile. */
static void weigh_within(const tile *t, int64_t e0, int64_t count,
                         const real *data, const uint32_t *pos)
{
    t->probe->within = 1;
    weigh_side(t, 0, e0, count, data, pos);
}

/* Returns the sum over all results: those in the tile, or what was stored of
 * them. */
static C weigh_output(const tile *t, int in_memory)
{
    probe *k = t->probe;

    if (in_memory)
        weigh_stored(t, 0, k->results, t->data, k->pos);
    else
        weigh_within(t, 0, k->results, t->data, k->pos);
    return sums_take(&k->out, k->e_fold, k->ro != 0);
}

/* Makes the residual of a pass that has only one. */
static void close_residual(const tile *t, C result)
{
    probe *k = t->probe;

    k->result = result;
    probe_take(k, k->row_fold, result);
}

/* Stores `count` finished results and returns the sum over them in memory. Those
 * of columns are summed up as soon as they are stored (is_summed_apart()). */
static C put_summed(const tile *t, int64_t count, const uint32_t *pos)
{
    probe *k = t->probe;
    int64_t size = is_summed_apart(t, &t->work.out) ? count : SUMMED_AT_ONCE;

    for (int64_t e = 0; e < count; e += size) {
        const real *data = data_from(t->data, pos, e);
        const uint32_t *at = pos_from(pos, e);
        size = count - e < size ? count - e : size;
        put_segment(t, e, size, data, at);
        weigh_stored(t, e, size, data, at);
    }
    return sums_take(&k->out, k->e_fold, k->ro != 0);
}

/* Finishes all `count` results: modifies and weighs them. They lie in natural
 * order, or at the places pos. Those that need not wait for the verdict are
 * stored, and what is weighed is what was stored. */
static void finish(tile *t, int64_t count, const uint32_t *pos)
{
    probe *k = t->probe;

    modify_segment(t, 0, count, t->data, pos);
    if (k == NULL)
        return;
    k->results = count;
    k->pos = pos;
    k->weigh = weigh_output;
    t->stored = !k->late;
    close_residual(t, k->late ? weigh_output(t, 0) : put_summed(t, count, pos));
}

#endif

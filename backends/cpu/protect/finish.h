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

/* Makes the residual of a pass that has only one, when both of its sums are
 * complete. */
static void close_residual(const tile *t)
{
    probe *k = t->probe;

    if (k != NULL)
        probe_take(k, k->row_fold, k->e_fold);
}

/* Finishes all results: modifies and weighs them. They lie in natural order,
 * or at the places pos. */
static void finish(const tile *t, int64_t count, const uint32_t *pos)
{
    finish_segment(t, 0, count, t->data, pos);
    close_residual(t);
}

#endif

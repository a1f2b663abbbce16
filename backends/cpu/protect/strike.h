/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Fault injection: changes values of a tile between two stages. ft/fault.h
 * defines the places at which a fault can be. */
#ifndef STFI_PROTECT_STRIKE_H
#define STFI_PROTECT_STRIKE_H

#include "backends/cpu/protect/guard.h"

#if STFI_REAL_BYTES == 4
typedef uint32_t bits;
#else
typedef uint64_t bits;
#endif

/* 1 if this is the first attempt at the tile. */
static int is_first(const tile *t)
{
    return !t->run->watch->again && (t->probe == NULL || t->probe->attempt == 0)
           && (t->guard == NULL || t->guard->attempt == 0);
}

/* 1 if the fault hits a lane of the tile in this attempt. Only persistent
 * faults hit attempts after the first. */
static int is_hit(const tile *t, const stfi_cpu_fault *f)
{
    const stfi_cpu_watch *watch = t->run->watch;

    return f->pass == watch->pass && f->chunk == watch->chunk
           && f->lane >= t->lane && f->lane < t->lane + t->count
           && (f->persistent || is_first(t));
}

static int is_struck(const tile *t)
{
    const stfi_cpu_watch *watch = t->run->watch;

    for (int i = 0; i < watch->faults; i++)
        if (is_hit(t, &watch->fault[i]))
            return 1;
    return 0;
}

static void strike_value(const stfi_cpu_fault *f, real *value)
{
    bits b;

    if (f->bit < 0) {
        *value += (real)f->magnitude;
        return;
    }
    memcpy(&b, value, sizeof b);
    b ^= (bits)1 << f->bit;
    memcpy(value, &b, sizeof b);
}

/* Lets faults strike elements [first, first + count) of the stage's input.
 * Element first + i lies at place i of data, or pos[i] if pos is not NULL. */
static void strike_now(const tile *t, int stage, int64_t first, int64_t count,
                       real *data, const uint32_t *pos)
{
    const stfi_cpu_watch *watch = t->run->watch;

    for (int i = 0; i < watch->faults; i++) {
        const stfi_cpu_fault *f = &watch->fault[i];
        if (is_hit(t, f) && f->stage == stage && f->element >= first
            && f->element < first + count)
            strike_value(f, place(data, pos, f->element - first)
                                + f->component * W + (f->lane - t->lane));
    }
}

/* Calls strike_now() if there is a fault for this tile. */
INLINE void strike(const tile *t, int stage, int64_t first, int64_t count,
                   real *data, const uint32_t *pos)
{
    if (t->struck)
        strike_now(t, stage, first, count, data, pos);
}

/* Lets faults strike the input of stage s, which has the number `stage` in the
 * pass; the transform began in pos order. With m the product of the radices
 * before s, the stages before s have made m values of the inputs q, q + n/m,
 * ...; these lie at pos[q] and the places after it, and element q * m + k is
 * the k-th of them. */
static void strike_stage(const tile *t, int stage, int s)
{
    const stfi_cpu_watch *watch = t->run->watch;
    const stfi_pass *p = &t->cp->p;
    int64_t m = 1;

    for (int i = 0; i < s; i++)
        m *= p->radix[i];
    for (int i = 0; i < watch->faults; i++) {
        const stfi_cpu_fault *f = &watch->fault[i];
        int64_t at;
        if (!is_hit(t, f) || f->stage != stage)
            continue;
        at = (int64_t)t->cp->pos[f->element / m] + f->element % m;
        strike_value(f, t->data + at * ELEM + f->component * W
                            + (f->lane - t->lane));
    }
}

/* Runs stage s and checks its butterflies; its input has the number `at` for
 * faults. Faults of the input strike after the input is weighed, and faults of
 * the pass's results before these are weighed, so that the check can see both.
 * `pos` is 1 if the input is in pos order; otherwise it is in natural order,
 * and twiddles are multiplied after the butterflies. */
static void run_guarded_stage(const tile *t, int at, int s, int64_t m, int pos,
                              int ro, int io)
{
    const stfi_pass *p = &t->cp->p;
    int both = stfi_op_is_conv(p->op);
    const layer y = layer_make(t, s, m, !pos, ro, io);

    guard_before(t, &y);
    if (t->guard->struck && pos)
        strike_stage(t, at, s);
    else if (t->guard->struck)
        strike_now(t, at, 0, p->n, t->data, NULL);
    run_stage(t->cp, t->data, s, m, !pos, ro, io);
    if (t->guard->struck && at + 1 == (both ? 2 : 1) * p->nstages)
        strike_now(t, at + 1, 0, p->n, t->data, NULL);
    guard_after(t, &y);
}

static void run_guarded_stages(const tile *t, int base, int from, int to,
                               int ro, int io)
{
    int64_t m = 1;

    for (int s = 0; s < to; s++) {
        if (s >= from)
            run_guarded_stage(t, base + s, s, m, 1, ro, io);
        m *= t->cp->p.radix[s];
    }
}

/* Runs stages [from, to) as run_dit() does, with checks and faults. The input
 * of stage s has the number base + s for faults. The caller lets faults strike
 * the input of stage 0, unless butterflies are checked. */
INLINE void run_stages(const tile *t, int base, int from, int to, int ro,
                       int io)
{
    if (t->guard != NULL) {
        run_guarded_stages(t, base, from, to, ro, io);
        return;
    }
    if (!t->struck) {
        run_dit(t->cp, t->data, from, to, ro, io);
        return;
    }
    for (int s = from; s < to; s++) {
        if (s > 0)
            strike_stage(t, base + s, s);
        run_dit(t->cp, t->data, s, s + 1, ro, io);
    }
}

/* The forward transform of a convolution, from natural order to pos order; it
 * runs the stages from the last to the first. */
static void run_stages_back(const tile *t, int ro, int io)
{
    const stfi_cpu_pass *cp = t->cp;
    int64_t m = cp->p.n;

    for (int s = cp->p.nstages - 1, done = 0; s >= 0; s--, done++) {
        m /= cp->p.radix[s];
        if (t->guard != NULL) {
            run_guarded_stage(t, done, s, m, 0, ro, io);
            continue;
        }
        strike(t, done, 0, cp->p.n, t->data, NULL);
        run_stage(cp, t->data, s, m, 1, ro, io);
    }
}

#endif

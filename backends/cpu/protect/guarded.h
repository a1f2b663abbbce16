/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Level THREAD: the verdict on a tile whose butterflies are checked (guard.h),
 * and the passes over such tiles. */
#ifndef STFI_PROTECT_GUARDED_H
#define STFI_PROTECT_GUARDED_H

#include "backends/cpu/protect/verdict.h"

static void make_guarded(tile *t, const method *m, int attempt)
{
    guard *g = t->guard;

    guard_start(g, attempt);
    t->stored = 0;
    g->struck = t->run->watch->fault != NULL && is_struck(t);
    /* One point has no butterfly. */
    t->struck = g->struck && t->cp->p.nstages == 0;
    m->make(t);
}

static void make_guarded_again(void *arg, int attempt, stfi_cpu_group *group)
{
    retry *r = arg;

    make_guarded(r->t, r->m, attempt);
    memcpy(group, r->t->guard->group, (size_t)r->t->count * sizeof *group);
}

/* Settles a tile of level THREAD. Each lane is judged by the butterfly with the
 * largest ratio. Ratios include the bound already, hence {1, 0}. */
static void settle_guarded(tile *t, const method *m)
{
    retry r = {t, m, 0};
    stfi_cpu_suspect s;

    s.p = &t->cp->p;
    s.watch = t->run->watch;
    s.bound = (stfi_ft_bound){1, 0};
    s.lane = t->lane;
    s.lanes = s.count = t->count;
    s.attempts = 0;
    s.again = make_guarded_again;
    s.tile = &r;
    memcpy(s.group[0], t->guard->group, (size_t)t->count * sizeof(*s.group)[0]);
    stfi_cpu_settle(&s);
}

/* Computes lanes [begin, end) of a pass whose butterflies are checked. `memory`
 * has room for the entries of one stage (entry_elements()). */
static __attribute__((noinline)) void
run_guarded(tile *t, const method *m, real *memory, int64_t begin, int64_t end)
{
    stfi_cpu_watch *watch = t->run->watch;
    guard g = {.entry = (entry *)memory};
    walk at;

    t->guard = &g;
    walk_start(&at, t->cp, t->run, begin);
    for (int64_t lane = begin; lane < end; lane += W) {
        tile_next(t, &at, lane, end);
        make_guarded(t, m, 0);
        if (g.alarmed)
            settle_guarded(t, m);
        if (!t->stored)
            m->put(t);
    }
    watch->checked += guard_count(&t->cp->p) * (end - begin);
    for (int l = 0; l < W; l++) {
        double worst =
            sqrt((double)lane_of(&g.worst, l)) / (double)STFI_FT_REPORT;
        watch->worst = worst > watch->worst ? worst : watch->worst;
    }
}

#endif

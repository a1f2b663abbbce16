/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Brief launches without checks; and passes without checks, of these and of transforms
 * that are checked as a whole. */
#include "backends/cpu/cpu_exec_whole.h"
#include "base/team.h"

void stfi_cpu_exec_run_passes(const stfi_exec *x, const stfi_buffers *b,
                              int slot, void *scratch, int64_t begin,
                              int64_t end, const stfi_cpu_team *t)
{
    stfi_cpu_watch watch = {.log = NULL};

    for (int i = 0; i < x->npasses; i++) {
        const stfi_cpu_pass *cp = &x->pass[i];
        const stfi_cpu_run run = {
            .src = stfi_cpu_exec_buffer(x, b, cp->p.load.buf, begin, slot),
            .dst = stfi_cpu_exec_buffer(x, b, cp->p.store.buf, begin, slot),
            .scratch = scratch,
            .batch = end - begin,
            .scale = cp->p.scaled
                         ? stfi_schedule_scale(&x->schedule, i, b->scale)
                         : 1.0,
            .inverse = b->inverse,
            .watch = &watch,
        };
        int64_t from, to;
        stfi_cpu_exec_share(stfi_pass_signal_lanes(&cp->p) * (end - begin),
                            cp->kernels->lanes, t, &from, &to);
        if (from < to)
            cp->kernels->run(cp, &run, from, to);
        if (t->threads > 1)
            stfi_team_meet(t->threads);
    }
}

/* Faults are for passes, which launch() runs. */
static int launch_briefly(stfi_exec *x, const stfi_brief_way *way,
                          const void *in, void *out, void *work)
{
    const stfi_cpu_compact *c = x->compact;
    const stfi_cpu_compact_run run = {
        .src = in,
        .dst = out,
        .scratch = stfi_cpu_exec_tile(x, work, 0),
        .scale = way->scale,
        .inverse = way->inverse,
        .end = x->schedule.batch,
    };

    if (atomic_load_explicit(&x->faults, memory_order_relaxed) > 0)
        return STFI_BRIEF_NOT;
    c->kernels->run(c, &run);
    return STF_OK;
}

/* The same of passes. */
static int run_briefly(stfi_exec *x, const stfi_brief_way *way, const void *in,
                       void *out, void *work)
{
    static const stfi_cpu_team alone = {0, 1};
    const int64_t batch = x->schedule.batch, chunk = x->schedule.chunk;
    const stfi_buffers b = {
        .in = in,
        .out = out,
        .work = work,
        .inverse = way->inverse,
        .backward = way->backward,
        .scale = way->scale,
    };

    if (atomic_load_explicit(&x->faults, memory_order_relaxed) > 0)
        return STFI_BRIEF_NOT;
    for (int64_t i = 0; i < batch; i += chunk)
        stfi_cpu_exec_run_passes(x, &b, 0, stfi_cpu_exec_tile(x, work, 0), i,
                                 batch - i < chunk ? batch : i + chunk, &alone);
    return STF_OK;
}

/* 1 if passes compute by vectors alone, which brief launches ask for. */
static int may_be_brief(const stfi_exec *x)
{
    return x->schedule.precision == STF_F32 || x->schedule.precision == STF_F64;
}

stfi_brief stfi_cpu_exec_brief(stfi_exec *x)
{
    const stfi_cpu_compact *c = x->compact;

    if (x->threads > 1)
        return (stfi_brief){.run = NULL};
    if (stfi_cpu_whole_is_made(&x->whole))
        return (stfi_brief){
            .run = x->schedule.batch == 1 && x->bare->compact != NULL
                           && x->whole.packed == 0
                       ? stfi_cpu_exec_alone_briefly
                       : stfi_cpu_exec_whole_briefly,
            .asked = &x->asked,
        };
    if (x->checked)
        return (stfi_brief){.run = NULL};
    if (c == NULL)
        return (stfi_brief){.run = may_be_brief(x) ? run_briefly : NULL};
    return (stfi_brief){
        .kernel = x->schedule.batch == 1 ? c->one.run : NULL,
        .table = c->one.table,
        .run = launch_briefly,
    };
}

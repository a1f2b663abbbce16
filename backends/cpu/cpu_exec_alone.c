/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Brief launches of a single row that is compact and checked as a whole
 * (cpu_exec_whole.c), as long as it is clean: of a short one, most of the time would
 * go into what rows that are not clean need. */
#include <string.h>

#include "backends/cpu/cpu_exec_whole.h"
#include "base/type.h"

static void compute(const stfi_cpu_compact *c, const stfi_brief_way *way,
                    const void *in, void *out, char *scratch)
{
    const stfi_cpu_compact_run run = {
        .src = in,
        .dst = out,
        .scratch = scratch,
        .scale = way->scale,
        .inverse = way->inverse,
        .end = 1,
    };

    c->kernels->run(c, &run);
}

int stfi_cpu_exec_alone_briefly(stfi_exec *x, const stfi_brief_way *way,
                                const void *in, void *out, void *work)
{
    /* Read anew for each use: what hits a register hits one of them. */
    const void *volatile from = in;
    void *volatile to = out;
    stfi_cpu_whole *w = &x->whole;
    const stfi_cpu_whole_way *by = w->way[way->backward];
    const int checks = w->checks;
    const size_t apart = stfi_cpu_round_up(w->terms);
    const stfi_cpu_compact *c = x->bare->compact;
    const double before = atomic_load_explicit(&w->worst, memory_order_relaxed);
    char *scratch = stfi_cpu_exec_tile(x, work, 0);
    char *terms = scratch + x->whole_at[1];
    stfi_cpu_alone found = {1, NULL, 0, before};

    if (!stfi_cpu_exec_is_whole_brief(x, way, from == to))
        return STFI_BRIEF_NOT;
    for (int k = 0; k < checks; k++) {
        char *sums = terms + (size_t)k * apart;
        const char *at = by[k].side[0].enter(&by[k].side[0], from, sums);
        found.sums = at != sums ? at : found.sums;
    }
    if (from == to)
        memcpy(scratch + x->whole_at[0], from,
               (size_t)by->side[0].reals
                   * stfi_type_get(x->schedule.precision)->bytes);
    if (c->one.run != NULL)
        c->one.run(from, to, c->one.table, way->scale, way->inverse);
    else
        compute(c, way, from, to, scratch);
    for (int k = 0; k < checks; k++)
        found.clean &=
            by[k].side[1].judge(&by[k].side[1], to, terms + (size_t)k * apart,
                                &by[k].limit, &found.worst);
    found.astray = stfi_cpu_exec_is_astray(x, from, to);
    if (!found.clean || found.astray || found.sums != NULL
        || found.worst > before)
        return stfi_cpu_exec_end_alone(x, way, from, to, work, &found);
    stfi_cpu_exec_count(x, 1);
    return STF_OK;
}

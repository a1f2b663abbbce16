/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Prepares executables for checks of each transform as a whole: which of them have
 * such checks, and what computes their transforms (cpu_exec_whole.h). */
#include <string.h>

#include "backends/cpu/compact/cpu_one_store.h"
#include "backends/cpu/cpu_exec_whole.h"
#include "base/alloc.h"
#include "base/type.h"

/* ------------------------------------------------------------- the making */

/* 1 if the checks of a pass are judged tile by tile, or element by element. */
static int is_by_tile(const stfi_pass *p)
{
    return p->check.kind != STFI_CHECK_NONE && p->check.level != STF_FT_THREAD
           && p->check.transactions <= 1;
}

/* 1 if the lanes of the only pass are the transforms of the batch. */
static int is_one_pass(const stfi_exec *x)
{
    const stfi_pass *p = &x->pass[0].p;

    return x->npasses == 1 && p->conv != STFI_CONV_SPREAD
           && stfi_pass_signal_lanes(p) == 1;
}

/* 1 if threads share the passes of a transform, and wait for each other. */
static int shares_passes(const stfi_exec *x)
{
    return x->npasses > 1 && x->threads > 1 && x->schedule.slots < x->threads;
}

/* 1 if transforms are long enough for each thread to sum up a share of them. */
static int is_long(const stfi_exec *x)
{
    enum { LEAST_BYTES = 1 << 16 };
    const stfi_schedule *s = &x->schedule;

    return (s->batch_stride[0] + s->batch_stride[1])
               * (int64_t)stfi_type_get(s->precision)->bytes
           >= LEAST_BYTES;
}

/* 1 if the schedule may be one of transforms that are checked as a whole. */
static int may_be_whole(const stfi_exec *x)
{
    const stfi_schedule *s = &x->schedule;

    if (!x->checked || s->apart
        || (s->precision != STF_F32 && s->precision != STF_F64)
        || (shares_passes(x) && !is_long(x)))
        return 0;
    for (int i = 0; i < x->npasses; i++)
        if (!is_by_tile(&s->pass[i]))
            return 0;
    return 1;
}

/* Makes x->bare by the same schedule without checks. A schedule is too large for the
 * stack of a thread. */
static stf_status make_bare(const char *isa, const stfi_dft *dft, stfi_exec *x)
{
    stfi_schedule *s;
    void *memory;
    stf_status status = stfi_alloc_raw(sizeof *s, "a schedule", &memory);

    if (status != STF_OK)
        return status;
    s = memory;
    *s = x->schedule;
    for (int i = 0; i < s->npasses; i++) {
        memset(&s->pass[i].check, 0, sizeof s->pass[i].check);
        s->pass[i].gated = 0;
    }
    status = stfi_cpu_exec_make(isa, s, x->threads, x, dft, &x->bare);
    stfi_dealloc(s);
    return status;
}

_Static_assert(STFI_WHOLE_AT_ONCE == (int)STFI_CPU_ONE_WHOLE,
               "vectors are levelled for the butterflies that kernels have");

stf_status stfi_cpu_exec_may_check_whole(const char *isa, const stfi_dft *dft,
                                         stfi_exec *x, int *how_p)
{
    const stfi_cpu_compact *compact;
    stf_status status;

    *how_p = STFI_WHOLE_NONE;
    if (!may_be_whole(x))
        return STF_OK;
    status = make_bare(isa, dft, x);
    if (status != STF_OK)
        return status;
    compact = x->bare->compact;
    if (shares_passes(x)
            ? compact == NULL
            : compact != NULL || is_one_pass(x->bare) || x->npasses > 1)
        *how_p = compact != NULL && compact->at_once ? STFI_WHOLE_AXES
                                                     : STFI_WHOLE_PASSES;
    if (*how_p == STFI_WHOLE_NONE) {
        stfi_cpu_exec_destroy(x->bare);
        x->bare = NULL;
    }
    return STF_OK;
}

/* The rows that kernels compute at a time: several passes, any number up to a
 * chunk. */
static int64_t tile_of(const stfi_exec *bare)
{
    return bare->compact != NULL ? bare->compact->group
           : bare->npasses > 1   ? bare->schedule.chunk
                                 : bare->pass[0].kernels->lanes;
}

/* The rows that fill the vectors of passes; 0 if rows are computed otherwise. */
static int64_t filled_by(const stfi_exec *bare)
{
    int64_t least = 1;

    if (bare->compact != NULL || bare->npasses == 1)
        return 0;
    for (int i = 0; i < bare->npasses; i++) {
        const stfi_cpu_pass *cp = &bare->pass[i];
        if (stfi_op_get(cp->p.op)->transforms > 0
            && stfi_pass_signal_lanes(&cp->p) == 1)
            least = cp->kernels->lanes;
    }
    return least;
}

/* 1 if rows are computed twice, and compared, in less time than sums over them take: two
 * sums from end to end, or one over the shortest rows. Bound: measured. */
static int are_compared(const stfi_cpu_compact *c,
                        const stfi_ft_whole_checks *checks)
{
    enum { SHORT = 18 }; /* reals of both sides */
    const int end_to_end = checks->by[0][1] != NULL || checks->by[1][1] != NULL;

    return c != NULL && c->kernels->is_same != NULL
           && (end_to_end
               || (c->form == STFI_CPU_COMPLEX ? 4 : 2) * c->n <= SHORT);
}

stf_status stfi_cpu_exec_check_whole(stfi_exec *x, const char *isa,
                                     const stfi_ft_whole_checks *checks)
{
    stfi_cpu_whole *w = &x->whole;
    const int64_t rows = x->schedule.chunk < x->schedule.batch
                             ? x->schedule.chunk
                             : x->schedule.batch;
    size_t bytes = stfi_cpu_round_up(x->bare->tile_bytes);
    stf_status status;

    w->shared = shares_passes(x) ? (int)rows : 0;
    w->twice = are_compared(x->bare->compact, checks);
    status = stfi_cpu_whole_make(isa, x->schedule.precision, checks,
                                 x->schedule.batch_stride, x->schedule.batch,
                                 tile_of(x->bare), filled_by(x->bare), w);
    if (status != STF_OK || !stfi_cpu_whole_is_made(w)) {
        w->shared = 0;
        return status;
    }
    if (x->schedule.batch == 1 && x->bare->compact != NULL)
        stfi_cpu_whole_read_by(
            w, stfi_cpu_one_store_bytes(x->bare->compact->one.run));
    if (x->bare->compact != NULL && !w->twice)
        stfi_cpu_whole_prefetch(w, x->schedule.batch);
    x->whole_at[0] = bytes;
    x->whole_at[1] = bytes += stfi_cpu_round_up(w->keep);
    x->whole_at[2] = bytes +=
        (size_t)(w->twice ? 2 : w->checks) * stfi_cpu_round_up(w->terms);
    bytes += stfi_cpu_round_up(w->packed);
    x->tile_bytes = bytes > x->tile_bytes ? bytes : x->tile_bytes;
    return STF_OK;
}

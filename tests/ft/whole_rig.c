/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Plans whose checks as a whole are struck; see whole_rig.h. */
#include "tests/ft/whole_rig.h"

#include <fenv.h>
#include <string.h>

#include "base/type.h"
#include "support/problem/problem.h"
#include "tests/tap.h"

stfi_whole_struck stfi_whole_strike;
_Alignas(64) unsigned char stfi_whole_memory[3][STFI_WHOLE_BYTES];

/* Strikes before the first row is judged, whose thread has computed it. */
static void hit(const void *dst)
{
    if (dst != stfi_whole_memory[1]
        || atomic_fetch_sub(&stfi_whole_strike.hits, 1) <= 0)
        return;
    if (stfi_whole_strike.output != NULL)
        *stfi_whole_strike.output ^= 0x40;
    if (stfi_whole_strike.input != NULL)
        *stfi_whole_strike.input ^= 0x40;
}

static int struck_judge(const stfi_cpu_whole_side *out, const void *dst,
                        const void *terms, const stfi_cpu_whole_limit *limit,
                        double *worst)
{
    int clean;

    hit(dst);
    clean = stfi_whole_strike.blind
            || stfi_whole_strike.judge[out == stfi_whole_strike.side[1]](
                out, dst, terms, limit, worst);
    stfi_whole_strike.unclean += !clean;
    return clean;
}

static int64_t struck_judge_rows(const stfi_cpu_whole_side *out,
                                 const void *dst, int64_t first, int64_t rows,
                                 const void *terms,
                                 const stfi_cpu_whole_limit *limit,
                                 double *worst)
{
    const int is_first =
        out == stfi_whole_strike.side[0] || out == stfi_whole_strike.side[1];
    int64_t row = rows;

    hit(dst);
    if (!is_first || !stfi_whole_strike.blind)
        row = stfi_whole_strike.real->judge_rows(out, dst, first, rows, terms,
                                                 limit, worst);
    stfi_whole_strike.unsure += is_first && row < rows;
    return row;
}

/* Leaves out the last row, or stores the sums in the input. */
static stfi_cpu_whole_entered struck_enter_rows(const stfi_cpu_whole_side *in,
                                                const void *src, int64_t rows,
                                                void *terms)
{
    const int less = atomic_fetch_sub(&stfi_whole_strike.skips, 1) > 0;
    const int strays = atomic_fetch_sub(&stfi_whole_strike.strays, 1) > 0;

    return stfi_whole_strike.real->enter_rows(
        in, src, rows - less, strays ? stfi_whole_strike.input : terms);
}

static const void *struck_enter(const stfi_cpu_whole_side *in, const void *src,
                                void *terms)
{
    const int strays = atomic_fetch_sub(&stfi_whole_strike.strays, 1) > 0;

    return stfi_whole_strike.enter[in + 1 == stfi_whole_strike.side[1]](
        in, src, strays ? stfi_whole_strike.input : terms);
}

/* Strikes the output before the thread sums it up whose share it is. */
static const void *struck_share(const stfi_cpu_whole_side *out, const void *src,
                                void *terms)
{
    const uintptr_t at = (uintptr_t)stfi_whole_strike.output;
    const uintptr_t from = (uintptr_t)src;
    const size_t bytes = (size_t)out->reals * stfi_whole_strike.real_bytes;

    if (at >= from && at < from + bytes)
        hit(stfi_whole_memory[1]);
    return stfi_whole_strike.share(out, src, terms);
}

stfi_exec *stfi_whole_exec(const stf_plan *plan)
{
    return stfi_fft_plan_of(plan)->exec;
}

void stfi_whole_set_strike(const stf_plan *plan, char *output, char *input,
                           int hits, int skips)
{
    stfi_cpu_whole *w = &stfi_whole_exec(plan)->whole;

    stfi_whole_strike.real = w->kernels;
    stfi_whole_strike.kernels = *w->kernels;
    for (int d = 0; d < 2; d++) {
        stfi_whole_strike.side[d] = &w->way[d][0].side[1];
        stfi_whole_strike.judge[d] = w->way[d][0].side[1].judge;
        stfi_whole_strike.enter[d] = w->way[d][0].side[0].enter;
        w->way[d][0].side[0].enter = struck_enter;
        w->way[d][0].side[1].judge = struck_judge;
    }
    stfi_whole_strike.share = w->way[0][0].side[1].enter;
    stfi_whole_strike.real_bytes =
        stfi_type_get(w->kernels->key.precision)->bytes;
    if (w->shared)
        w->way[0][0].side[1].enter = struck_share;
    stfi_whole_strike.kernels.judge_rows = struck_judge_rows;
    stfi_whole_strike.kernels.enter_rows = struck_enter_rows;
    stfi_whole_strike.output = output;
    stfi_whole_strike.input = input;
    stfi_whole_strike.hits = hits;
    stfi_whole_strike.skips = skips;
    stfi_whole_strike.strays = 0;
    stfi_whole_strike.unclean = 0;
    stfi_whole_strike.unsure = 0;
    stfi_whole_strike.blind = 0;
    w->kernels = &stfi_whole_strike.kernels;
}

void stfi_whole_end_strike(const stf_plan *plan)
{
    stfi_cpu_whole *w = &stfi_whole_exec(plan)->whole;

    w->kernels = stfi_whole_strike.real;
    w->way[0][0].side[1].enter = stfi_whole_strike.share;
    for (int d = 0; d < 2; d++) {
        w->way[d][0].side[0].enter = stfi_whole_strike.enter[d];
        w->way[d][0].side[1].judge = stfi_whole_strike.judge[d];
    }
}

int stfi_whole_wrong(stfi_whole_rig *r, stfi_whole_aspect *const *aspects,
                     size_t count)
{
    int wrong = 0;

    for (size_t i = 0; i < count; i++)
        if (!aspects[i](r)) {
            tap_diag("aspect %d", (int)i);
            wrong++;
        }
    return wrong;
}

stf_plan *stfi_whole_plan(stf_device *dev, const stfi_whole_problem *p,
                          stf_ft_mode mode, int end_to_end)
{
    stf_fft_desc d = stf_fft_desc_default();
    stf_plan *plan = NULL;

    d.kind = stfi_kind_is_r2r(p->kind) ? STF_R2R : p->kind;
    d.kinds[0] = stfi_kind_is_r2r(p->kind) ? p->kind : d.kinds[0];
    d.precision = p->precision;
    d.rank = p->rank;
    memcpy(d.n, p->n, sizeof p->n);
    d.batch = p->batch;
    d.threads = p->threads;
    d.ft.mode = mode;
    d.ft.end_to_end = end_to_end;
    return stf_plan_fft(dev, &d, &plan) == STF_OK ? plan : NULL;
}

int stfi_whole_open(stfi_whole_rig *r, stf_device *dev,
                    const stfi_whole_problem *p, int end_to_end)
{
    uint64_t state = tap_seed();

    *r = (stfi_whole_rig){.p = p};
    r->off = stfi_whole_plan(dev, p, STF_FT_OFF, 0);
    r->correct = stfi_whole_plan(dev, p, STF_FT_CORRECT, end_to_end);
    r->detect = stfi_whole_plan(dev, p, STF_FT_DETECT, end_to_end);
    r->bytes = stfi_type_get(p->precision)->bytes;
    r->direction = p->kind == STF_C2R ? STF_INVERSE : STF_FORWARD;
    r->in = stfi_whole_memory[0];
    r->out = stfi_whole_memory[1];
    r->want = stfi_whole_memory[2];
    if (r->off == NULL || r->correct == NULL || r->detect == NULL)
        return 0;
    memset(stfi_whole_memory, 0x5a, sizeof stfi_whole_memory);
    stfi_random_fill(p->precision, r->in, STFI_WHOLE_REALS, &state);
    return stf_execute(r->off, r->direction, r->in, r->want) == STF_OK;
}

void stfi_whole_close(stfi_whole_rig *r)
{
    stf_plan_destroy(r->off);
    stf_plan_destroy(r->correct);
    stf_plan_destroy(r->detect);
}

int stfi_whole_execute(stfi_whole_rig *r, stf_plan *plan,
                       stf_ft_report *report_p)
{
    stf_status status;
    int flags;

    memset(r->out, 0x5a, sizeof stfi_whole_memory[1]);
    memset(plan->workspace, 0xff, plan->workspace_bytes);
    stf_plan_ft_reset(plan);
    feclearexcept(FE_ALL_EXCEPT);
    status = stf_execute(plan, r->direction, r->in, r->out);
    flags = fetestexcept(FE_ALL_EXCEPT);
    stf_plan_ft_report(plan, report_p);
    if (flags != 0)
        return -200;
    return memcmp(r->out, r->want, sizeof stfi_whole_memory[1]) != 0
               ? -100
               : (int)status;
}

char *stfi_whole_byte(const stfi_whole_rig *r, unsigned char *array, int side)
{
    const int64_t reals =
        stfi_whole_exec(r->correct)->schedule.batch_stride[side];

    return (char *)array + (size_t)(reals / 2 + 1) * r->bytes - 1;
}

int64_t stfi_whole_reals(const stfi_whole_rig *r)
{
    return stfi_whole_exec(r->correct)->schedule.batch_stride[0] * r->p->batch;
}

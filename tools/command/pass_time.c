/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Times of single passes; see pass_time.h. To time one pass, a schedule that
 * has only this pass is executed between the same arrays and workspace. */
#include "tools/command/pass_time.h"

#include "base/alloc.h"
#include "run/fft/fft_plan.h"
#include "run/queue.h"
#include "tools/bench/arena.h"
#include "tools/command/stats.h"

static const double LEAST_SECONDS = 0.002;

enum { ROUNDS = 7, MOST_RUNS = 1000 };

typedef struct launch {
    const stfi_backend *backend;
    stfi_exec *exec;
    stfi_buffers buffers;
} launch;

static stf_status run_launch(void *arg, void *stream)
{
    const launch *l = arg;

    return l->backend->fft->launch(l->exec, &l->buffers, stream);
}

/* The median of several rounds, each of which is long enough for the clock. */
static stf_status time_launch(stf_device *dev, launch *l, double *seconds_p)
{
    double seconds[ROUNDS];
    int replay = !stfi_host_is_device(dev), count = 1;
    stf_status status;

    /* The first run, which loads kernels and touches memory, is not counted. */
    status = stfi_time_work(dev, run_launch, l, 1, 0, &seconds[0]);
    while (status >= STF_OK && count < MOST_RUNS) {
        status = stfi_time_work(dev, run_launch, l, count, replay, &seconds[0]);
        if (seconds[0] > LEAST_SECONDS)
            break;
        count *= 2;
    }
    for (int i = 0; i < ROUNDS && status >= STF_OK; i++) {
        status = stfi_time_work(dev, run_launch, l, count, replay, &seconds[i]);
        seconds[i] /= count;
    }
    if (status < STF_OK)
        return status;
    *seconds_p = stfi_median(seconds, ROUNDS);
    return STF_OK;
}

/* Times pass i of the arena's plan. `one` is room for a schedule. */
static stf_status time_pass(const stfi_arena *a, int i, launch *l,
                            stfi_schedule *one, double *seconds_p)
{
    const stfi_fft_plan *plan = stfi_fft_plan_of(a->plan);
    stf_status status;

    *one = *plan->schedule;
    one->pass[0] = plan->schedule->pass[i];
    one->npasses = 1;
    status = stfi_fft_plan_part(plan, one, &l->exec);
    if (status != STF_OK)
        return status;
    status = time_launch(a->dev, l, seconds_p);
    l->backend->fft->destroy(l->exec);
    return status;
}

static stf_status time_all(stfi_arena *a, stfi_schedule *one,
                           stfi_pass_times *times)
{
    const stfi_fft_plan *plan = stfi_fft_plan_of(a->plan);
    launch l = {.backend = a->dev->backend, .exec = plan->exec};
    stf_status status;

    l.buffers = (stfi_buffers){
        .in = a->in,
        .out = a->out,
        .work = plan->head.workspace,
        .inverse = a->direction == STF_INVERSE,
        .scale = 1.0,
    };
    status = stfi_arena_load(a);
    if (status == STF_OK)
        status = time_launch(a->dev, &l, &times->all);
    /* The execution above has filled the workspace with what each pass
     * reads. */
    for (int i = 0; i < plan->schedule->npasses && status == STF_OK; i++)
        status = time_pass(a, i, &l, one, &times->pass[i]);
    return status;
}

stf_status stfi_pass_times_measure(stf_device *dev, const stfi_problem *p,
                                   stfi_pass_times *times_p)
{
    stf_direction direction =
        p->desc.kind == STF_C2R ? STF_INVERSE : STF_FORWARD;
    stfi_pass_times times = {.all = 0.0};
    stfi_arena arena;
    void *one;
    stf_status status = stfi_alloc(sizeof(stfi_schedule), "a schedule", &one);

    if (status != STF_OK)
        return status;
    stfi_arena_begin(&arena, dev);
    status = stfi_arena_set(&arena, p, direction, 1);
    if (status == STF_OK)
        status = time_all(&arena, one, &times);
    stfi_arena_end(&arena);
    stfi_dealloc(one);
    if (status == STF_OK)
        *times_p = times;
    return status;
}

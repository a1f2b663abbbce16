/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Times of single passes; see pass_time.h. To time one pass, a schedule that
 * has only this pass is executed between the same arrays and workspace. What is
 * executed in place again and again would grow until it overflows, which costs
 * time where it is protected: so data are loaded again meanwhile. */
#include "tools/command/pass_time.h"

#include "base/alloc.h"
#include "run/fft/fft_plan.h"
#include "run/queue.h"
#include "tools/bench/arena.h"
#include "tools/command/setup.h"
#include "tools/command/stats.h"

static const double LEAST_SECONDS = 0.002;

enum { ROUNDS = 7, MOST_RUNS = 1000, MOST_PARTS = 8 };

typedef struct launch {
    stfi_arena *arena;
    const stfi_backend *backend;
    stfi_exec *exec;
    stfi_buffers buffers;
    int most; /* executions before the data must be loaded again; 0: any */
} launch;

static stf_status run_launch(void *arg, void *stream)
{
    const launch *l = arg;

    return l->backend->fft->launch(l->exec, &l->buffers, stream);
}

/* Loads the input, and has a whole execution fill the workspace with what each
 * pass reads. */
static stf_status fill(const launch *l)
{
    launch whole = *l;
    double seconds;
    stf_status status = stfi_arena_load(l->arena);

    whole.exec = stfi_fft_plan_of(l->arena->plan)->exec;
    if (status == STF_OK)
        status =
            stfi_time_work(l->arena->dev, run_launch, &whole, 1, 0, &seconds);
    return status;
}

/* Seconds of `count` executions. */
static stf_status time_count(launch *l, int count, double *seconds_p)
{
    const int replay = !stfi_host_is_device(l->arena->dev);
    const int part = l->most > 0 && l->most < count ? l->most : count;
    double seconds = 0.0, sum = 0.0;
    stf_status status = STF_OK;

    for (int done = 0; done < count && status >= STF_OK; done += part) {
        const int some = count - done < part ? count - done : part;

        if (l->most > 0)
            status = fill(l);
        if (status >= STF_OK)
            status = stfi_time_work(l->arena->dev, run_launch, l, some, replay,
                                    &seconds);
        sum += seconds;
    }
    *seconds_p = sum;
    return status;
}

/* The median of several rounds, each of which is long enough for the clock. */
static stf_status time_launch(launch *l, double *seconds_p)
{
    const int most = l->most > 0 ? l->most * MOST_PARTS : MOST_RUNS;
    double seconds[ROUNDS];
    int count = 1;
    stf_status status = fill(l);

    /* The first run, which loads kernels and touches memory, is not counted. */
    if (status >= STF_OK)
        status = time_count(l, 1, &seconds[0]);
    while (status >= STF_OK && count < most) {
        status = time_count(l, count, &seconds[0]);
        if (seconds[0] > LEAST_SECONDS)
            break;
        count *= 2;
    }
    for (int i = 0; i < ROUNDS && status >= STF_OK; i++) {
        status = time_count(l, count, &seconds[i]);
        seconds[i] /= count;
    }
    if (status < STF_OK)
        return status;
    *seconds_p = stfi_median(seconds, ROUNDS);
    return STF_OK;
}

/* How often what reads an array that it writes may be executed. A timing by
 * replay runs all of it twice, and an execution of all has been before. */
static int most_in_place(const stfi_arena *a)
{
    const int most = stfi_setup_most_in_place(&a->full) / 3;

    return most > 1 ? most : 1;
}

/* Returns 1 if pass p writes to the array that it reads. */
static int is_in_place(const stfi_arena *a, const stfi_pass *p)
{
    return p->load.buf == p->store.buf
           || (a->in == a->out && p->load.buf <= STFI_BUF_OUT
               && p->store.buf <= STFI_BUF_OUT);
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
    l->most = is_in_place(a, &one->pass[0]) ? most_in_place(a) : 0;
    status = stfi_fft_plan_part(plan, one, &l->exec);
    if (status != STF_OK)
        return status;
    status = time_launch(l, seconds_p);
    l->backend->fft->destroy(l->exec);
    return status;
}

static stf_status time_all(stfi_arena *a, stfi_schedule *one,
                           stfi_pass_times *times)
{
    const stfi_fft_plan *plan = stfi_fft_plan_of(a->plan);
    launch l = {.arena = a, .backend = a->dev->backend, .exec = plan->exec};
    stf_status status;

    l.buffers = (stfi_buffers){
        .in = a->in,
        .out = a->out,
        .work = plan->head.workspace,
        .inverse = a->direction == STF_INVERSE,
        .scale = 1.0,
    };
    l.most = a->in == a->out ? most_in_place(a) : 0;
    status = time_launch(&l, &times->all);
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

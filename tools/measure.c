/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Timing problems; see measure.h. */
#include "tools/measure.h"

#include <math.h>
#include <stdio.h>

#include "base/alloc.h"
#include "base/status.h"
#include "plan/desc.h"
#include "run/host.h"
#include "run/queue.h"
#include "tools/stats.h"

/* A round lasts as long as the clock and a busy machine's interruptions are
 * small against it; the events of a GPU are finer and not disturbed. */
static const double ROUND_SECONDS = 0.02, GPU_ROUND_SECONDS = 0.004;
static const double FIRST_SECONDS = 0.002;

/* Transforms up to this many points, and so many of a batch, are compared
 * with the reference; F32 transforms of more than LONG_POINTS with F64. */
static const double CHECK_POINTS = 0x1p22, GPU_CHECK_POINTS = 0x1p27,
                    LONG_POINTS = 0x1p16;

enum { CHECK_BATCH = 4, MOST_REPLAYED = 1000 };

/* One side of the comparison. */
typedef struct runner {
    stfi_arena *arena;
    stfi_peer_plan *peer_plan;   /* NULL: ours */
    int gpu;
    int replay;
    int refill;                  /* executions before the data must be made
                                    anew, 0: never */
    int count;                   /* executions in a round */
    double seconds[STFI_MAX_ROUNDS];
} runner;

/* ----------------------------------------------------------------- rounds */

static stf_status execute(void *arg, void *stream)
{
    const runner *r = arg;
    const stfi_arena *a = r->arena;

    if (r->peer_plan != NULL)
        return stfi_peer_execute(r->peer_plan, stream);
    return stf_execute_on(a->plan, a->direction, a->in, a->out, NULL,
                          stream);
}

/* Seconds that one of `count` executions takes. New data are made off the
 * clock: transforms in place grow until they overflow. */
static stf_status time_round(runner *r, int count, double *seconds_p)
{
    double seconds = 0.0;
    stf_status status = STF_OK;

    for (int done = 0; done < count && status == STF_OK; ) {
        int some = count - done;
        double part = 0.0;

        if (r->refill > 0) {
            if (some > r->refill)
                some = r->refill;
            status = stfi_arena_load(r->arena);
            if (status != STF_OK)
                break;
        }
        status = stfi_time_work(r->arena->dev, execute, r, some, r->replay,
                                &part);
        status = status > STF_OK ? STF_OK : status;
        seconds += part;
        done += some;
    }
    *seconds_p = seconds / (double)count;
    return status;
}

/* Executions that grow N(0,1) data to about 1e30: a transform multiplies
 * their size by the root of its points. A replayed graph runs twice. */
static int executions_until_overflow(const stf_fft_desc *d, int replay)
{
    double digits = 0.0;
    int count;

    for (int a = 0; a < d->rank; a++)
        digits += 0.5 * log10((double)d->n[a]);
    count = digits > 0.5 ? (int)(30.0 / digits) : 60;
    return replay ? (count + 1) / 2 : count;
}

static stf_status calibrate(runner *r)
{
    double seconds, round = r->gpu ? GPU_ROUND_SECONDS : ROUND_SECONDS;
    int most = r->replay ? MOST_REPLAYED : 1 << 24;
    stf_status status = time_round(r, 1, &seconds); /* touches everything */

    r->count = 1;
    while (status == STF_OK) {
        status = time_round(r, r->count, &seconds);
        if (seconds * r->count > FIRST_SECONDS || r->count > most)
            break;
        r->count *= 2;
    }
    if (status != STF_OK)
        return status;
    r->count = seconds * most < round ? most : (int)ceil(round / seconds);
    return STF_OK;
}

static stf_status run_rounds(const stfi_bench *b, runner *runners, int count)
{
    stf_status status = STF_OK;

    for (int i = 0; i < count && status == STF_OK; i++)
        status = calibrate(&runners[i]);
    for (int round = 0; round < b->rounds && status == STF_OK; round++)
        for (int i = 0; i < count && status == STF_OK; i++) {
            /* Whoever goes first finds other caches: take turns. */
            runner *r = &runners[round % 2 ? count - 1 - i : i];
            status = time_round(r, r->count, &r->seconds[round]);
        }
    return status;
}

/* --------------------------------------------------------------- accuracy */

static stf_status measure_error(stfi_bench *b, runner *r, double *error_p)
{
    const stf_fft_desc *full = &r->arena->full;
    double points = 1.0;
    stf_status status;

    *error_p = -1.0;
    for (int a = 0; a < full->rank; a++)
        points *= (double)full->n[a];
    if (points > (r->gpu ? GPU_CHECK_POINTS : CHECK_POINTS))
        return STF_OK;
    stfi_accuracy_reset(&b->accuracy);
    b->accuracy.which = full->precision == STF_F32 && points > LONG_POINTS
                        ? STFI_REFERENCE_F64 : STFI_REFERENCE_AUTO;
    status = stfi_arena_check(r->arena, execute, r, points > LONG_POINTS
                              ? 1 : CHECK_BATCH, b->seed, &b->accuracy);
    if (status == STF_OK)
        *error_p = stfi_accuracy_error(&b->accuracy);
    /* Without a reference, the time is still worth telling. */
    return status == STF_ERR_IO || status == STF_ERR_UNSUPPORTED ? STF_OK
                                                                 : status;
}

/* ---------------------------------------------------------------- problem */

static stf_status measure_runners(stfi_bench *b, runner *runners, int count,
                                  stfi_measurement *m)
{
    stfi_timing *const timing[] = {&m->ours, &m->peer};
    stf_status status = STF_OK;

    /* Each is compared before any is timed, with data of its own. */
    for (int i = 0; i < count && status == STF_OK; i++)
        status = measure_error(b, &runners[i], &timing[i]->error);
    if (status == STF_OK)
        status = stfi_arena_load(&b->arena);
    if (status == STF_OK)
        status = run_rounds(b, runners, count);
    for (int i = 0; i < count && status == STF_OK; i++)
        timing[i]->seconds = stfi_median(runners[i].seconds, b->rounds);
    return status;
}

static stf_status measure_arena(stfi_bench *b, stfi_peer_plan *peer_plan,
                                stfi_measurement *m)
{
    stfi_arena *a = &b->arena;
    int gpu = !stfi_host_is_device(b->dev);
    int replay = gpu && a->full.batch == 1;
    runner *runners;
    void *memory;
    stf_status status = stfi_alloc(2 * sizeof *runners, "the timings",
                                   &memory);

    if (status != STF_OK)
        return status;
    runners = memory;
    for (int i = 0; i < 2; i++) {
        runners[i].arena = a;
        runners[i].peer_plan = i > 0 ? peer_plan : NULL;
        runners[i].gpu = gpu;
        runners[i].replay = replay;
        /* A peer's C2R may use up its input. */
        if (a->in == a->out || (i > 0 && a->full.kind == STF_C2R))
            runners[i].refill = executions_until_overflow(&a->full, replay);
    }
    status = measure_runners(b, runners, peer_plan != NULL ? 2 : 1, m);
    stfi_dealloc(memory);
    return status;
}

/* The peer's plan, or why there is none. */
static stf_status plan_peer(stfi_bench *b, stfi_measurement *m,
                            stfi_peer_plan **plan_p)
{
    stfi_arena *a = &b->arena;
    stf_status status = stfi_peer_plan_fft(b->peer, &a->full, a->direction,
                                           a->in, a->out, b->threads, 1,
                                           plan_p);

    if (status != STF_ERR_UNSUPPORTED && status != STF_ERR_MEMORY)
        return status;
    snprintf(m->peer_failure, sizeof m->peer_failure, "%s",
             stf_error_message());
    return STF_OK;
}

stf_status stfi_measure(stfi_bench *b, const stfi_problem *problem,
                        stf_direction direction, stfi_measurement *m_p)
{
    stfi_measurement m = {{0.0, -1.0}, {0.0, -1.0}, 0.0, 0.0, ""};
    stfi_peer_plan *peer_plan = NULL;
    stf_status status = stfi_arena_set(&b->arena, problem, direction,
                                       b->seed);

    if (status != STF_OK)
        return status;
    if (b->peer != NULL)
        status = plan_peer(b, &m, &peer_plan);
    if (status == STF_OK)
        status = measure_arena(b, peer_plan, &m);
    stfi_peer_plan_destroy(peer_plan);
    if (status != STF_OK)
        return status;
    m.bytes = (double)b->arena.in_bytes + (double)b->arena.out_bytes;
    m.copy_bandwidth = stfi_copy_bandwidth(&b->copies, b->dev,
                                           b->arena.in_bytes, b->threads);
    *m_p = m;
    return STF_OK;
}

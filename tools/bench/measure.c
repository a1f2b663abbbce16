/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Measures the times of problems; see measure.h. */
#include "tools/bench/measure.h"

#include <math.h>
#include <stdio.h>

#include "base/alloc.h"
#include "base/status.h"
#include "fft/desc.h"
#include "run/plan.h"
#include "run/queue.h"
#include "tools/command/setup.h"
#include "tools/command/stats.h"

/* A round must be so long that the clock's resolution and interruptions by
 * other programs are small against it. GPUs are timed by events, which are
 * finer and not disturbed by the host. */
static const double ROUND_SECONDS = 0.02, GPU_ROUND_SECONDS = 0.004;
static const double FIRST_SECONDS = 0.002;

/* Executions that use up their input are timed in parts, between which the data
 * are loaded again. A part must be so long that starting and stopping the
 * clock, and the caches that loading has emptied, matter little. */
static const double PART_SECONDS = 0.002, GPU_PART_SECONDS = 0.0005;

/* Transforms of up to this many points, CHECK_BATCH of a batch, are compared
 * with the reference. F32 transforms of more than LONG_POINTS are compared with
 * F64. */
static const double CHECK_POINTS = 0x1p22, GPU_CHECK_POINTS = 0x1p27,
                    LONG_POINTS = 0x1p16;

enum { CHECK_BATCH = 4, MOST_REPLAYED = 1000, MOST_PARTS = 32 };

/* One participant of the comparison: one of our plans, or the peer's. */
typedef struct runner {
    stfi_arena *arena;
    stf_plan *plan;            /* our plan, unused for the peer */
    int owned;                 /* 1 if the plan is not the arena's */
    stfi_peer_plan *peer_plan; /* NULL for our plans */
    stfi_timing *timing;
    int gpu;
    int replay;
    int part;  /* executions before the data must be loaded again; 0: it never
                * must */
    int count; /* executions in a round */
    double seconds[STFI_MAX_ROUNDS];
} runner;

/* ----------------------------------------------------------------- rounds */

static stf_status execute(void *arg, void *stream)
{
    const runner *r = arg;
    const stfi_arena *a = r->arena;

    if (r->peer_plan != NULL)
        return stfi_peer_execute(r->peer_plan, stream);
    return stf_execute_on(r->plan, a->direction, a->in, a->out, NULL, stream);
}

static int is_apart(const runner *r)
{
    return r->peer_plan != NULL && stfi_peer_is_apart(r->peer_plan);
}

/* Seconds that one of `count` executions takes. Where these use up their input,
 * data are loaded again while the clock stands still, for ours and for a peer
 * alike. A scale factor would also keep the size of the data, but peers have
 * none. */
static stf_status time_round(runner *r, int count, double *seconds_p)
{
    double seconds = 0.0;
    stf_status status = STF_OK;

    if (is_apart(r))
        return stfi_peer_time(r->peer_plan, count, seconds_p);
    for (int done = 0; done < count && status == STF_OK;) {
        int some = count - done;
        double part = 0.0;

        if (r->part > 0 && some > r->part)
            some = r->part;
        if (r->arena->used)
            status = stfi_arena_load(r->arena);
        if (status != STF_OK)
            break;
        r->arena->used = r->part > 0;
        status =
            stfi_time_work(r->arena->dev, execute, r, some, r->replay, &part);
        status = status > STF_OK ? STF_OK : status;
        seconds += part;
        done += some;
    }
    *seconds_p = seconds / (double)count;
    return status;
}

/* The most executions before the data must be loaded again. It is halved for a
 * replayed graph, as each timing runs the graph twice. */
static int most_in_part(const stf_fft_desc *full, int replay)
{
    int most = stfi_setup_most_in_place(full);

    return replay && most > 1 ? most / 2 : most;
}

/* Makes a part as short as PART_SECONDS allows, and the round a whole number of
 * parts. */
static void choose_part(runner *r, double seconds)
{
    double enough = ceil((r->gpu ? GPU_PART_SECONDS : PART_SECONDS) / seconds);
    int parts;

    if (enough < r->part)
        r->part = enough > 1.0 ? (int)enough : 1;
    parts = (r->count + r->part - 1) / r->part;
    r->count = r->part * (parts < MOST_PARTS ? parts : MOST_PARTS);
}

static stf_status calibrate(runner *r)
{
    double seconds, round = r->gpu ? GPU_ROUND_SECONDS : ROUND_SECONDS;
    int most = r->part > 0 ? r->part * MOST_PARTS
               : r->replay ? MOST_REPLAYED
                           : 1 << 24;
    stf_status status = time_round(r, 1, &seconds); /* touches all memory
                                                     * once */

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
    if (r->part > 0)
        choose_part(r, seconds);
    return STF_OK;
}

/* Checks that the last results are numbers of a plausible size. */
static stf_status check_size(runner *r)
{
    double size = 0.0;
    stf_status status = stfi_arena_size(r->arena, &size);

    if (status == STF_OK
        && !(size > 0.0 && size < exp2(1.5 * STFI_MOST_DOUBLINGS)))
        snprintf(r->timing->failure, sizeof r->timing->failure,
                 "the data of the last execution are of size %g", size);
    return status;
}

static stf_status run_rounds(const stfi_bench *b, runner *runners, int count)
{
    stf_status status = STF_OK;

    for (int i = 0; i < count && status == STF_OK; i++)
        status = calibrate(&runners[i]);
    for (int round = 0; round < b->rounds && status == STF_OK; round++)
        for (int i = 0; i < count && status == STF_OK; i++) {
            /* The order alternates, since caches differ for the first one. */
            runner *r = &runners[round % 2 ? count - 1 - i : i];
            status = time_round(r, r->count, &r->seconds[round]);
            if (status == STF_OK && round == b->rounds - 1)
                status = check_size(r);
        }
    return status;
}

/* --------------------------------------------------------------- accuracy */

static stf_status measure_error(stfi_bench *b, runner *r, stfi_timing *timing)
{
    const stf_fft_desc *full = &r->arena->full;
    double points = 1.0;
    stf_status status;

    timing->error = -1.0;
    if (is_apart(r))
        return STF_OK;
    for (int a = 0; a < full->rank; a++)
        points *= (double)full->n[a];
    if (points > (r->gpu ? GPU_CHECK_POINTS : CHECK_POINTS))
        return STF_OK;
    stfi_accuracy_reset(&b->accuracy);
    b->accuracy.which = full->precision == STF_F32 && points > LONG_POINTS
                            ? STFI_REFERENCE_F64
                            : STFI_REFERENCE_AUTO;
    status = stfi_arena_check(r->arena, execute, r,
                              points > LONG_POINTS ? 1 : CHECK_BATCH, b->seed,
                              &b->accuracy);
    if (status == STF_OK) {
        timing->error = stfi_accuracy_error(&b->accuracy);
        timing->means = stfi_accuracy_means(&b->accuracy);
    }
    /* Without a reference, the time is still worth reporting. */
    return status == STF_ERR_IO || status == STF_ERR_UNSUPPORTED ? STF_OK
                                                                 : status;
}

/* Reports what the checks of a protected plan found. Detections are faults or
 * false alarms, and data that could not be checked took a slower way, whose
 * time is not the usual cost of protection. */
static stf_status read_report(runner *r)
{
    char *failure = r->timing->failure;
    stf_ft_report report;
    stf_status status;

    if (r->peer_plan != NULL)
        return STF_OK;
    status = stf_plan_ft_report(r->plan, &report);
    if (status < STF_OK && status != STF_ERR_UNCORRECTED)
        return status;
    if (report.detected > 0)
        snprintf(failure, sizeof r->timing->failure,
                 "checks found %lld errors, the first in transform %lld",
                 (long long)report.detected,
                 (long long)report.first_event.signal);
    else if (report.overflowed > 0 || report.non_finite_input > 0)
        snprintf(failure, sizeof r->timing->failure,
                 "checks found %lld results that overflowed, and %lld inputs "
                 "that are not finite",
                 (long long)report.overflowed,
                 (long long)report.non_finite_input);
    return STF_OK;
}

/* ---------------------------------------------------------------- problem */

static stf_status measure_runners(stfi_bench *b, runner *runners, int count)
{
    stf_status status = STF_OK;

    /* Each participant is compared with the reference before any is timed, on
     * freshly loaded data. */
    for (int i = 0; i < count && status == STF_OK; i++)
        status = measure_error(b, &runners[i], runners[i].timing);
    if (status == STF_OK)
        status = run_rounds(b, runners, count);
    for (int i = 0; i < count && status == STF_OK; i++) {
        runner *r = &runners[i];
        r->timing->seconds = stfi_median(r->seconds, b->rounds);
        status = read_report(r);
    }
    return status;
}

/* 1 if the error only means that this participant cannot do the problem; it is
 * then noted in `timing` and no error of the run. */
static int is_told(stf_status status, stfi_timing *timing)
{
    if (status != STF_ERR_UNSUPPORTED && status != STF_ERR_MEMORY
        && status != STF_ERR_COMPILE)
        return 0;
    timing->status = status;
    snprintf(timing->failure, sizeof timing->failure, "%s",
             stf_error_message());
    return 1;
}

static runner make_runner(const stfi_bench *b, stfi_arena *a,
                          stfi_timing *timing)
{
    int gpu = !stfi_host_is_device(b->dev);

    /* In place, few executions fit between two loads of the data, so the host's
     * delay in launching them would show. A graph hides it: it is launched
     * again while its first run is still in progress. */
    return (runner){.arena = a,
                    .plan = a->plan,
                    .timing = timing,
                    .gpu = gpu,
                    .replay = gpu && (a->full.batch == 1 || a->in == a->out)};
}

/* Adds our plans: the first is the arena's, the others are made here. */
static stf_status add_ours(stfi_bench *b, const stfi_protections *protections,
                           stfi_measurement *m, runner *runners, int *count_p)
{
    stfi_arena *a = &b->arena;

    for (int i = 0; i < protections->count; i++) {
        runner r = make_runner(b, a, &m->ours[i]);
        stf_fft_desc full = a->full;
        stf_status status = STF_OK;

        full.ft = protections->item[i].ft;
        if (i > 0) {
            status = stf_plan_fft(b->dev, &full, &r.plan);
            r.owned = status == STF_OK;
        }
        if (status == STF_OK) {
            m->ours[i].mode = r.plan->ft.mode;
            runners[(*count_p)++] = r;
        } else if (!is_told(status, &m->ours[i])) {
            return status;
        }
    }
    return STF_OK;
}

static stf_status add_peer(stfi_bench *b, stfi_measurement *m, runner *runners,
                           int *count_p)
{
    stfi_arena *a = &b->arena;
    runner r = make_runner(b, a, &m->peer);
    stf_status status =
        stfi_peer_plan_fft(b->peer, &a->full, a->direction, a->in, a->out,
                           b->threads, 1, &r.peer_plan);

    if (status != STF_OK)
        return is_told(status, &m->peer) ? STF_OK : status;
    runners[(*count_p)++] = r;
    return STF_OK;
}

static void drop_runners(runner *runners, int count)
{
    for (int i = 0; i < count; i++) {
        stfi_peer_plan_destroy(runners[i].peer_plan);
        if (runners[i].owned)
            stf_plan_destroy(runners[i].plan);
    }
}

static stf_status measure_arena(stfi_bench *b,
                                const stfi_protections *protections,
                                stfi_measurement *m)
{
    stfi_arena *a = &b->arena;
    runner *runners;
    int count = 0;
    void *memory;
    stf_status status = stfi_alloc((STFI_MAX_PROTECTIONS + 1) * sizeof *runners,
                                   "the timings", &memory);

    if (status != STF_OK)
        return status;
    runners = memory;
    status = add_ours(b, protections, m, runners, &count);
    if (status == STF_OK && b->peer != NULL)
        status = add_peer(b, m, runners, &count);
    for (int i = 0; i < count; i++)
        /* A peer's C2R transform may overwrite its input. */
        if (!is_apart(&runners[i])
            && (a->in == a->out
                || (runners[i].peer_plan != NULL && a->full.kind == STF_C2R)))
            runners[i].part = most_in_part(&a->full, runners[i].replay);
    if (status == STF_OK)
        status = measure_runners(b, runners, count);
    drop_runners(runners, count);
    stfi_dealloc(memory);
    return status;
}

stf_status stfi_measure(stfi_bench *b, const stfi_problem *problem,
                        stf_direction direction,
                        const stfi_protections *protections,
                        stfi_measurement *m_p)
{
    stfi_measurement m = {.peer = {.error = -1.0}};
    stfi_problem first = *problem;
    stf_status status;

    for (int i = 0; i < STFI_MAX_PROTECTIONS; i++)
        m.ours[i].error = -1.0;
    first.desc.ft = protections->item[0].ft;
    status = stfi_arena_set(&b->arena, &first, direction, b->seed);
    if (status == STF_OK)
        status = measure_arena(b, protections, &m);
    if (status != STF_OK)
        return status;
    m.bytes = (double)b->arena.in_bytes + (double)b->arena.out_bytes;
    m.copy_bandwidth =
        stfi_copy_bandwidth(&b->copies, b->dev, b->arena.in_bytes, b->threads);
    *m_p = m;
    return STF_OK;
}

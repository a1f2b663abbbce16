/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Timing problems; see measure.h. */
#include "tools/measure.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/status.h"
#include "plan/desc.h"
#include "tools/command.h"
#include "tools/stats.h"

/* A round lasts as long as the clock and a busy machine's interruptions are
 * small against it. */
static const double ROUND_SECONDS = 0.02, FIRST_SECONDS = 0.002;

/* Transforms up to this many points, and so many of a batch, are compared
 * with the reference. */
static const double CHECK_POINTS = 0x1p22;

/* Waking threads costs more than copying less than COPY_SHARED bytes. */
enum { CHECK_BATCH = 4, COPY_ROUNDS = 7, COPY_SHARED = 1 << 18 };

/* One side of the comparison. */
typedef struct runner {
    stfi_trial *trial;
    stfi_peer_plan *peer_plan;   /* NULL: ours */
    int64_t refill;              /* executions before the data must be made
                                    anew, 0: never */
    int64_t count;               /* executions in a round */
    double seconds[STFI_MAX_ROUNDS];
} runner;

/* ----------------------------------------------------------------- rounds */

static stf_status execute_many(runner *r, int64_t count)
{
    stf_status status = STF_OK;

    for (int64_t i = 0; i < count && status >= STF_OK; i++) {
        if (r->peer_plan != NULL)
            stfi_peer_execute(r->peer_plan);
        else
            status = stfi_trial_execute(r->trial);
    }
    if (status >= STF_OK && r->peer_plan == NULL)
        status = stf_synchronize(r->trial->dev);
    return status;
}

/* Seconds that one of `count` executions takes. New data are made off the
 * clock: transforms in place grow until they overflow. */
static stf_status time_round(runner *r, int64_t count, double *seconds_p)
{
    double seconds = 0.0;
    stf_status status = STF_OK;

    for (int64_t done = 0; done < count && status == STF_OK; ) {
        int64_t some = count - done;
        double began;

        if (r->refill > 0) {
            if (some > r->refill)
                some = r->refill;
            status = stfi_trial_load(r->trial, 0);
            if (status != STF_OK)
                break;
        }
        began = stfi_clock();
        status = execute_many(r, some);
        seconds += stfi_clock() - began;
        done += some;
    }
    *seconds_p = seconds / (double)count;
    return status;
}

/* Executions that grow N(0,1) data to about 1e30: a transform multiplies
 * their size by the root of its points. */
static int64_t executions_until_overflow(const stf_fft_desc *d)
{
    double digits = 0.0;

    for (int a = 0; a < d->rank; a++)
        digits += 0.5 * log10((double)d->n[a]);
    return digits > 0.5 ? (int64_t)(30.0 / digits) : 60;
}

static stf_status calibrate(runner *r)
{
    double seconds;
    stf_status status = time_round(r, 1, &seconds); /* touches everything */

    r->count = 1;
    while (status == STF_OK) {
        status = time_round(r, r->count, &seconds);
        if (seconds * (double)r->count > FIRST_SECONDS)
            break;
        r->count *= 2;
    }
    r->count = (int64_t)ceil(ROUND_SECONDS / seconds);
    if (r->count < 1)
        r->count = 1;
    return status;
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

/* ------------------------------------------------------------------- copy */

static void copy_many(char *to, const char *from, size_t bytes, int threads)
{
    if (bytes < COPY_SHARED) {
        memcpy(to, from, bytes);
        return;
    }
#ifdef _OPENMP
#pragma omp parallel for num_threads(threads) schedule(static)
#endif
    for (int t = 0; t < threads; t++) {
        size_t begin = bytes / (size_t)threads * (size_t)t;
        size_t end = t + 1 == threads ? bytes
                     : bytes / (size_t)threads * ((size_t)t + 1);
        memcpy(to + begin, from + begin, end - begin);
    }
}

static double time_copies(char *to, const char *from, size_t bytes,
                          int threads)
{
    double seconds[COPY_ROUNDS], began;
    int64_t count = 1;

    copy_many(to, from, bytes, threads);
    began = stfi_clock();
    copy_many(to, from, bytes, threads);
    while (stfi_clock() - began < FIRST_SECONDS) {
        copy_many(to, from, bytes, threads);
        count++;
    }
    count *= 4;
    for (int round = 0; round < COPY_ROUNDS; round++) {
        began = stfi_clock();
        for (int64_t i = 0; i < count; i++)
            copy_many(to, from, bytes, threads);
        seconds[round] = (stfi_clock() - began) / (double)count;
    }
    return stfi_median(seconds, COPY_ROUNDS);
}

/* Bandwidth of copying so many bytes with the same threads, 0 when it cannot
 * be measured. Measured once per size. */
static double copy_bandwidth(stfi_bench *b, size_t bytes)
{
    void *to = NULL, *from = NULL;
    double bandwidth = 0.0;

    if (strcmp(b->info.backend, "cpu") != 0)
        return b->info.bandwidth;
    for (int i = 0; i < b->ncopies; i++)
        if (b->copy[i].bytes == bytes)
            return b->copy[i].bandwidth;
    if (stfi_alloc(bytes, "a copy", &to) == STF_OK
        && stfi_alloc(bytes, "a copy", &from) == STF_OK)
        bandwidth = 2.0 * (double)bytes / time_copies(to, from, bytes,
                                                      b->threads);
    stfi_dealloc(to);
    stfi_dealloc(from);
    if (b->ncopies < STFI_COPY_SIZES) {
        b->copy[b->ncopies].bytes = bytes;
        b->copy[b->ncopies++].bandwidth = bandwidth;
    }
    return bandwidth;
}

/* --------------------------------------------------------------- accuracy */

static stf_status measure_error(stfi_bench *b, runner *r, double *error_p)
{
    stfi_trial *t = r->trial;
    stf_fft_desc few = t->full;
    double points = 1.0;
    stf_status status;

    *error_p = -1.0;
    for (int a = 0; a < few.rank; a++)
        points *= (double)few.n[a];
    if (points > CHECK_POINTS)
        return STF_OK;
    if ((status = stfi_trial_load(t, 1)) != STF_OK
        || (status = execute_many(r, 1)) < STF_OK
        || (status = stfi_trial_fetch(t)) != STF_OK)
        return status;
    if (few.batch > CHECK_BATCH)
        few.batch = CHECK_BATCH;
    stfi_accuracy_reset(&b->accuracy);
    status = stfi_accuracy_add(&b->accuracy, &few, t->direction, t->host_in,
                               t->host_out, 1);
    if (status == STF_OK)
        *error_p = stfi_accuracy_error(&b->accuracy);
    /* Without a reference, the time is still worth telling. */
    return status == STF_ERR_IO || status == STF_ERR_UNSUPPORTED ? STF_OK
                                                                 : status;
}

/* ---------------------------------------------------------------- problem */

static stf_status measure_trial(stfi_bench *b, stfi_trial *t,
                                stfi_peer_plan *peer_plan,
                                stfi_measurement *m)
{
    int count = peer_plan != NULL ? 2 : 1;
    stfi_timing *const timing[] = {&m->ours, &m->peer};
    runner *runners;
    void *memory;
    stf_status status = stfi_alloc(2 * sizeof *runners, "the timings",
                                   &memory);

    if (status != STF_OK)
        return status;
    runners = memory;
    for (int i = 0; i < count; i++) {
        runners[i].trial = t;
        runners[i].peer_plan = i > 0 ? peer_plan : NULL;
        /* A peer's C2R may use up its input. */
        if (t->in_place || (i > 0 && t->full.kind == STF_C2R))
            runners[i].refill = executions_until_overflow(&t->full);
    }
    /* Each is compared before any is timed, with data of its own. */
    for (int i = 0; i < count && status == STF_OK; i++)
        status = measure_error(b, &runners[i], &timing[i]->error);
    if (status == STF_OK)
        status = stfi_trial_load(t, 0);
    if (status == STF_OK)
        status = run_rounds(b, runners, count);
    for (int i = 0; i < count && status == STF_OK; i++)
        timing[i]->seconds = stfi_median(runners[i].seconds, b->rounds);
    stfi_dealloc(memory);
    return status;
}

stf_status stfi_measure(stfi_bench *b, const stfi_problem *problem,
                        stf_direction direction, stfi_measurement *m_p)
{
    stfi_measurement m = {{0.0, -1.0}, {0.0, -1.0}, 0.0, 0.0};
    stfi_peer_plan *peer_plan = NULL;
    stfi_trial t;
    stf_status status = stfi_trial_make(b->dev, problem, direction, b->seed,
                                        &t);

    if (status != STF_OK)
        return status;
    if (b->peer != NULL)
        status = stfi_peer_plan_fft(b->peer, &t.full, direction, t.in, t.out,
                                    b->threads, 1, &peer_plan);
    if (status == STF_OK)
        status = measure_trial(b, &t, peer_plan, &m);
    if (status == STF_OK) {
        m.bytes = (double)t.in_bytes + (double)t.out_bytes;
        m.copy_bandwidth = copy_bandwidth(b, t.in_bytes);
        *m_p = m;
    }
    stfi_peer_plan_destroy(peer_plan);
    stfi_trial_free(&t);
    return status;
}

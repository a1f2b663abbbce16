/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Contests of plans; see contest.h. */
#include "run/contest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/alloc.h"
#include "base/effort.h"
#include "base/random.h"
#include "base/status.h"
#include "base/type.h"
#include "run/queue.h"

enum {
    MOST_PLANS = 12, /* that exist at the same time */
    ROUNDS = 9,
    LEAST_ROUNDS = 3, /* fewer say nothing */
    STEPS = 4         /* EXHAUSTIVE: how often the winner is varied again */
};

/* A plan has to take less than this part of the model's time to replace it. */
static const double CLEARLY = 0.97;

/* Plans that take so many times the best one's in a first run are left out. */
static const double HOPELESS = 1.6;

/* The time that one measurement should take, for the clock. */
static const double SAMPLE_SECONDS = 0.0008;

typedef struct contestant {
    void *choice;
    stf_plan *plan;
    double first;
    double seconds[ROUNDS];
} contestant;

typedef struct contest {
    const stfi_plan_contest *rules;
    stf_device *dev;
    double began, limit;
    int stopped; /* 1: the caller wants no more of it */
    void *work;  /* memory, which the plans share */
    size_t work_bytes;
    stf_plan *running;
    int tried;   /* candidates whose plans were made, or cannot be */
    int skipped; /* 1: there was no time for some */
    int count;   /* contestants; the first one is the best so far */
    contestant of[MOST_PLANS];
    char *candidate; /* their choices; behind them those of contestants */
} contest;

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Returns the seconds that are left; none if the caller wants an end. */
static double left(const contest *c)
{
    return c->stopped ? 0.0 : c->began + c->limit - now();
}

/* Tells the caller how much of the time has passed. */
static void tell(contest *c)
{
    const double passed = (now() - c->began) / c->limit;

    if (c->rules->progress != NULL && !c->stopped)
        c->stopped = c->rules->progress(c->rules->progress_data,
                                        passed < 1.0 ? passed : 1.0)
                     != 0;
}

/* ------------------------------------------------------------------- arrays */

stf_status stfi_plan_contest_array(stf_device *dev, const stfi_type *type,
                                   int zeros, size_t bytes, void **array_p)
{
    enum { PART = 1 << 16 };
    const stfi_device_ops *device = dev->backend->device;
    uint64_t state = 1;
    void *part = NULL;
    stf_status status = device->mem_alloc(dev->ctx, bytes, array_p);

    if (status == STF_OK)
        status = stfi_alloc(PART, "a measurement", &part);
    for (size_t i = 0; status == STF_OK && !zeros && i < PART / type->bytes;
         i++)
        stfi_type_write(type->id, part, (int64_t)i,
                        (long double)(stfi_random_u64(&state) >> 40) * 0x1p-23L
                            - 1.0L);
    for (size_t at = 0; at < bytes && status == STF_OK; at += PART)
        status = device->mem_copy(dev->ctx, (char *)*array_p + at, part,
                                  bytes - at < PART ? bytes - at : PART,
                                  STFI_TO_DEVICE, NULL);
    stfi_dealloc(part);
    return status;
}

static void free_all(contest *c)
{
    for (int i = 0; i < c->count; i++)
        if (c->of[i].plan != NULL)
            stfi_plan_destroy(c->of[i].plan);
    c->dev->backend->device->mem_free(c->dev->ctx, c->work);
    stfi_dealloc(c);
}

/* -------------------------------------------------------------- contestants */

static stf_status run_plan(void *arg, void *stream)
{
    contest *c = arg;

    return c->rules->launch(c->rules->subject, c->running, c->work, stream);
}

/* Runs a plan `count` times. */
static stf_status time_plan(contest *c, stf_plan *plan, int count,
                            double *seconds_p)
{
    stf_status status;

    c->running = plan;
    status = stfi_time_work(c->dev, run_plan, c, count, 0, seconds_p);
    if (status >= STF_OK)
        *seconds_p /= count;
    return status;
}

/* Makes the workspace large enough for a plan. If that fails, the other plans have
 * the one that was there. Errors: MEMORY. */
static stf_status make_room(contest *c, const stf_plan *plan)
{
    const stfi_device_ops *device = c->dev->backend->device;
    void *work;
    stf_status status;

    if (plan->workspace_bytes <= c->work_bytes)
        return STF_OK;
    status = device->mem_alloc(c->dev->ctx, plan->workspace_bytes, &work);
    if (status != STF_OK)
        return status;
    device->mem_free(c->dev->ctx, c->work);
    c->work = work;
    c->work_bytes = plan->workspace_bytes;
    return STF_OK;
}

/* Runs a plan for the first time, and then to see about how long it takes. */
static stf_status try_plan(contest *c, contestant *one)
{
    stf_status status = make_room(c, one->plan);

    if (status == STF_OK)
        status = time_plan(c, one->plan, 1, &one->first);
    if (status >= STF_OK && left(c) > 0.0)
        status = time_plan(c, one->plan, 1, &one->first);
    return status;
}

/* Adds a plan with a choice, after a first run. It is left out if it cannot be
 * made, is one that is there, or is far too slow. */
static void add(contest *c, const void *choice)
{
    contestant *one = &c->of[c->count];
    int out;

    memcpy(one->choice, choice, c->rules->choice_bytes);
    if (c->rules->make(c->rules->subject, choice, &one->plan) != STF_OK)
        return;
    out = try_plan(c, one) < STF_OK;
    for (int i = 0; i < c->count && !out; i++)
        out = c->rules->are_equal(one->plan, c->of[i].plan)
              || one->first > HOPELESS * c->of[i].first + 2e-6;
    if (!out) {
        c->count++;
        return;
    }
    stfi_plan_destroy(one->plan);
    one->plan = NULL;
}

/* Adds candidates that differ from the first contestant, as long as more time
 * than `enough` is left. */
static void add_candidates(contest *c, int each, double enough)
{
    int count = c->rules->list(c->rules->subject, c->of[0].plan,
                               c->of[0].choice, each, c->candidate);

    for (int i = 0; i < count && c->count < MOST_PLANS; i++) {
        tell(c);
        if (left(c) <= enough + 4.0 * c->of[0].first) {
            c->skipped = 1;
            break;
        }
        add(c, c->candidate + (size_t)i * c->rules->choice_bytes);
        c->tried++;
    }
}

/* ------------------------------------------------------------- measurements */

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Returns how often a sample runs a plan. */
static int runs_of(const contestant *one)
{
    double runs = SAMPLE_SECONDS / (one->first + 1e-7);

    return runs < 1.0 ? 1 : runs > 1000.0 ? 1000 : (int)runs;
}

/* 1 if all rounds are short against the limit, and so do not count: what is made
 * to be measured may have taken all of the time. */
static int are_short(const contest *c)
{
    double sum = 0.0;

    for (int i = 0; i < c->count; i++)
        sum += ROUNDS * runs_of(&c->of[i]) * c->of[i].first;
    return sum < c->limit / 4;
}

/* Measures all contestants in turn; returns how many rounds there were. */
static int measure_rounds(contest *c, double until)
{
    int rounds = 0, all = are_short(c);

    for (; rounds < ROUNDS && (all || left(c) > until); rounds++) {
        tell(c);
        if (c->stopped)
            break;
        for (int i = 0; i < c->count; i++) {
            contestant *one = &c->of[i];

            if (time_plan(c, one->plan, runs_of(one), &one->seconds[rounds])
                < STF_OK)
                return 0;
        }
    }
    for (int i = 0; i < c->count; i++)
        qsort(c->of[i].seconds, (size_t)rounds, sizeof(double), compare);
    return rounds;
}

/* Returns the contestant that is clearly faster than the first one, by its median
 * and by its best time, and fastest of all such, or 0. */
static int find_faster(const contest *c, int rounds, double *ratio_p)
{
    int best = 0;

    *ratio_p = 1.0;
    for (int i = 1; i < c->count && rounds >= LEAST_ROUNDS; i++) {
        const double *base = c->of[0].seconds, *own = c->of[i].seconds;
        double median = own[rounds / 2] / base[rounds / 2];

        if (median < CLEARLY && own[0] < CLEARLY * base[0]
            && median < *ratio_p) {
            *ratio_p = median;
            best = i;
        }
    }
    return best;
}

/* Each keeps memory of its own for a choice. */
static void swap(contest *c, int i, int j)
{
    contestant other = c->of[i];

    c->of[i] = c->of[j];
    c->of[j] = other;
}

/* Drops all contestants but the first one and that one, which becomes the second,
 * if it is another. */
static void keep_two(contest *c, int other)
{
    for (int i = 1; i < c->count; i++)
        if (i != other)
            stfi_plan_destroy(c->of[i].plan);
    if (other > 1)
        swap(c, 1, other);
    c->count = other > 0 ? 2 : 1;
}

/* Drops all contestants but the fastest one, which the first one is unless
 * another is clearly faster, and again in a second run of these two alone: among
 * many, one may be so by chance. Returns the ratio of their times, or 0 if there
 * was no time to measure. */
static double keep_fastest(contest *c, double until)
{
    int rounds = measure_rounds(c, until);
    double ratio;

    keep_two(c, find_faster(c, rounds, &ratio));
    if (rounds < LEAST_ROUNDS || c->count < 2)
        return rounds < LEAST_ROUNDS ? 0.0 : 1.0;
    if (find_faster(c, measure_rounds(c, 0.0), &ratio) == 1)
        swap(c, 0, 1);
    stfi_plan_destroy(c->of[1].plan);
    c->count = 1;
    return ratio;
}

/* Lets candidates compete with the model's plan, and with EXHAUSTIVE, others
 * with the winner again and again. */
static void compete(contest *c, stfi_measured *m)
{
    const stf_effort effort = c->rules->effort;
    int steps = effort == STF_EFFORT_EXHAUSTIVE ? STEPS : 1;

    for (int i = 0; i < steps; i++) {
        double ratio = 1.0, share = left(c) / (steps - i);
        double until = left(c) - share;

        add_candidates(c, stfi_effort_each(effort), until + share / 2);
        if (c->count > 1)
            ratio = keep_fastest(c, until);
        if (i == 0 && (ratio == 0.0 || (c->skipped && c->tried == 0)))
            snprintf(m->reason, sizeof m->reason,
                     "there was no time to measure");
        if (ratio == 0.0 || ratio == 1.0)
            break;
        m->ratio *= ratio;
    }
    m->ways = 1 + c->tried;
    if (c->tried == 0 && m->reason[0] == '\0')
        snprintf(m->reason, sizeof m->reason, "there is no other way");
}

/* Makes the model's plan, and runs it. */
static stf_status begin(contest *c, stfi_measured *m)
{
    const stfi_plan_contest *rules = c->rules;
    contestant *one = &c->of[0];
    stf_status status = rules->make(rules->subject, one->choice, &one->plan);

    if (status != STF_OK)
        return status;
    c->began = now();
    c->count = 1;
    if (rules->prepare(rules->subject, one->plan) != STF_OK
        || try_plan(c, one) < STF_OK)
        snprintf(m->reason, sizeof m->reason, "%.100s", stf_error_message());
    return STF_OK;
}

/* Returns the seconds to measure in. On a GPU most of them go into compiling
 * kernels, about half a second each. */
static double limit_of(const stfi_plan_contest *rules)
{
    const double usual = rules->effort == STF_EFFORT_EXHAUSTIVE ? 3.0 : 0.3;
    const stf_device *dev = rules->dev;
    stfi_caps caps;

    if (rules->effort_seconds > 0.0)
        return rules->effort_seconds;
    return dev->backend->caps(dev->ctx, &caps) == STF_OK && caps.gpu
               ? 20.0 * usual
               : usual;
}

/* Makes room for a contest with its choices, which are the model's. */
static stf_status open_contest(const stfi_plan_contest *rules, contest **c_p)
{
    const size_t candidates = (size_t)rules->most * rules->choice_bytes;
    contest *c;
    void *memory;
    stf_status status =
        stfi_alloc(sizeof *c + candidates + MOST_PLANS * rules->choice_bytes,
                   "a measurement", &memory);

    if (status != STF_OK)
        return status;
    c = memory;
    c->rules = rules;
    c->dev = rules->dev;
    c->limit = limit_of(rules);
    c->candidate = (char *)(c + 1);
    for (int i = 0; i < MOST_PLANS; i++)
        c->of[i].choice =
            c->candidate + candidates + (size_t)i * rules->choice_bytes;
    *c_p = c;
    return STF_OK;
}

stf_status stfi_plan_contest_run(const stfi_plan_contest *rules, void *choice_p,
                                 stfi_measured *m_p)
{
    stfi_measured m = {.ways = 0, .ratio = 1.0};
    const double began = now();
    contest *c;
    stf_status status = open_contest(rules, &c);

    if (status != STF_OK)
        return status;
    status = begin(c, &m);
    if (status == STF_OK && m.reason[0] == '\0')
        compete(c, &m);
    m.seconds = now() - began;
    if (status == STF_OK && !c->stopped && rules->progress != NULL)
        rules->progress(rules->progress_data, 1.0);
    if (status == STF_OK) {
        memcpy(choice_p, c->of[0].choice, rules->choice_bytes);
        *m_p = m;
    }
    free_all(c);
    return status;
}

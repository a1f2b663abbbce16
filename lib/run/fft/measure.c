/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Measurements of plans; see measure.h. */
#include "run/fft/measure.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/alloc.h"
#include "base/random.h"
#include "base/status.h"
#include "fft/candidates.h"
#include "fft/schedule_text.h"
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
    stfi_choice choice;
    stfi_fft_plan *plan;
    double first;
    double seconds[ROUNDS];
} contestant;

typedef struct contest {
    stf_device *dev;
    const stf_fft_desc *d, *full;
    double began, limit;
    int stopped;           /* 1: the caller wants no more of it */
    void *in, *out, *work; /* memory; the plans share the workspace */
    size_t work_bytes;
    stfi_buffers buffers;
    stfi_fft_plan *running;
    int tried;   /* candidates whose plans were made, or cannot be */
    int skipped; /* 1: there was no time for some */
    int count;   /* contestants; the first one is the best so far */
    contestant of[MOST_PLANS];
    stfi_choice candidate[STFI_CANDIDATES];
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

    if (c->full->progress != NULL && !c->stopped)
        c->stopped = c->full->progress(c->full->progress_data,
                                       passed < 1.0 ? passed : 1.0)
                     != 0;
}

/* ------------------------------------------------------------------- arrays */

/* Gets the bytes that an array takes from its first element in memory to its
 * last, and where element 0 of it is. */
static void measure_span(const stf_fft_desc *full, int output, size_t *bytes_p,
                         size_t *offset_p)
{
    const stf_layout *layout = output ? &full->out : &full->in;
    const stfi_kind *kind = stfi_kind_get(full->kind);
    size_t element = stfi_type_get(full->precision)->bytes
                     * ((output ? kind->real_out : kind->real_in) ? 1 : 2);
    int64_t below = 0, above = 0;

    for (int a = 0; a <= full->rank; a++) {
        int64_t n =
            a == full->rank ? full->batch : stfi_desc_extent(full, a, output);
        int64_t stride = a == full->rank ? layout->dist : layout->stride[a];
        if (stride < 0)
            below -= stride * (n - 1);
        else
            above += stride * (n - 1);
    }
    *bytes_p = (size_t)(below + above + 1) * element;
    *offset_p = (size_t)below * element;
}

/* Fills device memory with numbers: random ones, but zeros for half spectra,
 * which are not any numbers. */
static stf_status fill(const contest *c, void *array, size_t bytes)
{
    enum { PART = 1 << 16 };
    const stfi_type *type = stfi_type_get(c->full->precision);
    uint64_t state = 1;
    void *part = NULL;
    stf_status status = stfi_alloc(PART, "a measurement", &part);

    for (size_t i = 0;
         status == STF_OK && c->full->kind != STF_C2R && i < PART / type->bytes;
         i++)
        stfi_type_write(type->id, part, (int64_t)i,
                        (long double)(stfi_random_u64(&state) >> 40) * 0x1p-23L
                            - 1.0L);
    for (size_t at = 0; at < bytes && status == STF_OK; at += PART)
        status = c->dev->backend->device->mem_copy(
            c->dev->ctx, (char *)array + at, part,
            bytes - at < PART ? bytes - at : PART, STFI_TO_DEVICE, NULL);
    stfi_dealloc(part);
    return status;
}

static stf_status make_array(const contest *c, int output, void **memory_p,
                             void **array_p)
{
    size_t bytes, offset;
    stf_status status;

    measure_span(c->full, output, &bytes, &offset);
    status = c->dev->backend->device->mem_alloc(c->dev->ctx, bytes, memory_p);
    if (status == STF_OK)
        status = fill(c, *memory_p, bytes);
    if (status == STF_OK)
        *array_p = (char *)*memory_p + offset;
    return status;
}

static stf_status make_arrays(contest *c)
{
    void *in = NULL, *out = NULL;
    stf_status status = make_array(c, 0, &c->in, &in);

    if (status == STF_OK)
        status = make_array(c, 1, &c->out, &out);
    c->buffers.in = in;
    c->buffers.out = out;
    return status;
}

static void free_all(contest *c)
{
    for (int i = 0; i < c->count; i++)
        if (c->of[i].plan != NULL)
            stfi_plan_destroy(&c->of[i].plan->head);
    c->dev->backend->device->mem_free(c->dev->ctx, c->in);
    c->dev->backend->device->mem_free(c->dev->ctx, c->out);
    c->dev->backend->device->mem_free(c->dev->ctx, c->work);
    stfi_dealloc(c);
}

/* -------------------------------------------------------------- contestants */

/* 1 if two plans do the same. */
static int are_equal(const stfi_fft_plan *a, const stfi_fft_plan *b)
{
    size_t bytes = stfi_schedule_print(a->schedule, NULL, 0) + 1;
    size_t other = stfi_schedule_print(b->schedule, NULL, 0) + 1;
    void *text;
    int equal;

    if (bytes != other || a->schedule->apart != b->schedule->apart
        || stfi_alloc(2 * bytes, "a schedule's text", &text) != STF_OK)
        return 0;
    stfi_schedule_print(a->schedule, text, bytes);
    stfi_schedule_print(b->schedule, (char *)text + bytes, bytes);
    equal = strcmp(text, (char *)text + bytes) == 0;
    stfi_dealloc(text);
    return equal;
}

static stf_status run_plan(void *arg, void *stream)
{
    contest *c = arg;

    return stfi_fft_plan_launch(c->running, c->running->exec, &c->buffers,
                                stream);
}

/* Runs a plan `count` times. */
static stf_status time_plan(contest *c, stfi_fft_plan *plan, int count,
                            double *seconds_p)
{
    stf_status status;

    c->running = plan;
    status = stfi_time_work(c->dev, run_plan, c, count, 0, seconds_p);
    if (status >= STF_OK)
        *seconds_p /= count;
    return status;
}

/* Makes the workspace large enough for a plan. Errors: MEMORY. */
static stf_status make_room(contest *c, const stfi_fft_plan *plan)
{
    const stfi_device_ops *device = c->dev->backend->device;
    stf_status status;

    if (plan->head.workspace_bytes <= c->work_bytes)
        return STF_OK;
    device->mem_free(c->dev->ctx, c->work);
    c->work = NULL;
    c->work_bytes = 0;
    status =
        device->mem_alloc(c->dev->ctx, plan->head.workspace_bytes, &c->work);
    if (status == STF_OK)
        c->work_bytes = plan->head.workspace_bytes;
    c->buffers.work = c->work;
    return status;
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
static void add(contest *c, const stfi_choice *choice)
{
    contestant *one = &c->of[c->count];
    int out;

    one->choice = *choice;
    if (stfi_fft_plan_create_as(c->dev, c->d, 0, choice, &one->plan) != STF_OK)
        return;
    out = try_plan(c, one) < STF_OK;
    for (int i = 0; i < c->count && !out; i++)
        out = are_equal(one->plan, c->of[i].plan)
              || one->first > HOPELESS * c->of[i].first + 2e-6;
    if (!out) {
        c->count++;
        return;
    }
    stfi_plan_destroy(&one->plan->head);
    one->plan = NULL;
}

/* Adds candidates that differ from the first contestant, as long as more time
 * than `enough` is left. */
static void add_candidates(contest *c, int each, double enough)
{
    const stfi_fft_plan *first = c->of[0].plan;
    const stfi_fft_ops *fft = c->dev->backend->fft;
    int whole = fft->is_whole != NULL && fft->is_whole(first->exec);
    int count = stfi_candidates(c->full, first->schedule, whole,
                                &c->of[0].choice, each, c->candidate);

    for (int i = 0; i < count && c->count < MOST_PLANS; i++) {
        tell(c);
        if (left(c) <= enough + 4.0 * c->of[0].first) {
            c->skipped = 1;
            break;
        }
        add(c, &c->candidate[i]);
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

/* Drops all contestants but the first one and that one, which becomes the second,
 * if it is another. */
static void keep_two(contest *c, int other)
{
    for (int i = 1; i < c->count; i++)
        if (i != other)
            stfi_plan_destroy(&c->of[i].plan->head);
    if (other > 1)
        c->of[1] = c->of[other];
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
    if (find_faster(c, measure_rounds(c, 0.0), &ratio) == 1) {
        contestant loser = c->of[0];
        c->of[0] = c->of[1];
        c->of[1] = loser;
    }
    stfi_plan_destroy(&c->of[1].plan->head);
    c->count = 1;
    return ratio;
}

/* Lets candidates compete with the model's plan, and with EXHAUSTIVE, others
 * with the winner again and again. */
static void compete(contest *c, stfi_measured *m)
{
    int thorough = c->full->effort == STF_EFFORT_EXHAUSTIVE;
    int steps = thorough ? STEPS : 1;

    for (int i = 0; i < steps; i++) {
        double ratio = 1.0, share = left(c) / (steps - i);
        double until = left(c) - share;

        add_candidates(c, thorough ? 4 : 2, until + share / 2);
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
    m->choice = c->of[0].choice;
}

/* Makes the model's plan, and runs it. */
static stf_status begin(contest *c, stfi_measured *m)
{
    contestant *one = &c->of[0];
    stf_status status =
        stfi_fft_plan_create_as(c->dev, c->d, 0, &one->choice, &one->plan);

    if (status != STF_OK)
        return status;
    c->began = now();
    c->count = 1;
    stfi_fft_plan_direct(one->plan,
                         c->full->kind == STF_C2R ? STF_INVERSE : STF_FORWARD,
                         &c->buffers);
    if (make_arrays(c) != STF_OK || try_plan(c, one) < STF_OK)
        snprintf(m->reason, sizeof m->reason, "%.100s", stf_error_message());
    return STF_OK;
}

/* Returns the seconds to measure in. On a GPU most of them go into compiling
 * kernels, about half a second each. */
static double limit_of(const stf_device *dev, const stf_fft_desc *full)
{
    const double usual = full->effort == STF_EFFORT_EXHAUSTIVE ? 3.0 : 0.3;

    stfi_caps caps;

    if (full->effort_seconds > 0.0)
        return full->effort_seconds;
    return dev->backend->caps(dev->ctx, &caps) == STF_OK && caps.gpu
               ? 20.0 * usual
               : usual;
}

stf_status stfi_fft_measure(stf_device *dev, const stf_fft_desc *d,
                            const stf_fft_desc *full, stfi_measured *m_p)
{
    stfi_measured m = {.ways = 0, .ratio = 1.0};
    const double began = now();
    contest *c;
    void *memory;
    stf_status status = stfi_alloc(sizeof *c, "a measurement", &memory);

    if (status != STF_OK)
        return status;
    c = memory;
    c->dev = dev;
    c->d = d;
    c->full = full;
    c->limit = limit_of(dev, full);
    status = begin(c, &m);
    if (status == STF_OK && m.reason[0] == '\0')
        compete(c, &m);
    m.seconds = now() - began;
    if (status == STF_OK && !c->stopped && full->progress != NULL)
        full->progress(full->progress_data, 1.0);
    free_all(c);
    if (status == STF_OK)
        *m_p = m;
    return status;
}

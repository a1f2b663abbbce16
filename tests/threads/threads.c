/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Many threads at once: each creates, executes and destroys plans of its own,
 * and all of them execute shared plans with a workspace each. The results equal
 * those of one thread in every bit. This test is meant to be run under
 * ThreadSanitizer, on a library without OpenMP. */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/harness/trial.h"
#include "tests/tap.h"

enum { MOST_THREADS = 16 };

/* Rounding exceeds this threshold, so every check raises an alarm, and all
 * threads write to the ledger at the same time. */
#define OFF                \
    {                      \
        .mode = STF_FT_OFF \
    }
#define CORRECT                \
    {                          \
        .mode = STF_FT_CORRECT \
    }
#define ALARMS                                    \
    {                                             \
        .mode = STF_FT_DETECT, .threshold = 1e-30 \
    }
#define AROUND                                  \
    {                                           \
        .mode = STF_FT_CORRECT, .end_to_end = 1 \
    }

static const struct {
    const char *word;
    stf_ft_desc ft;
} problems[] = {
    {"c2c:f32:out:64*8", OFF},      {"c2c:f64:out:1000", OFF},
    {"c2c:f64:out:1021*2", OFF},    {"c2c:f32:out:65521", OFF},
    {"c2c:f32:in:65536", OFF},      {"c2c:f32:out:24x36x15", OFF},
    {"r2c:f64:out:1000*3", OFF},    {"r2c:f32:out:32768", OFF},
    {"c2r:f32:out:30x44", OFF},     {"c2r:f64:out:999", OFF},
    {"c2c:f80:out:105", OFF},       {"c2c:f32:out:64*8", CORRECT},
    {"r2c:f64:in:4096*3", CORRECT}, {"c2c:f32:out:1021*2", AROUND},
    {"c2c:f64:out:360*5", ALARMS},  {"c2r:f32:out:30x44", ALARMS},
};

enum { PROBLEMS = sizeof problems / sizeof *problems };

/* A problem, its result from one thread and, in the second part, the shared
 * plan. */
typedef struct shared {
    stfi_trial trial;
    stf_plan *plan;
    char *result;         /* the output from element 0 on */
    stf_ft_report report; /* report of the execution by one thread */
} shared;

/* What one thread does: several rounds over all problems, starting at its
 * own. */
typedef struct worker {
    pthread_t thread;
    shared *problems;
    stf_device *dev; /* NULL: it opens one each time */
    int share;       /* 1: executes the shared plans */
    int first, rounds;
    char failure[256]; /* "" if all went well */
} worker;

static stf_direction direction_of(const shared *s)
{
    return s->trial.full.kind == STF_C2R ? STF_INVERSE : STF_FORWARD;
}

static void complain(worker *w, const shared *s, const char *what)
{
    char name[64];

    stfi_problem_print(&s->trial.problem, name, sizeof name);
    if (!w->failure[0])
        snprintf(w->failure, sizeof w->failure, "%s: %s", name, what);
}

/* Makes arrays like those of the trial, at the same distance from a boundary of
 * 64 bytes, so that sums are computed in the same order. */
static char *copy_array(const shared *s, int which, char **element_p)
{
    const stfi_fenced *a = &s->trial.array[which];
    size_t bytes = (size_t)a->components * s->trial.component_bytes;
    char *copy = aligned_alloc(64, (bytes + 63) / 64 * 64);

    if (copy) {
        memcpy(copy, a->image, bytes);
        *element_p = copy + (size_t)a->origin * s->trial.component_bytes;
    }
    return copy;
}

/* Compares elements as values, as some bytes of an F80 have no meaning. */
static int same_result(const shared *s, const char *element)
{
    const stfi_trial *t = &s->trial;
    int64_t count = stfi_trial_elements(t, 1), b, i;
    int c;

    for (b = 0; b < t->full.batch; b++)
        for (i = 0; i < count; i++)
            for (c = 0; c < stfi_trial_parts(t, 1); c++) {
                int64_t at = stfi_trial_place(t, 1, b, i, c);
                if (stfi_trial_get(t, element, at)
                    != stfi_trial_get(t, s->result, at))
                    return 0;
            }
    return 1;
}

static stf_status run_own(worker *w, const shared *s, const char *in, char *out)
{
    stf_device *dev = w->dev;
    stf_plan *plan = NULL;
    stf_status status = STF_OK;

    if (!dev)
        status = stf_device_open("cpu", &dev);
    if (!status)
        status = stf_plan_fft(dev, &s->trial.problem.desc, &plan);
    /* A plan keeps its device alive. */
    if (!w->dev)
        stf_device_close(dev);
    if (!status)
        status = stf_execute(plan, direction_of(s), in, out);
    stf_plan_destroy(plan);
    return status;
}

static stf_status run_shared(const shared *s, const char *in, char *out)
{
    size_t bytes = stf_plan_workspace(s->plan);
    char *work = aligned_alloc(64, (bytes + 127) / 64 * 64);
    stf_status status = STF_ERR_MEMORY;

    if (work)
        status = stf_execute_on(s->plan, direction_of(s), in, out, work, NULL);
    free(work);
    return status;
}

static void run_problem(worker *w, const shared *s)
{
    int in_place = s->trial.problem.in_place;
    char *in = NULL, *out = NULL, *first_in = NULL, *first_out = NULL;
    stf_status status;

    in = copy_array(s, 0, &first_in);
    if (!in_place)
        out = copy_array(s, 1, &first_out);
    if (in && (in_place || out)) {
        first_out = in_place ? first_in : first_out;
        status = w->share ? run_shared(s, first_in, first_out)
                          : run_own(w, s, first_in, first_out);
        if (status)
            complain(w, s, stf_error_message());
        else if (!same_result(s, first_out))
            complain(w, s, "differs from the serial result");
    } else {
        complain(w, s, "the test is out of memory");
    }
    free(out);
    free(in);
}

static void *work(void *argument)
{
    worker *w = argument;
    int i;

    for (i = 0; i < w->rounds * PROBLEMS && !w->failure[0]; i++)
        run_problem(w, &w->problems[(w->first + i) % PROBLEMS]);
    return NULL;
}

static void test_threads(shared *all, stf_device *dev, int share, int count,
                         const char *what)
{
    static const int rounds[] = {1, 3, 30};
    static worker workers[MOST_THREADS];
    int i, started = 0, right = 1;

    memset(workers, 0, sizeof workers);
    for (i = 0; i < count; i++) {
        worker *w = &workers[i];
        w->problems = all;
        w->dev = dev;
        w->share = share;
        w->first = share ? 0 : i; /* shared: all begin with the same */
        w->rounds = rounds[tap_level()];
        if (pthread_create(&w->thread, NULL, work, w))
            break;
        started++;
    }
    for (i = 0; i < started; i++) {
        pthread_join(workers[i].thread, NULL);
        right = right && !workers[i].failure[0];
        if (workers[i].failure[0])
            tap_diag("thread %d: %s", i, workers[i].failure);
    }
    tap_ok(right && started == count, "%d threads: %s", count, what);
}

/* Computes the result in one thread, and makes the plan to be shared. */
static int prepare(shared *s, stf_device *dev, const char *word,
                   const stf_ft_desc *ft)
{
    stfi_problem p;
    const char *out;
    size_t bytes;

    if (stfi_problem_parse(word, &p))
        return 0;
    p.desc.threads = 1;
    p.desc.ft = *ft;
    if (stfi_trial_open(&s->trial, &p, 0, tap_seed())
        || stf_plan_fft(dev, &p.desc, &s->plan)
        || stf_execute(s->plan, direction_of(s), stfi_trial_array(&s->trial, 0),
                       stfi_trial_array(&s->trial, 1))
        || stf_plan_ft_report(s->plan, &s->report))
        return 0;
    out = stfi_trial_array(&s->trial, 1);
    bytes = (size_t)s->trial.array[!p.in_place].components
            * s->trial.component_bytes;
    bytes -=
        (size_t)s->trial.array[!p.in_place].origin * s->trial.component_bytes;
    s->result = malloc(bytes);
    if (s->result)
        memcpy(s->result, out, bytes);
    return s->result != NULL;
}

/* No alarm of the shared plans may be lost: each execution has as many as the
 * one by a single thread. */
static void test_ledgers(shared *all)
{
    stf_ft_report r;
    int right = 1;

    for (int i = 0; i < PROBLEMS; i++) {
        if (problems[i].ft.mode != STF_FT_DETECT)
            continue;
        right &= !stf_plan_ft_report(all[i].plan, &r)
                 && all[i].report.detected > 0
                 && r.groups_checked > all[i].report.groups_checked
                 && r.detected * all[i].report.groups_checked
                        == r.groups_checked * all[i].report.detected;
        tap_diag("%s: %lld checks, %lld alarms", problems[i].word,
                 (long long)r.groups_checked, (long long)r.detected);
    }
    tap_ok(right, "every alarm is in the ledger");
}

/* An error message belongs to the thread whose call failed. */
static void *fail_elsewhere(void *argument)
{
    stf_device *dev = NULL;

    (void)argument;
    return stf_device_open("nowhere", &dev) == STF_ERR_ARGUMENT
                   && strstr(stf_error_message(), "nowhere")
               ? argument
               : NULL;
}

static void test_messages(void)
{
    stf_device *dev = NULL;
    pthread_t thread;
    void *result = NULL;
    int marker;

    stf_device_open("here", &dev);
    if (!pthread_create(&thread, NULL, fail_elsewhere, &marker))
        pthread_join(thread, &result);
    tap_ok(result == &marker && strstr(stf_error_message(), "here")
               && !strstr(stf_error_message(), "nowhere"),
           "each thread has a message of its own");
}

int main(void)
{
    static shared all[PROBLEMS];
    stf_device *dev = NULL;
    int i, ready = 1;

    tap_begin("threads");
    if (!tap_ok(!stf_device_open("cpu", &dev), "the cpu device opens"))
        return tap_end();
    for (i = 0; i < PROBLEMS; i++)
        if (!prepare(&all[i], dev, problems[i].word, &problems[i].ft)) {
            tap_diag("%s: %s", problems[i].word, stf_error_message());
            ready = 0;
        }
    if (tap_ok(ready, "serial results")) {
        test_threads(all, dev, 0, 8, "plans of their own on one device");
        test_threads(all, NULL, 0, 8, "devices and plans of their own");
        test_threads(all, dev, 1, 8, "shared plans");
        test_threads(all, dev, 1, MOST_THREADS, "shared plans");
    }
    if (ready)
        test_ledgers(all);
    test_messages();
    for (i = 0; i < PROBLEMS; i++) {
        free(all[i].result);
        stf_plan_destroy(all[i].plan);
        stfi_trial_close(&all[i].trial);
    }
    stf_device_close(dev);
    return tap_end();
}

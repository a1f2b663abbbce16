/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Plans with an effort: what is measured is kept and used again, wisdom decides
 * how a plan is made and is not trusted, and whatever fails, there is a plan. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "run/fft/fft_plan.h"
#include "support/problem/problem.h"
#include "tests/tap.h"
#include "tests/unit/told.h"
#include "wisdom/list.h"

enum { POINTS = 8192, BATCH = 3, THREADS = 4, TEXT_BYTES = 16384 };

static stf_device *dev;
static float in[2 * POINTS * BATCH], out[2][2 * POINTS * BATCH];
static char text[TEXT_BYTES];

static stf_fft_desc desc_of(stf_effort effort)
{
    stf_fft_desc d = stf_fft_desc_default();

    d.n[0] = POINTS;
    d.batch = BATCH;
    d.threads = 1;
    d.effort = effort;
    d.effort_seconds = 5.0; /* of which little is used */
    return d;
}

/* Makes a plan and its description, "" if that fails. */
static stf_plan *plan_of(const stf_fft_desc *d)
{
    stf_plan *plan = NULL;

    text[0] = '\0';
    if (stf_plan_fft(dev, d, &plan) != STF_OK
        || stf_plan_describe(plan, text, sizeof text) != STF_OK)
        tap_diag("%s", stf_error_message());
    return plan;
}

/* 1 if a plan is made whose description has that part. */
static int plans(const stf_fft_desc *d, const char *part)
{
    stf_plan *plan = plan_of(d);
    int fine = plan != NULL && strstr(text, part) != NULL;

    if (!fine)
        tap_diag("not \"%s\" but: %s", part, text);
    stf_plan_destroy(plan);
    return fine;
}

/* Lets the process know the value of every problem that it knows. */
static int teach(const char *value)
{
    static char known[TEXT_BYTES], all[TEXT_BYTES];
    int64_t taken = 0;
    char *line;

    if (stf_wisdom_export(known, sizeof known, NULL) != STF_OK)
        return 0;
    snprintf(all, sizeof all, "%s", STFI_WISDOM_HEAD);
    for (line = strchr(known, '\n') + 1; *line != '\0';
         line = strchr(line, '\n') + 1)
        snprintf(all + strlen(all), sizeof all - strlen(all), "%.*s %s\n",
                 (int)strcspn(line, " "), line, value);
    return stf_wisdom_import(all, &taken, NULL) == STF_OK && taken > 0;
}

static void test_kept(void)
{
    stf_fft_desc d = desc_of(STF_EFFORT_MEASURE), other;

    stf_wisdom_forget();
    tap_ok(plans(&d, "effort measure: ") && strstr(text, " ways in ") != NULL,
           "a problem that is not known is measured");
    tap_ok(plans(&d, "effort measure: by wisdom, "), "and known then");
    other = d;
    other.ft.mode = STF_FT_CORRECT;
    tap_ok(plans(&other, " ways in ") && plans(&other, "by wisdom"),
           "a protected plan is another problem");
    other = d;
    other.batch++;
    tap_ok(plans(&other, " ways in "), "so is another batch");
    other = d;
    other.in.dist = POINTS + 1;
    tap_ok(plans(&other, " ways in ") && plans(&other, "by wisdom"),
           "and another layout");
    other = d;
    other.effort = STF_EFFORT_EXHAUSTIVE;
    tap_ok(plans(&other, "effort exhaustive: ")
               && strstr(text, " ways in ") != NULL,
           "more effort measures more");
    other.effort = STF_EFFORT_ESTIMATE;
    tap_ok(plans(&other, "") && strstr(text, "effort") == NULL,
           "and none nothing");
    stf_wisdom_forget();
    tap_ok(plans(&d, " ways in "), "what is forgotten is measured again");
}

/* Values for all problems that are known, and what the plan says then. */
static const struct {
    const char *value, *says;
    int used;
} lessons[] = {
    {"model", "by wisdom, model", 1},
    {"chunk=1", "by wisdom, chunk=1", 1},
    {"split=8192:64x128", "by wisdom, split=8192:64x128", 1},
    {"split=8192:64x128 radices=64:4x4x4 chunk=2",
     "by wisdom, chunk=2 split=8192:64x128 radices=64:4x4x4", 1},
    {"native=1", "by wisdom, native=1", 1},
    {"split=8192:8192x2", " ways in ", 0},
    {"split=8192:8192x1", " ways in ", 0},
    {"split=8192:1x8192", " ways in ", 0},
    {"split=8192:64x128 radices=64:64", " ways in ", 0},
    {"fast", " ways in ", 0},
    {"chunk=1 ; rm -rf", " ways in ", 0},
};

static void test_taught(void)
{
    stf_fft_desc d = desc_of(STF_EFFORT_MEASURE);
    uint64_t state = tap_seed();

    stfi_random_fill(STF_F32, in, 2 * POINTS * BATCH, &state);
    for (size_t i = 0; i < sizeof lessons / sizeof *lessons; i++) {
        stf_plan *plan[2] = {NULL, NULL};
        int fine = teach(lessons[i].value);

        for (int k = 0; k < 2 && fine; k++) {
            plan[k] = plan_of(&d);
            fine = plan[k] != NULL
                   && (k > 0 || strstr(text, lessons[i].says) != NULL)
                   && stf_execute(plan[k], STF_FORWARD, in, out[k]) == STF_OK;
        }
        tap_ok(fine && memcmp(out[0], out[1], sizeof out[0]) == 0,
               "\"%s\" is %s, and two plans give the same bits",
               lessons[i].value, lessons[i].used ? "used" : "not trusted");
        stf_plan_destroy(plan[0]);
        stf_plan_destroy(plan[1]);
    }
}

static void test_limits(void)
{
    stf_fft_desc d = desc_of(STF_EFFORT_MEASURE);
    stf_plan *plan;
    long made;

    stf_wisdom_forget();
    d.effort_seconds = 1e-9;
    tap_ok(plans(&d, "no time to measure, model")
               && plans(&d, "no time to measure"),
           "no time: the model's plan, which is not kept as measured");
    d.effort_seconds = 0.0;
    d.n[0] = 1;
    d.batch = 1;
    tap_ok(plans(&d, "effort measure: "), "one element");
    d = desc_of(STF_EFFORT_MEASURE);
    plan = plan_of(&d);
    stfi_alloc_fail_at(0);
    tap_ok(plan != NULL && stf_execute(plan, STF_FORWARD, in, out[0]) == STF_OK
               && (made = stfi_alloc_fail_at(0)) == 0,
           "executing allocates nothing");
    stf_plan_destroy(plan);
}

static int plans_telling(told *t, const char *what)
{
    stf_fft_desc d = desc_of(STF_EFFORT_MEASURE);

    d.progress = told_note;
    d.progress_data = t;
    return plans(&d, what);
}

/* Some of the many allocations fail: there is a plan, or a message. */
static void test_memory(void)
{
    stf_fft_desc d = desc_of(STF_EFFORT_MEASURE);
    int fine = 1, failed = 0;

    d.effort_seconds = 0.01;
    for (long at = 1; at < 400; at += at < 40 ? 1 : 23) {
        stf_plan *plan = NULL;
        stf_status status;

        stf_wisdom_forget();
        stfi_alloc_fail_at(at);
        status = stf_plan_fft(dev, &d, &plan);
        stfi_alloc_fail_at(0);
        failed += status != STF_OK;
        fine = fine && (status == STF_ERR_MEMORY || status == STF_OK)
               && (status == STF_OK) == (plan != NULL);
        stf_plan_destroy(plan);
    }
    tap_ok(fine && failed > 0, "memory that runs out, %d times without a plan",
           failed);
}

static void *plan_in_thread(void *arg)
{
    stf_fft_desc d = desc_of(STF_EFFORT_MEASURE);
    int fine = 1;

    d.n[0] = 4096;
    d.effort_seconds = 0.03;
    for (int i = 0; i < 3; i++) {
        stf_plan *plan = NULL;
        d.batch = 1 + i;
        fine = stf_plan_fft(dev, &d, &plan) == STF_OK && fine;
        stf_plan_destroy(plan);
    }
    return fine ? arg : NULL;
}

static void test_threads(void)
{
    pthread_t thread[THREADS];
    int fine = 1;
    void *result;

    for (int i = 0; i < THREADS; i++)
        fine = pthread_create(&thread[i], NULL, plan_in_thread, &thread) == 0
               && fine;
    for (int i = 0; i < THREADS; i++)
        fine = pthread_join(thread[i], &result) == 0 && result != NULL && fine;
    tap_ok(fine, "%d threads plan the same problems", THREADS);
}

int main(void)
{
    tap_begin("effort");
    setenv("STEADFAST_WISDOM", "off", 1);
    if (!tap_ok(stf_device_open("cpu", &dev) == STF_OK, "a device"))
        return tap_end();
    test_kept();
    test_taught();
    test_limits();
    told_test(plans_telling, 9);
    test_memory();
    test_threads();
    stf_device_close(dev);
    return tap_end();
}

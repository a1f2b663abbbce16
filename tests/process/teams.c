/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Teams of threads as the system sees them: short calls do not start one, long
 * ones do, calls inside a program's parallel region start none, and the results
 * are the same in every bit whatever the number of threads. Each question is
 * asked in a child, in which nothing has started a thread before. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/problem/problem.h"
#include "tests/process/child.h"
#include "tests/process/work.h"
#include "tests/tap.h"

/* What is executed with two threads allowed, and whether there must be a
 * team. The caches of one core have from 256 KiB to 8 MiB. */
typedef struct call {
    const char *word; /* a transform, or else a product: */
    int m, n, k, batch;
    int has_team;
    stf_ft_desc ft;
} call;

#define TRANSFORM(problem, team)          \
    {                                     \
        .word = problem, .has_team = team \
    }
#define CHECKED(problem, team)                                             \
    {                                                                      \
        .word = problem, .has_team = team, .ft = {.mode = STF_FT_CORRECT } \
    }
#define PRODUCT(rows, cols, depth, members, team)                            \
    {                                                                        \
        .m = rows, .n = cols, .k = depth, .batch = members, .has_team = team \
    }

static const call calls[] = {
    TRANSFORM("c2c:f32:out:1024", 0),    TRANSFORM("c2c:f32:out:16384", 0),
    TRANSFORM("c2c:f64:out:8192*1", 0),  TRANSFORM("c2c:f32:out:64*256", 0),
    TRANSFORM("c2c:f32:out:128x128", 0), TRANSFORM("r2c:f32:out:32768", 0),
    CHECKED("c2c:f32:out:64*256", 0),    CHECKED("c2c:f32:out:16384", 0),
    PRODUCT(1000, 16, 16, 1, 0),         PRODUCT(16, 16, 16, 100, 0),
    PRODUCT(64, 64, 64, 1, 0),           TRANSFORM("c2c:f32:out:64*3000", 1),
    TRANSFORM("c2c:f32:out:2097152", 1), TRANSFORM("r2c:f64:out:4096*64", 1),
    CHECKED("c2c:f32:out:64*3000", 1),   PRODUCT(200, 200, 200, 1, 1),
    PRODUCT(16, 16, 16, 2000, 1),
};

enum { CALLS = sizeof calls / sizeof *calls, REGION = 2 };

/* The number of threads, of which the system tells by a folder with a link for
 * each. */
static int count_threads(void)
{
    struct stat s;

    return stat("/proc/self/task", &s) == 0 ? (int)s.st_nlink - 2 : 0;
}

/* ------------------------------------------------------------------- calls */

static stf_status transform(stf_device *dev, const call *c)
{
    stfi_problem p;
    stf_plan *plan = NULL;
    char *in, *out;
    stf_status status = stfi_problem_parse(c->word, &p);
    size_t bytes = 16;

    if (status != STF_OK)
        return status;
    for (int side = 0; side < 2; side++) {
        size_t own =
            (size_t)(p.desc.batch * stfi_problem_components(&p.desc, side))
            * sizeof(double);
        bytes = own > bytes ? own : bytes;
    }
    p.desc.threads = 2;
    p.desc.ft = c->ft;
    in = calloc(bytes, 1);
    out = calloc(bytes, 1);
    status = in == NULL || out == NULL ? STF_ERR_MEMORY
                                       : stf_plan_fft(dev, &p.desc, &plan);
    if (status == STF_OK)
        status = stf_execute(plan, STF_FORWARD, in, out);
    stf_plan_destroy(plan);
    free(in);
    free(out);
    return status;
}

static stf_status multiply(stf_device *dev, const call *c)
{
    static const float one = 1.0F, zero = 0.0F;
    stf_gemm_desc d = stf_gemm_desc_default();
    stf_plan *plan = NULL;
    float *all = calloc((size_t)(c->m * c->k + c->k * c->n + c->m * c->n)
                            * (size_t)c->batch,
                        sizeof *all);
    stf_status status;

    d.m = c->m;
    d.n = c->n;
    d.k = c->k;
    d.batch = c->batch;
    d.threads = 2;
    d.ft = c->ft;
    status = all == NULL ? STF_ERR_MEMORY : stf_plan_gemm(dev, &d, &plan);
    if (status == STF_OK) {
        float *b = all + c->m * c->k * c->batch;
        status = stf_execute_gemm(plan, &one, all, b, &zero,
                                  b + c->k * c->n * c->batch);
    }
    stf_plan_destroy(plan);
    free(all);
    return status;
}

static stf_status make_call(stf_device *dev, const call *c)
{
    return c->word != NULL ? transform(dev, c) : multiply(dev, c);
}

static child_result starts_what_it_should(const void *arg)
{
    const call *c = arg;
    const int before = count_threads();
    stf_device *dev = NULL;
    stf_status status = stf_device_open("cpu", &dev);
    int more;

    if (before == 0)
        return CHILD_SKIP;
    if (status == STF_OK)
        status = make_call(dev, c);
    more = count_threads() - before;
    stf_device_close(dev);
    if (status != STF_OK || more != c->has_team)
        tap_diag("%s, and %d threads more", stf_status_name(status), more);
    return status == STF_OK && more == c->has_team ? CHILD_RIGHT : CHILD_WRONG;
}

/* ----------------------------------------------------------------- regions */

/* Each thread of a region of the program's makes the calls that have teams
 * outside of it. */
static child_result starts_none_in_a_region(const void *arg)
{
    stf_device *dev = NULL;
    int failures = 0, before, more = -1;

    (void)arg;
    if (stf_device_open("cpu", &dev) != STF_OK)
        return CHILD_WRONG;
    before = count_threads();
#ifdef _OPENMP
#pragma omp parallel num_threads(REGION) reduction(+ : failures)
#endif
    {
        for (int i = 0; i < CALLS; i++)
            if (calls[i].has_team)
                failures += make_call(dev, &calls[i]) != STF_OK;
    }
    more = count_threads() - before;
    stf_device_close(dev);
    if (before == 0)
        return CHILD_SKIP;
    if (failures > 0 || more != REGION - 1)
        tap_diag("%d failures, and %d threads more", failures, more);
    return failures == 0 && more == REGION - 1 ? CHILD_RIGHT : CHILD_WRONG;
}

static child_result is_right_in_a_region(const void *arg)
{
    work_result result = WORK_WRONG;

    (void)arg;
#ifdef _OPENMP
#pragma omp parallel num_threads(REGION)
#pragma omp single
#endif
    result = work_do_all(2);
    return result == WORK_RIGHT ? CHILD_RIGHT : CHILD_WRONG;
}

static child_result is_right(const void *arg)
{
    const int *threads = arg;

    return work_do_all(*threads) == WORK_RIGHT ? CHILD_RIGHT : CHILD_WRONG;
}

/* -------------------------------------------------------------------- main */

static void test_call(const call *c, int max_threads)
{
    char what[96];

    if (c->word != NULL)
        snprintf(what, sizeof what, "%s", c->word);
    else
        snprintf(what, sizeof what, "product %dx%dx%d*%d", c->m, c->n, c->k,
                 c->batch);
    if (c->has_team && max_threads == 1)
        tap_skip("a library without OpenMP", "%s", what);
    else
        child_report(what, starts_what_it_should, c);
}

int main(void)
{
    static const int threads[] = {1, 2, 3, 5, 8};
    stf_device *dev = NULL;
    stf_device_info info = {.max_threads = 1};

    tap_begin("teams");
    setenv("STEADFAST_THREADS", "2", 1);
    if (tap_ok(work_open() && stf_device_open("cpu", &dev) == STF_OK
                   && stf_device_query(dev, &info) == STF_OK,
               "the work is made")) {
        for (int i = 0; i < CALLS; i++)
            test_call(&calls[i], info.max_threads);
        for (size_t i = 0; i < sizeof threads / sizeof *threads; i++) {
            char what[64];
            snprintf(what, sizeof what, "%d threads, the same bits",
                     threads[i]);
            child_report(what, is_right, &threads[i]);
        }
        if (info.max_threads == 1) {
            tap_skip("a library without OpenMP", "no team in a region");
        } else {
            child_report("no team in a region", starts_none_in_a_region, NULL);
            child_report("the same bits in a region", is_right_in_a_region,
                         NULL);
        }
    }
    stf_device_close(dev);
    work_close();
    return tap_end();
}

/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Work for tests of what surrounds the library; see work.h. */
#include "tests/process/work.h"

#include <fenv.h>
#include <stdlib.h>
#include <string.h>

#include "base/type.h"
#include "support/problem/problem.h"
#include "tests/tap.h"

/* Checks of passes; the same and those from input to output; only these. */
#define CHECKED(m)         \
    {                      \
        .mode = STF_FT_##m \
    }
#define AROUND                                  \
    {                                           \
        .mode = STF_FT_CORRECT, .end_to_end = 1 \
    }
#define OFFLINE                                        \
    {                                                  \
        .mode = STF_FT_DETECT, .level = STF_FT_OFFLINE \
    }
#define GROUPED                                                   \
    {                                                             \
        .mode = STF_FT_CORRECT, .scheme = STF_FT_SCHEME_TWO_SIDED \
    }

typedef struct work {
    const char *word;
    stf_ft_desc ft;
    stf_fft_desc desc;
    stf_direction direction;
    int64_t in_count, out_count; /* components */
    size_t bytes;                /* of a component */
    char *in, *want, *got;
} work;

static work works[] = {
    {.word = "c2c:f64:out:65536*2", .ft = CHECKED(OFF)},
    {.word = "c2c:f32:out:64*3000", .ft = CHECKED(CORRECT)},
    {.word = "r2c:f64:out:64*2000", .ft = CHECKED(DETECT)},
    {.word = "c2c:f32:out:18*5000", .ft = AROUND},
    {.word = "c2r:f32:out:65536*3", .ft = OFFLINE},
    {.word = "c2c:f32:out:19*4000", .ft = GROUPED},
    {.word = "c2c:f80:out:67*600", .ft = CHECKED(OFF)},
    {.word = "c2c:f64:out:10007*9", .ft = CHECKED(OFF)},
    {.word = "c2c:f32:out:524288", .ft = CHECKED(OFF)},
};

enum { WORKS = sizeof works / sizeof *works };

/* ----------------------------------------------------------------- making */

static int make(stf_device *dev, work *w, uint64_t *state)
{
    stfi_problem p;
    stf_plan *plan = NULL;
    int right;

    if (stfi_problem_parse(w->word, &p) != STF_OK)
        return 0;
    w->desc = p.desc;
    w->desc.ft = w->ft;
    w->desc.threads = 1;
    w->direction = p.desc.kind == STF_C2R ? STF_INVERSE : STF_FORWARD;
    w->bytes = stfi_type_get(p.desc.precision)->bytes;
    w->in_count = p.desc.batch * stfi_problem_components(&p.desc, 0);
    w->out_count = p.desc.batch * stfi_problem_components(&p.desc, 1);
    w->in = calloc((size_t)w->in_count, w->bytes);
    w->want = calloc((size_t)w->out_count, w->bytes);
    w->got = calloc((size_t)w->out_count, w->bytes);
    if (w->in == NULL || w->want == NULL || w->got == NULL)
        return 0;
    stfi_random_fill(p.desc.precision, w->in, w->in_count, state);
    if (p.desc.kind == STF_C2R) { /* two of its elements are real */
        memset(w->in, 0, 2 * w->bytes);
        memset(w->in + (size_t)(w->in_count - 2) * w->bytes, 0, 2 * w->bytes);
    }
    right = stf_plan_fft(dev, &w->desc, &plan) == STF_OK
            && stf_execute_host(plan, w->direction, w->in, w->want) == STF_OK;
    stf_plan_destroy(plan);
    return right;
}

int work_open(void)
{
    stf_device *dev = NULL;
    uint64_t state = tap_seed();
    int right = stf_device_open("cpu", &dev) == STF_OK;

    for (int i = 0; i < WORKS && right; i++)
        right = make(dev, &works[i], &state);
    if (!right)
        tap_diag("the work cannot be made: %s", stf_error_message());
    stf_device_close(dev);
    return right;
}

void work_close(void)
{
    for (int i = 0; i < WORKS; i++) {
        free(works[i].in);
        free(works[i].want);
        free(works[i].got);
    }
}

/* ----------------------------------------------------------------- judging */

/* Whether a call that must succeed did. */
static work_result judge(const work *w, stf_status status, const char *call)
{
    if (status == STF_OK)
        return WORK_RIGHT;
    tap_diag("%s, %s: %s, \"%s\"", w->word, call, stf_status_name(status),
             stf_error_message());
    return status > STF_OK || status == STF_ERR_UNCORRECTED
                   || status == STF_ERR_INTERNAL
                   || stf_error_message()[0] == '\0'
               ? WORK_WRONG
               : WORK_REFUSED;
}

/* Returns the number of the first component that differs, or -1. Components are
 * compared as values, as some bytes of an F80 have no meaning. */
static int64_t first_difference(const work *w, const char *got)
{
    stf_precision type = w->desc.precision;

    for (int64_t i = 0; i < w->out_count; i++)
        if (stfi_type_read(type, got, i) != stfi_type_read(type, w->want, i))
            return i;
    return -1;
}

/* The comparison itself is one that nothing may trap. */
static work_result compare(const work *w, const char *got, const char *call)
{
    fenv_t of_test;
    int64_t at;

    feholdexcept(&of_test);
    at = first_difference(w, got);
    fesetenv(&of_test);
    if (at >= 0)
        tap_diag("%s, %s: component %lld differs", w->word, call,
                 (long long)at);
    return at >= 0 ? WORK_WRONG : WORK_RIGHT;
}

static work_result worse(work_result a, work_result b)
{
    return a > b ? a : b;
}

/* ------------------------------------------------------------------- calls */

/* What one piece of work holds on a device. */
typedef struct held {
    stf_plan *plan;
    void *in, *out, *workspace;
} held;

static work_result take(stf_device *dev, const work *w, int threads, held *h)
{
    stf_fft_desc d = w->desc;
    stf_status status;

    d.threads = threads;
    status = stf_plan_fft(dev, &d, &h->plan);
    if (status == STF_OK)
        status = stf_malloc(dev, (size_t)w->in_count * w->bytes, &h->in);
    if (status == STF_OK)
        status = stf_malloc(dev, (size_t)w->out_count * w->bytes, &h->out);
    if (status == STF_OK)
        status = stf_malloc(dev, stf_plan_workspace(h->plan), &h->workspace);
    if (status == STF_OK)
        status = stf_upload(dev, h->in, w->in, (size_t)w->in_count * w->bytes);
    return judge(w, status, "planning");
}

static void leave(stf_device *dev, held *h)
{
    stf_free(dev, h->workspace);
    stf_free(dev, h->out);
    stf_free(dev, h->in);
    stf_plan_destroy(h->plan);
}

static work_result execute(stf_device *dev, const work *w, const held *h,
                           int own_workspace)
{
    const char *call = own_workspace ? "stf_execute_on" : "stf_execute";
    stf_status status = own_workspace
                            ? stf_execute_on(h->plan, w->direction, h->in,
                                             h->out, h->workspace, NULL)
                            : stf_execute(h->plan, w->direction, h->in, h->out);

    if (status == STF_OK)
        status = stf_synchronize(dev);
    if (status == STF_OK)
        status =
            stf_download(dev, w->got, h->out, (size_t)w->out_count * w->bytes);
    return status == STF_OK ? compare(w, w->got, call) : judge(w, status, call);
}

static work_result execute_host(const work *w, const held *h)
{
    stf_status status;

    memset(w->got, 0, (size_t)w->out_count * w->bytes);
    status = stf_execute_host(h->plan, w->direction, w->in, w->got);
    return status == STF_OK ? compare(w, w->got, "stf_execute_host")
                            : judge(w, status, "stf_execute_host");
}

/* The library's own checks must have nothing to say. */
static work_result check(stf_device *dev, const work *w, const held *h,
                         int threads)
{
    stf_ft_report r = {.detected = 0};
    stf_status status = stf_plan_ft_report(h->plan, &r);

    if (status == STF_OK && r.detected == 0
        && stfi_type_get(w->desc.precision)->checked) {
        stf_fft_desc d = w->desc;
        d.threads = threads;
        status = stf_check_fft(dev, &d, w->direction, h->in, h->out, &r);
    }
    if (status == STF_OK && (r.detected != 0 || r.max_residual >= 1.0)) {
        tap_diag("%s: %lld errors, residual %g", w->word, (long long)r.detected,
                 r.max_residual);
        return WORK_WRONG;
    }
    return judge(w, status, "checking");
}

/* Calls that concern faults and texts. What a fault leaves is not compared: the
 * repair of one that is next to rounding may be its rounding. */
static work_result ask(const work *w, const held *h)
{
    static char text[16384];
    stf_fault fault;
    stf_status status = stf_plan_describe(h->plan, text, sizeof text) == STF_OK
                            ? stf_plan_draw_fault(h->plan, tap_seed(), &fault)
                            : STF_ERR_INTERNAL;

    if (status == STF_OK && w->ft.mode == STF_FT_CORRECT)
        status = stf_plan_inject(h->plan, &fault, 1);
    if (status == STF_OK)
        status = stf_execute(h->plan, w->direction, h->in, h->out);
    if (status == STF_CORRECTED)
        status = STF_OK;
    if (status == STF_OK)
        status = stf_plan_ft_reset(h->plan);
    return judge(w, status, "faults and texts");
}

static work_result do_one(stf_device *dev, const work *w, int threads)
{
    held h = {.plan = NULL};
    work_result result = take(dev, w, threads, &h);

    if (result == WORK_RIGHT)
        result = execute(dev, w, &h, 0);
    if (result == WORK_RIGHT)
        result = execute(dev, w, &h, 1);
    if (result == WORK_RIGHT)
        result = execute_host(w, &h);
    if (result == WORK_RIGHT)
        result = check(dev, w, &h, threads);
    if (result == WORK_RIGHT)
        result = ask(w, &h);
    leave(dev, &h);
    return result;
}

work_result work_do(stf_device *dev, int threads)
{
    work_result result = WORK_RIGHT;

    for (int i = 0; i < WORKS; i++)
        result = worse(result, do_one(dev, &works[i], threads));
    return result;
}

work_result work_do_all(int threads)
{
    stf_device *dev = NULL;
    stf_device_info info, list[8];
    stf_status status = stf_device_open("cpu", &dev);
    work_result result = judge(&works[0], status, "opening the device");

    if (status != STF_OK)
        return result;
    if (stf_device_list(list, 8) < 1 || stf_version()[0] == '\0'
        || stf_build_info()[0] == '\0')
        result = WORK_WRONG;
    status = stf_device_query(dev, &info);
    result = worse(result, judge(&works[0], status, "stf_device_query"));
    result = worse(result, work_do(dev, threads));
    stf_device_close(dev);
    return result;
}

work_result work_do_host(stf_device *dev, int threads)
{
    work_result result = WORK_RIGHT;

    for (int i = 0; i < WORKS; i++) {
        work *w = &works[i];
        held h = {.plan = NULL};
        stf_fft_desc d = w->desc;
        stf_status status;
        d.threads = threads;
        d.ft.mode = STF_FT_OFF;
        status = stf_plan_fft(dev, &d, &h.plan);
        if (status == STF_ERR_UNSUPPORTED)
            continue;
        if (status == STF_OK)
            status = stf_execute_host(h.plan, w->direction, w->in, w->got);
        result = worse(result, judge(w, status, "stf_execute_host"));
        stf_plan_destroy(h.plan);
    }
    return result;
}

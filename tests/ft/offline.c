/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Plans with an end-to-end check (STF_FT_OFFLINE) on the cpu: clean runs, in
 * place, data that cannot be checked, workspaces, threads, memory. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "tests/ft/guarded.h"
#include "tests/tap.h"

/* ------------------------------------------------------------------- clean */

/* Signals of all kinds, twice each: there is no alarm, and the output equals
 * that of the unprotected plan in every bit. */
static void test_clean(stf_device *dev, const char *word, stf_ft_mode mode)
{
    uint64_t state = tap_seed();
    double worst = 0;
    stfi_guarded g;
    int k, right = stfi_guarded_open(&g, dev, word, mode, STF_FT_OFFLINE, 0);

    for (k = 0; k < STFI_DISTRIBUTIONS && right; k++) {
        stf_ft_report r;
        right = stfi_guarded_draw(&g, k, &state)
                && stfi_guarded_run(&g) == STF_OK && stfi_guarded_is_clean(&g)
                && stfi_guarded_run(&g) == STF_OK
                && stfi_guarded_report(&g, &r) == STF_OK
                && stfi_report_is_clean(&r, 2 * g.s.d.batch);
        worst = right ? fmax(worst, r.max_residual) : worst;
    }
    /* A transform of one point has no rounding errors. */
    tap_ok(right && (worst > 0.01 || g.s.in_count == 2),
           "%s, mode %d: clean, residuals up to %.2f", word, (int)mode, worst);
    stfi_guarded_close(&g);
}

/* ---------------------------------------------------------------- in place */

static void test_in_place(stf_device *dev)
{
    uint64_t state = tap_seed();
    stf_fault f;
    stf_ft_report r;
    stfi_guarded g;
    int right = stfi_guarded_open(&g, dev, "c2c:f64:105*5", STF_FT_CORRECT,
                                  STF_FT_OFFLINE, 0);

    if (right) {
        memcpy(g.s.out, g.s.in, g.bytes);
        right = stf_execute(g.plan, STF_FORWARD, g.s.out, g.s.out) == STF_OK
                && stfi_guarded_report(&g, &r) == STF_OK;
        tap_ok(right && stfi_guarded_is_clean(&g)
                   && stfi_report_is_clean(&r, 5),
               "in place: clean");
        f = stfi_guarded_fault(&g, &state);
        f.stage = 0;
        memcpy(g.s.out, g.s.in, g.bytes);
        right = !stf_plan_inject(g.plan, &f, 1)
                && stf_execute(g.plan, STF_FORWARD, g.s.out, g.s.out)
                       == STF_ERR_UNCORRECTED
                && stfi_guarded_report(&g, &r) == STF_ERR_UNCORRECTED;
        tap_ok(right && stfi_report_names(&r, &f) && r.uncorrectable == 1,
               "in place: a fault is found, and there is nothing to repair "
               "it with");
    }
    stfi_guarded_close(&g);
}

/* Real rows that are padded in place are checked differently. */
static void test_padded(stf_device *dev)
{
    enum { N = 64, ROW = N + 2, BATCH = 3 };
    float x[BATCH * ROW];
    stf_fft_desc d = stf_fft_desc_default();
    stf_fault f = {.signal = 1, .element = 7, .bit = -1, .magnitude = 1e3};
    stf_plan *plan = NULL;
    stf_ft_report r;
    uint64_t state = tap_seed();
    int right;

    stfi_random_fill(STF_F32, x, BATCH * ROW, &state);
    d.kind = STF_R2C;
    d.n[0] = N;
    d.batch = BATCH;
    d.ft.mode = STF_FT_DETECT;
    d.ft.level = STF_FT_OFFLINE;
    right = !stf_plan_fft(dev, &d, &plan)
            && !stf_execute(plan, STF_FORWARD, x, x)
            && !stf_plan_ft_report(plan, &r);
    tap_ok(right && stfi_report_is_clean(&r, BATCH),
           "padded rows in place: clean");
    stfi_random_fill(STF_F32, x, BATCH * ROW, &state);
    right = right && !stf_plan_ft_reset(plan) && !stf_plan_inject(plan, &f, 1)
            && !stf_execute(plan, STF_FORWARD, x, x)
            && !stf_plan_ft_report(plan, &r);
    tap_ok(right && stfi_report_names(&r, &f) && r.groups_checked == BATCH,
           "padded rows in place: a fault");
    stf_plan_destroy(plan);
}

/* ------------------------------------------------- data of extreme size */

static void test_extremes(stf_device *dev, const char *word, double huge)
{
    stf_ft_report r;
    stfi_guarded g;
    int64_t i;
    int right =
        stfi_guarded_open(&g, dev, word, STF_FT_CORRECT, STF_FT_OFFLINE, 0);

    if (right) {
        stfi_signals_set(&g.s, g.s.in, g.s.in_count + 5, NAN);
        right = stfi_guarded_run(&g) == STF_OK
                && stfi_guarded_report(&g, &r) == STF_OK;
        tap_ok(right && r.non_finite_input == 1 && r.detected == 0
                   && r.overflowed == 0,
               "%s: an input that is not a number", word);
        for (i = 0; i < g.s.in_count; i++) /* all of transform 1 */
            stfi_signals_set(&g.s, g.s.in, g.s.in_count + i, huge);
        right = stfi_guarded_run(&g) == STF_OK
                && stfi_guarded_report(&g, &r) == STF_OK;
        tap_ok(right && r.overflowed == 1 && r.detected == 0
                   && r.non_finite_input == 0,
               "%s: results that overflow", word);
    }
    stfi_guarded_close(&g);
}

/* ------------------------------------------------- workspaces and threads */

/* The sums of checks lie in the workspace that the plan asks for, and not
 * beyond it. Of a prime number of points the unprotected plan, too, runs passes:
 * the scratch of transforms that are computed whole may be larger than both. */
static void test_workspace(stf_device *dev)
{
    enum { GUARD = 4096, THREADS = 4, ROUNDS = 8 };
    stf_ft_report r;
    stfi_guarded g;
    size_t size;
    int failures = 0, i;
    int right = stfi_guarded_open(&g, dev, "c2c:f32:1021*9", STF_FT_CORRECT,
                                  STF_FT_OFFLINE, 0);

    size = right ? stf_plan_workspace(g.plan) : 0;
    tap_ok(right && size > stf_plan_workspace(g.s.plan), "a larger workspace");
#ifdef _OPENMP
#pragma omp parallel for num_threads(THREADS) reduction(+ : failures)
#endif
    for (i = 0; i < THREADS * ROUNDS; i++) {
        unsigned char *work = NULL, *out = malloc(g.bytes);
        size_t at;
        failures += !out || stf_malloc(dev, size + GUARD, (void **)&work);
        memset(work, 0xa5, size + GUARD);
        failures += stf_execute_on(g.plan, STF_FORWARD, g.s.in, out, work, NULL)
                        != STF_OK
                    || memcmp(out, g.clean, g.bytes) != 0;
        for (at = size; at < size + GUARD; at++)
            failures += work[at] != 0xa5;
        stf_free(dev, work);
        free(out);
    }
    tap_ok(right && !failures && stfi_guarded_report(&g, &r) == STF_OK
               && stfi_report_is_clean(&r, 9 * THREADS * ROUNDS),
           "from many threads, with workspaces of theirs");
    stfi_guarded_close(&g);
}

/* The residuals do not depend on the number of threads. */
static void test_threads(stf_device *dev, const char *word)
{
    double worst[2] = {0, 1};
    int i;

    for (i = 0; i < 2; i++) {
        stf_fft_desc d;
        stf_ft_report r;
        stf_plan *plan = NULL;
        stfi_guarded g;
        if (stfi_guarded_open(&g, dev, word, STF_FT_DETECT, STF_FT_OFFLINE,
                              0)) {
            d = g.s.d;
            d.ft.mode = STF_FT_DETECT;
            d.ft.level = STF_FT_OFFLINE;
            d.threads = i ? 4 : 1;
            if (!stf_plan_fft(dev, &d, &plan)
                && !stf_execute(plan, g.s.direction, g.s.in, g.s.out)
                && !stf_plan_ft_report(plan, &r))
                worst[i] = r.max_residual;
        }
        stf_plan_destroy(plan);
        stfi_guarded_close(&g);
    }
    tap_ok(worst[0] > 0 && worst[0] == worst[1],
           "%s: one thread and four, %.3f and %.3f", word, worst[0], worst[1]);
}

/* Executing allocates nothing; planning reports an error if it cannot
 * allocate. */
static void test_memory(stf_device *dev)
{
    stf_status status = STF_ERR_MEMORY;
    stf_plan *plan = NULL;
    stfi_guarded g;
    long at, made = -1;
    int right = stfi_guarded_open(&g, dev, "c2c:f64:105*5", STF_FT_CORRECT,
                                  STF_FT_OFFLINE, 0);

    if (right) {
        stfi_alloc_fail_at(0);
        right = stfi_guarded_run(&g) == STF_OK;
        made = stfi_alloc_fail_at(0);
    }
    tap_ok(right && made == 0, "an execution allocates nothing");
    stfi_guarded_close(&g);
    g.s.d = stf_fft_desc_default();
    g.s.d.n[0] = 48;
    g.s.d.ft.mode = STF_FT_CORRECT;
    g.s.d.ft.level = STF_FT_OFFLINE;
    for (at = 1; at < 200 && status == STF_ERR_MEMORY; at++) {
        stf_device *own = NULL;
        stf_device_open("cpu", &own);
        stfi_alloc_fail_at(at);
        status = stf_plan_fft(own, &g.s.d, &plan);
        stfi_alloc_fail_at(0);
        stf_device_close(own);
    }
    tap_ok(status == STF_OK && at > 10, "%ld failing allocations of a plan",
           at - 2);
    stf_plan_destroy(plan);
}

int main(void)
{
    stf_device *dev = NULL;
    int i;

    tap_begin("ft/offline");
    if (stf_device_open("cpu", &dev))
        return tap_ok(0, "%s", stf_error_message()), tap_end();
    for (i = 0; stfi_guarded_word(i) != NULL; i++) {
        test_clean(dev, stfi_guarded_word(i), STF_FT_DETECT);
        test_clean(dev, stfi_guarded_word(i), STF_FT_CORRECT);
    }
    test_in_place(dev);
    test_padded(dev);
    test_extremes(dev, "c2c:f32:64*3", 3e38);
    test_extremes(dev, "r2c:f64:30*3", 1.7e308);
    test_workspace(dev);
    test_threads(dev, "c2c:f32:262144*1");
    test_threads(dev, "c2c:f64:2x100000*1");
    test_threads(dev, "r2c:f64:64*3000");
    test_memory(dev);
    stf_device_close(dev);
    return tap_end();
}

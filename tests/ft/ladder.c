/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* What protected plans do about faults of every kind, and about data that only
 * look like faults: Inf, NaN, overflow, extreme sizes. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "tests/devices.h"
#include "tests/ft/trio.h"
#include "tests/report.h"
#include "tests/tap.h"

static const char *const words[] = {
    "c2c:f32:8*37",        "c2c:f64:64*5",
    "c2c:f32:in:256*19",   "c2c:f64:1009*3",
    "c2c:f32:254*3",       "c2c:f64:in:16384*2",
    "c2c:f32:60x64*2",     "r2c:f32:1024*5",
    "r2c:f64:105*5",       "r2c:f64:65536*1",
    "c2r:f32:105*5",       "c2r:f64:1024*5",
    "c2r:f32:65536*1",     "c2r:f64:8x9x10*3",
    "c2c:f32:65537*1",     "dct2:f32:64*21",
    "dst3:f64:65536*1",    "dct4:f64:in:105*5",
    "dst1:f32:1009*3",     "dht:f64:8x9x10*3",
    "c2c:f16:64*37",       "c2c:bf16:16384",
    "r2c:bf16:105*5",      "c2r:f16:8x9x10*3",
    "dct2:f16:64*21",      "dct1:f32:65*21",
    "dct3:f32:in:60x64*2", "dst2:f32:1021*3",
    "dst4:f64:1024*5",     "r2hc:f64:105*5",
    "hc2r:f32:1024*5",     "r2r=dst3+dct1+dct4:f64:8x9x10*3",
};
/* NORMAL is the first distribution; a GPU takes one of GPU_STEP rows. */
enum { WORDS = sizeof words / sizeof *words, NORMAL = 0, GPU_STEP = 9 };

/* A fault of one component in the middle of the last transform. */
static stf_fault fault_of(const stfi_trio *trio, int pass, double magnitude)
{
    stf_fault f = {0};

    f.pass = pass;
    f.signal = trio->s.d.batch - 1;
    f.element = trio->s.in_count / 8;
    f.bit = -1;
    f.magnitude = magnitude;
    return f;
}

/* The number of the plan's passes, found by injecting: faults in other passes
 * are refused. */
static int passes_of(const stfi_trio *trio)
{
    stf_fault f = fault_of(trio, 0, 1);
    int pass = 0;

    f.element = 0;
    while (f.pass = pass,
           stf_plan_inject(trio->plan[STFI_TRIO_CORRECT], &f, 1) == STF_OK)
        pass++;
    stf_plan_inject(trio->plan[STFI_TRIO_CORRECT], NULL, 0);
    return pass;
}

static int quiet(const stf_ft_report *r)
{
    return report_has_only(r, REPORT_BIT(RECHECKED))
           && r->first_event.signal == -1;
}

static int names(const stfi_trio *trio, const stf_ft_report *r,
                 const stf_fault *f)
{
    return r->first_event.signal == stfi_trio_first(trio, f->signal)
           && r->first_event.pass == f->pass && r->first_event.residual > 1;
}

static int is_clean(stfi_trio *trio, stfi_trio_mode mode)
{
    stfi_trio_result got = stfi_trio_run(trio, mode, NULL, 0);

    return got.ran && got.status == STF_OK && quiet(&got.r)
           && stfi_trio_same(trio, -1);
}

/* -------------------------------------------------------- faults on purpose */

static const char *persists(stfi_trio *trio, int pass)
{
    stf_fault f = fault_of(trio, pass, 1e4);
    stfi_trio_result got;

    f.persistent = 1;
    got = stfi_trio_run(trio, STFI_TRIO_CORRECT, &f, 1);
    if (!got.ran || got.status != STF_ERR_UNCORRECTED)
        return "no UNCORRECTED";
    if (got.r.detected != 1 || got.r.uncorrectable != 1 || got.r.recomputed
        || !names(trio, &got.r, &f))
        return "a report that does not fit";
    if (!stfi_trio_same_elsewhere(trio, f.signal) || stfi_trio_same(trio, -1))
        return "another output than that of the fault";
    got = stfi_trio_run(trio, STFI_TRIO_DETECT, &f, 1);
    if (!got.ran || got.status != STF_OK || got.r.detected != 1
        || got.r.located != 1 || got.r.uncorrectable
        || !names(trio, &got.r, &f))
        return "a report without repair that does not fit";
    return is_clean(trio, STFI_TRIO_CORRECT) ? NULL : "a fault that stays";
}

/* Runs with `count` faults, which `groups` groups suffer and which must be
 * repaired. */
static const char *repairs(stfi_trio *trio, const stf_fault *f, int count,
                           int groups)
{
    stfi_trio_result got = stfi_trio_run(trio, STFI_TRIO_CORRECT, f, count);

    if (!got.ran || got.status < 0)
        return "a failure";
    if (got.r.detected != groups || got.r.recomputed != groups
        || got.r.uncorrectable || got.r.overflowed || got.r.non_finite_input)
        return "a report that does not fit";
    return stfi_trio_same(trio, -1) ? NULL : "not repaired";
}

static const char *several(stfi_trio *trio, int pass)
{
    stf_fault f[2] = {fault_of(trio, pass, 1e4), fault_of(trio, pass, -3e3)};
    const char *wrong;

    f[1].element++;
    f[1].component = 1;
    wrong = repairs(trio, f, 1, 1);
    if (wrong || trio->s.d.batch < 3)
        return wrong;
    f[1].signal = 0;
    if ((wrong = repairs(trio, f, 2, 2)) != NULL)
        return wrong;
    f[1].signal = f[0].signal - 1;
    return repairs(trio, f, 2, 2);
}

/* Makes a value infinite. In F64 the magnitude must be added twice to
 * overflow. */
static const char *infinite(stfi_trio *trio, int pass)
{
    double large = trio->s.bytes == sizeof(float) ? 3e38 : 1.6e308;
    stf_fault f[2] = {fault_of(trio, pass, large), fault_of(trio, pass, large)};

    return repairs(trio, f, 2, 1);
}

static const char *forgotten(stfi_trio *trio)
{
    stf_fault f = fault_of(trio, 0, 1e4);
    stf_plan *plan = trio->plan[STFI_TRIO_CORRECT];
    stf_ft_report r;

    if (stf_plan_inject(plan, &f, 1) || stf_plan_inject(plan, NULL, 0)
        || !is_clean(trio, STFI_TRIO_CORRECT))
        return "faults that were taken back";
    if (repairs(trio, &f, 1, 1) || stf_plan_ft_reset(plan)
        || stf_plan_ft_report(plan, &r) || !quiet(&r) || r.groups_checked
        || r.max_residual != 0 || r.rechecked)
        return "a reset";
    return NULL;
}

static void test_faults(stfi_trio *trio, const char *word)
{
    static const struct {
        const char *name;
        const char *(*judge)(stfi_trio *, int);
    } rows[] = {
        {"persistent", persists}, {"several", several}, {"infinite", infinite}};
    int passes = passes_of(trio), p;
    const char *wrong;
    size_t i;

    for (i = 0; i < sizeof rows / sizeof *rows; i++) {
        wrong = NULL;
        for (p = 0; p < passes && !wrong; p++)
            wrong = rows[i].judge(trio, p);
        tap_ok(!wrong && passes > 0, "%s: %s faults in %d passes%s%s", word,
               rows[i].name, passes, wrong ? ": " : "", wrong ? wrong : "");
    }
    wrong = forgotten(trio);
    tap_ok(!wrong, "%s: faults and reports are forgotten%s%s", word,
           wrong ? ", but: " : "", wrong ? wrong : "");
}

/* -------------------------------------------------- data that are no faults */

/* One element in the middle of transform 0 becomes `value`. All other
 * transforms stay as they are. */
static const char *spoilt(stfi_trio *trio, stfi_trio_mode mode, double value)
{
    int64_t at = trio->s.in_count / 3;
    double kept = stfi_signals_get(&trio->s, trio->s.in, at);
    stfi_trio_result got;
    int right;

    stfi_signals_set(&trio->s, trio->s.in, at, value);
    right = stfi_trio_load(trio);
    got = stfi_trio_run(trio, mode, NULL, 0);
    stfi_signals_set(&trio->s, trio->s.in, at, kept);
    right = stfi_trio_load(trio) && right;
    if (!right || !got.ran || got.status != STF_OK)
        return "a failure";
    if (got.r.detected || got.r.overflowed || got.r.non_finite_input < 1)
        return "a report that does not fit";
    return NULL;
}

/* All data are near the largest number, so that sums overflow. */
static const char *overflowing(stfi_trio *trio)
{
    double large = trio->s.bytes == sizeof(float) ? 3e38 : 1.7e308;
    int64_t count = trio->s.in_count * trio->s.d.batch, i;
    stfi_trio_result got;
    int right;

    for (i = 0; i < count; i++)
        stfi_signals_set(&trio->s, trio->s.in, i, large);
    right = stfi_trio_load(trio);
    got = stfi_trio_run(trio, STFI_TRIO_CORRECT, NULL, 0);
    if (!right || !got.ran || got.status != STF_OK)
        return "a failure";
    /* An overflow in what a pass computes twice may go unnoticed there; then
     * the next pass reports that its input is not finite. */
    if (got.r.detected
        || got.r.overflowed + got.r.non_finite_input < trio->s.d.batch)
        return "a report that does not fit";
    return NULL;
}

static const char *sized(stfi_trio *trio, double factor, uint64_t *state)
{
    int64_t count = trio->s.in_count * trio->s.d.batch, i;
    stf_fault f = fault_of(trio, 0, 30 * factor);

    if (!stfi_trio_draw(trio, NORMAL, state))
        return "no data";
    for (i = 0; i < count; i++)
        stfi_signals_set(&trio->s, trio->s.in, i,
                         factor * stfi_signals_get(&trio->s, trio->s.in, i));
    if (!stfi_trio_load(trio) || !is_clean(trio, STFI_TRIO_CORRECT)
        || !is_clean(trio, STFI_TRIO_DETECT))
        return "an alarm";
    return repairs(trio, &f, 1, 1);
}

static void test_data(stfi_trio *trio, const char *word, uint64_t *state)
{
    static const double values[] = {INFINITY, -INFINITY, NAN};
    static const double sizes[] = {
        [STF_F16] = 64, [STF_BF16] = 1e30, [STF_F32] = 1e30, [STF_F64] = 1e290};
    const double most = sizes[trio->s.d.precision];
    const char *wrong = NULL;
    int i;

    for (i = 0; i < 3 && !wrong; i++) {
        wrong = spoilt(trio, STFI_TRIO_CORRECT, values[i]);
        wrong = wrong ? wrong : spoilt(trio, STFI_TRIO_DETECT, values[i]);
    }
    tap_ok(!wrong, "%s: Inf and NaN in the input are no faults%s%s", word,
           wrong ? ": " : "", wrong ? wrong : "");
    wrong = sized(trio, most, state);
    tap_ok(!wrong, "%s: huge data%s%s", word, wrong ? ": " : "",
           wrong ? wrong : "");
    wrong = sized(trio, 1 / most, state);
    tap_ok(!wrong, "%s: tiny data%s%s", word, wrong ? ": " : "",
           wrong ? wrong : "");
    wrong = overflowing(trio);
    tap_ok(!wrong, "%s: overflow is no fault%s%s", word, wrong ? ": " : "",
           wrong ? wrong : "");
}

/* Returns 0 if the device protects nothing. */
static int test_word(stf_device *dev, const char *word, uint64_t *state)
{
    stfi_trio trio;
    int ready = stfi_trio_open(
        &trio, dev, word, strncmp(word, "c2r", 3) ? STF_FORWARD : STF_INVERSE);

    if (ready > 0 && stfi_trio_draw(&trio, NORMAL, state)) {
        test_faults(&trio, word);
        test_data(&trio, word, state);
    }
    stfi_trio_close(&trio);
    return ready >= 0;
}

/* ------------------------------------------------------- memory and threads */

/* Every allocation of a protected plan and of its faults fails once. */
static void test_memory(stf_device *dev)
{
    float in[2 * 48] = {1}, out[2 * 48];
    stf_fft_desc d = stf_fft_desc_default();
    stf_fault f = {.bit = -1, .magnitude = 100};
    stf_status status = STF_ERR_MEMORY;
    long at;

    d.n[0] = 48;
    d.ft.mode = STF_FT_CORRECT;
    for (at = 1; at < 200 && status == STF_ERR_MEMORY; at++) {
        stf_plan *plan = NULL;
        stfi_alloc_fail_at(at);
        status = stf_plan_fft(dev, &d, &plan);
        if (!status)
            status = stf_plan_inject(plan, &f, 1);
        stfi_alloc_fail_at(0);
        if (!status)
            status = stf_execute(plan, STF_FORWARD, in, out);
        stf_plan_destroy(plan);
    }
    tap_ok(status == STF_CORRECTED && at > 5,
           "%ld failing allocations are reported", at - 2);
}

/* Many threads execute one plan, each with arrays and a workspace of its
 * own. */
static void test_threads(stf_device *dev)
{
    enum { CALLS = 64, N = 1024 };
    stf_fft_desc d = stf_fft_desc_default();
    stf_plan *plan = NULL;
    stf_ft_report r;
    int failures, i;

    d.n[0] = N;
    d.ft.mode = STF_FT_CORRECT;
    failures = stf_plan_fft(dev, &d, &plan);
#ifdef _OPENMP
#pragma omp parallel for num_threads(8) reduction(+ : failures)
#endif
    for (i = 0; i < CALLS; i++) {
        float *data = calloc(2 * N, sizeof *data);
        size_t bytes = (stf_plan_workspace(plan) + 63) / 64 * 64;
        void *work = aligned_alloc(64, bytes);
        /* Data so small that every check takes the rare path, where squares
         * would underflow. */
        data[i] = 1e-30f;
        failures +=
            stf_execute_on(plan, STF_FORWARD, data, data, work, NULL) != STF_OK;
        free(data);
        free(work);
    }
    tap_ok(!failures && !stf_plan_ft_report(plan, &r) && quiet(&r)
               && r.groups_checked >= CALLS && r.groups_checked % CALLS == 0,
           "from many threads");
    stf_plan_destroy(plan);
}

static void test_device(void *context, stf_device *dev,
                        const stf_device_info *info)
{
    uint64_t state = tap_seed();
    int i, ready = 1;

    (void)context;
    for (i = 0; i < WORDS && ready; i++)
        if (tap_takes(i) && stfi_device_takes(info, i, GPU_STEP)
            && stfi_trio_has(info, words[i]))
            ready = test_word(dev, words[i], &state);
    if (ready && stfi_device_is_cpu(info)) {
        test_memory(dev);
        test_threads(dev);
    }
    if (!ready)
        tap_skip("it does not protect transforms", "%s", info->name);
}

int main(void)
{
    tap_begin("ft/ladder");
    stfi_devices_each(test_device, NULL);
    return tap_end();
}

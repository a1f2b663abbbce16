/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Tests of stf_check_fft(): data of extreme size, Inf and NaN, layouts,
 * devices, results of other programs, threads, memory. Wrong arguments are
 * tested in check_arguments.c. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/oracle/naive.h"
#include "base/alloc.h"
#include "base/type.h"
#include "fft/desc.h"
#include "tests/devices.h"
#include "support/harness/trial.h"
#include "tests/ft/signals.h"
#include "tests/report.h"
#include "tests/tap.h"

enum { NORMAL }; /* the number of the first distribution */

/* 1 if exactly one error was detected, and it was located in that transform. */
static int only(const stf_ft_report *r, int64_t signal)
{
    return r->detected == 1 && r->located == 1 && r->max_residual > 1
           && r->first_event.signal == signal && r->first_event.pass == -1
           && r->first_event.residual == r->max_residual;
}

static int clean(const stf_ft_report *r, int64_t batch)
{
    return r->groups_checked == batch && report_has_only(r, 0)
           && r->first_event.signal == -1 && r->max_residual < 1;
}

/* 1 for a problem that runs in the inverse direction only. */
static int is_c2r(const char *word)
{
    return strncmp(word, "c2r", 3) == 0;
}

/* ------------------------------------------------------------ sizes of data */

/* What an error is, relative to the data: 1e-3, or far above the rounding of
 * halves, of which a threshold is some 30. */
static double relative_error(stf_precision precision)
{
    return fmax(1e-3, 256 * stfi_type_get(precision)->unit_roundoff);
}

/* 1 if such an error of the largest output in one transform is found. */
static int finds(stfi_signals *s, int64_t signal)
{
    const double error = relative_error(s->d.precision);
    const double least = (double)stfi_type_get(s->d.precision)->least;
    int64_t first = signal * s->out_count, i, at = first;
    double kept;
    stf_ft_report r;
    int right;

    for (i = first; i < first + s->out_count; i++)
        if (fabs(stfi_signals_get(s, s->out, i))
            > fabs(stfi_signals_get(s, s->out, at)))
            at = i;
    kept = stfi_signals_get(s, s->out, at);
    stfi_signals_set(s, s->out, at, kept * (kept == 0 ? 0 : 1 + error));
    if (kept == 0)
        stfi_signals_set(s, s->out, at, fmax(1e-20, 0x1p14 * least));
    right = stfi_signals_check(s, &r) && only(&r, signal);
    stfi_signals_set(s, s->out, at, kept);
    return right;
}

static void test_scale(stfi_signals *s, const char *word, double factor)
{
    int64_t i, batch = s->d.batch;
    uint64_t state = tap_seed();
    stf_ft_report r;

    if (!stfi_signals_draw(s, NORMAL, &state))
        return;
    for (i = 0; i < s->in_count * batch; i++)
        stfi_signals_set(s, s->in, i, factor * stfi_signals_get(s, s->in, i));
    tap_ok(stfi_signals_run(s) && stfi_signals_check(s, &r) && clean(&r, batch)
               && finds(s, 0) && finds(s, batch - 1),
           "%s: data times %.0e", word, factor);
}

static void test_one_huge(stfi_signals *s, const char *word, double most)
{
    uint64_t state = tap_seed();
    stf_ft_report r;

    if (!stfi_signals_draw(s, NORMAL, &state))
        return;
    stfi_signals_set(s, s->in, s->in_count - 3, fmin(1e30, most));
    tap_ok(stfi_signals_run(s) && stfi_signals_check(s, &r)
               && clean(&r, s->d.batch) && finds(s, 0) && finds(s, 1),
           "%s: one huge element", word);
}

static void test_sizes(stf_device *dev)
{
    static const struct {
        const char *word;
        double least, most;
    } rows[] = {
        {"c2c:f32:64*3", 1e-30, 1e30},
        {"c2c:f64:64*3", 1e-290, 1e290},
        {"r2c:f32:105*3", 1e-30, 1e30},
        {"r2c:f64:105*3", 1e-290, 1e290},
        {"c2r:f32:8x9*3", 1e-30, 1e30},
        {"c2r:f64:8x9*3", 1e-290, 1e290},
        {"c2c:f32:1021*2", 1e-30, 1e30},
        {"c2c:f16:64*3", 0.1, 100},
        {"r2c:bf16:105*3", 1e-30, 1e30},
        {"dct3:f32:64*3", 1e-30, 1e30},
        {"dst4:f64:105*3", 1e-290, 1e290},
        {"dct1:f32:65*3", 1e-30, 1e30},
        {"r2r=dst2+hc2r:f64:8x9*3", 1e-290, 1e290},
    };
    size_t i;

    for (i = 0; i < sizeof rows / sizeof *rows; i++) {
        stfi_signals s;
        int c2r = is_c2r(rows[i].word);
        if (stfi_signals_open(&s, dev, rows[i].word,
                              c2r ? STF_INVERSE : STF_FORWARD)) {
            test_scale(&s, rows[i].word, rows[i].least);
            test_scale(&s, rows[i].word, rows[i].most);
            test_scale(&s, rows[i].word, 0);
            test_one_huge(&s, rows[i].word, rows[i].most);
        }
        stfi_signals_close(&s);
    }
}

/* -------------------------------------------------------------- Inf and NaN */

static void test_not_finite_in(stfi_signals *s, const char *word, double value)
{
    uint64_t state = tap_seed();
    stf_ft_report r;

    if (!stfi_signals_draw(s, NORMAL, &state))
        return;
    stfi_signals_set(s, s->in, s->in_count + 5, value);
    tap_ok(stfi_signals_run(s) && stfi_signals_check(s, &r)
               && r.groups_checked == 3 && r.non_finite_input == 1
               && r.detected == 0 && r.max_residual < 1 && r.max_residual > 0,
           "%s: an input of %g is told from a fault", word, value);
    tap_ok(finds(s, 0) && finds(s, 2), "%s: and the others are checked", word);
}

static void test_not_finite_out(stfi_signals *s, const char *word, double value)
{
    uint64_t state = tap_seed();
    stf_ft_report r;

    if (!stfi_signals_draw(s, NORMAL, &state))
        return;
    stfi_signals_set(s, s->out, 2 * s->out_count + 3, value);
    tap_ok(stfi_signals_check(s, &r) && only(&r, 2) && r.groups_checked == 3
               && r.max_residual == INFINITY && r.non_finite_input == 0,
           "%s: an output of %g is a fault", word, value);
}

static void test_not_finite(stf_device *dev)
{
    static const char *const words[] = {
        "c2c:f32:16*3",   "c2c:f64:1021*3", "r2c:f32:30*3",
        "r2c:f64:7x12*3", "c2r:f32:7x12*3", "c2r:f64:30*3",
        "dct2:f32:30*3",  "dst1:f64:30*3",  "r2r=r2hc+dct4:f32:7x12*3"};
    size_t i;

    for (i = 0; i < sizeof words / sizeof *words; i++) {
        stfi_signals s;
        int c2r = is_c2r(words[i]);
        if (stfi_signals_open(&s, dev, words[i],
                              c2r ? STF_INVERSE : STF_FORWARD)) {
            test_not_finite_in(&s, words[i], INFINITY);
            test_not_finite_in(&s, words[i], -INFINITY);
            test_not_finite_in(&s, words[i], NAN);
            test_not_finite_out(&s, words[i], INFINITY);
            test_not_finite_out(&s, words[i], -INFINITY);
            test_not_finite_out(&s, words[i], NAN);
        }
        stfi_signals_close(&s);
    }
}

/* ------------------------------------------------------ layouts and devices */

/* Checks a trial's arrays as they are on the device. In place, the input is a
 * copy, whose element 0 is at `in`. Returns 1 on success. */
static int check_remote(const stfi_trial *t, const stfi_remote *r,
                        stf_direction direction, const void *in,
                        stf_ft_report *report_p)
{
    memset(report_p, 0xff, sizeof *report_p);
    return stf_check_fft(r->dev, &t->full, direction,
                         in ? in : stfi_remote_element(t, r, 0),
                         stfi_remote_element(t, r, 1), report_p)
           == STF_OK;
}

/* Returns what is wrong with checks of a trial, or NULL. One output element of
 * a transform in the middle of the batch is made wrong. */
static const char *judge(stfi_trial *t, stfi_remote *r, stf_direction direction,
                         const void *in)
{
    int64_t signal = t->full.batch / 2;
    int64_t i = stfi_trial_elements(t, 1) / 3;
    int64_t at = stfi_trial_place(t, 1, signal, i, 0);
    stf_ft_report report;
    void *out = stfi_trial_array(t, 1);

    if (!check_remote(t, r, direction, in, &report))
        return stf_error_message();
    if (!clean(&report, t->full.batch))
        return "an alarm without a fault";
    if (stfi_remote_fetch(t, r))
        return stf_error_message();
    stfi_trial_set(t, out, at,
                   stfi_trial_get(t, out, at)
                       + 10 * relative_error(t->full.precision));
    if (stfi_remote_load(t, r) || !check_remote(t, r, direction, in, &report))
        return stf_error_message();
    return only(&report, signal) ? NULL : "a fault is not found";
}

static const char *run_remote(stfi_trial *t, stfi_remote *r,
                              stf_direction direction)
{
    size_t bytes = (size_t)t->array[0].components * t->component_bytes;
    size_t origin = (size_t)t->array[0].origin * t->component_bytes;
    void *copy = NULL;
    const char *wrong;

    if (t->problem.in_place
        && (stf_malloc(r->dev, bytes, &copy)
            || stf_upload(r->dev, copy, t->array[0].image, bytes)))
        return stf_error_message();
    wrong = stf_execute(r->plan, direction, stfi_remote_element(t, r, 0),
                        stfi_remote_element(t, r, 1))
                ? stf_error_message()
                : judge(t, r, direction, copy ? (char *)copy + origin : NULL);
    stf_free(r->dev, copy);
    return wrong;
}

static const char *run_layout(stf_device *dev, const char *word,
                              const char *layout, stf_direction direction,
                              uint64_t *state)
{
    const char *wrong;
    stfi_problem p;
    stfi_trial t;
    stfi_remote r;

    if (stfi_problem_parse(word, &p))
        return stf_error_message();
    p.desc.scale_forward = 0.5;
    p.desc.scale_inverse = -0.125;
    if (!stfi_trial_layout(&p, layout, state))
        return NULL;
    if (stfi_trial_open(&t, &p, 0, tap_seed()))
        return stf_error_message();
    wrong = stfi_remote_open(&t, dev, &r) ? stf_error_message()
                                          : run_remote(&t, &r, direction);
    stfi_remote_close(&r);
    stfi_trial_close(&t);
    return wrong;
}

static const char *const layout_words[] = {
    "c2c:f32:out:60*7",
    "c2c:f64:in:64*33",
    "c2c:f32:in:1021*2",
    "c2c:f64:out:5x4x6*3",
    "r2c:f32:out:30x44*2",
    "r2c:f64:in:100*3",
    "r2c:f64:out:99*4",
    "c2r:f32:in:9x20*5",
    "c2r:f64:out:99*4",
    "c2r:f32:out:64*3",
    "c2r:f64:out:6x5x8*2",
    "dct1:f64:out:33*5",
    "dct2:f32:out:9x20*5",
    "dct3:f32:in:105*4",
    "dct4:f64:out:64*3",
    "dct4:f32:out:45*3",
    "dst1:f32:in:63*5",
    "dst2:f64:in:7x12*3",
    "dst3:f64:in:64*3",
    "dst4:f32:out:100*4",
    "dht:f32:in:30x44*2",
    "r2hc:f64:out:60*7",
    "hc2r:f32:out:45*7",
    "r2r=dct4+dst1+dht:f64:out:4x5x6*3",
    "r2r=dct2+hc2r:f32:in:12x35*2",
    /* The host judges halves, whatever the device. */
    "c2c:f16:out:60*7",
    "r2c:bf16:in:100*3",
    "c2r:f16:out:99*4",
};

static void test_layouts(void *context, stf_device *dev,
                         const stf_device_info *info)
{
    static const char *const layouts[] = {"packed", "interleaved", "gaps",
                                          "negative", "mixed"};
    uint64_t state = tap_seed();
    size_t i, k;

    (void)context;
    for (k = 0; k < sizeof layouts / sizeof *layouts; k++) {
        int failures = 0;
        for (i = 0; i < sizeof layout_words / sizeof *layout_words; i++) {
            int inverse =
                is_c2r(layout_words[i]) || (i % 2 && layout_words[i][0] == 'c');
            const char *wrong =
                run_layout(dev, layout_words[i], layouts[k],
                           inverse ? STF_INVERSE : STF_FORWARD, &state);
            failures += wrong != NULL;
            if (wrong)
                tap_diag("%s %s: %s", layout_words[i], layouts[k], wrong);
        }
        tap_ok(!failures, "%s: %s arrays", info->name, layouts[k]);
    }
}

/* Tests arrays that are copied in parts, and a batch that is checked in
 * parts. */
static void test_parts(void *context, stf_device *dev,
                       const stf_device_info *info)
{
    static const char *const words[] = {"c2c:f32:out:4096*2500",
                                        "c2c:f32:out:4*9001"};
    static const char *const layouts[] = {"packed", "interleaved"};
    uint64_t state = tap_seed();
    int i, k;

    (void)context;
    for (i = tap_level() == TAP_QUICK; i < 2; i++)
        for (k = 0; k < 2; k++) {
            const char *wrong =
                run_layout(dev, words[i], layouts[k], STF_FORWARD, &state);
            tap_ok(!wrong, "%s: %s, %s, in parts: %s", info->name, words[i],
                   layouts[k], wrong ? wrong : "found");
        }
}

/* --------------------------------------------------------------- by others */

/* Tests results of another program: direct sums, a wrong sign, a wrong scale, a
 * lost element. */
static void test_others(stf_device *dev)
{
    uint64_t state = tap_seed();
    stf_ft_report r;
    stf_fft_desc full;
    stfi_signals s;
    long double want[2 * 105 * 2];
    int64_t i;
    int right = stfi_signals_open(&s, dev, "c2c:f64:105*2", STF_INVERSE)
                && stfi_signals_draw(&s, NORMAL, &state)
                && !stfi_desc_complete(&s.d, &full)
                && !stfi_naive_fft(&full, STF_INVERSE, s.in, want);

    for (i = 0; i < s.out_count * 2 && right; i++)
        stfi_signals_set(&s, s.out, i, (double)want[i]);
    tap_ok(right && stfi_signals_check(&s, &r) && clean(&r, 2) && finds(&s, 0),
           "direct sums pass");
    s.direction = STF_FORWARD;
    s.d.scale_forward = s.d.scale_inverse;
    tap_ok(stfi_signals_check(&s, &r) && r.detected == 2,
           "the other sign does not");
    s.direction = STF_INVERSE;
    s.d.scale_inverse *= 1 + 1e-12;
    tap_ok(stfi_signals_check(&s, &r) && r.detected == 2,
           "nor does another scale");
    s.d.ft.threshold = 1e-9;
    s.d.ft.mode = STF_FT_CORRECT;
    tap_ok(stfi_signals_check(&s, &r) && clean(&r, 2),
           "unless the threshold allows it");
    s.d.ft.threshold = 0;
    s.d.scale_inverse /= 1 + 1e-12;
    stfi_signals_set(&s, s.out, 210 + 17, 0);
    tap_ok(stfi_signals_check(&s, &r) && only(&r, 1), "nor a lost element");
    stfi_signals_close(&s);
}

/* Many threads check transforms of the same length and of different lengths. */
static void test_threads(stf_device *dev)
{
    int i, failures = 0;

#ifdef _OPENMP
#pragma omp parallel for num_threads(8) reduction(+ : failures)
#endif
    for (i = 0; i < 64; i++) {
        float in[2 * 40] = {1, 2, 3}, out[2 * 40];
        stf_fft_desc d = stf_fft_desc_default();
        stf_plan *plan = NULL;
        stf_ft_report r;
        d.n[0] = 33 + i % 8;
        failures += stf_plan_fft(dev, &d, &plan)
                    || stf_execute(plan, STF_FORWARD, in, out)
                    || stf_check_fft(dev, &d, STF_FORWARD, in, out, &r)
                    || !clean(&r, 1);
        stf_plan_destroy(plan);
    }
    tap_ok(!failures, "from many threads");
}

/* -------------------------------------------------------------- what fails */

/* Each allocation of a check fails once, and the report stays unchanged. */
static void test_memory(void)
{
    stf_device *dev = NULL;
    float in[2 * 48] = {1}, out[2 * 48];
    stf_fft_desc d = stf_fft_desc_default();
    stf_status status = STF_ERR_MEMORY;
    stf_ft_report r, poison;
    long at;
    int right, i;

    for (i = 0; i < 48; i++) {
        out[2 * i] = 1;
        out[2 * i + 1] = 0;
    }
    memset(&poison, 0xa5, sizeof poison);
    right = stf_device_open("cpu", &dev) == STF_OK;
    d.n[0] = 48;
    for (at = 1; at < 100 && right && status == STF_ERR_MEMORY; at++) {
        r = poison;
        stfi_alloc_fail_at(at);
        status = stf_check_fft(dev, &d, STF_FORWARD, in, out, &r);
        stfi_alloc_fail_at(0);
        right = status == STF_OK || !memcmp(&r, &poison, sizeof r);
    }
    tap_ok(right && status == STF_OK && clean(&r, 1) && at > 8,
           "%ld failing allocations are reported", at - 2);
    stf_device_close(dev);
}

int main(void)
{
    stf_device *dev = NULL;

    tap_begin("ft/check");
    if (stf_device_open("cpu", &dev))
        return tap_ok(0, "%s", stf_error_message()), tap_end();
    test_sizes(dev);
    test_not_finite(dev);
    test_others(dev);
    test_threads(dev);
    stf_device_close(dev);
    test_memory();
    stfi_devices_each(test_layouts, NULL);
    stfi_devices_each(test_parts, NULL);
    return tap_end();
}

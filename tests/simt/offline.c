/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* End-to-end checks on the emulated GPU, level OFFLINE. There is no alarm
 * without faults, whatever the layout. Residuals equal those that the host
 * computes. Of random faults, those that are detected are repaired to the same
 * bits, and the others have little effect. Other tests use data of any size,
 * and data with Inf or NaN. Transforms in place, host arrays and the like are
 * in offline_forms.c. With STF_TEST_ONLY only rows are run whose name or word
 * contains that text. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ft/offline.h"
#include "fft/cost.h"
#include "fft/desc.h"
#include "run/plan.h"
#include "tests/simt/offline_forms.h"
#include "tests/simt/offline_run.h"
#include "tests/simt/simt.h"
#include "tests/report.h"
#include "tests/tap.h"

static const stfi_offline_row rows[] = {
    {"one element", "t4", 0, "c2c:f32:out:1*3", "packed", 0, TAP_QUICK},
    {"short", "t4", 0, "c2c:f32:out:8*40", "packed", 0, TAP_QUICK},
    {"short", "t4", 0, "c2c:f64:out:30*9", "gaps", 1e-200, TAP_NORMAL},
    {"many", "t4", 0, "c2c:f32:out:64*1000", "packed", 0, TAP_NORMAL},
    {"a block each", "t4", 0, "c2c:f32:out:1000*3", "packed", 1e-20, TAP_QUICK},
    {"two passes", "t4", 6144, "c2c:f64:out:1800*2", "packed", 1e80, TAP_QUICK},
    {"chunks", "t4", 8192, "c2c:f32:out:8192*3", "packed", 0, TAP_NORMAL},
    {"interleaved", "t4", 0, "c2c:f32:out:360*19", "interleaved", 0, TAP_QUICK},
    {"interleaved", "t4", 8192, "c2c:f64:out:2500*9", "interleaved", 0,
     TAP_NORMAL},
    {"negative", "t4", 0, "c2c:f32:out:48*7", "negative", 0, TAP_NORMAL},
    {"axes", "t4", 0, "c2c:f32:out:24x35*3", "packed", 0, TAP_QUICK},
    {"axes", "t4", 0, "c2c:f64:out:5x7x9*4", "mixed", 0, TAP_NORMAL},
    {"axes", "t4", 0, "c2c:f32:out:3x2x5x4x7*2", "mixed", 0, TAP_NORMAL},
    {"prime", "t4", 0, "c2c:f32:out:37*5", "packed", 0, TAP_NORMAL},
    {"Bluestein", "t4", 0, "c2c:f64:out:83*3", "packed", 0, TAP_NORMAL},
    {"spread", "t4", 8192, "c2c:f32:out:563*2", "packed", 0, TAP_NORMAL},
    {"real", "t4", 0, "r2c:f32:out:60*5", "packed", 0, TAP_QUICK},
    {"real", "t4", 0, "r2c:f64:out:45*5", "gaps", 0, TAP_NORMAL},
    {"real", "t4", 0, "r2c:f32:out:12x16*9", "interleaved", 0, TAP_NORMAL},
    {"by two", "h200", 8192, "r2c:f32:out:4096*2", "packed", 0, TAP_NORMAL},
    {"real, odd", "t4", 3584, "r2c:f64:out:1575*3", "packed", 0, TAP_NORMAL},
    {"half, odd", "t4", 3584, "c2r:f32:out:2205*2", "packed", 0, TAP_NORMAL},
    {"untangled", "t4", 4096, "r2c:f32:out:4418*1", "packed", 0, TAP_NORMAL},
    {"half", "t4", 0, "c2r:f32:out:60*5", "packed", 0, TAP_QUICK},
    {"half", "t4", 0, "c2r:f64:out:45*5", "gaps", 0, TAP_NORMAL},
    {"half", "t4", 0, "c2r:f32:out:12x16*9", "mixed", 0, TAP_NORMAL},
    {"by two", "h200", 16384, "c2r:f64:out:4096*1", "packed", 0, TAP_NORMAL},
    {"tangled", "t4", 4096, "c2r:f32:out:4418*1", "packed", 0, TAP_NORMAL},
    {"real kinds", "t4", 0, "dct2:f32:out:60*5", "packed", 0, TAP_QUICK},
    {"real kinds", "t4", 0, "hc2r:f64:out:45*5", "gaps", 0, TAP_NORMAL},
    {"real kinds", "t4", 0, "r2r=dct4+dct1:f32:out:12x16*9", "interleaved", 0,
     TAP_NORMAL},
    {"real kinds", "h200", 8192, "dct3:f32:out:4096*2", "packed", 0,
     TAP_NORMAL},
    {"real kinds", "t4", 0, "r2r=dst3+dst1+dst2:f32:out:5x7x6*5", "gaps", 0,
     TAP_NORMAL},
    {"real kinds", "t4", 0, "r2r=dst4+dht:f64:out:9x14*4", "mixed", 0,
     TAP_NORMAL},
    {"real kinds", "t4", 0, "r2hc:f32:out:60*5", "interleaved", 0, TAP_NORMAL},
    {"waves of 64", "mi300x", 0, "c2c:f32:out:5000*2", "packed", 0, TAP_NORMAL},
    {"waves", "mi300x", 0, "r2c:f32:out:60*17", "interleaved", 0, TAP_NORMAL},
    {"ahead", "h200", 0, "c2c:f32:out:16384*2", "packed", 0, TAP_NORMAL},
    {"together", "t4", 0, "r2c:f32:out:17000*5", "packed", 1e-30, TAP_NORMAL},
    {"together", "h200", 0, "c2r:f64:out:125x150*3", "mixed", 0, TAP_NORMAL},
    {"together", "mi300x", 0, "c2c:f32:out:16807*6", "gaps", 1e30, TAP_NORMAL},
    {"halves", "t4", 0, "c2c:f16:out:64*9", "packed", 0, TAP_QUICK},
    {"halves", "t4", 0, "r2c:bf16:out:60*5", "gaps", 0, TAP_NORMAL},
};

static double unit(const stfi_offline_run *r)
{
    return stfi_type_get(r->trial.full.precision)->unit_roundoff;
}

/* ------------------------------------------------------------------- clean */

static void check_clean(stfi_offline_run *r)
{
    const stfi_remote *remote[] = {&r->detect, &r->correct};
    stf_ft_report report = {0};
    int right = 1;

    for (int i = 0; i < 2 && right; i++) {
        stfi_simt_counts before = stfi_simt_count(), after;
        stfi_trial_reset(&r->trial);
        right = stfi_offline_execute(r, remote[i], &report)
                && report_has_only(&report, 0)
                && report.groups_checked == stfi_offline_batch(r)
                && report.max_residual < 0.67
                && !memcmp(r->want, stfi_offline_output(r), r->bytes)
                && !stfi_trial_damage(&r->trial);
        after = stfi_simt_count();
        right = right && after.allocs == before.allocs
                && after.compiles == before.compiles;
    }
    tap_ok(right, "%s: %s: no alarm", r->row->name, r->row->word);
    tap_diag("checked %" PRId64 ", largest residual %.3f%s%s",
             report.groups_checked, report.max_residual, right ? "" : ": ",
             right ? "" : stf_error_message());
}

/* Transforms have sizes near both ends of the precision's range, or are 0. */
static void check_scales(stfi_offline_run *r)
{
    static const double f16[] = {1, 1e-2, 256, 0, 1e-4};
    static const double f32[] = {1, 1e-30, 1e30, 0, 1e-42};
    static const double f64[] = {1, 1e-300, 1e280, 0, 1e-160};
    const stf_precision p = r->trial.full.precision;
    const double *scale = p == STF_F16 ? f16 : p == STF_F64 ? f64 : f32;
    stfi_trial *t = &r->trial;
    int parts = stfi_trial_parts(t, 0);
    stf_ft_report report;

    for (int k = 0; k < 5; k++) {
        stfi_trial_reset(t);
        for (int64_t b = 0; b < stfi_offline_batch(r); b++)
            for (int64_t i = 0; i < parts * stfi_trial_elements(t, 0); i++) {
                int64_t at =
                    stfi_trial_place(t, 0, b, i / parts, (int)(i % parts));
                void *x = stfi_trial_array(t, 0);
                stfi_trial_set(t, x, at,
                               stfi_trial_get(t, x, at) * scale[(b + k) % 5]);
            }
        if (!stfi_offline_execute(r, &r->correct, &report)
            || !report_has_only(&report, 0) || !(report.max_residual < 0.9)) {
            tap_ok(0, "%s: %s: data of any size", r->row->name, r->row->word);
            tap_diag("residual %.3f, detected %" PRId64 ", not finite %" PRId64
                     ", overflowed %" PRId64 ", rechecked %" PRId64 "; %s",
                     report.max_residual, report.detected,
                     report.non_finite_input, report.overflowed,
                     report.rechecked, stf_error_message());
            return;
        }
    }
    tap_ok(1, "%s: %s: data of any size", r->row->name, r->row->word);
}

/* Some transforms have an element that is Inf or NaN. */
static void check_numbers(stfi_offline_run *r)
{
    stfi_trial *t = &r->trial;
    stf_ft_report report;
    int64_t bad = 0;
    int right;

    stfi_trial_reset(t);
    for (int64_t b = 0; b < stfi_offline_batch(r); b += 2, bad++) {
        int64_t i = b % stfi_trial_elements(t, 0);
        stfi_trial_set(t, stfi_trial_array(t, 0),
                       stfi_trial_place(t, 0, b, i, 0),
                       b % 4 ? (long double)INFINITY : (long double)NAN);
    }
    right = stfi_offline_execute(r, &r->correct, &report)
            && report.non_finite_input == bad && report.detected == 0
            && report.uncorrectable == 0 && report.overflowed == 0;
    tap_ok(right, "%s: %s: %" PRId64 " inputs with NaN or Inf", r->row->name,
           r->row->word, bad);
    if (!right)
        tap_diag("%" PRId64 " not finite, %" PRId64 " detected, %" PRId64
                 " overflowed",
                 report.non_finite_input, report.detected, report.overflowed);
}

/* ------------------------------------------------------------------ faults */

/* The residual of transform b, relative to its threshold, as the host computes
 * it; NaN on failure. */
static double host_ratio(stfi_offline_run *r, stf_device *dev, int64_t b)
{
    stfi_trial *t = &r->trial;
    const char *x = stfi_trial_array(t, 0), *y = stfi_trial_array(t, 1);
    int64_t bytes = (int64_t)t->component_bytes;
    stfi_ft_cache *cache;
    stfi_ft_offline check;
    double ratio;

    if (stfi_device_checks(dev, &cache)
        || stfi_ft_offline_open(cache, &t->full, r->direction, NULL, &check))
        return NAN;
    stfi_ft_offline_judge(&check, x + bytes * stfi_trial_place(t, 0, b, 0, 0),
                          y + bytes * stfi_trial_place(t, 1, b, 0, 0), &ratio);
    stfi_ft_offline_close(&check);
    return ratio;
}

/* Large errors have the residual that the host computes, and are located in the
 * right transform. */
static void check_residuals(stfi_offline_run *r, stf_device *dev)
{
    stf_ft_report report;
    stf_fault f;
    int noticed = 0, right = 1;

    for (int i = 0; i < 6 && right; i++) {
        double host;
        stfi_trial_reset(&r->trial);
        if (stf_plan_draw_fault(r->detect.plan, tap_seed() + (uint64_t)i, &f))
            break;
        f.bit = -1;
        f.magnitude = 1e3;
        right = !stf_plan_inject(r->detect.plan, &f, 1)
                && stfi_offline_execute(r, &r->detect, &report);
        if (!right || report.detected == 0)
            continue;
        noticed++;
        host = host_ratio(r, dev, f.signal);
        right = report.detected == 1 && report.located == 1
                && report.first_event.pass == -1
                && report.first_event.signal == f.signal
                && fabs(report.first_event.residual / host - 1) < 1e-2
                && fabs(report.max_residual / host - 1) < 1e-2;
        if (!right)
            tap_diag("pass %d stage %d element %" PRId64 " signal %" PRId64
                     ": %" PRId64 " detected, residual %g, of the host %g",
                     f.pass, f.stage, f.element, f.signal, report.detected,
                     report.first_event.residual, host);
    }
    tap_ok(right && noticed > 0, "%s: %s: %d residuals as the host's",
           r->row->name, r->row->word, noticed);
}

static stf_status check_there(stfi_offline_run *r, stf_device *dev,
                              stf_ft_report *report)
{
    stfi_trial *t = &r->trial;
    stf_status status = stfi_remote_load(t, &r->detect);

    return status
               ? status
               : stf_check_fft(dev, &t->problem.desc, r->direction,
                               stfi_remote_element(t, &r->detect, 0),
                               stfi_remote_element(t, &r->detect, 1), report);
}

/* The largest absolute value among the outputs of transform b. */
static long double largest(const stfi_offline_run *r, int64_t b)
{
    const stfi_trial *t = &r->trial;
    long double most = 0;

    for (int64_t i = 0; i < stfi_trial_elements(t, 1); i++)
        most =
            fmaxl(most, fabsl(stfi_trial_get(t, stfi_trial_array(t, 1),
                                             stfi_trial_place(t, 1, b, i, 0))));
    return most;
}

/* stf_check_fft() of arrays on the device computes there, and reports what the
 * host would: nothing, and then that one transform has a wrong element. */
static void check_finished(stfi_offline_run *r, stf_device *dev)
{
    stfi_trial *t = &r->trial;
    int64_t bad = stfi_offline_batch(r) / 2;
    int64_t at = stfi_trial_place(t, 1, bad, stfi_trial_elements(t, 1) / 2, 0);
    char *y = stfi_trial_array(t, 1);
    stf_ft_report report = {0};
    double host = NAN;
    int right;

    stfi_trial_reset(t);
    right = stfi_offline_execute(r, &r->detect, &report)
            && !check_there(r, dev, &report) && report_has_only(&report, 0)
            && report.groups_checked == stfi_offline_batch(r)
            && report.max_residual < 0.67;
    if (right) {
        stfi_trial_set(t, y, at, stfi_trial_get(t, y, at) + largest(r, bad));
        host = host_ratio(r, dev, bad);
        right = !check_there(r, dev, &report) && report.detected == 1
                && report.located == 1 && report.first_event.pass == -1
                && report.first_event.signal == bad
                && fabs(report.max_residual / host - 1) < 1e-2;
    }
    tap_ok(right, "%s: %s: a finished transform is checked", r->row->name,
           r->row->word);
    if (!right)
        tap_diag("%" PRId64 " detected, residual %g, of the host %g: %s",
                 report.detected, report.max_residual, host,
                 stf_error_message());
}

/* The L2 norm of the change of transform b's output, relative to the output
 * without faults. */
static double change(const stfi_offline_run *r, int64_t b)
{
    const stfi_trial *t = &r->trial;
    const char *y = stfi_trial_array(t, 1);
    const char *want = r->want + (y - stfi_offline_output(r));
    int parts = stfi_trial_parts(t, 1);
    long double sum = 0, norm = 0;

    for (int64_t i = 0; i < parts * stfi_trial_elements(t, 1); i++) {
        int64_t at = stfi_trial_place(t, 1, b, i / parts, (int)(i % parts));
        long double a = stfi_trial_get(t, want, at);
        long double d = stfi_trial_get(t, y, at) - a;
        norm += a * a;
        sum += d * d;
    }
    return (double)sqrtl(sum / norm);
}

static void check_fault(stfi_offline_run *r, uint64_t seed)
{
    stf_ft_report report;
    stf_fault f;
    int same, right;

    stfi_trial_reset(&r->trial);
    if (stf_plan_draw_fault(r->correct.plan, seed, &f)
        || stf_plan_inject(r->correct.plan, &f, 1)
        || !stfi_offline_execute(r, &r->correct, &report)) {
        tap_diag("%s: %s", r->row->word, stf_error_message());
        r->wrong++;
        return;
    }
    same = !memcmp(r->want, stfi_offline_output(r), r->bytes);
    r->noticed += report.detected > 0;
    if (report.detected == 0) {
        r->worst_missed = fmax(r->worst_missed, change(r, f.signal));
        right = report_has_only(&report, 0);
    } else {
        right = same && report.detected == 1 && report.recomputed == 1
                && report.first_event.signal == f.signal
                && report.first_event.pass == -1 && report.overflowed == 0;
    }
    if (!right) {
        tap_diag("seed %" PRIu64 " pass %d stage %d element %" PRId64
                 " signal %" PRId64 " bit %d: detected %" PRId64
                 ", recomputed %" PRId64 ", rechecked %" PRId64 ", bits %s",
                 seed, f.pass, f.stage, f.element, f.signal, f.bit,
                 report.detected, report.recomputed, report.rechecked,
                 same ? "same" : "differ");
        r->wrong++;
    }
}

static void check_faults(stfi_offline_run *r)
{
    static const int counts[] = {12, 60, 600};
    double most = 64 * 2 * unit(r) * sqrt(1 + log2((double)r->trial.points));

    for (int i = 0; i < counts[tap_level()]; i++)
        check_fault(r, tap_seed() * 1000003u + (uint64_t)i);
    tap_ok(r->wrong == 0 && r->noticed > 0 && r->worst_missed < most,
           "%s: %s: %d faults noticed and repaired", r->row->name, r->row->word,
           r->noticed);
    tap_diag("worst change not noticed %.3g of at most %.3g", r->worst_missed,
             most);
}

/* Injects three faults in one execution, two of which do not occur again when
 * their transforms are repeated. */
static void check_persistent(stfi_offline_run *r)
{
    stf_ft_report report;
    stf_fault f[3];
    int64_t last = stfi_offline_batch(r) - 1;
    int right = 1;

    if (last < 2)
        return;
    stfi_trial_reset(&r->trial);
    for (int i = 0; i < 3; i++) {
        memset(&f[i], 0, sizeof f[i]);
        f[i].signal = i == 0 ? 0 : i == 1 ? last : last / 2;
        f[i].bit = -1;
        f[i].magnitude = 1e3;
        f[i].persistent = i == 1;
    }
    right = !stf_plan_inject(r->correct.plan, f, 3)
            && stfi_offline_execute(r, &r->correct, &report)
            && report.detected == 3 && report.recomputed == 2
            && report.uncorrectable == 1 && report.first_event.signal == 0
            && change(r, 0) == 0 && change(r, last / 2) == 0
            && change(r, last) > 0;
    stfi_trial_reset(&r->trial);
    right = right && stfi_offline_execute(r, &r->correct, &report)
            && report_has_only(&report, 0)
            && !memcmp(r->want, stfi_offline_output(r), r->bytes);
    tap_ok(right, "%s: %s: two faults are repaired, a third stays",
           r->row->name, r->row->word);
}

/* Results that are too large for the precision are due to the data, and do not
 * count as faults. */
static void check_overflow(stfi_offline_run *r)
{
    stfi_trial *t = &r->trial;
    stf_ft_report report;
    int parts = stfi_trial_parts(t, 0);
    int right;

    stfi_trial_reset(t);
    for (int64_t i = 0; i < parts * stfi_trial_elements(t, 0); i++)
        stfi_trial_set(t, stfi_trial_array(t, 0),
                       stfi_trial_place(t, 0, 0, i / parts, (int)(i % parts)),
                       3e38L);
    right = stfi_offline_execute(r, &r->correct, &report)
            && report.overflowed == 1 && report.detected == 0
            && report.non_finite_input == 0;
    tap_ok(right, "%s: overflow", r->row->word);
}

static void check_row(const stfi_offline_row *row)
{
    stf_device *dev;
    static stfi_offline_run r;

    if (stfi_simt_device_open_small(row->preset, row->block_bytes, &dev)) {
        tap_ok(0, "%s: %s", row->name, stf_error_message());
        return;
    }
    if (stfi_offline_open(row, row->word, dev, &r)) {
        check_clean(&r);
        check_residuals(&r, dev);
        check_finished(&r, dev);
        if (row->scale == 0)
            check_scales(&r);
        check_numbers(&r);
        check_faults(&r);
        check_persistent(&r);
        if (!strcmp(row->word, "c2c:f32:out:8*40"))
            check_overflow(&r);
    } else {
        tap_ok(0, "%s: %s: %s", row->name, row->word, stf_error_message());
    }
    stfi_offline_close(&r);
    stf_device_close(dev);
}

/* With one multiprocessor, persistent blocks draw their tiles. */
static void check_persistent_blocks(const stfi_offline_row *row)
{
    stfi_caps caps = *stfi_preset_find("t4");
    stf_device *dev;

    caps.block_bytes = 32768;
    caps.units = 1;
    if (!stfi_simt_device_open_caps(&caps, &dev)) {
        stfi_offline_check_mended(row, dev, "c2c:f64:out:4096*8");
        stfi_offline_check_signed(row, dev, 1);
        stf_device_close(dev);
    } else {
        tap_ok(0, "%s", stf_error_message());
    }
}

static void check_forms(const stfi_offline_row *row, stf_device *dev)
{
    stfi_offline_check_in_place(row, dev, "c2c:f64:in:30*4");
    stfi_offline_check_in_place(row, dev, "r2c:f32:in:60*3");
    stfi_offline_check_in_place(row, dev, "c2r:f32:in:12x10*3");
    stfi_offline_check_end_to_end(dev);
    stfi_offline_check_from_memory(row, dev);
    stfi_offline_check_signed(row, dev, 0);
    stfi_offline_check_mended(row, dev, "c2c:f64:out:31x30*2");
    stfi_offline_check_mended(row, dev, "c2c:f64:in:256*3");
    stfi_offline_check_mended(row, dev, "r2c:f64:out:64x70*2");
    stfi_offline_check_mended(row, dev, "r2r=dct2+dht:f64:out:12x45*2");
}

int main(void)
{
    const char *only = getenv("STF_TEST_ONLY");
    static const stfi_offline_row place = {"in place", "t4", 0,        "",
                                           "packed",   0,    TAP_QUICK};
    stf_device *dev = NULL;

    tap_begin("simt/offline");
    unsetenv("STEADFAST_PRESET");
    if (stfi_simt_missing()) {
        tap_skip(stfi_simt_missing(), "sweeps on the emulated GPU");
        return tap_end();
    }
    if (!tap_ok(stfi_simt_cache_open(), "a cache of kernels"))
        return tap_end();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].level <= tap_level()
            && (only ? strstr(rows[i].name, only) || strstr(rows[i].word, only)
                     : tap_takes((int64_t)i)))
            check_row(&rows[i]);
    if (!only || strstr(place.name, only)) {
        if (stfi_simt_device_open("t4", &dev))
            return tap_ok(0, "%s", stf_error_message()), tap_end();
        check_forms(&place, dev);
        check_persistent_blocks(&place);
        stfi_offline_check_host(dev);
        stfi_offline_check_memory(dev);
        if (tap_level() >= TAP_NORMAL)
            stfi_offline_check_long(dev);
        stf_device_close(dev);
    }
    stfi_simt_cache_close();
    return tap_end();
}

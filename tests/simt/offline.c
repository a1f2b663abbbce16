/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* End-to-end checks on the emulated GPU, level OFFLINE. There is no alarm
 * without faults, whatever the layout. Residuals equal those that the host
 * computes. Of random faults, those that are detected are repaired to the same
 * bits, and the others have little effect. Other tests use data of any size,
 * data that are not numbers, transforms in place, and host arrays. With
 * STF_TEST_ONLY only rows are run whose name or word contains that text. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ft/offline.h"
#include "fft/cost.h"
#include "fft/desc.h"
#include "run/plan.h"
#include "support/harness/trial.h"
#include "tests/simt/simt.h"
#include "tests/report.h"
#include "tests/tap.h"

static const struct row {
    const char *name, *preset;
    int64_t block_bytes;
    const char *word, *layout;
    double scale; /* scale factor of the transform; 0: 1 */
    tap_level_t level;
} rows[] = {
    {"one element", "t4", 0, "c2c:f32:out:1*3", "packed", 0, TAP_QUICK},
    {"short", "t4", 0, "c2c:f32:out:8*40", "packed", 0, TAP_QUICK},
    {"short", "t4", 0, "c2c:f64:out:30*9", "gaps", 1e-200, TAP_NORMAL},
    {"many", "t4", 0, "c2c:f32:out:64*1000", "packed", 0, TAP_NORMAL},
    {"a block each", "t4", 0, "c2c:f32:out:1000*3", "packed", 1e-20, TAP_QUICK},
    {"two passes", "t4", 6144, "c2c:f64:out:1800*2", "packed", 1e80, TAP_QUICK},
    {"several chunks", "t4", 8192, "c2c:f32:out:8192*3", "packed", 0,
     TAP_NORMAL},
    {"interleaved", "t4", 0, "c2c:f32:out:360*19", "interleaved", 0, TAP_QUICK},
    {"interleaved", "t4", 8192, "c2c:f64:out:2500*9", "interleaved", 0,
     TAP_NORMAL},
    {"negative", "t4", 0, "c2c:f32:out:48*7", "negative", 0, TAP_NORMAL},
    {"axes", "t4", 0, "c2c:f32:out:24x35*3", "packed", 0, TAP_QUICK},
    {"axes", "t4", 0, "c2c:f64:out:5x7x9*4", "mixed", 0, TAP_NORMAL},
    {"axes", "t4", 0, "c2c:f32:out:3x2x5x4x7*2", "mixed", 0, TAP_NORMAL},
    {"prime", "t4", 0, "c2c:f32:out:37*5", "packed", 0, TAP_NORMAL},
    {"Bluestein", "t4", 0, "c2c:f64:out:83*3", "packed", 0, TAP_NORMAL},
    {"spread Bluestein", "t4", 8192, "c2c:f32:out:563*2", "packed", 0,
     TAP_NORMAL},
    {"real", "t4", 0, "r2c:f32:out:60*5", "packed", 0, TAP_QUICK},
    {"real", "t4", 0, "r2c:f64:out:45*5", "gaps", 0, TAP_NORMAL},
    {"real", "t4", 0, "r2c:f32:out:12x16*9", "interleaved", 0, TAP_NORMAL},
    {"real by two", "h200", 8192, "r2c:f32:out:4096*2", "packed", 0,
     TAP_NORMAL},
    {"untangled", "t4", 4096, "r2c:f32:out:4418*1", "packed", 0, TAP_NORMAL},
    {"half", "t4", 0, "c2r:f32:out:60*5", "packed", 0, TAP_QUICK},
    {"half", "t4", 0, "c2r:f64:out:45*5", "gaps", 0, TAP_NORMAL},
    {"half", "t4", 0, "c2r:f32:out:12x16*9", "mixed", 0, TAP_NORMAL},
    {"half by two", "h200", 16384, "c2r:f64:out:4096*1", "packed", 0,
     TAP_NORMAL},
    {"tangled", "t4", 4096, "c2r:f32:out:4418*1", "packed", 0, TAP_NORMAL},
    {"waves of 64", "mi300x", 0, "c2c:f32:out:5000*2", "packed", 0, TAP_NORMAL},
    {"waves of 64", "mi300x", 0, "r2c:f32:out:60*17", "interleaved", 0,
     TAP_NORMAL},
    {"ahead", "h200", 0, "c2c:f32:out:16384*2", "packed", 0, TAP_NORMAL},
};

/* A problem, with its unprotected output and plans of both modes. */
typedef struct run {
    const struct row *row;
    stfi_trial trial;
    stf_direction direction;
    stfi_remote detect, correct;
    char *want;
    size_t bytes;
    int noticed, wrong;
    double worst_missed;
} run;

static char *output(const run *r)
{
    return r->trial.array[r->trial.problem.in_place ? 0 : 1].block;
}

static int64_t batch_of(const run *r)
{
    return r->trial.full.batch;
}

static double unit(const run *r)
{
    return stfi_type_get(r->trial.full.precision)->unit_roundoff;
}

/* Executes once and copies the arrays back. The report is of this execution
 * alone; its status must fit. Returns 0 on failure. */
static int execute(run *r, const stfi_remote *remote, stf_ft_report *report)
{
    stfi_trial *t = &r->trial;
    stf_status status;

    if (stf_plan_ft_reset(remote->plan) || stfi_remote_load(t, remote)
        || stf_execute(remote->plan, r->direction,
                       stfi_remote_element(t, remote, 0),
                       stfi_remote_element(t, remote, 1)))
        return 0;
    status = stf_plan_ft_report(remote->plan, report);
    if (status != (report->uncorrectable ? STF_ERR_UNCORRECTED : STF_OK))
        return 0;
    return stfi_remote_fetch(t, remote) == STF_OK;
}

static int open_plan(run *r, stf_device *dev, stf_ft_mode mode,
                     stfi_remote *remote)
{
    r->trial.problem.desc.ft.mode = mode;
    r->trial.problem.desc.ft.level = STF_FT_OFFLINE;
    return stfi_remote_open(&r->trial, dev, remote) == STF_OK;
}

/* Computes the output of the unprotected plan. */
static int find_wanted(run *r, stf_device *dev)
{
    stfi_remote plain;
    int right;

    r->trial.problem.desc.ft.mode = STF_FT_OFF;
    right = !stfi_remote_open(&r->trial, dev, &plain)
            && !stf_execute(plain.plan, r->direction,
                            stfi_remote_element(&r->trial, &plain, 0),
                            stfi_remote_element(&r->trial, &plain, 1))
            && !stfi_remote_fetch(&r->trial, &plain);
    stfi_remote_close(&plain);
    r->want = malloc(r->bytes);
    if (right && r->want)
        memcpy(r->want, output(r), r->bytes);
    return right && r->want;
}

static int open_run(const struct row *row, const char *word, stf_device *dev,
                    run *r)
{
    stfi_problem p;
    uint64_t state = tap_seed();
    int last;

    memset(r, 0, sizeof *r);
    r->row = row;
    if (stfi_problem_parse(word, &p)
        || !stfi_trial_layout(&p, row->layout, &state))
        return 0;
    r->direction =
        p.desc.kind == STF_C2R || (p.desc.kind == STF_C2C && p.desc.n[0] % 2)
            ? STF_INVERSE
            : STF_FORWARD;
    if (row->scale > 0)
        *(r->direction == STF_INVERSE ? &p.desc.scale_inverse
                                      : &p.desc.scale_forward) = row->scale;
    if (stfi_trial_open(&r->trial, &p, 0, stfi_random_u64(&state)))
        return 0;
    last = p.in_place ? 0 : 1;
    r->bytes =
        (size_t)r->trial.array[last].components * r->trial.component_bytes;
    return find_wanted(r, dev) && open_plan(r, dev, STF_FT_DETECT, &r->detect)
           && open_plan(r, dev, STF_FT_CORRECT, &r->correct);
}

static void close_run(run *r)
{
    stfi_remote_close(&r->detect);
    stfi_remote_close(&r->correct);
    stfi_trial_close(&r->trial);
    free(r->want);
}

/* ------------------------------------------------------------------- clean */

static void check_clean(run *r)
{
    const stfi_remote *remote[] = {&r->detect, &r->correct};
    stf_ft_report report = {0};
    int right = 1;

    for (int i = 0; i < 2 && right; i++) {
        stfi_simt_counts before = stfi_simt_count(), after;
        stfi_trial_reset(&r->trial);
        right = execute(r, remote[i], &report) && report_has_only(&report, 0)
                && report.groups_checked == batch_of(r)
                && report.max_residual < 0.67
                && !memcmp(r->want, output(r), r->bytes)
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

/* The sizes of a batch's transforms are near both ends of the precision's
 * range, or zero. */
static void check_scales(run *r)
{
    static const double f32[] = {1, 1e-30, 1e30, 0, 1e-42};
    static const double f64[] = {1, 1e-300, 1e280, 0, 1e-160};
    const double *scale = r->trial.full.precision == STF_F32 ? f32 : f64;
    stfi_trial *t = &r->trial;
    int parts = stfi_trial_parts(t, 0);
    stf_ft_report report;

    for (int k = 0; k < 5; k++) {
        stfi_trial_reset(t);
        for (int64_t b = 0; b < batch_of(r); b++)
            for (int64_t i = 0; i < parts * stfi_trial_elements(t, 0); i++) {
                int64_t at =
                    stfi_trial_place(t, 0, b, i / parts, (int)(i % parts));
                void *x = stfi_trial_array(t, 0);
                stfi_trial_set(t, x, at,
                               stfi_trial_get(t, x, at) * scale[(b + k) % 5]);
            }
        if (!execute(r, &r->correct, &report) || !report_has_only(&report, 0)
            || !(report.max_residual < 0.9)) {
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
static void check_numbers(run *r)
{
    stfi_trial *t = &r->trial;
    stf_ft_report report;
    int64_t bad = 0;
    int right;

    stfi_trial_reset(t);
    for (int64_t b = 0; b < batch_of(r); b += 2, bad++) {
        int64_t i = b % stfi_trial_elements(t, 0);
        stfi_trial_set(t, stfi_trial_array(t, 0),
                       stfi_trial_place(t, 0, b, i, 0),
                       b % 4 ? (long double)INFINITY : (long double)NAN);
    }
    right = execute(r, &r->correct, &report) && report.non_finite_input == bad
            && report.detected == 0 && report.uncorrectable == 0
            && report.overflowed == 0;
    tap_ok(right, "%s: %s: %" PRId64 " inputs with NaN or Inf", r->row->name,
           r->row->word, bad);
    if (!right)
        tap_diag("%" PRId64 " not finite, %" PRId64 " detected, %" PRId64
                 " overflowed",
                 report.non_finite_input, report.detected, report.overflowed);
}

/* ------------------------------------------------------------------ faults */

/* The residual of a transform, relative to its threshold, as the host computes
 * it. */
static double host_ratio(run *r, stf_device *dev, int64_t b)
{
    stfi_trial *t = &r->trial;
    const char *x = stfi_trial_array(t, 0), *y = stfi_trial_array(t, 1);
    int64_t bytes = (int64_t)t->component_bytes;
    stfi_ft_cache *cache;
    stfi_ft_offline check;
    double ratio;

    if (stfi_device_checks(dev, &cache)
        || stfi_ft_offline_open(cache, &t->full, r->direction, &check))
        return NAN;
    stfi_ft_offline_judge(&check, x + bytes * stfi_trial_place(t, 0, b, 0, 0),
                          y + bytes * stfi_trial_place(t, 1, b, 0, 0), &ratio);
    stfi_ft_offline_close(&check);
    return ratio;
}

/* Large errors have the residual that the host computes, and are located in the
 * right transform. */
static void check_residuals(run *r, stf_device *dev)
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
                && execute(r, &r->detect, &report);
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

static stf_status check_there(run *r, stf_device *dev, stf_ft_report *report)
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
static long double largest(const run *r, int64_t b)
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
 * host would: nothing, then that one transform has a wrong element. */
static void check_finished(run *r, stf_device *dev)
{
    stfi_trial *t = &r->trial;
    int64_t bad = batch_of(r) / 2;
    int64_t at = stfi_trial_place(t, 1, bad, stfi_trial_elements(t, 1) / 2, 0);
    char *y = stfi_trial_array(t, 1);
    stf_ft_report report = {0};
    double host = NAN;
    int right;

    stfi_trial_reset(t);
    right = execute(r, &r->detect, &report) && !check_there(r, dev, &report)
            && report_has_only(&report, 0)
            && report.groups_checked == batch_of(r)
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

/* The relative L2 change of the output of transform b. */
static double change(const run *r, int64_t b)
{
    const stfi_trial *t = &r->trial;
    const char *y = stfi_trial_array(t, 1);
    const char *want = r->want + (y - output(r));
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

static void check_fault(run *r, uint64_t seed)
{
    stf_ft_report report;
    stf_fault f;
    int same, right;

    stfi_trial_reset(&r->trial);
    if (stf_plan_draw_fault(r->correct.plan, seed, &f)
        || stf_plan_inject(r->correct.plan, &f, 1)
        || !execute(r, &r->correct, &report)) {
        tap_diag("%s: %s", r->row->word, stf_error_message());
        r->wrong++;
        return;
    }
    same = !memcmp(r->want, output(r), r->bytes);
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

static void check_faults(run *r)
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

/* Three faults in one execution, of which two do not occur when it is
 * repeated. */
static void check_persistent(run *r)
{
    stf_ft_report report;
    stf_fault f[3];
    int64_t last = batch_of(r) - 1;
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
            && execute(r, &r->correct, &report) && report.detected == 3
            && report.recomputed == 2 && report.uncorrectable == 1
            && report.first_event.signal == 0 && change(r, 0) == 0
            && change(r, last / 2) == 0 && change(r, last) > 0;
    stfi_trial_reset(&r->trial);
    right = right && execute(r, &r->correct, &report)
            && report_has_only(&report, 0)
            && !memcmp(r->want, output(r), r->bytes);
    tap_ok(right, "%s: %s: two faults are repaired, a third stays",
           r->row->name, r->row->word);
}

/* ------------------------------------------------------------ other forms */

static void check_in_place(const struct row *row, stf_device *dev,
                           const char *word)
{
    stf_ft_report report = {0};
    static run r;
    stf_fault f = {.bit = -1, .magnitude = 1e3};
    int right = open_run(row, word, dev, &r);

    if (right) {
        stfi_trial_reset(&r.trial);
        right = execute(&r, &r.correct, &report) && report_has_only(&report, 0)
                && report.groups_checked == batch_of(&r)
                && !memcmp(r.want, output(&r), r.bytes);
        stfi_trial_reset(&r.trial);
        f.signal = batch_of(&r) - 1;
        right = right && !stf_plan_inject(r.correct.plan, &f, 1)
                && execute(&r, &r.correct, &report) && report.detected == 1
                && report.uncorrectable == 1 && report.recomputed == 0
                && report.first_event.signal == f.signal;
        stfi_trial_reset(&r.trial);
        right = right && !stf_plan_inject(r.detect.plan, &f, 1)
                && execute(&r, &r.detect, &report) && report.detected == 1
                && report.uncorrectable == 0;
    }
    tap_ok(right, "%s: seen, but not repaired", word);
    if (!right)
        tap_diag("%s", stf_error_message());
    close_run(&r);
}

/* Results that are too large for the precision are due to the data and not to a
 * fault. */
static void check_overflow(run *r)
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
    right = execute(r, &r->correct, &report) && report.overflowed == 1
            && report.detected == 0 && report.non_finite_input == 0;
    tap_ok(right, "%s: overflow", r->row->word);
}

/* Beside the checks of the passes there is one more residual for each
 * transform, and what a pass repairs is not detected again. */
static void check_end_to_end(stf_device *dev, const char *word)
{
    stf_ft_report alone, both = {0};
    stfi_problem p;
    static run r;
    stfi_remote *plans[] = {&r.detect, &r.correct};
    stf_fault f = {.bit = -1, .magnitude = 1e3};
    int right = !stfi_problem_parse(word, &p)
                && !stfi_trial_open(&r.trial, &p, 0, tap_seed());

    r.direction = p.desc.kind == STF_C2R ? STF_INVERSE : STF_FORWARD;
    r.trial.problem.desc.ft.mode = STF_FT_CORRECT;
    for (int i = 0; i < 2 && right; i++) {
        r.trial.problem.desc.ft.end_to_end = i;
        right = !stfi_remote_open(&r.trial, dev, plans[i]);
    }
    right = right && execute(&r, &r.detect, &alone)
            && execute(&r, &r.correct, &both) && alone.groups_checked > 0
            && both.groups_checked == alone.groups_checked + batch_of(&r)
            && report_has_only(&both, 0) && both.max_residual < 0.67;
    tap_ok(right, "%s, end to end: a residual more for each transform", word);
    f.signal = batch_of(&r) - 1;
    stfi_trial_reset(&r.trial);
    right = right && !stf_plan_inject(r.correct.plan, &f, 1)
            && execute(&r, &r.correct, &both);
    tap_ok(right && both.detected == 1 && both.recomputed == 1
               && both.first_event.pass == 0,
           "%s, end to end: what a pass repairs is not found again", word);
    close_run(&r);
    memset(&r, 0, sizeof r);
}

/* Host arrays are transformed in several parts of the batch. */
static void check_host(stf_device *dev)
{
    enum { N = 64, BATCH = 300 };
    static double x[2 * N * BATCH], y[2 * N * BATCH];
    uint64_t state = tap_seed();
    stf_fft_desc d = stf_fft_desc_default();
    stf_ft_report report = {0};
    stf_plan *plan = NULL;
    int right;

    stfi_random_fill(STF_F64, x, 2 * N * BATCH, &state);
    x[2 * N * 200 + 5] = NAN;
    d.precision = STF_F64;
    d.n[0] = N;
    d.batch = BATCH;
    d.ft.mode = STF_FT_CORRECT;
    d.ft.level = STF_FT_OFFLINE;
    right = !stf_plan_fft(dev, &d, &plan)
            && !stf_execute_host(plan, STF_FORWARD, x, y)
            && !stf_plan_ft_report(plan, &report)
            && report.groups_checked == BATCH && report.detected == 0
            && report.non_finite_input == 1 && report.max_residual < 0.67;
    tap_ok(right, "host arrays are checked");
    if (!right)
        tap_diag("%" PRId64 " checked, %" PRId64 " not finite, residual %g; %s",
                 report.groups_checked, report.non_finite_input,
                 report.max_residual, stf_error_message());
    stf_plan_destroy(plan);
}

/* One long transform, whose sums are computed by many blocks. */
static void check_long(stf_device *dev)
{
    static const struct row row = {
        "long", "", 0, "c2c:f32:out:1048576*1", "packed", 0, TAP_NORMAL};
    stf_ft_report report = {0};
    stf_fault f = {.bit = -1, .magnitude = 1e3};
    static run r;
    int right = open_run(&row, row.word, dev, &r);

    stfi_trial_reset(&r.trial);
    right = right && execute(&r, &r.correct, &report)
            && report_has_only(&report, 0) && report.max_residual < 0.67
            && report.groups_checked == 1
            && !memcmp(r.want, output(&r), r.bytes);
    stfi_trial_reset(&r.trial);
    right = right && !stf_plan_inject(r.correct.plan, &f, 1)
            && execute(&r, &r.correct, &report) && report.detected == 1
            && report.recomputed == 1 && !memcmp(r.want, output(&r), r.bytes);
    tap_ok(right, "%s: quiet, and repaired", row.word);
    if (!right)
        tap_diag("%" PRId64 " detected; %s", report.detected,
                 stf_error_message());
    close_run(&r);
}

/* At whatever allocation memory ends, nothing is left behind. */
static void check_memory(stf_device *dev)
{
    stf_fft_desc d = stf_fft_desc_default();
    stf_plan *plan = NULL;
    stf_status status = STF_ERR_MEMORY;
    int right = 1, turn;

    d.n[0] = 64;
    d.ft.mode = STF_FT_CORRECT;
    d.ft.level = STF_FT_OFFLINE;
    for (turn = 1; turn < 100 && status == STF_ERR_MEMORY && right; turn++) {
        stfi_simt_counts before = stfi_simt_count(), after;
        stfi_simt_fail_alloc_at(turn);
        status = stf_plan_fft(dev, &d, &plan);
        stfi_simt_fail_alloc_at(0);
        if (status == STF_OK)
            stf_plan_destroy(plan);
        after = stfi_simt_count();
        right = after.allocs - before.allocs == after.frees - before.frees;
    }
    tap_ok(right && status == STF_OK && turn > 4,
           "%d allocations that fail leave nothing behind", turn - 2);
}

static void check_row(const struct row *row)
{
    stf_device *dev;
    static run r;

    if (stfi_simt_device_open_small(row->preset, row->block_bytes, &dev)) {
        tap_ok(0, "%s: %s", row->name, stf_error_message());
        return;
    }
    if (open_run(row, row->word, dev, &r)) {
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
    close_run(&r);
    stf_device_close(dev);
}

int main(void)
{
    const char *only = getenv("STF_TEST_ONLY");
    static const struct row place = {"in place", "t4", 0,        "",
                                     "packed",   0,    TAP_QUICK};
    stf_device *dev = NULL;

    tap_begin("simt/offline");
    setenv("STEADFAST_CACHE", "off", 1);
    unsetenv("STEADFAST_PRESET");
    if (stfi_simt_missing()) {
        tap_skip(stfi_simt_missing(), "sweeps on the emulated GPU");
        return tap_end();
    }
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].level <= tap_level()
            && (!only || strstr(rows[i].name, only)
                || strstr(rows[i].word, only)))
            check_row(&rows[i]);
    if (!only || strstr(place.name, only)) {
        if (stfi_simt_device_open("t4", &dev))
            return tap_ok(0, "%s", stf_error_message()), tap_end();
        check_in_place(&place, dev, "c2c:f64:in:30*4");
        check_in_place(&place, dev, "r2c:f32:in:60*3");
        check_in_place(&place, dev, "c2r:f32:in:12x10*3");
        check_end_to_end(dev, "c2c:f32:out:256*5");
        check_end_to_end(dev, "c2r:f64:out:12x16*2");
        check_end_to_end(dev, "r2c:f32:out:60*5");
        check_host(dev);
        check_memory(dev);
        if (tap_level() >= TAP_NORMAL)
            check_long(dev);
        stf_device_close(dev);
    }
    return tap_end();
}

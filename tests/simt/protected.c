/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Protected kernels on the emulated device, one kind of pass a row: without
 * faults they raise no alarm and give what unprotected ones do; with one
 * random fault an execution, what is noticed is repaired to the same bits,
 * what is not is small, and the report says which transform it was. With
 * STF_TEST_ONLY only the rows are run whose name holds that text. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plan/cost.h"
#include "plan/desc.h"
#include "run/plan.h"
#include "tests/backend/trial.h"
#include "tests/simt/simt.h"
#include "tests/tap.h"

static const struct row {
    const char *name, *preset;
    int64_t block_bytes;
    const char *word;
    double scale;              /* of the transform; 0: 1 */
} rows[] = {
    { "rows in threads", "t4", 0, "c2c:f32:out:8*40", 0 },
    { "rows in threads", "t4", 0, "c2c:f64:in:30*9", 0 },
    { "rows in waves", "t4", 0, "c2c:f32:out:256*5", 1e-20 },
    { "rows in waves", "t4", 0, "c2c:f32:out:64*9", 1e25 },
    { "rows in blocks", "a100", 0, "c2c:f64:out:1000*2", 0 },
    { "rows in blocks", "a100", 0, "c2c:f32:in:2048*2", 0 },
    { "columns", "t4", 0, "c2c:f32:out:64x12*2", 0 },
    { "columns", "h200", 0, "c2c:f64:out:45x7*2", 0 },
    { "long rows", "h200", 14336, "c2c:f32:out:1024*140", 0 },
    { "columns of 30", "t4", 0, "c2c:f32:out:30x44*64", 0 },
    { "two passes", "t4", 6144, "c2c:f32:out:4096*2", 0 },
    { "two passes", "t4", 6144, "c2c:f64:out:1800*2", 0 },
    { "Rader", "t4", 0, "c2c:f32:out:37*5", 0 },
    { "Rader", "t4", 0, "c2c:f64:out:127x3*2", 0 },
    { "Rader in two passes", "t4", 8192, "c2c:f32:out:1517*2", 0 },
    { "Bluestein", "t4", 0, "c2c:f32:out:83*3", 0 },
    { "Bluestein", "t4", 0, "c2c:f64:out:74x4*2", 0 },
    { "spread Bluestein", "t4", 8192, "c2c:f32:out:563*2", 0 },
    { "spread Bluestein", "t4", 8192, "c2c:f64:out:1009*1", 0 },
    { "real, even", "t4", 0, "r2c:f32:out:60*5", 0 },
    { "real, even", "t4", 0, "r2c:f64:out:512*3", 0 },
    { "real, even", "t4", 0, "c2r:f32:out:60*5", 0 },
    { "real, even", "t4", 0, "c2r:f64:out:512*3", 0 },
    { "real, odd", "t4", 0, "r2c:f32:out:45*5", 0 },
    { "real, odd", "t4", 0, "c2r:f64:out:45*5", 0 },
    { "real, two axes", "t4", 0, "r2c:f32:out:12x16*2", 0 },
    { "real, two axes", "t4", 0, "c2r:f64:out:12x16*2", 0 },
    { "real by two", "h200", 8192, "r2c:f32:out:4096*2", 0 },
    { "real by two", "h200", 8192, "c2r:f32:out:4096*2", 0 },
    { "real by two", "h200", 16384, "r2c:f64:out:4096*1", 0 },
    { "real by two", "h200", 16384, "c2r:f64:out:4096*1", 0 },
    { "untangled", "t4", 4096, "r2c:f32:out:4418*1", 0 },
    { "tangled", "t4", 4096, "c2r:f32:out:4418*1", 0 },
};

/* One row on its way. */
typedef struct run {
    stfi_trial trial;
    stf_direction direction;
    stf_device *dev;
    stfi_remote plain, guarded;
    char *want;                /* the output of a run without faults */
    int noticed, missed, wrong;
    double worst_missed;       /* relative change of the output */
} run;

static size_t array_bytes(const stfi_trial *t)
{
    int last = t->problem.in_place ? 0 : 1;

    return (size_t)t->array[last].components * t->component_bytes;
}

static char *output(const run *r)
{
    return r->trial.array[r->trial.problem.in_place ? 0 : 1].block;
}

static stf_status execute(run *r, const stfi_remote *remote)
{
    const stfi_trial *t = &r->trial;
    stf_status status = stfi_remote_load(t, remote);

    if (status == STF_OK)
        status = stf_execute(remote->plan, r->direction,
                             stfi_remote_element(t, remote, 0),
                             stfi_remote_element(t, remote, 1));
    return status < STF_OK ? status : stfi_remote_fetch(&r->trial, remote);
}

static int open_run(const struct row *row, stf_device *dev, run *r)
{
    stfi_problem p;
    uint64_t state = tap_seed();

    memset(r, 0, sizeof *r);
    r->dev = dev;
    if (stfi_problem_parse(row->word, &p))
        return 0;
    if (row->scale > 0)
        p.desc.scale_forward = row->scale;
    if (stfi_trial_open(&r->trial, &p, 0, stfi_random_u64(&state)))
        return 0;
    r->direction = p.desc.kind == STF_C2R ? STF_INVERSE : STF_FORWARD;
    r->trial.problem.desc.ft.mode = STF_FT_OFF;
    if (stfi_remote_open(&r->trial, dev, &r->plain))
        return 0;
    r->trial.problem.desc.ft.mode = STF_FT_CORRECT;
    if (stfi_remote_open(&r->trial, dev, &r->guarded))
        return 0;
    stfi_trial_reset(&r->trial);
    r->want = malloc(array_bytes(&r->trial));
    if (!r->want || execute(r, &r->plain))
        return 0;
    memcpy(r->want, output(r), array_bytes(&r->trial));
    return 1;
}

static void close_run(run *r)
{
    stfi_remote_close(&r->guarded);
    stfi_remote_close(&r->plain);
    stfi_trial_close(&r->trial);
    free(r->want);
}

/* The relative L2 change of the output. */
static double change(const run *r)
{
    const stfi_trial *t = &r->trial;
    long double sum = 0, norm = 0;

    for (size_t i = 0; i < array_bytes(t) / t->component_bytes; i++) {
        long double a, b;
        if (!t->array[t->problem.in_place ? 0 : 1].mine[i])
            continue;
        a = stfi_trial_get(t, r->want, (int64_t)i);
        b = stfi_trial_get(t, output(r), (int64_t)i);
        norm += a * a;
        sum += (a - b) * (a - b);
    }
    return (double)sqrtl(sum / norm);
}

static double unit(const run *r)
{
    return stfi_type_get(r->trial.full.precision)->unit_roundoff;
}

/* Nothing was found, not even what needs no repair. */
static int is_quiet(const stf_ft_report *r)
{
    return r->detected == 0 && r->rechecked == 0 && r->uncorrectable == 0
           && r->non_finite_input == 0 && r->overflowed == 0;
}

/* Data of 1e-30 and 1e30 next to each other, of which squares are neither:
 * each is weighed by its own measure, and nothing is found. */
static void check_scales(const struct row *row, run *r)
{
    static const double scale[] = { 1, 1e-30, 1e30 };
    stfi_trial *t = &r->trial;
    int64_t reals = t->points * 2;
    stf_ft_report report;

    stfi_trial_reset(t);
    for (int64_t i = 0; i < t->array[0].components; i++)
        if (t->array[0].mine[i])
            stfi_trial_set(t, t->array[0].block, i,
                           stfi_trial_get(t, t->array[0].block, i)
                               * scale[i / reals % 3]);
    if (stf_plan_ft_reset(r->guarded.plan) || execute(r, &r->guarded)
        || stf_plan_ft_report(r->guarded.plan, &report)) {
        tap_ok(0, "%s: %s: %s", row->name, row->word, stf_error_message());
        return;
    }
    tap_ok(report.detected == 0 && report.uncorrectable == 0
               && report.non_finite_input == 0 && report.overflowed == 0,
           "%s: %s: no alarm for data of any size", row->name, row->word);
    tap_diag("largest residual %.3f, detected %" PRId64 ", non-finite %" PRId64
             ", overflowed %" PRId64, report.max_residual, report.detected,
             report.non_finite_input, report.overflowed);
}

static void check_clean(const struct row *row, run *r)
{
    stf_ft_report report;
    double difference;

    stfi_trial_reset(&r->trial);
    if (execute(r, &r->guarded)
        || stf_plan_ft_report(r->guarded.plan, &report)) {
        tap_ok(0, "%s: %s: %s", row->name, row->word, stf_error_message());
        return;
    }
    difference = change(r);
    memcpy(r->want, output(r), array_bytes(&r->trial));
    tap_ok(difference < 8 * unit(r) && report.groups_checked > 0
               && report.max_residual < 0.67 && is_quiet(&report),
           "%s: %s: no alarm in %" PRId64 " checks", row->name, row->word,
           report.groups_checked);
    tap_diag("largest residual %.3f, %.3g u from the unprotected output",
             report.max_residual, difference / unit(r));
}

static void check_fault(const struct row *row, run *r, uint64_t seed)
{
    stf_ft_report report;
    stf_fault f;
    int same;

    stfi_trial_reset(&r->trial);
    if (stf_plan_draw_fault(r->guarded.plan, seed, &f)
        || stf_plan_inject(r->guarded.plan, &f, 1)
        || stf_plan_ft_reset(r->guarded.plan) || execute(r, &r->guarded)
        || stf_plan_ft_report(r->guarded.plan, &report)) {
        tap_diag("%s: %s", row->word, stf_error_message());
        r->wrong++;
        return;
    }
    same = !memcmp(r->want, output(r), array_bytes(&r->trial));
    r->noticed += report.detected > 0;
    if (report.detected == 0) {
        double d = change(r);
        r->missed += !same;
        r->worst_missed = d > r->worst_missed ? d : r->worst_missed;
    } else if (!same || report.detected != report.recomputed
               || report.located != report.detected
               || report.first_event.signal != f.signal
               || report.first_event.pass != f.pass) {
        tap_diag("%s: seed %" PRIu64 " pass %d stage %d element %" PRId64
                 " signal %" PRId64 ": detected %" PRId64 ", recomputed %"
                 PRId64 ", in pass %d of signal %" PRId64 ", bits %s",
                 row->word, seed, f.pass, f.stage, f.element, f.signal,
                 report.detected, report.recomputed, report.first_event.pass,
                 report.first_event.signal, same ? "same" : "differ");
        r->wrong++;
    }
}

/* A batch dilutes what one transform suffers; a fault weighs at least 0.25 or
 * so, and the threshold is some ten times the rounding error. */
static double most_missed(const run *r)
{
    return 64 * 2 * unit(r);
}

static void check_faults(const struct row *row, run *r)
{
    static const int counts[] = { 12, 60, 600 };

    for (int i = 0; i < counts[tap_level()]; i++)
        check_fault(row, r, tap_seed() * 1000003u + (uint64_t)i);
    tap_ok(r->wrong == 0 && r->noticed > 0
               && r->worst_missed < most_missed(r),
           "%s: %s: %d faults noticed and repaired", row->name, row->word,
           r->noticed);
    tap_diag("%d not noticed, worst change %.3g of at most %.3g", r->missed,
             r->worst_missed, most_missed(r));
}

static void check_row(const struct row *row)
{
    stfi_caps caps = *stfi_preset_find(row->preset);
    stf_device *dev;
    static run r;

    if (row->block_bytes)
        caps.block_bytes = row->block_bytes;
    if (stfi_simt_device_open_caps(&caps, &dev)) {
        tap_ok(0, "%s: %s", row->name, stf_error_message());
        return;
    }
    if (open_run(row, dev, &r)) {
        check_clean(row, &r);
        if (row->scale == 0)
            check_scales(row, &r);
        check_faults(row, &r);
    } else {
        tap_ok(0, "%s: %s: %s", row->name, row->word, stf_error_message());
    }
    close_run(&r);
    stf_device_close(dev);
}

int main(void)
{
    const char *only = getenv("STF_TEST_ONLY");

    tap_begin("protected");
    /* A kernel of these is used by one row only. */
    setenv("STEADFAST_CACHE", "off", 1);
    unsetenv("STEADFAST_PRESET");
    if (stfi_simt_missing()) {
        tap_skip(stfi_simt_missing(), "protected kernels on the emulated GPU");
        return tap_end();
    }
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (!only || strstr(rows[i].name, only))
            check_row(&rows[i]);
    return tap_end();
}

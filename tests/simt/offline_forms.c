/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* End-to-end checks of other transforms than those out of place on the device;
 * see offline_forms.h. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "run/fft/fft_plan.h"
#include "support/oracle/naive.h"
#include "tests/simt/offline_forms.h"
#include "tests/simt/offline_run.h"
#include "tests/simt/simt.h"
#include "tests/report.h"
#include "tests/tap.h"

void stfi_offline_check_in_place(const stfi_offline_row *row, stf_device *dev,
                                 const char *word)
{
    stf_ft_report report = {0};
    static stfi_offline_run r;
    stf_fault f = {.bit = -1, .magnitude = 1e3};
    int right = stfi_offline_open(row, word, dev, &r);

    if (right) {
        stfi_trial_reset(&r.trial);
        right = stfi_offline_execute(&r, &r.correct, &report)
                && report_has_only(&report, 0)
                && report.groups_checked == stfi_offline_batch(&r)
                && !memcmp(r.want, stfi_offline_output(&r), r.bytes);
        stfi_trial_reset(&r.trial);
        f.signal = stfi_offline_batch(&r) - 1;
        right = right && !stf_plan_inject(r.correct.plan, &f, 1)
                && stfi_offline_execute(&r, &r.correct, &report)
                && report.detected == 1 && report.uncorrectable == 1
                && report.recomputed == 0
                && report.first_event.signal == f.signal;
        stfi_trial_reset(&r.trial);
        right = right && !stf_plan_inject(r.detect.plan, &f, 1)
                && stfi_offline_execute(&r, &r.detect, &report)
                && report.detected == 1 && report.uncorrectable == 0;
    }
    tap_ok(right, "%s: seen, but not repaired", word);
    if (!right)
        tap_diag("%s", stf_error_message());
    stfi_offline_close(&r);
}

/* Together with the checks of the passes, there is one more residual for each
 * transform, unless the passes see to it, and what a pass repairs is not detected
 * again. */
static void check_end_to_end(stf_device *dev, const char *word)
{
    stf_ft_report alone = {0}, both = {0};
    stfi_problem p;
    static stfi_offline_run r;
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
    right =
        right && stfi_offline_execute(&r, &r.detect, &alone)
        && stfi_offline_execute(&r, &r.correct, &both)
        && alone.groups_checked > 0
        && both.groups_checked
               == alone.groups_checked
                      + (p.in_place || !stfi_offline_is_from_memory(&r.correct))
                            * stfi_offline_batch(&r)
        && report_has_only(&both, 0) && both.max_residual < 0.67;
    tap_ok(right, "%s, end to end: a residual more for each transform", word);
    if (!right)
        tap_diag("%" PRId64 " and %" PRId64 " checked, %" PRId64
                 " detected, largest residual %g: %s",
                 alone.groups_checked, both.groups_checked, both.detected,
                 both.max_residual, stf_error_message());
    f.signal = stfi_offline_batch(&r) - 1;
    stfi_trial_reset(&r.trial);
    right = right && !stf_plan_inject(r.correct.plan, &f, 1)
            && stfi_offline_execute(&r, &r.correct, &both);
    tap_ok(right && both.detected == 1 && both.recomputed == 1
               && both.first_event.pass == 0,
           "%s, end to end: what a pass repairs is not found again", word);
    if (both.detected != 1 || both.recomputed != 1)
        stfi_offline_tell(&both);
    stfi_offline_close(&r);
    memset(&r, 0, sizeof r);
}

/* A residual is looked at again from a K on that grows with the batch. The fault grows
 * from one that is lost in rounding to one that is certainly found. */
static void check_suspects(stf_device *dev, const char *word)
{
    const stfi_offline_row row = {"suspects", "", 0,        word,
                                  "packed",   0,  TAP_QUICK};
    const double slack = 0.02; /* for the difference of both norms */
    static stfi_offline_run r;
    stf_fault f = {.element = 3, .bit = -1, .magnitude = 1e-9};
    int right = stfi_offline_open(&row, word, dev, &r);
    int below = 0, suspect = 0, found = 0;

    while (right && f.magnitude < 1e-2 && found == 0) {
        const double k =
            fmax(3, 1.1 * sqrt(log(100.0 * (double)stfi_offline_batch(&r))));
        stf_ft_report report = {0};
        double most;
        int again;

        stfi_trial_reset(&r.trial);
        right = !stf_plan_inject(r.correct.plan, &f, 1)
                && stfi_offline_execute(&r, &r.correct, &report);
        most = 6 * report.max_residual;
        again = report.rechecked + report.detected > 0;
        right = right && (most < k * (1 + slack) || again)
                && (most > k * (1 - slack) || !again);
        below += !again;
        suspect += again && most < 6;
        found += most >= 6;
        if (!right)
            tap_diag("K %.2f, looked at again from %.2f on: %d", most, k,
                     again);
        f.magnitude *= 1.1;
    }
    tap_ok(right && below > 0 && suspect > 0 && found > 0,
           "%s: suspects, %d below, %d not yet faults", word, below, suspect);
    stfi_offline_close(&r);
}

void stfi_offline_check_end_to_end(stf_device *dev)
{
    static const char *const words[] = {"c2c:f32:out:256*5",
                                        "c2r:f64:out:12x16*2",
                                        "r2c:f32:out:60*5",
                                        "r2c:f64:in:60*5",
                                        "c2r:f32:in:48*9",
                                        "c2c:f32:in:37*9",
                                        "r2r=dct3+dct1:f32:out:9x20*3"};

    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        check_end_to_end(dev, words[i]);
    check_suspects(dev, "c2c:f32:out:16*1");
    check_suspects(dev, "c2c:f32:out:16*600");
}

/* ------------------------------------------------- executions that go wrong */

static const stfi_backend *own;
static const stfi_remote *now;
static void *spoiled; /* a component of the input that is wrong at first, */
static double right_value; /* and what it should be */
static int launches;

/* Makes the input right before the first launch. Later ones suffer no faults. */
static stf_status launch_scripted(stfi_exec *x, const stfi_buffers *b,
                                  void *stream)
{
    stf_status status =
        own->device->mem_copy(now->dev->ctx, spoiled, &right_value,
                              sizeof right_value, STFI_TO_DEVICE, stream);

    if (status == STF_OK && launches++ > 0)
        status = own->fft->inject(x, NULL, 0);
    return status == STF_OK ? own->fft->launch(x, b, stream) : status;
}

/* What goes wrong, and what has to be reported. */
static const struct mended {
    const char *name;
    double spoiled; /* is added to a component until the first launch */
    int faults;     /* faults that strike in every attempt of that launch */
    int in_place;
    int64_t detected, recomputed, uncorrectable;
} mended[] = {
    {"nothing", 0, 0, 0, 0, 0, 0},
    {"a wrong sum of the input", 1, 0, 0, 1, 1, 0},
    {"a sum that is infinite", HUGE_VAL, 0, 0, 1, 1, 0},
    {"a wrong sum in place", 1, 0, 1, 1, 0, 1},
    {"a pass gave up, but not again", 0, 1, 0, 2, 2, 0},
    {"a pass gave up beside a wrong sum", 1, 1, 0, 2, 2, 0},
    {"a pass gave up in place", 0, 1, 1, 2, 0, 2},
};

/* How many faults are reported, of which `otherwise` are if there are sums of the
 * input. A plan with signatures has none at first: nothing can be wrong with them, and
 * what a pass gave up is not found a second time. */
static int64_t reported(const stfi_offline_run *r, const struct mended *m,
                        int64_t otherwise)
{
    return stfi_offline_is_signed(&r->correct) && otherwise > 0 ? m->faults
                                                                : otherwise;
}

static int is_mended(stfi_offline_run *r, const struct mended *m)
{
    const stf_fault f = {
        .signal = 1, .bit = -1, .magnitude = 1e3, .persistent = 1};
    stfi_trial *t = &r->trial;
    int64_t at = stfi_trial_place(t, 0, 1, 2, 0);
    stf_ft_report report;
    int right;

    stfi_trial_reset(t);
    right_value = (double)stfi_trial_get(t, stfi_trial_array(t, 0), at);
    stfi_trial_set(t, stfi_trial_array(t, 0), at,
                   (long double)(right_value + m->spoiled));
    spoiled = (char *)stfi_remote_element(t, &r->correct, 0)
              + at * (int64_t)sizeof right_value;
    now = &r->correct;
    launches = 0;
    right = (m->faults == 0 || !stf_plan_inject(r->correct.plan, &f, 1))
            && stfi_offline_execute(r, &r->correct, &report)
            && report.detected == reported(r, m, m->detected)
            && report.recomputed == reported(r, m, m->recomputed)
            && report.uncorrectable == reported(r, m, m->uncorrectable)
            && report.rechecked == 0 && report.non_finite_input == 0
            && report.overflowed == 0
            && (m->uncorrectable > 0
                || !memcmp(r->want, stfi_offline_output(r), r->bytes));
    if (!right) {
        tap_diag("%s", m->name);
        stfi_offline_tell(&report);
    }
    return right;
}

void stfi_offline_check_mended(const stfi_offline_row *row, stf_device *dev,
                               const char *word)
{
    static stfi_offline_run r;
    stfi_backend scripted = *dev->backend;
    stfi_fft_ops fft = *scripted.fft;
    stf_ft_report report;
    int opened = stfi_offline_open(row, word, dev, &r);

    stfi_remote_close(&r.correct);
    r.trial.problem.desc.ft.level = STF_FT_AUTO;
    r.trial.problem.desc.ft.end_to_end = 1;
    opened = opened && !stfi_remote_open(&r.trial, dev, &r.correct)
             && stfi_offline_execute(&r, &r.correct, &report);
    if (opened) /* its passes may have other radices than unprotected ones */
        memcpy(r.want, stfi_offline_output(&r), r.bytes);
    own = dev->backend;
    fft.launch = launch_scripted;
    scripted.fft = &fft;
    dev->backend = &scripted;
    for (size_t i = 0; i < sizeof mended / sizeof *mended; i++)
        if (mended[i].in_place == r.trial.problem.in_place)
            tap_ok(opened && is_mended(&r, &mended[i]), "%s: %s", word,
                   mended[i].name);
    dev->backend = own;
    stfi_offline_close(&r);
    memset(&r, 0, sizeof r);
}

/* Host arrays are copied and transformed in several parts of the batch. */
void stfi_offline_check_host(stf_device *dev)
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
void stfi_offline_check_long(stf_device *dev)
{
    static const stfi_offline_row row = {
        "long", "", 0, "c2c:f32:out:1048576*1", "packed", 0, TAP_NORMAL};
    stf_ft_report report = {0};
    stf_fault f = {.bit = -1, .magnitude = 1e3};
    static stfi_offline_run r;
    int right = stfi_offline_open(&row, row.word, dev, &r);

    stfi_trial_reset(&r.trial);
    right = right && stfi_offline_execute(&r, &r.correct, &report)
            && report_has_only(&report, 0) && report.max_residual < 0.67
            && report.groups_checked == 1
            && !memcmp(r.want, stfi_offline_output(&r), r.bytes);
    stfi_trial_reset(&r.trial);
    right = right && !stf_plan_inject(r.correct.plan, &f, 1)
            && stfi_offline_execute(&r, &r.correct, &report)
            && report.detected == 1 && report.recomputed == 1
            && !memcmp(r.want, stfi_offline_output(&r), r.bytes);
    tap_ok(right, "%s: quiet, and repaired", row.word);
    if (!right)
        tap_diag("%" PRId64 " detected; %s", report.detected,
                 stf_error_message());
    stfi_offline_close(&r);
}

/* Whichever allocation of a plan fails, all the others are freed. */
void stfi_offline_check_memory(stf_device *dev)
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

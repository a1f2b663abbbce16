/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* End-to-end checks of other transforms than those out of place on the device;
 * see offline_forms.h. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

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
 * transform, and what a pass repairs is not detected again. */
void stfi_offline_check_end_to_end(stf_device *dev, const char *word)
{
    stf_ft_report alone, both = {0};
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
        && both.groups_checked == alone.groups_checked + stfi_offline_batch(&r)
        && report_has_only(&both, 0) && both.max_residual < 0.67;
    tap_ok(right, "%s, end to end: a residual more for each transform", word);
    f.signal = stfi_offline_batch(&r) - 1;
    stfi_trial_reset(&r.trial);
    right = right && !stf_plan_inject(r.correct.plan, &f, 1)
            && stfi_offline_execute(&r, &r.correct, &both);
    tap_ok(right && both.detected == 1 && both.recomputed == 1
               && both.first_event.pass == 0,
           "%s, end to end: what a pass repairs is not found again", word);
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

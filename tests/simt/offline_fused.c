/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* End-to-end checks that passes have fused on the emulated GPU: residuals that are made
 * of what memory holds, and signatures of launches. */
#include <math.h>
#include <string.h>

#include "ft/fault.h"
#include "run/fft/fft_plan.h"
#include "tests/simt/offline_forms.h"
#include "tests/simt/machine.h"
#include "tests/simt/offline_run.h"
#include "tests/report.h"
#include "tests/tap.h"

/* Data that are no numbers are the passes' to report: their bits are no fault, and
 * waves without such data are not waited for. */
static int is_silent_without_numbers(stfi_offline_run *r, stfi_remote *plan)
{
    stf_ft_report report;

    stfi_trial_reset(&r->trial);
    stfi_trial_set(&r->trial, stfi_trial_array(&r->trial, 0),
                   stfi_trial_place(&r->trial, 0, 1, 3,
                                    stfi_trial_parts(&r->trial, 0) - 1),
                   -NAN);
    return stfi_offline_execute(r, plan, &report) && report.detected == 0
           && report.non_finite_input > 0;
}

/* ---------------------------------------------- residuals made from memory */

/* A fault in the stage behind the last one changes what is stored after its last sum
 * in registers. */
static int suffers(stfi_offline_run *r, stf_fault f)
{
    stf_device *dev = r->correct.dev;
    const stfi_fft_plan *plan = stfi_fft_plan_of(r->correct.plan);
    stf_ft_report report;

    stfi_trial_reset(&r->trial);
    return !dev->backend->fft->inject(plan->exec, &f, 1)
           && stfi_offline_execute(r, &r->correct, &report)
           && report.detected == 1 && report.recomputed == 1
           && report.uncorrectable == 0 && report.first_event.signal == f.signal
           && report.first_event.pass == 0
           && !memcmp(r->want, stfi_offline_output(r), r->bytes);
}

static void check_from_memory(const stfi_offline_row *row, stf_device *dev,
                              const char *word)
{
    static stfi_offline_run r;
    stf_fault f = {.bit = -1, .magnitude = 1e3};
    stf_ft_report report;
    int right = stfi_offline_open(row, word, dev, &r), stages = 0;

    stfi_remote_close(&r.correct);
    r.trial.problem.desc.ft.level = STF_FT_AUTO;
    r.trial.problem.desc.ft.end_to_end = 1;
    right = right && !stfi_remote_open(&r.trial, dev, &r.correct)
            && stfi_offline_is_from_memory(&r.correct);
    stfi_trial_reset(&r.trial);
    right = right && stfi_offline_execute(&r, &r.correct, &report)
            && report_has_only(&report, 0) && report.max_residual < 0.67
            && report.groups_checked == stfi_offline_batch(&r)
            && stfi_offline_is_close(&r);
    if (right)
        memcpy(r.want, stfi_offline_output(&r), r.bytes);
    if (right)
        stages = stfi_fault_stages(
            &stfi_fft_plan_of(r.correct.plan)->schedule->pass[0]);
    f.signal = stfi_offline_batch(&r) - 1;
    for (; f.stage <= stages && right; f.stage++)
        right = suffers(&r, f);
    right = right && is_silent_without_numbers(&r, &r.correct);
    tap_ok(right, "%s: residuals of what memory holds", word);
    if (!right)
        tap_diag("stage %d: %s", f.stage - 1, stf_error_message());
    stfi_offline_close(&r);
    memset(&r, 0, sizeof r);
}

void stfi_offline_check_from_memory(const stfi_offline_row *row,
                                    stf_device *dev)
{
    static const char *const words[] = {
        "c2c:f64:out:30*4",   "c2c:f32:out:7*40",   "c2c:f32:out:16*300",
        "c2c:f32:out:512*5",  "c2c:f64:out:1000*3", "r2c:f32:out:60*9",
        "r2c:f64:out:1024*3", "r2c:f32:out:10*300", "c2r:f32:out:96*7",
        "c2r:f64:out:500*3",  "c2r:f32:out:10*300", "dct2:f32:out:64*5",
        "dst2:f64:out:100*3", "dct3:f32:out:60*9",  "dst3:f64:out:64*3",
        "r2hc:f64:out:100*3", "hc2r:f32:out:48*11", "r2c:f32:out:45*8",
        "c2r:f64:out:63*5",   "r2c:f64:out:45*90",  "c2r:f32:out:15*70",
        "dct2:f32:out:16*90", "c2c:f32:out:101*9",  "r2c:f64:out:37*5",
        "r2c:f32:out:675*3",  "c2r:f32:out:41*7"};

    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        check_from_memory(row, dev, words[i]);
}

/* ------------------------------------------------ signatures of launches */

/* What executes the plan: in place, rows of reals may have another one, with the same
 * passes. */
static stfi_exec *exec_of(const stfi_offline_run *r, const stfi_remote *remote)
{
    const stfi_fft_plan *plan = stfi_fft_plan_of(remote->plan);

    return r->trial.problem.in_place && plan->padded != NULL ? plan->padded
                                                             : plan->exec;
}

/* Executes with a fault before or after all sums of a pass, which no residual
 * shows. In place it is told, but not repaired. */
static int shows(stfi_offline_run *r, stfi_remote *plan, const stf_fault *f,
                 int correct)
{
    const int repaired = correct && !r->trial.problem.in_place;
    stf_ft_report report;
    int right;

    stfi_trial_reset(&r->trial);
    right = !plan->dev->backend->fft->inject(exec_of(r, plan), f, 1)
            && stfi_offline_execute(r, plan, &report) && report.detected == 1
            && report.recomputed == repaired
            && report.uncorrectable == correct - repaired && report.located == 0
            && report.first_event.pass == -1
            && repaired == !memcmp(r->want, stfi_offline_output(r), r->bytes);
    if (!right) {
        tap_diag("pass %d, stage %d", f->pass, f->stage);
        stfi_offline_tell(&report);
    }
    return right;
}

/* The stages of faults that strike what is stored after all sums or what was loaded
 * before them, and of those that turn all elements of a thread for the other
 * direction, at a load and at a store: kernels/protect/trial.h. R2C turns what it loads
 * only, and C2R nothing of that kind, as reals are not turned. */
static int is_end(const stfi_pass *p, int later)
{
    const int turns_load =
        p->op != STFI_OP_C2R && p->load.form != STFI_FORM_REAL;

    return later <= 2 || (later == 3 && turns_load)
           || (later == 4 && p->op == STFI_OP_FFT);
}

/* The faults are of lane 1, since lane 0 of a spectrum may have reals, whose direction
 * does not matter. */
static int each_end(stfi_offline_run *r, stfi_remote *plan, int correct)
{
    const stfi_schedule *s = stfi_fft_plan_of(plan->plan)->schedule;
    stf_fault f = {.bit = -1, .magnitude = 1e3};
    int right = 1;

    for (f.pass = 0; f.pass < s->npasses && right; f.pass++)
        for (int later = 1; later <= 4 && right; later++) {
            if (!is_end(&s->pass[f.pass], later))
                continue;
            f.signal = (f.pass + later) % stfi_offline_batch(r);
            f.element = s->pass[f.pass].n
                        + 11 * (f.pass + later) % (s->pass[f.pass].n / 2);
            f.stage = s->pass[f.pass].nstages + later;
            right = shows(r, plan, &f, correct);
        }
    return right;
}

/* A block that takes itself for one that has no lanes leaves its tile as it was: that
 * shows, where a pass overwrites its input, too. */
static int each_stray(stfi_offline_run *r, stfi_remote *plan, int correct)
{
    const int repaired = correct && !r->trial.problem.in_place;
    const int passes = stfi_fft_plan_of(plan->plan)->schedule->npasses;
    stf_ft_report report;
    int right = 1;

    for (int p = 0; p < passes && right; p++) {
        stfi_trial_reset(&r->trial);
        stfi_simt_stray(p, 0, 1 << 20);
        right = stfi_offline_execute(r, plan, &report) && report.detected == 1
                && report.recomputed == repaired
                && report.uncorrectable == correct - repaired;
        stfi_simt_stray(-1, 0, 0);
        if (!right) {
            tap_diag("a stray block of pass %d", p);
            stfi_offline_tell(&report);
        }
    }
    return right;
}

/* Makes transform 0 zeros, which it stays in place. */
static void reset_with_zeros(stfi_trial *trial)
{
    const stf_fft_desc *d = &trial->problem.desc;
    const int64_t count = d->kind == STF_C2R ? d->n[0] / 2 + 1 : d->n[0];

    stfi_trial_reset(trial);
    for (int64_t e = 0; e < count; e++)
        for (int part = 0; part < stfi_trial_parts(trial, 0); part++)
            stfi_trial_set(trial, stfi_trial_array(trial, 0),
                           stfi_trial_place(trial, 0, 0, e, part), 0);
}

/* A block that takes itself for that of transform 0, in place: what it would spoil is
 * found in memory, and all is put right. */
static void check_mistaken(const stfi_offline_row *row, stf_device *dev,
                           const char *word, stf_direction direction)
{
    static stfi_offline_run r;
    stf_ft_report report = {0};
    int right = stfi_offline_open(row, word, dev, &r);

    r.direction = direction;
    r.trial.problem.desc.ft.level = STF_FT_AUTO;
    r.trial.problem.desc.ft.end_to_end = 1;
    r.trial.problem.desc.ft.mode = STF_FT_CORRECT;
    stfi_remote_close(&r.correct);
    right = right && !stfi_remote_open(&r.trial, dev, &r.correct);
    reset_with_zeros(&r.trial);
    right = right && stfi_offline_execute(&r, &r.correct, &report)
            && report_has_only(&report, 0);
    if (right)
        memcpy(r.want, stfi_offline_output(&r), r.bytes);
    reset_with_zeros(&r.trial);
    stfi_simt_stray(0, 1, 0);
    right = right && stfi_offline_execute(&r, &r.correct, &report)
            && report.detected > 0 && report.recomputed == report.detected
            && report.uncorrectable == 0
            && !memcmp(r.want, stfi_offline_output(&r), r.bytes);
    stfi_simt_stray(-1, 0, 0);
    tap_ok(right, "%s: a block that takes itself for another one does no harm",
           word);
    if (!right)
        stfi_offline_tell(&report);
    stfi_offline_close(&r);
    memset(&r, 0, sizeof r);
}

static void check_signed(const stfi_offline_row *row, stf_device *dev,
                         const char *word, stf_direction direction)
{
    static stfi_offline_run r;
    stf_ft_report report;
    stfi_remote *plans[] = {&r.correct, &r.detect};
    int right = stfi_offline_open(row, word, dev, &r);

    r.direction = direction;
    r.trial.problem.desc.ft.level = STF_FT_AUTO;
    r.trial.problem.desc.ft.end_to_end = 1;
    for (int i = 0; i < 2 && right; i++) {
        r.trial.problem.desc.ft.mode = i ? STF_FT_DETECT : STF_FT_CORRECT;
        stfi_remote_close(plans[i]);
        right = !stfi_remote_open(&r.trial, dev, plans[i])
                && stfi_offline_is_signed(plans[i]);
        stfi_trial_reset(&r.trial);
        right = right && stfi_offline_execute(&r, plans[i], &report)
                && report_has_only(&report, 0) && report.max_residual < 0.67;
        if (right && i == 0)
            memcpy(r.want, stfi_offline_output(&r), r.bytes);
        right = right && each_end(&r, plans[i], !i)
                && each_stray(&r, plans[i], !i)
                && is_silent_without_numbers(&r, plans[i]);
    }
    tap_ok(right, "%s, %s: signatures show what residuals do not", word,
           direction == STF_FORWARD ? "forward" : "inverse");
    if (!right)
        tap_diag("%s", stf_error_message());
    stfi_offline_close(&r);
    memset(&r, 0, sizeof r);
}

void stfi_offline_check_signed(const stfi_offline_row *row, stf_device *dev,
                               int persistent)
{
    static const struct {
        const char *word;
        stf_direction direction;
        int persistent;
    } all[] = {
        {"c2c:f32:out:144x128*2", STF_INVERSE, 0},
        {"c2c:f64:out:24x21x18*2", STF_FORWARD, 0},
        {"r2c:f32:out:60x256*2", STF_FORWARD, 0},
        {"r2c:f64:out:12x50x64*2", STF_FORWARD, 0},
        {"r2c:f64:out:64x105*2", STF_FORWARD, 0},
        {"c2r:f32:out:64x196*2", STF_INVERSE, 0},
        {"c2r:f64:out:12x48x60*2", STF_INVERSE, 0},
        {"c2r:f32:out:15x40*3", STF_INVERSE, 0},
        {"c2c:f64:out:4096*8", STF_INVERSE, 1},
        {"c2c:f32:out:8192*3", STF_FORWARD, 1},
        {"c2c:f32:in:144x128*2", STF_INVERSE, 0},
        {"c2c:f64:in:24x21x18*2", STF_FORWARD, 0},
        {"r2c:f64:in:12x50x64*2", STF_FORWARD, 0},
        {"r2c:f32:in:64x105*2", STF_FORWARD, 0},
        {"c2r:f32:in:64x196*2", STF_INVERSE, 0},
        {"c2r:f64:in:25x60*3", STF_INVERSE, 0},
        {"c2c:f64:in:30*4", STF_INVERSE, 0},
        {"c2c:f32:in:1000*3", STF_FORWARD, 0},
        {"r2c:f32:in:60*9", STF_FORWARD, 0},
        {"r2c:f64:in:45*8", STF_FORWARD, 0},
        {"c2r:f32:in:96*7", STF_INVERSE, 0},
        {"c2r:f64:in:10*70", STF_INVERSE, 0},
        {"c2c:f64:in:4096*8", STF_FORWARD, 1},
        {"c2c:f32:in:8192*3", STF_INVERSE, 1},
    };

    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i].persistent == persistent)
            check_signed(row, dev, all[i].word, all[i].direction);
    if (persistent)
        return;
    check_mistaken(row, dev, "c2c:f64:in:1200*3", STF_INVERSE);
    check_mistaken(row, dev, "c2c:f32:in:1000*3", STF_FORWARD);
    check_mistaken(row, dev, "r2c:f32:in:4000*3", STF_FORWARD);
    check_mistaken(row, dev, "c2r:f64:in:2000*3", STF_INVERSE);
}

/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Protected kernels on the emulated device, one kind of pass per row. Without
 * faults they raise no alarm and give the results of unprotected kernels. With
 * one random fault per execution, a fault that is detected is repaired to the
 * same bits, any other has little effect, and the report names the right
 * transform. With STF_TEST_ONLY only rows are run whose name contains that
 * text. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backends/gpu/host/fft/protect.h"
#include "fft/cost.h"
#include "fft/desc.h"
#include "run/fft/fft_plan.h"
#include "tests/simt/protected.h"
#include "tests/simt/simt.h"
#include "tests/simt/unit.h"
#include "tests/report.h"
#include "tests/tap.h"

/* Protection of a row: level, scheme, transactions; multiprocessors (or 0). */
#define ALONE STF_FT_AUTO, STF_FT_SCHEME_AUTO, 0, 0
#define PERSISTENT(units) STF_FT_AUTO, STF_FT_SCHEME_AUTO, 0, units
#define THREAD STF_FT_THREAD, STF_FT_SCHEME_AUTO, 0, 0
#define SIGNAL(n) STF_FT_AUTO, STF_FT_SCHEME_SIGNAL, n, 0
#define ONE(n) STF_FT_AUTO, STF_FT_SCHEME_ONE_SIDED, n, 0
#define TWO(n) STF_FT_AUTO, STF_FT_SCHEME_TWO_SIDED, n, 0

static const protected_row rows[] = {
#define PROTECTED(name, preset, bytes, word, scale, ...) \
    {name, preset, bytes, word, scale, __VA_ARGS__},
#include "tests/simt/PROTECTED.def"
#undef PROTECTED
};

static size_t array_bytes(const stfi_trial *t)
{
    int last = t->problem.in_place ? 0 : 1;

    return (size_t)t->array[last].components * t->component_bytes;
}

static const stfi_fenced *output_array(const protected_run *r)
{
    return &r->trial.array[r->trial.problem.in_place ? 0 : 1];
}

static char *output(const protected_run *r)
{
    return output_array(r)->block;
}

static int open_run(const protected_row *row, stf_device *dev, protected_run *r)
{
    stfi_problem p;
    uint64_t state = tap_seed();

    memset(r, 0, sizeof *r);
    r->dev = dev;
    stfi_simt_unit_next();
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
    r->row = row;
    r->trial.problem.desc.ft.mode = STF_FT_CORRECT;
    r->trial.problem.desc.ft.level = row->level;
    r->trial.problem.desc.ft.scheme = row->scheme;
    r->trial.problem.desc.ft.transactions = row->transactions;
    if (stfi_remote_open(&r->trial, dev, &r->guarded))
        return 0;
    stfi_trial_reset(&r->trial);
    r->want = malloc(array_bytes(&r->trial));
    if (!r->want || protected_execute(r, &r->plain))
        return 0;
    memcpy(r->want, output(r), array_bytes(&r->trial));
    return 1;
}

static void close_run(protected_run *r)
{
    stfi_remote_close(&r->guarded);
    stfi_remote_close(&r->plain);
    stfi_trial_close(&r->trial);
    free(r->want);
}

/* The L2 norm of the change of the output, relative to the clean output. */
static double change(const protected_run *r)
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

static double unit(const protected_run *r)
{
    return stfi_type_get(r->trial.full.precision)->unit_roundoff;
}

/* 1 if nothing was counted, except a few suspects: in clean runs a residual
 * exceeds half of its threshold about once in some thousands. */
static int is_quiet(const stf_ft_report *r)
{
    int64_t most = r->max_residual > 0.5 ? 1 + r->groups_checked / 1000 : 0;

    return report_has_only(r, REPORT_BIT(RECHECKED)) && r->rechecked <= most;
}

/* Data of sizes 1e-30 and 1e30 lie next to each other; their squares underflow
 * and overflow in F32. Each transform is judged relative to its own size. F16
 * holds no such numbers. */
static void check_scales(const protected_row *row, protected_run *r)
{
    stfi_trial *t = &r->trial;
    const double large = t->full.precision == STF_F16 ? 16 : 1e30;
    const double scale[] = {1, 1 / large, large};
    int64_t reals = t->points * 2;
    stf_ft_report report;

    stfi_trial_reset(t);
    for (int64_t i = 0; i < t->array[0].components; i++)
        if (t->array[0].mine[i])
            stfi_trial_set(t, t->array[0].block, i,
                           stfi_trial_get(t, t->array[0].block, i)
                               * scale[i / reals % 3]);
    if (stf_plan_ft_reset(r->guarded.plan) || protected_execute(r, &r->guarded)
        || stf_plan_ft_report(r->guarded.plan, &report)) {
        tap_ok(0, "%s: %s: %s", row->name, row->word, stf_error_message());
        return;
    }
    tap_ok(report_has_only(&report, REPORT_BIT(RECHECKED)),
           "%s: %s: no alarm for data of any size", row->name, row->word);
    tap_diag("largest residual %.3f, detected %" PRId64 ", non-finite %" PRId64
             ", overflowed %" PRId64,
             report.max_residual, report.detected, report.non_finite_input,
             report.overflowed);
}

/* 1 if only transform b differs from the results of a clean run. */
static int is_alone(const protected_run *r, int64_t b)
{
    const stfi_trial *t = &r->trial;
    int64_t reals = stfi_trial_elements(t, 1) * stfi_trial_parts(t, 1);
    int64_t place = output_array(r)->origin + stfi_trial_place(t, 1, b, 0, 0);
    size_t first = (size_t)place * t->component_bytes;
    size_t end = (size_t)(place + reals) * t->component_bytes;

    return !memcmp(r->want, output(r), first)
           && !memcmp(r->want + end, output(r) + end, array_bytes(t) - end);
}

/* The number of lanes of a signal, without those that fill up the last block of
 * rows. */
static int64_t lanes_there(const stfi_pass *p)
{
    int64_t lanes = stfi_pass_signal_lanes(p), there = 0;

    for (int64_t i = 0; i < lanes; i++) {
        int64_t left = i, index = 0;
        for (int l = 0; l < p->nloops; l++)
            if (l != p->batch_loop) {
                index += left % p->loop_n[l] * p->load.index.loop[l];
                left /= p->loop_n[l];
            }
        there += p->load.rows == 0 || index < p->load.rows;
    }
    return there;
}

/* The number of lanes that have Inf or NaN if one input element has: one in the
 * first pass, and all lanes of the transform in the other passes. */
static int64_t count_spoiled(const stfi_schedule *s)
{
    int64_t count = 1;

    for (int i = 1; i < s->npasses; i++)
        count += lanes_there(&s->pass[i]);
    return count;
}

/* Sets element i of transform b to Inf or NaN; 1 if all spoiled lanes count. */
static int is_counted(protected_run *r, int64_t b, int64_t i)
{
    int64_t want = count_spoiled(stfi_fft_plan_of(r->guarded.plan)->schedule);
    stfi_trial *t = &r->trial;
    stf_ft_report report;

    stfi_trial_reset(t);
    stfi_trial_set(t, stfi_trial_array(t, 0), stfi_trial_place(t, 0, b, i, 0),
                   b % 2 ? (long double)INFINITY : (long double)NAN);
    if (stf_plan_ft_reset(r->guarded.plan) || protected_execute(r, &r->guarded)
        || stf_plan_ft_report(r->guarded.plan, &report)) {
        tap_diag("%s: %s", r->row->word, stf_error_message());
        return 0;
    }
    if (report.non_finite_input == want && report.detected == 0
        && report.uncorrectable == 0 && report.overflowed == 0
        && is_alone(r, b))
        return 1;
    tap_diag("element %" PRId64 " of transform %" PRId64 ": %" PRId64
             " of %" PRId64 " lanes not finite, detected %" PRId64
             ", overflowed %" PRId64 ", others %s",
             i, b, report.non_finite_input, want, report.detected,
             report.overflowed, is_alone(r, b) ? "same" : "differ");
    return 0;
}

/* A persistent block judges each tile once the next one is stored, and its last
 * tile at the end. Faults cannot show that it judges all, since a launch with
 * faults computes tiles separately. Inf and NaN can: they are put in the first
 * column, which is in a block's first tile, in the last one, and in between. */
static void check_persistent(const protected_row *row, protected_run *r)
{
    int64_t batch = r->trial.full.batch;
    int64_t most = stfi_trial_elements(&r->trial, 0) - 1;
    int right = batch > 1 && protected_persists(r->guarded.plan);

    for (int64_t b = 0; right && b < batch; b++)
        right = is_counted(r, b, most * b / (batch - 1));
    tap_ok(right, "%s: %s: NaN or Inf in any tile are told", row->name,
           row->word);
}

/* Executes once in a workspace that is filled with garbage. */
static stf_status execute_in(protected_run *r, void *work, void *dirt,
                             size_t bytes)
{
    const stfi_trial *t = &r->trial;
    const stfi_remote *g = &r->guarded;
    stf_status status;

    stfi_trial_reset(&r->trial);
    memset(dirt, 0x5a, bytes);
    if ((status = stf_upload(r->dev, work, dirt, bytes)) == STF_OK
        && (status = stfi_remote_load(t, g)) == STF_OK
        && (status = stf_execute_on(g->plan, r->direction,
                                    stfi_remote_element(t, g, 0),
                                    stfi_remote_element(t, g, 1), work, NULL))
               == STF_OK)
        status = stfi_remote_fetch(&r->trial, g);
    return status;
}

/* Tile counters in the workspace must not start from what is there before. */
static void check_dirt(const protected_row *row, protected_run *r)
{
    size_t bytes = stf_plan_workspace(r->guarded.plan);
    void *work = NULL, *dirt = malloc(bytes);
    int right = 0;

    if (stf_malloc(r->dev, bytes, &work))
        tap_diag("%s", stf_error_message());
    if (work && dirt && execute_in(r, work, dirt, bytes) == STF_OK)
        right = !memcmp(r->want, output(r), array_bytes(&r->trial));
    tap_ok(right, "%s: %s: the same in a workspace that holds anything",
           row->name, row->word);
    free(dirt);
    stf_free(r->dev, work);
}

static void check_clean(const protected_row *row, protected_run *r)
{
    stf_ft_report report;
    double difference;

    stfi_trial_reset(&r->trial);
    if (protected_execute(r, &r->guarded)
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

/* The first of the transforms that share a lane of the pass with the struck one. */
static int64_t first_of_lane(const protected_run *r, const stf_fault *f)
{
    const stfi_schedule *s = stfi_fft_plan_of(r->guarded.plan)->schedule;
    const int64_t each = stfi_pass_transform(&s->pass[f->pass], 1);

    return f->signal / each * each;
}

/* 1 if the report names the pass of the fault, and also its signal unless the
 * fault was found in a sum over several signals. */
static int is_told(const protected_run *r, const stf_ft_report *report,
                   const stf_fault *f)
{
    if (report->first_event.pass != f->pass)
        return 0;
    if (report->located < report->detected)
        return r->row->scheme > STF_FT_SCHEME_SIGNAL;
    return report->first_event.signal == first_of_lane(r, f);
}

static void check_fault(const protected_row *row, protected_run *r,
                        uint64_t seed)
{
    stf_ft_report report;
    stf_fault f;
    int same;

    stfi_trial_reset(&r->trial);
    if (stf_plan_draw_fault(r->guarded.plan, seed, &f)
        || stf_plan_inject(r->guarded.plan, &f, 1)
        || stf_plan_ft_reset(r->guarded.plan)
        || protected_execute(r, &r->guarded)
        || stf_plan_ft_report(r->guarded.plan, &report)) {
        tap_diag("%s: %s", row->word, stf_error_message());
        r->wrong++;
        return;
    }
    same = !memcmp(r->want, output(r), array_bytes(&r->trial));
    r->noticed += report.detected > 0;
    r->located += report.detected > 0 && report.located == report.detected;
    if (report.detected == 0) {
        double d = change(r);
        r->missed += !same;
        r->worst_missed = d > r->worst_missed ? d : r->worst_missed;
    } else if (!same || report.detected != report.recomputed
               || !is_told(r, &report, &f)) {
        tap_diag("%s: seed %" PRIu64 " pass %d stage %d element %" PRId64
                 " signal %" PRId64 ": detected %" PRId64
                 ", recomputed %" PRId64 ", in pass %d of signal %" PRId64
                 ", bits %s",
                 row->word, seed, f.pass, f.stage, f.element, f.signal,
                 report.detected, report.recomputed, report.first_event.pass,
                 report.first_event.signal, same ? "same" : "differ");
        r->wrong++;
    }
}

/* The largest relative change that may go undetected: a fault weighs about 0.25
 * or more, and the threshold is about ten times the rounding error, and sqrt(n)
 * times that for a sum over n transforms. */
static double most_missed(const protected_run *r)
{
    int several =
        r->row->scheme > STF_FT_SCHEME_SIGNAL ? r->row->transactions : 1;

    return 64 * 2 * sqrt((double)several) * unit(r);
}

/* Returns 1 if the faults so far show all that a row's are to show: some are
 * noticed, and some located, or with one-sided sums out of place, which cannot
 * locate all, some not. */
static int shows_all(const protected_row *row, const protected_run *r)
{
    int one_sided =
        row->scheme == STF_FT_SCHEME_ONE_SIDED && !r->trial.problem.in_place;

    return r->noticed > 0
           && (one_sided ? r->located < r->noticed : r->located > 0);
}

/* Faults are drawn at random, and most of a few may be too small to matter: as
 * long as they do not show all, up to 16 times as many are drawn. */
static void check_faults(const protected_row *row, protected_run *r)
{
    static const int counts[] = {12, 60, 600};
    int count = counts[tap_level()];

    for (int i = 0; i < count || (i < 16 * count && !shows_all(row, r)); i++)
        check_fault(row, r, tap_seed() * 1000003u + (uint64_t)i);
    tap_ok(r->wrong == 0 && shows_all(row, r)
               && r->worst_missed < most_missed(r),
           "%s: %s: %d faults noticed and repaired, %d located", row->name,
           row->word, r->noticed, r->located);
    tap_diag("%d not noticed, worst change %.3g of at most %.3g", r->missed,
             r->worst_missed, most_missed(r));
}

static void check_row(const protected_row *row)
{
    int unit_radix;
    stfi_caps caps = *stfi_simt_preset(row->preset, &unit_radix);
    stf_device *dev;
    static protected_run r;

    if (row->block_bytes > 0)
        caps.block_bytes = row->block_bytes;
    if (row->units > 0)
        caps.units = row->units;
    if (stfi_simt_device_open_caps(&caps, &dev)) {
        tap_ok(0, "%s: %s", row->name, stf_error_message());
        return;
    }
    dev->unit_radix = unit_radix;
    if (open_run(row, dev, &r)) {
        check_clean(row, &r);
        if (row->scale == 0) {
            check_scales(row, &r);
            protected_check_distributions(row, &r);
        }
        if (row->scheme > STF_FT_SCHEME_SIGNAL) {
            protected_check_equal(row, &r);
            protected_check_impulses(row, &r);
        }
        if (row->units > 0) {
            check_persistent(row, &r);
            check_dirt(row, &r);
        }
        check_faults(row, &r);
    } else {
        tap_ok(0, "%s: %s: %s", row->name, row->word, stf_error_message());
    }
    close_run(&r);
    stf_device_close(dev);
}

/* Tests the factors K above which a residual is suspect (`suspect`) or faulty
 * (6), for a pass with so many lanes per signal. */
static void test_limits(int64_t lanes, stf_ft_level level, double suspect)
{
    const double slope = 0.5;
    const stfi_gpu_protection none = {0};
    const stfi_pass p = {.nloops = 2,
                         .batch_loop = 1,
                         .loop_n = {lanes, 7},
                         .check = {.level = level, .slope = slope}};
    stfk_check check = {0};

    stfi_gpu_guard_set(&none, &p, 0, &check);
    stfi_gpu_guard_scale(1, &check);
    tap_ok(sqrt(check.limit[0]) == suspect * slope
               && sqrt(check.limit[1]) == 6 * slope
               && sqrt(check.limit_f[0]) == suspect * slope
               && check.suspect_at == (float)suspect,
           "of %" PRId64 " lanes, level %d, what exceeds %g is suspect", lanes,
           (int)level, suspect);
}

int main(void)
{
    const char *only = getenv("STF_TEST_ONLY");

    tap_begin("protected");
    unsetenv("STEADFAST_PRESET");
    if (stfi_simt_missing()) {
        tap_skip(stfi_simt_missing(), "protected kernels on the emulated GPU");
        return tap_end();
    }
    if (!tap_ok(stfi_simt_cache_open(), "a cache of kernels"))
        return tap_end();
    test_limits(1, STF_FT_BLOCK, 3);
    test_limits(15, STF_FT_BLOCK, 3);
    test_limits(16, STF_FT_BLOCK, 4);
    test_limits(4096, STF_FT_THREAD, 3);
    if (!only || strstr("roots", only))
        protected_check_roots();
    if (!only || strstr("few blocks", only))
        protected_check_few_blocks();
    if (!only || strstr("tiny", only))
        protected_check_tiny();
    if (!only || strstr("mates", only))
        protected_check_mates();
    if (!only || strstr("static memory", only))
        protected_check_misplaced();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (only ? strstr(rows[i].name, only) != NULL : tap_samples((int64_t)i))
            for (int k = stfi_simt_unit_turns(rows[i].word); k > 0; k--)
                check_row(&rows[i]);
    stfi_simt_cache_close();
    return tap_end();
}

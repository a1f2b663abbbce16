/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Rows that protected plans of the cpu compute in pieces, between sums over
 * memory: which plans have the kernels of compact transforms for them; that a
 * value which these kernels get wrong once is found in its row and repaired; and
 * that a damaged table is told, wherever the row lies in a piece. Also that lanes
 * which a thread left out are missed; and that rows of
 * few reals, which have a way of their own without checks, have the same bits. */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/cpu/compact/cpu_grid.h"
#include "backends/cpu/compact/cpu_one_store.h"
#include "backends/cpu/cpu_exec_whole.h"
#include "backends/cpu/cpu_executable.h"
#include "base/type.h"
#include "run/fft/fft_plan.h"
#include "support/problem/problem.h"
#include "tests/tap.h"

/* How rows are computed. Grids are for vectors of at most four numbers; with longer ones
 * such rows go by passes. */
enum { PASSES, COMPACT, GRID };

static const struct {
    const char *word;
    int is_compact;
} problems[] = {{"c2c:f32:8*201", COMPACT},   {"c2c:f64:8*201", COMPACT},
                {"c2c:f32:15*150", COMPACT},  {"c2c:f64:12*150", COMPACT},
                {"c2c:f32:512*37", COMPACT},  {"c2c:f64:1024*19", COMPACT},
                {"c2c:f32:4096*48", COMPACT}, {"c2c:f32:5*333", COMPACT},
                {"c2c:f64:2048*16", COMPACT}, {"c2c:f32:64*100", COMPACT},
                {"c2c:f64:60*100", COMPACT},  {"c2c:f64:16*150", COMPACT},
                {"c2c:f64:32*90", COMPACT},   {"c2c:f32:20*77", PASSES},
                {"c2c:f64:256*50", COMPACT},  {"c2c:f64:64*40", COMPACT},
                {"c2c:f32:128*90", COMPACT},  {"c2c:f64:100*40", GRID},
                {"c2c:f32:243*33", PASSES},   {"c2c:f32:1024*3", PASSES},
                {"r2c:f32:16*100", PASSES},   {"c2c:f32:8x8*100", PASSES},
                {"c2c:f32:in:1024*3", PASSES}};

/* A protected plan with its arrays, and what its output has to be. */
typedef struct rig {
    stf_device *dev;
    stf_plan *plan;
    stfi_exec *exec;
    stf_precision precision;
    int64_t batch, reals; /* of an array */
    int is_whole;         /* rows are checked as a whole, and not in pieces */
    size_t bytes;
    char *in, *out, *want;
} rig;

static int rig_open(rig *r, const char *word, stf_ft_mode mode)
{
    uint64_t state = tap_seed();
    stfi_problem p;

    memset(r, 0, sizeof *r);
    if (stfi_problem_parse(word, &p) || stf_device_open("cpu", &r->dev))
        return tap_ok(0, "%s: %s", word, stf_error_message());
    p.desc.threads = 1;
    p.desc.ft.mode = mode;
    if (stf_plan_fft(r->dev, &p.desc, &r->plan))
        return tap_ok(0, "%s: %s", word, stf_error_message());
    r->exec = stfi_fft_plan_of(r->plan)->exec;
    r->is_whole = r->exec->whole.kernels != NULL;
    r->precision = p.desc.precision;
    r->batch = p.desc.batch;
    r->reals = 2;
    for (int a = 0; a < p.desc.rank; a++)
        r->reals *= p.desc.n[a] + 2;
    r->bytes =
        (size_t)(r->reals * r->batch) * stfi_type_get(r->precision)->bytes;
    r->in = malloc(r->bytes);
    r->out = calloc(1, r->bytes);
    r->want = calloc(1, r->bytes);
    if (r->in == NULL || r->out == NULL || r->want == NULL)
        return tap_ok(0, "%s: no memory", word);
    for (int64_t i = 0; i < r->reals * r->batch; i++)
        stfi_type_write(r->precision, r->in, i,
                        (long double)(stfi_random_u64(&state) % 2001) - 1000);
    return 1;
}

/* Has the rows checked in pieces, as a launch with faults or a signature does. */
static void rig_take_pieces(rig *r)
{
    for (int d = 0; d < 2; d++)
        r->exec->whole.way[d][0].check = NULL;
    r->is_whole = 0;
}

static void rig_close(rig *r)
{
    stf_plan_destroy(r->plan);
    stf_device_close(r->dev);
    free(r->in);
    free(r->out);
    free(r->want);
}

static stf_status rig_run(rig *r, void *out, stf_ft_report *report)
{
    stf_status status;

    if (stf_plan_ft_reset(r->plan))
        return STF_ERR_INTERNAL;
    status = stf_execute(r->plan, STF_FORWARD, r->in, out);
    memset(report, 0, sizeof *report);
    (void)stf_plan_ft_report(r->plan, report);
    return status;
}

/* ------------------------------------------------------------ wrong values */

/* What is wrong with the next execution of compact kernels: a component of a
 * row. */
static struct {
    const stfi_cpu_compact_kernels *kernels;
    int armed;
    int64_t row, component;
    stf_precision precision;
} wrong;

static void run_wrong(const stfi_cpu_compact *c,
                      const stfi_cpu_compact_run *run)
{
    int64_t at = wrong.row * c->dst_step + wrong.component;

    wrong.kernels->run(c, run);
    if (!wrong.armed || wrong.row < run->begin || wrong.row >= run->end)
        return;
    wrong.armed = 0;
    stfi_type_write(wrong.precision, run->dst, at,
                    stfi_type_read(wrong.precision, run->dst, at) + 100);
}

/* What computes the rows. Those that are checked as a whole are those of an executable
 * without checks, which may be compact. */
static stfi_cpu_compact *compact_of(const rig *r)
{
    return r->is_whole ? r->exec->bare->compact : r->exec->compact;
}

/* Makes random components of random rows wrong, once each. */
static void test_values(rig *r, const char *word)
{
    stfi_cpu_compact *c = compact_of(r);
    stfi_cpu_compact_kernels damaging = *c->kernels;
    uint64_t state = tap_seed() + 1;
    int trials = tap_level() == TAP_QUICK ? 40 : 400, right = 0;
    stf_ft_report report;

    damaging.run = run_wrong;
    wrong.kernels = c->kernels;
    wrong.precision = r->precision;
    c->kernels = &damaging;
    for (int i = 0; i < trials; i++) {
        wrong.row = (int64_t)(stfi_random_u64(&state) % (uint64_t)r->batch);
        wrong.component =
            (int64_t)(stfi_random_u64(&state) % (uint64_t)(2 * c->n));
        wrong.armed = 1;
        right += rig_run(r, r->out, &report) == STF_CORRECTED && !wrong.armed
                 && report.detected == 1 && report.recomputed == 1
                 && report.first_event.signal == wrong.row
                 && !memcmp(r->out, r->want, r->bytes);
    }
    c->kernels = wrong.kernels;
    tap_ok(right == trials, "%s: %d of %d wrong values are found and repaired",
           word, right, trials);
}

/* ------------------------------------------------------------------ tables */

/* 1 if rows are computed one by one as grids: they are none of short arrays. */
static int is_grid(const stfi_cpu_compact *c)
{
    return stfi_cpu_one_store_bytes(c->one.run) == 0;
}

/* A table of twiddles that the rows are computed with, or NULL. */
static void *table_of(const rig *r)
{
    const stfi_cpu_pass *pass = &r->exec->pass[0];
    const stfi_cpu_compact *compact = compact_of(r);

    if (compact == NULL)
        return pass->p.nstages > 1 ? pass->stage[1] : NULL;
    if (compact->one.run != NULL)
        return is_grid(compact) ? ((stfi_cpu_grid *)compact->one.table)->twiddle
                                : compact->one.table;
    return compact->nsteps > 1 ? compact->step[0].twiddle : NULL;
}

static void test_table(rig *r, const char *word)
{
    void *table = table_of(r);
    stf_ft_report report;
    long double was;
    int right;

    if (table == NULL)
        return;
    was = stfi_type_read(r->precision, table, 0);
    stfi_type_write(r->precision, table, 0, was + 0.5L);
    right = rig_run(r, r->out, &report) == STF_ERR_UNCORRECTED
            && report.uncorrectable == r->batch;
    stfi_type_write(r->precision, table, 0, was);
    right = right && rig_run(r, r->out, &report) == STF_OK
            && report.detected == 0 && !memcmp(r->out, r->want, r->bytes);
    tap_ok(right, "%s: a damaged table spoils each row until it is right",
           word);
}

/* -------------------------------------------------------------------- lanes */

/* Launches of a pass that are still to be left out. */
static struct {
    const stfi_cpu_kernels *kernels;
    atomic_int left;
} skip;

static void run_less(const stfi_cpu_pass *cp, const stfi_cpu_run *run,
                     int64_t begin, int64_t end)
{
    if (atomic_fetch_sub(&skip.left, 1) > 0)
        run->watch->lanes -= end - begin;
    else
        skip.kernels->run(cp, run, begin, end);
}

/* Runs a plan of which launches of the first pass are left out. */
static stf_status run_skipped(rig *r, void *out, int times,
                              stf_ft_report *report_p)
{
    stfi_cpu_pass *pass = &r->exec->pass[0];
    stfi_cpu_kernels less = *pass->kernels;
    stf_status status;

    less.run = run_less;
    skip.kernels = pass->kernels;
    atomic_store(&skip.left, times);
    pass->kernels = &less;
    status = rig_run(r, out, report_p);
    pass->kernels = skip.kernels;
    return status;
}

/* What is left out is computed; nothing but that is told if it is not, or if the
 * input is gone. */
static void test_lanes(const char *word)
{
    stf_ft_report report;
    rig r;
    int right = 0;

    if (rig_open(&r, word, STF_FT_CORRECT)) {
        rig_take_pieces(&r);
        right = rig_run(&r, r.want, &report) == STF_OK
                && run_skipped(&r, r.out, 1, &report) == STF_OK
                && memcmp(r.out, r.want, r.bytes) == 0;
        right = right
                && run_skipped(&r, r.out, 2, &report) == STF_ERR_UNCORRECTED
                && report.uncorrectable == 1;
    }
    rig_close(&r);
    tap_ok(right, "%s: lanes that were left out are computed", word);
    right = rig_open(&r, word, STF_FT_DETECT);
    if (right)
        rig_take_pieces(&r);
    right = right && run_skipped(&r, r.out, 1, &report) == STF_OK
            && report.detected == 1;
    rig_close(&r);
    tap_ok(right, "%s: lanes that were left out are told", word);
}

/* ------------------------------------------------------------------- plans */

/* Compares with the unprotected plan, whose compact kernels are the same. */
static void test_plan(rig *r, const char *word, int is_compact)
{
    stf_ft_report report;
    rig plain;
    int right = rig_open(&plain, word, STF_FT_OFF)
                && rig_run(&plain, plain.out, &report) == STF_OK
                && rig_run(r, r->want, &report) == STF_OK;
    int same = right && memcmp(plain.out, r->want, r->bytes) == 0;

    tap_ok(right && report.groups_checked >= r->batch && report.detected == 0
               && (r->exec->pass[0].compact != NULL) == is_compact
               && (same || !is_compact),
           "%s: %s", word,
           is_compact ? "compact, the bits of the unprotected plan"
                      : "computed by passes");
    rig_close(&plain);
}

/* Tries rows as they are computed or, if that is as a whole, in pieces. */
static void test_problem(const char *word, int how, int by_pieces)
{
    rig r;

    if (rig_open(&r, word, STF_FT_CORRECT) && (!by_pieces || r.is_whole)) {
        const int is_compact =
            how == COMPACT
            || (how == GRID
                && strcmp(r.exec->pass[0].kernels->isa, "avx512") != 0);
        if (by_pieces) {
            tap_diag("in pieces");
            rig_take_pieces(&r);
        }
        if (strcmp(r.exec->pass[0].kernels->isa, "base") == 0 && is_compact
            && r.exec->pass[0].compact == NULL) {
            tap_skip("there are no vectors", "%s", word);
        } else {
            test_plan(&r, word, is_compact);
            if (is_compact && r.exec->pass[0].compact != NULL)
                test_values(&r, word);
            if (strncmp(word, "c2c", 3) == 0 && r.exec->npasses == 1
                && strstr(word, ":in:") == NULL)
                test_table(&r, word);
        }
    }
    rig_close(&r);
}

/* 1 if rows of n reals have the same bits with checks and without. */
static int has_same_bits(const char *type, int n)
{
    stf_ft_report report;
    rig plain, checked;
    char word[64];
    int same;

    (void)snprintf(word, sizeof word, "%s:%d*37", type, n);
    same = rig_open(&plain, word, STF_FT_OFF)
           && rig_run(&plain, plain.out, &report) == STF_OK;
    same = rig_open(&checked, word, STF_FT_CORRECT)
           && rig_run(&checked, checked.out, &report) == STF_OK && same
           && memcmp(plain.out, checked.out, plain.bytes) == 0;
    rig_close(&checked);
    rig_close(&plain);
    return same;
}

/* Without checks, rows of few reals stay in registers. */
static void test_short_reals(void)
{
    static const char *const types[] = {
        "r2hc:f32", "r2hc:f64", "hc2r:f32", "hc2r:f64", "dct2:f32",
        "dct2:f64", "dct3:f32", "dct3:f64", "dst2:f32", "dct1:f64"};
    static const int lengths[] = {4, 5, 7, 8, 9, 12, 14, 15};

    for (size_t t = 0; t < sizeof types / sizeof *types; t++)
        for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
            tap_ok(has_same_bits(types[t], lengths[i]),
                   "%s:%d: the same bits with checks and without", types[t],
                   lengths[i]);
}

/* Rows in F64 of which the kernels without checks have radices that the weights of
 * pieces do not suit are checked as a whole, where there are such kernels. */
static void test_other_radices(void)
{
    static const int lengths[] = {14, 20, 112, 200, 400};
    enum { ROWS, GRIDS };
    rig r;
    int there[] = {0, 0}, radix[2];

    if (rig_open(&r, "c2c:f64:14*37", STF_FT_OFF)) {
        there[ROWS] = r.exec->compact != NULL && r.exec->compact->rows != NULL;
        there[GRIDS] = stfi_cpu_grid_suits_many(r.exec->pass[0].kernels->isa,
                                                STF_F64, 112, radix);
    }
    rig_close(&r);
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
        if (there[lengths[i] > STFI_CPU_ONE_WHOLE])
            tap_ok(has_same_bits("c2c:f64", lengths[i]),
                   "c2c:f64:%d: the same bits with checks and without",
                   lengths[i]);
        else
            tap_skip("there are no such kernels", "c2c:f64:%d", lengths[i]);
}

int main(void)
{
    tap_begin("ft/bracket");
    for (size_t i = 0; i < sizeof problems / sizeof *problems; i++)
        for (int by_pieces = 0; by_pieces < 2; by_pieces++)
            test_problem(problems[i].word, problems[i].is_compact, by_pieces);
    test_lanes("c2c:f32:64*201");
    test_lanes("c2c:f64:60*1000");
    test_lanes("c2c:f64:1048576");
    test_short_reals();
    test_other_radices();
    return tap_end();
}

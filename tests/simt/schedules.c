/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The GPU kernels on the emulated device against direct sums, for the problems
 * of SCHEDULES.def: the accuracy contract holds, nothing but the output is
 * written, no barrier is missing, and every feature of schedules is covered.
 * With STF_TEST_ONLY only the rows are run whose name contains that text. The
 * first failure of a row prints its schedule. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/oracle/naive.h"
#include "fft/desc.h"
#include "fft/lower.h"
#include "run/fft/fft_plan.h"
#include "fft/schedule_text.h"
#include "support/harness/judge.h"
#include "support/harness/shapes.h"
#include "support/harness/trial.h"
#include "tests/simt/features.h"
#include "tests/simt/simt.h"
#include "tests/simt/unit.h"
#include "tests/tap.h"

enum {
    WORD_BYTES = 160,
    NAME_BYTES = STFI_JUDGE_NAME_BYTES,
    TEXT_BYTES = 1 << 15,
    MAX_REPORTS = 5
};

typedef struct row {
    const char *name;
    const char *preset;
    int64_t block_bytes;
    int64_t l2_bytes;
    const char *precisions;
    const char *layouts;
    const char *problems;
    tap_level_t level;
} row;

static const row rows[] = {
#define QUICK TAP_QUICK
#define NORMAL TAP_NORMAL
#define SCHEDULES(name, preset, block, l2, precisions, layouts, problems, \
                  level)                                                  \
    {name, preset, block, l2, precisions, layouts, problems, level},
#include "tests/simt/SCHEDULES.def"
#undef SCHEDULES
#undef QUICK
#undef NORMAL
};

/* The state of a row that is being tested. */
typedef struct run {
    stf_device *dev;
    stf_device *cpu; /* the device that computes references */
    stfi_caps caps;
    uint64_t state;
    stfi_features *features;
    stfi_judgement tally;
} run;

/* ------------------------------------------------------------ one problem */

/* Makes the schedule of a plan of the device. */
static stf_status lower(const run *r, const stf_fft_desc *full,
                        stfi_schedule *s_p)
{
    const stfi_choice choice = {.unit_radix = r->dev->unit_radix};

    return stfi_lower_chosen(full, &r->caps, 1, SIZE_MAX, &choice, s_p);
}

static void print_lines(char *text)
{
    char *line, *rest = NULL;

    for (line = strtok_r(text, "\n", &rest); line;
         line = strtok_r(NULL, "\n", &rest))
        tap_diag("  %s", line);
}

static void report(void *context, const stfi_trial *t, const char *what,
                   const char *name)
{
    static char text[TEXT_BYTES];
    static stfi_schedule s;
    run *r = context;

    if (r->tally.failures++ >= MAX_REPORTS)
        return;
    tap_diag("%s: %s", what, name);
    if (r->tally.failures > 1 || !t || lower(r, &t->full, &s))
        return;
    stfi_schedule_print(&s, text, sizeof text);
    print_lines(text);
}

/* The first and the last element of the spectrum of an even number of real
 * values must be real in every bit. */
static const char *ends_differ(const stfi_trial *t)
{
    const void *out = stfi_trial_array(t, 1);
    int64_t n = t->full.n[0], b, end;

    if (t->full.kind != STF_R2C || t->full.rank > 1 || n % 2)
        return NULL;
    for (b = 0; b < t->full.batch; b++)
        for (end = 0; end <= n / 2; end += n / 2)
            if (stfi_trial_get(t, out, stfi_trial_place(t, 1, b, end, 1)) != 0)
                return "an end of the spectrum that is not real";
    return NULL;
}

static double measure(void *context, stfi_trial *t, stf_direction direction,
                      const char *name)
{
    run *r = context;
    const char *damage;
    long double *want;
    double ratio;

    stfi_trial_reset(t);
    if (stfi_trial_run(t, r->dev, direction)) {
        report(r, t, stf_error_message(), name);
        return NAN;
    }
    damage = stfi_trial_damage(t);
    if (!damage)
        damage = ends_differ(t);
    if (damage
        || stfi_trial_want(t, r->cpu, direction, STFI_SOURCE_AUTO, &want)) {
        report(r, t, damage ? damage : stf_error_message(), name);
        return NAN;
    }
    ratio = (double)stfi_naive_error(&t->full, stfi_trial_array(t, 1), want)
            / stfi_naive_bound(&t->full);
    stfi_trial_free_want(t, want);
    return ratio;
}

static void choose(void *context, stfi_problem *p)
{
    static const double factors[] = {1, 1, 0.37, -2.5};
    run *r = context;

    p->desc.scale_forward = factors[stfi_random_u64(&r->state) % 4];
    p->desc.scale_inverse = factors[stfi_random_u64(&r->state) % 4];
}

/* Records the features of the schedule that the planner makes. */
static void note(void *context, const stfi_trial *t)
{
    static stfi_schedule s;
    run *r = context;

    if (!lower(r, &t->full, &s))
        stfi_features_note(r->features, &s);
}

/* Few draws must suffice here, as the emulation is slow. */
static const stfi_judge judge = {measure, report, choose, note, 4};

static void check(run *r, const char *word, const char *layout)
{
    stfi_judge_word(&judge, r, word, layout, &r->state, &r->tally);
}

/* ------------------------------------------------------------------- rows */

/* Checks a problem, with each model of matrix units if it may use them. */
static void check_models(run *r, const char *word, const char *layout)
{
    if (strstr(word, ":split:") == NULL && strstr(word, ":tensor:") == NULL) {
        check(r, word, layout);
        return;
    }
    for (int i = 0; stfi_simt_unit_at(i) != NULL; i++) {
        stfi_simt_unit_set(stfi_simt_unit_at(i));
        check(r, word, layout);
    }
    stfi_simt_unit_set(NULL);
}

/* Inserts the precision into a word: "c2c:out:8*3" becomes
 * "c2c:f32:out:8*3". */
static void check_word(run *r, const char *problem, const char *precision,
                       const char *layout)
{
    const char *colon = strchr(problem, ':');
    char word[2 * WORD_BYTES];

    snprintf(word, sizeof word, "%.*s:%s%s", (int)(colon - problem), problem,
             precision, colon);
    check_models(r, word, layout);
}

/* A run at the quick level takes every second combination. */
static void check_words(run *r, const row *w)
{
    char precision[16], layout[16], problem[WORD_BYTES];
    const char *precisions = w->precisions, *layouts, *problems;
    int first = 0, second = 0, third;

    while (stfi_shapes_word(&precisions, precision, sizeof precision)) {
        layouts = w->layouts;
        second = ++first;
        while (stfi_shapes_word(&layouts, layout, sizeof layout)) {
            problems = w->problems;
            third = ++second;
            while (stfi_shapes_word(&problems, problem, sizeof problem))
                if (tap_level() > TAP_QUICK || ++third % 2 == 0)
                    check_word(r, problem, precision, layout);
        }
    }
}

/* Opens a device of the preset, which may have a radix of units (unit.h), with smaller
 * memories where the numbers are not 0. */
static int open_device(run *r, const char *preset, int64_t block_bytes,
                       int64_t l2_bytes)
{
    int unit_radix;

    r->caps = *stfi_simt_preset(preset, &unit_radix);
    if (block_bytes)
        r->caps.block_bytes = block_bytes;
    if (l2_bytes)
        r->caps.l2_bytes = l2_bytes;
    if (stfi_simt_device_open_caps(&r->caps, &r->dev) != STF_OK)
        return 0;
    r->dev->unit_radix = unit_radix;
    return 1;
}

static void finish(const run *r, const char *name, long compiles)
{
    tap_ok(r->tally.failures == 0 && r->tally.problems > 0,
           "%s: %d problems, %ld new kernels, worst %.3f of the bound", name,
           r->tally.problems, stfi_simt_count().compiles - compiles,
           r->tally.worst);
    tap_diag("worst: %s", r->tally.worst_name);
}

static void check_row(run blank, const row *w)
{
    static run r;
    long compiles = stfi_simt_count().compiles;

    r = blank;
    r.state = tap_seed();
    if (!open_device(&r, w->preset, w->block_bytes, w->l2_bytes)) {
        tap_ok(0, "%s: %s", w->name, stf_error_message());
        return;
    }
    check_words(&r, w);
    stf_device_close(r.dev);
    finish(&r, w->name, compiles);
}

/* A random word of a list. */
static const char *pick(uint64_t *state, const char *const *list, int count)
{
    return list[stfi_random_u64(state) % (uint64_t)count];
}

/* A random word such as "c2c:f32:out:12x35*3", with up to about 4000 points in
 * all. */
static void random_word(uint64_t *state, char *word, size_t capacity)
{
    static const char *const kinds[] = {
        "c2c",  "c2c",  "c2c",  "r2c",  "r2c",  "c2r", "c2r",  "dct2", "dct3",
        "dct4", "dst1", "dst2", "dst3", "dst4", "dht", "r2hc", "hc2r"};
    static const char *const precisions[] = {"f32", "f64", "f16", "bf16"};
    static const char *const places[] = {"out", "out", "in"};
    const char *kind = pick(state, kinds, sizeof kinds / sizeof *kinds);
    const char *precision = pick(state, precisions, 4);
    const char *place = pick(state, places, 3);
    int points = 1 << (3 + stfi_random_u64(state) % 10);
    int batch = (int)(1 + stfi_random_u64(state) % 5);
    int n = (int)(1 + stfi_random_u64(state) % (uint64_t)points);
    int m = (int)(1 + stfi_random_u64(state) % (uint64_t)(points / n + 1));

    if (stfi_random_u64(state) % 2)
        snprintf(word, capacity, "%s:%s:%s:%d*%d", kind, precision, place, n,
                 batch);
    else if (stfi_random_u64(state) % 2)
        snprintf(word, capacity, "%s:%s:%s:%dx%d*%d", kind, precision, place, n,
                 m, batch);
    else
        snprintf(word, capacity, "%s:%s:%s:%dx%d*%d", kind, precision, place, m,
                 n, batch);
}

static void check_random(run blank)
{
    static const char *const presets[] = {"t4", "a100", "h200", "mi300x"};
    static const char *const layouts[] = {"packed",      "misaligned", "gaps",
                                          "interleaved", "negative",   "mixed"};
    static const int64_t blocks[] = {0, 0, 1792, 2048, 4096};
    static const int64_t l2[] = {0, 32768};
    static const int count[] = {8, 40, 1000};
    static run r;
    long compiles = stfi_simt_count().compiles;
    char word[WORD_BYTES];
    int i;

    r = blank;
    r.state = tap_seed();
    for (i = 0; i < count[tap_level()]; i++) {
        random_word(&r.state, word, sizeof word);
        if (!open_device(&r, pick(&r.state, presets, 4),
                         blocks[stfi_random_u64(&r.state) % 5],
                         l2[stfi_random_u64(&r.state) % 2])) {
            report(&r, NULL, stf_error_message(), "opening a device");
            continue;
        }
        check(&r, word, pick(&r.state, layouts, 6));
        stf_device_close(r.dev);
    }
    finish(&r, "random problems", compiles);
}

/* --------------------------------------------------- features and failures */

/* Every feature must be covered in both precisions, at the quick level in
 * one. */
static void check_features(const stfi_features *f)
{
    char missing[NAME_BYTES];

    if (!tap_ok(stfi_features_missing(f, tap_level() == TAP_QUICK, missing,
                                      sizeof missing)
                    == 0,
                "all features of schedules were there"))
        tap_diag("missing: %s", missing);
    if (missing[0])
        tap_diag("missing: %s", missing);
}

/* Device memory runs out at each possible place, and launches fail. The error
 * is returned, nothing is left behind, and the device can still be used. */
static void check_failures(const char *word, long most)
{
    stfi_simt_counts before = stfi_simt_count(), after;
    stf_device *dev = NULL;
    stfi_problem p;
    stfi_trial t;
    stf_status status = STF_ERR_MEMORY;
    long n;
    int good = !stfi_problem_parse(word, &p)
               && !stfi_trial_open(&t, &p, 0, tap_seed())
               && !stfi_simt_device_open("t4", &dev);

    if (!tap_ok(good, "%s: ready to fail", word))
        return;
    for (n = 1; n <= most && status == STF_ERR_MEMORY; n++) {
        stfi_simt_fail_alloc_at(n);
        stfi_trial_reset(&t);
        status = stfi_trial_run(&t, dev, STF_FORWARD);
        stfi_simt_fail_alloc_at(0);
    }
    tap_ok(status == STF_OK && n > 2,
           "%s: out of memory at %ld places, then "
           "it succeeds",
           word, n - 2);
    stfi_simt_fail_launch_at(1);
    stfi_trial_reset(&t);
    tap_ok(stfi_trial_run(&t, dev, STF_FORWARD) == STF_ERR_DEVICE,
           "%s: a launch that fails is reported", word);
    stfi_simt_fail_launch_at(0);
    stfi_trial_reset(&t);
    tap_ok(stfi_trial_run(&t, dev, STF_FORWARD) == STF_OK,
           "%s: and the device goes on", word);
    stfi_trial_close(&t);
    stf_device_close(dev);
    after = stfi_simt_count();
    tap_ok(after.allocs - before.allocs == after.frees - before.frees
               && after.loads - before.loads == after.unloads - before.unloads
               && after.devices == before.devices,
           "%s: everything was freed", word);
    tap_ok(after.launches > before.launches
               && after.launches - before.launches
                      == after.overlaps - before.overlaps,
           "%s: launches wait for each other by themselves", word);
}

/* The emulated device reports a microsecond for each launch, see simt_rt.c. */
static void check_time(const char *word)
{
    stf_device *dev = NULL;
    stfi_buffers b = {.scale = 1.0};
    stfi_remote remote = {.dev = NULL};
    stfi_exec *exec;
    double seconds = 0.0, none = -1.0;
    stfi_problem p;
    stfi_trial t;
    stf_status status;
    int good = !stfi_problem_parse(word, &p)
               && !stfi_trial_open(&t, &p, 0, tap_seed())
               && !stfi_simt_device_open("t4", &dev)
               && !stfi_remote_open(&t, dev, &remote);

    if (!tap_ok(good, "%s: ready to be timed", word))
        return;
    exec = stfi_fft_plan_of(remote.plan)->exec;
    b.in = stfi_remote_element(&t, &remote, 0);
    b.out = stfi_remote_element(&t, &remote, 1);
    status = dev->backend->fft->time(exec, &b, 3, &seconds);
    tap_ok(status == STF_OK && fabs(seconds - 1e-6) < 1e-9,
           "%s: an execution takes %g s", word, seconds);
    tap_ok(dev->backend->fft->time(exec, &b, 0, &none) == STF_ERR_ARGUMENT
               && none == -1.0,
           "%s: no executions take no time", word);
    stfi_simt_fail_launch_at(9);
    tap_ok(dev->backend->fft->time(exec, &b, 3, &none) == STF_ERR_DEVICE
               && none == -1.0,
           "%s: a launch that fails is reported", word);
    stfi_simt_fail_launch_at(0);
    stfi_remote_close(&remote);
    stfi_trial_close(&t);
    stf_device_close(dev);
}

int main(void)
{
    static stfi_features features;
    static run blank;
    const char *only = getenv("STF_TEST_ONLY");
    size_t i;

    tap_begin("schedules");
    if (stfi_simt_missing() != NULL) {
        tap_skip(stfi_simt_missing(), "schedules on the emulated GPU");
        return tap_end();
    }
    unsetenv("STEADFAST_PRESET");
    if (!tap_ok(!stf_device_open("cpu", &blank.cpu) && stfi_simt_cache_open(),
                "the references' device and a cache of kernels open"))
        return tap_end();
    blank.features = &features;
    for (i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].level <= tap_level()
            && (only ? strstr(rows[i].name, only) != NULL
                     : tap_takes((int64_t)i)))
            check_row(blank, &rows[i]);
    if (!only && tap_takes_all())
        check_features(&features);
    if (!only || strstr("random problems", only))
        check_random(blank);
    if (!only)
        check_failures("c2c:f32:out:16*3", 50);
    if (!only)
        check_time("c2c:f32:out:16*3");
    stfi_simt_cache_close();
    stf_device_close(blank.cpu);
    return tap_end();
}

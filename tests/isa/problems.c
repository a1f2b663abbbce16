/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The machine code of the kernels for gfx90a and gfx942 against direct sums:
 * the problems of tests/simt/SCHEDULES.def, which have every operation, form
 * and modifier, on devices with AMD's limits. The accuracy contract holds, and
 * nothing but the output is written. With STF_TEST_ONLY only the rows are run
 * whose name contains that text. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fft/desc.h"
#include "fft/lower.h"
#include "run/device.h"
#include "support/compile/clang.h"
#include "support/harness/judge.h"
#include "support/harness/shapes.h"
#include "support/harness/trial.h"
#include "support/oracle/naive.h"
#include "tests/isa/device.h"
#include "tests/simt/features.h"
#include "tests/simt/simt.h"
#include "tests/simt/unit.h"
#include "tests/tap.h"

enum {
    WORD_BYTES = 160,
    NAME_BYTES = STFI_JUDGE_NAME_BYTES,
    MAX_REPORTS = 5,
    /* The levels below the last take one of so many problems. */
    QUICK_STEP = 24,
    NORMAL_STEP = 8,
    DRAWS = 4 /* as in tests/simt/schedules.c, for the same data */
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

/* The devices, which take turns. Matrix units of gfx90a take numbers below the normal
 * ones for 0. */
static const struct {
    const char *preset, *arch;
    int flushes;
} devices[] = {{"mi250x", "gfx90a", 1}, {"mi300x", "gfx942", 0}};

/* The state of a row that is being tested. */
typedef struct run {
    stf_device *dev;
    stf_device *cpu; /* the device that computes references */
    stfi_caps caps;
    uint64_t state;
    stfi_features *features;
    stfi_judgement tally;
} run;

static int turn, taken; /* counts of all problems, and of those that run */

/* ------------------------------------------------------------ one problem */

static void report(void *context, const stfi_trial *t, const char *what,
                   const char *name)
{
    run *r = context;

    (void)t;
    if (r->tally.failures++ < MAX_REPORTS)
        tap_diag("%s: %s", what, name);
}

static double measure(void *context, stfi_trial *t, stf_direction direction,
                      const char *name)
{
    run *r = context;
    const char *damage = NULL;
    long double *want;
    double ratio;

    stfi_trial_reset(t);
    if (stfi_trial_run(t, r->dev, direction)
        || (damage = stfi_trial_damage(t)) != NULL
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

    const stfi_choice choice = {.unit_radix = r->dev->unit_radix};

    if (!stfi_lower_chosen(&t->full, &r->caps, 1, SIZE_MAX, &choice, &s))
        stfi_features_note(r->features, &s);
}

static const stfi_judge judge = {measure, report, choose, note, DRAWS};

/* ------------------------------------------------------------------- rows */

/* Lets matrix units add as those of the device may. */
static void set_unit(int flushes)
{
    int i = 0;

    while (stfi_simt_unit_at(i)->flushes != flushes)
        i++;
    stfi_simt_unit_set(stfi_simt_unit_at(i));
}

/* Runs a problem, such as "c2c:out:8*3", in a precision. */
static void check_word(run *r, const row *w, const char *problem,
                       const char *precision, const char *layout)
{
    static const int steps[] = {QUICK_STEP, NORMAL_STEP, 1};
    const char *colon = strchr(problem, ':');
    char word[2 * WORD_BYTES];
    int d;

    if (turn++ % steps[tap_level()] != 0)
        return;
    d = taken++ % 2;
    set_unit(devices[d].flushes);
    r->caps = *stfi_preset_find(devices[d].preset);
    if (w->block_bytes > 0 && w->block_bytes < r->caps.block_bytes)
        r->caps.block_bytes = w->block_bytes;
    if (w->l2_bytes > 0)
        r->caps.l2_bytes = w->l2_bytes;
    if (stfi_isa_device_open(&r->caps, devices[d].arch, &r->dev)) {
        report(r, NULL, stf_error_message(), problem);
        return;
    }
    (void)stfi_simt_preset(w->preset, &r->dev->unit_radix);
    snprintf(word, sizeof word, "%.*s:%s%s", (int)(colon - problem), problem,
             precision, colon);
    stfi_judge_word(&judge, r, word, layout, &r->state, &r->tally);
    stf_device_close(r->dev);
}

static void check_words(run *r, const row *w)
{
    char precision[16], layout[16], problem[WORD_BYTES];
    const char *precisions = w->precisions, *layouts, *problems;

    while (stfi_shapes_word(&precisions, precision, sizeof precision)) {
        layouts = w->layouts;
        while (stfi_shapes_word(&layouts, layout, sizeof layout)) {
            problems = w->problems;
            while (stfi_shapes_word(&problems, problem, sizeof problem))
                check_word(r, w, problem, precision, layout);
        }
    }
}

static int check_row(run blank, const row *w)
{
    const long compiles = stfi_clang_compiles();
    static run r;

    r = blank;
    r.state = tap_seed();
    check_words(&r, w);
    if (r.tally.problems + r.tally.failures == 0)
        return 0; /* the sample has none of them */
    tap_ok(r.tally.failures == 0 && r.tally.problems > 0,
           "%s: %d problems, %ld new kernels, worst %.3f of the bound", w->name,
           r.tally.problems, stfi_clang_compiles() - compiles, r.tally.worst);
    tap_diag("worst: %s", r.tally.worst_name);
    return r.tally.problems;
}

/* Every feature must be there, at the full level, but the one that takes the
 * copy engine of another vendor. */
static void check_features(const stfi_features *f)
{
    static const char none[] = "f32 next_tile_ahead, f64 next_tile_ahead, ";
    char missing[NAME_BYTES];

    stfi_features_missing(f, 1, missing, sizeof missing);
    tap_ok(strcmp(missing, none) == 0,
           "all features of schedules that AMD's devices have were there");
    tap_diag("missing: %s", missing);
}

int main(void)
{
    static stfi_features features;
    static run blank;
    const char *only = getenv("STF_TEST_ONLY");
    int problems = 0;

    tap_begin("isa-problems");
    if (stfi_isa_missing() != NULL) {
        tap_skip(stfi_isa_missing(), "machine code for GPUs of AMD");
        return tap_end();
    }
    unsetenv("STEADFAST_PRESET");
    if (!tap_ok(!stf_device_open("cpu", &blank.cpu) && stfi_simt_cache_open(),
                "the references' device and a cache of kernels open"))
        return tap_end();
    blank.features = &features;
    stfi_isa_set_twice(tap_level() > TAP_QUICK);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (only ? strstr(rows[i].name, only) != NULL : tap_takes((int64_t)i))
            problems += check_row(blank, &rows[i]);
    if (!only && tap_takes_all() && tap_level() == TAP_LONG)
        check_features(&features);
    tap_ok(only || problems > 0, "%d problems", problems);
    tap_diag("%ld kernels, %ld launches, %ld instructions of waves",
             stfi_isa_count().kernels, stfi_isa_count().launches,
             stfi_isa_count().instructions);
    stfi_simt_cache_close();
    stf_device_close(blank.cpu);
    return tap_end();
}

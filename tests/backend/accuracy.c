/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The accuracy contract, over every class of problems of COVERAGE.def and
 * over random problems: the relative L2 error stays below the bound, nothing
 * but the output is written, and nothing but the input is read.
 *
 * F32 and F64 are held against direct sums where those are affordable, else
 * against an F80 plan; F80 against direct sums, else against FFTW. With
 * STF_TEST_ONLY only the rows are run whose name holds that text. */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif

#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/oracle/naive.h"
#include "fft/desc.h"
#include "tests/devices.h"
#include "support/harness/judge.h"
#include "support/harness/second.h"
#include "support/harness/shapes.h"
#include "support/harness/trial.h"
#include "tests/tap.h"

enum {
    WORD_BYTES = 160,
    NAME_BYTES = STFI_JUDGE_NAME_BYTES,
    FIELDS = 5,
    MAX_REPORTS = 5
};

typedef struct cover {
    const char *name;
    const char *field[FIELDS]; /* kinds, precisions, places, layouts, batches */
    const char *shapes;
    tap_level_t level;
} cover;

static const cover rows[] = {
#define QUICK TAP_QUICK
#define NORMAL TAP_NORMAL
#define LONG TAP_LONG
#define COVER(name, kinds, precisions, places, layouts, batches, shapes, \
              level)                                                     \
    {name, {kinds, precisions, places, layouts, batches}, shapes, level},
#include "tests/COVERAGE.def"
#undef COVER
#undef QUICK
#undef NORMAL
#undef LONG
};

/* On a GPU, kernels are compiled when they are first needed, which takes a
 * third of a second each. There, so many problems are drawn of each row and of
 * the random problems, by test level. */
enum { EVERYTHING = 40000 };
static const int gpu_problems[] = {2, 5, EVERYTHING};
static const int gpu_random[] = {20, 60, EVERYTHING};

/* The state of a row: the words chosen from its lists, and the results. */
typedef struct run {
    stf_device *dev;
    stf_device *cpu; /* the device that computes references */
    stfi_peer *peer; /* FFTW; NULL if it is not installed */
    const cover *row;
    int gpu;                /* 1: its kernels are compiled at run time */
    int counting;           /* 1 while the row's problems are counted */
    int total, seen, taken; /* counts of the row's problems */
    uint64_t draws;         /* random state for choosing problems */
    char word[FIELDS][32];
    uint64_t state;
    stfi_judgement tally;
} run;

static void report(void *context, const stfi_trial *t, const char *what,
                   const char *name)
{
    run *r = context;

    (void)t;
    if (r->tally.failures++ < MAX_REPORTS)
        tap_diag("%s: %s", what, name);
}

/* Computes the reference; NULL with STF_OK if there is none for this
 * problem. */
static stf_status reference(run *r, const stfi_trial *t,
                            stf_direction direction, long double **want_p)
{
    stf_status status;

    *want_p = NULL;
    if (t->full.precision != STF_F80 || stfi_trial_is_direct(t))
        return stfi_trial_want(t, r->cpu, direction, STFI_SOURCE_AUTO, want_p);
    status = r->peer ? stfi_second_want(r->peer, t, direction, want_p)
                     : STF_ERR_UNSUPPORTED;
    return status == STF_ERR_UNSUPPORTED || status == STF_ERR_IO ? STF_OK
                                                                 : status;
}

static double measure(void *context, stfi_trial *t, stf_direction direction,
                      const char *name)
{
    run *r = context;
    const char *damage;
    long double *want;
    double ratio = -1, allowed = stfi_naive_bound(&t->full);

    stfi_trial_reset(t);
    if (stfi_trial_run(t, r->dev, direction)) {
        report(r, t, stf_error_message(), name);
        return NAN;
    }
    damage = stfi_trial_damage(t);
    if (damage || reference(r, t, direction, &want)) {
        report(r, t, damage ? damage : stf_error_message(), name);
        return NAN;
    }
    /* FFTW in long double is no more exact than the plan under test, so the
     * bound is widened: two independent errors add as squares. */
    if (t->full.precision == STF_F80 && !stfi_trial_is_direct(t))
        allowed *= sqrt(2);
    if (want)
        ratio = (double)stfi_naive_error(&t->full, stfi_trial_array(t, 1), want)
                / allowed;
    stfi_trial_free_want(t, want);
    return ratio;
}

/* Chooses scale factors and threads at random. F80 problems that are compared
 * with FFTW have no scale factors, and F16 problems none that takes results below
 * the range in which their errors are relative ones. */
static void choose(void *context, stfi_problem *p)
{
    static const double factors[] = {1, 1, 1, 0.37, -2.5, 1.0 / 1024};
    static const int32_t threads[] = {1, 1, 2, 0};
    const uint64_t all = p->desc.precision == STF_F16 ? 5 : 6;
    run *r = context;

    p->desc.threads = threads[stfi_random_u64(&r->state) % 4];
    if (p->desc.precision == STF_F80)
        return;
    p->desc.scale_forward = factors[stfi_random_u64(&r->state) % all];
    p->desc.scale_inverse = factors[stfi_random_u64(&r->state) % all];
}

static const stfi_judge judge = {measure, report, choose, NULL, INT_MAX};

static void check(run *r, const char *word, const char *layout)
{
    stfi_judge_word(&judge, r, word, layout, &r->state, &r->tally);
}

/* 1 if this problem of the row is to be run. Each problem has the same chance.
 * Source: Knuth, The Art of Computer Programming, volume 2, algorithm S. */
static int is_drawn(run *r)
{
    int missing = gpu_problems[tap_level()] - r->taken;
    int left = r->total - r->seen++;

    if (r->gpu && (int)(stfi_random_u64(&r->draws) % (uint64_t)left) >= missing)
        return 0;
    r->taken++;
    return 1;
}

static void check_shape(void *context, const char *shape)
{
    run *r = context;
    char word[WORD_BYTES];

    if (r->counting) {
        r->total++;
        return;
    }
    if (!is_drawn(r))
        return;
    snprintf(word, sizeof word, "%s:%s:%s:%s*%s", r->word[0], r->word[1],
             r->word[2], shape, r->word[4]);
    check(r, word, r->word[3]);
}

/* GPUs have no long double. */
static int is_wanted(const run *r, int field)
{
    return r->dev == r->cpu || field != 1 || strcmp(r->word[1], "f80") != 0;
}

/* Runs all combinations of the words of the row's fields from `field` on. */
static void expand(run *r, int field)
{
    const char *list;

    if (field == FIELDS) {
        stfi_shapes_each(r->row->shapes, check_shape, r);
        return;
    }
    list = r->row->field[field];
    while (stfi_shapes_word(&list, r->word[field], sizeof r->word[field]))
        if (is_wanted(r, field))
            expand(r, field + 1);
}

static void finish(const run *r, const char *name)
{
    char reason[64];

    if (!r->tally.problems && r->dev != r->cpu)
        return;
    if (r->tally.problems && r->tally.unjudged == r->tally.problems) {
        tap_skip("needs FFTW in long double", "%s", name);
        return;
    }
    if (r->tally.unjudged) {
        snprintf(reason, sizeof reason, "%d of %d have no reference here",
                 r->tally.unjudged, r->tally.problems);
        tap_diag("%s: %s", name, reason);
    }
    tap_ok(r->tally.failures == 0 && r->tally.problems > 0,
           "%s: %d problems, worst %.3f of the bound", name, r->tally.problems,
           r->tally.worst);
    tap_diag("worst: %s", r->tally.worst_name);
}

/* prefix: a device or an instruction set, for the name of the test. */
static void check_row(run blank, const cover *row, const char *prefix)
{
    static run r;
    const char *only = getenv("STF_TEST_ONLY");
    char name[NAME_BYTES];

    if (only && !strstr(row->name, only))
        return;
    r = blank;
    r.row = row;
    r.state = r.draws = tap_seed();
    r.counting = 1;
    expand(&r, 0);
    r.counting = 0;
    expand(&r, 0);
    snprintf(name, sizeof name, "%s: %s", prefix, row->name);
    finish(&r, name);
}

/* Runs the quick rows again with the other instruction sets of this machine. */
static void check_isas(run blank)
{
    static const char *const isas[] = {"base", "avx2", "avx512", "neon"};
    size_t i, k;

    for (i = 0; i < sizeof isas / sizeof *isas; i++) {
        setenv("STEADFAST_ISA", isas[i], 1);
        if (stf_device_open("cpu", &blank.dev)) {
            tap_skip(stf_error_message(), "instruction set %s", isas[i]);
            continue;
        }
        blank.cpu = blank.dev;
        for (k = 0; k < sizeof rows / sizeof *rows; k++)
            if (rows[k].level == TAP_QUICK && tap_takes((int64_t)k))
                check_row(blank, &rows[k], isas[i]);
        stf_device_close(blank.dev);
    }
    unsetenv("STEADFAST_ISA");
}

/* Writes a random shape of rank 1 to 5, with about `points` points in all. */
static void random_shape(uint64_t *state, int64_t points, char *text,
                         size_t capacity)
{
    int rank = 1, a;
    int64_t n;
    size_t used = 0;

    while (rank < 5 && stfi_random_u64(state) % 3 == 0)
        rank++;
    for (a = 0; a < rank && used < capacity; a++) {
        n = 1 + (int64_t)(stfi_random_u64(state) % (uint64_t)points);
        if (a < rank - 1 && rank > 1)
            n = 1 + n % 24;
        points = points / n > 1 ? points / n : 1;
        used += (size_t)snprintf(text + used, capacity - used,
                                 a ? "x%" PRId64 : "%" PRId64, n);
    }
}

static void check_random(run blank, const char *prefix, tap_level_t level)
{
    static const char *const kinds[] = {"c2c", "c2c", "r2c", "c2r"};
    static const char *const precisions[] = {"f32", "f64", "f16", "bf16",
                                             "f80"};
    static const char *const layouts[] = {"packed",      "misaligned", "gaps",
                                          "interleaved", "negative",   "mixed"};
    static const int count[] = {300, 1500, EVERYTHING};
    static run r;
    char shape[WORD_BYTES / 2], word[WORD_BYTES], name[NAME_BYTES];
    const char *only = getenv("STF_TEST_ONLY");
    int i, types = blank.dev == blank.cpu ? 5 : 4;

    if (only && !strstr("random", only))
        return;
    r = blank;
    r.state = tap_seed();
    for (i = 0; i < (r.gpu ? gpu_random : count)[level]; i++) {
        int precision = (int)(stfi_random_u64(&r.state) % (uint64_t)types);
        int64_t points = precision == 4 ? 300 : 4000;
        if (precision != 4 && stfi_random_u64(&r.state) % 20 == 0)
            points = 100000;
        random_shape(&r.state, points, shape, sizeof shape);
        snprintf(word, sizeof word, "%s:%s:%s:%s*%d",
                 kinds[stfi_random_u64(&r.state) % 4], precisions[precision],
                 stfi_random_u64(&r.state) % 3 ? "out" : "in", shape,
                 (int)(1 + stfi_random_u64(&r.state) % 6));
        check(&r, word, layouts[stfi_random_u64(&r.state) % 6]);
    }
    snprintf(name, sizeof name, "%s: random problems", prefix);
    finish(&r, name);
}

/* The far device computes like the cpu, so the quick rows suffice. */
static void check_device(void *context, stf_device *dev,
                         const stf_device_info *info)
{
    run blank = *(const run *)context;
    int is_cpu = stfi_device_is_cpu(info);
    tap_level_t level =
        is_cpu || stfi_device_is_gpu(info) ? tap_level() : TAP_QUICK;
    size_t i;

    blank.dev = dev;
    blank.gpu = stfi_device_is_gpu(info);
    if (is_cpu)
        blank.cpu = dev;
    for (i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].level <= level && (!is_cpu || tap_takes((int64_t)i)))
            check_row(blank, &rows[i], info->name);
    check_random(blank, info->name, level);
    /* Instruction sets are not varied if the user chose one for the whole
     * run. */
    if (is_cpu && !getenv("STEADFAST_ISA"))
        check_isas(blank);
}

int main(void)
{
    static run blank;

    tap_begin("accuracy");
    if (!tap_ok(stf_device_open("cpu", &blank.cpu) == STF_OK,
                "the cpu device opens, for references"))
        return tap_end();
    if (stfi_peer_open("fftw", "cpu", &blank.peer)) {
        tap_diag("no second opinion: %s", stf_error_message());
        blank.peer = NULL;
    }
    stfi_devices_each(check_device, &blank);
    if (blank.peer)
        stfi_peer_close(blank.peer);
    stf_device_close(blank.cpu);
    return tap_end();
}

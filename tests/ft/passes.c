/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Protected transforms. Without faults their results equal unprotected ones in
 * every bit, and there is no alarm. Of random bits flipped in random
 * intermediate values, every one that matters is found and repaired.
 *
 * A flip matters if it changes the output by 64 times its rounding error or
 * more (trio.h). Flips that matter less need not all be found; how many of them
 * are is printed. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ft/weights/left_vector.h"
#include "tests/devices.h"
#include "tests/ft/trio.h"
#include "tests/report.h"
#include "tests/tap.h"

/* A kind and a shape, tested with batches of up to `batch`. */
typedef struct problem {
    const char *kind, *place, *shape;
    int batch;
    tap_level_t level;
} problem;

#define POWERS(kind, place)                                                 \
    {kind, place, "8", 37, TAP_QUICK}, {kind, place, "16", 20, TAP_NORMAL}, \
        {kind, place, "32", 17, TAP_NORMAL},                                \
        {kind, place, "64", 17, TAP_QUICK},                                 \
        {kind, place, "128", 9, TAP_NORMAL},                                \
        {kind, place, "256", 17, TAP_QUICK},                                \
        {kind, place, "512", 5, TAP_NORMAL},                                \
        {kind, place, "1024", 9, TAP_QUICK},                                \
        {kind, place, "2048", 5, TAP_NORMAL},                               \
        {kind, place, "4096", 3, TAP_NORMAL},                               \
        {kind, place, "8192", 3, TAP_NORMAL},                               \
        {kind, place, "16384", 2, TAP_QUICK},                               \
    {                                                                       \
        kind, place, "65536", 1, TAP_NORMAL                                 \
    }

#define OTHERS(kind)                                                        \
    {kind, "out", "15", 20, TAP_QUICK}, {kind, "out", "17", 20, TAP_QUICK}, \
        {kind, "out", "97", 9, TAP_NORMAL},                                 \
        {kind, "out", "100", 9, TAP_NORMAL},                                \
        {kind, "out", "105", 9, TAP_QUICK},                                 \
        {kind, "out", "254", 9, TAP_QUICK},                                 \
        {kind, "out", "360", 9, TAP_QUICK},                                 \
        {kind, "out", "1000", 5, TAP_NORMAL},                               \
        {kind, "out", "1009", 5, TAP_QUICK},                                \
        {kind, "out", "2187", 3, TAP_NORMAL},                               \
        {kind, "out", "2401", 3, TAP_NORMAL},                               \
        {kind, "out", "3072", 3, TAP_NORMAL},                               \
        {kind, "out", "60x64", 3, TAP_QUICK},                               \
    {                                                                       \
        kind, "out", "8x9x10", 5, TAP_QUICK                                 \
    }

/* Real to real kinds: one tile in rows and in columns, of even and odd lengths
 * and primes, and several levels. */
#define REALS(kind, quick)                                                   \
    {kind, "out", "8", 37, TAP_NORMAL}, {kind, "in", "64", 17, quick},       \
        {kind, "out", "15", 20, quick}, {kind, "out", "17", 20, TAP_LONG},   \
        {kind, "out", "100", 9, TAP_LONG}, {kind, "in", "105", 9, TAP_LONG}, \
        {kind, "out", "1024", 9, TAP_LONG},                                  \
        {kind, "out", "1009", 5, TAP_LONG},                                  \
        {kind, "out", "3073", 2, TAP_LONG},                                  \
        {kind, "out", "32769", 1, TAP_LONG},                                 \
        {kind, "in", "65536", 1, TAP_LONG},                                  \
    {                                                                        \
        kind, "out", "8x9x10", 5, TAP_NORMAL                                 \
    }

static const problem problems[] = {
    POWERS("c2c", "out"),
    POWERS("c2c", "in"),
    POWERS("r2c", "out"),
    POWERS("c2r", "out"),
    OTHERS("c2c"),
    OTHERS("r2c"),
    OTHERS("c2r"),
    {"c2c", "out", "1", 5, TAP_QUICK},
    {"c2c", "out", "2", 5, TAP_QUICK},
    {"c2c", "out", "3", 40, TAP_QUICK},
    {"c2c", "in", "360", 9, TAP_NORMAL},
    {"c2c", "in", "1009", 5, TAP_NORMAL},
    {"c2c", "out", "1018", 3, TAP_QUICK},
    {"c2c", "in", "60x64", 3, TAP_QUICK},
    {"c2c", "out", "65537", 1, TAP_NORMAL},
    {"c2c", "out", "1048576", 1, TAP_LONG},
    REALS("dct1", TAP_NORMAL),
    REALS("dct2", TAP_QUICK),
    REALS("dct3", TAP_NORMAL),
    REALS("dct4", TAP_QUICK),
    REALS("dst1", TAP_QUICK),
    REALS("dst2", TAP_NORMAL),
    REALS("dst3", TAP_QUICK),
    REALS("dst4", TAP_NORMAL),
    REALS("dht", TAP_NORMAL),
    REALS("r2hc", TAP_NORMAL),
    REALS("hc2r", TAP_NORMAL),
    {"r2r=dct2+dst1+dht", "in", "30x16x64", 2, TAP_NORMAL},
};

enum { PROBLEMS = sizeof problems / sizeof *problems };

/* A GPU takes one of so many at the quick level, counting precisions and
 * directions. */
enum { GPU_STEP = 7 };

typedef struct tally {
    int64_t checks, rechecked;
    double worst;
    int flips, matter, found, repaired;
    int missed64, missed16, missed8, matter16, matter8;
    int missed4096;
} tally;

/* ------------------------------------------------------------------- clean */

static const char *judge_clean(const stfi_trio *trio, stfi_trio_mode mode,
                               const stfi_trio_result *got)
{
    const stf_ft_report *r = &got->r;

    if (got->status != STF_OK)
        return "a status that is not OK";
    if (!stfi_trio_same(trio, -1))
        return "not as without protection";
    if (!report_has_only(r,
                         mode == STFI_TRIO_DETECT ? 0 : REPORT_BIT(RECHECKED)))
        return "an alarm";
    if (r->groups_checked * trio->lane < trio->s.d.batch)
        return "transforms without a check";
    if (!(r->max_residual >= 0) || r->first_event.signal != -1)
        return "a report that does not fit";
    return NULL;
}

static int test_clean(stfi_trio *trio, const char *name, uint64_t *state,
                      tally *t)
{
    const char *wrong = NULL;
    int k, m;

    for (k = 0; k < STFI_DISTRIBUTIONS && !wrong; k++) {
        if (!stfi_trio_draw(trio, k, state))
            return 0;
        for (m = STFI_TRIO_DETECT; m < STFI_TRIO_MODES && !wrong; m++) {
            stfi_trio_result got =
                stfi_trio_run(trio, (stfi_trio_mode)m, NULL, 0);
            if (!got.ran)
                return 0;
            wrong = judge_clean(trio, (stfi_trio_mode)m, &got);
            t->checks += got.r.groups_checked;
            t->rechecked += got.r.rechecked;
            t->worst = fmax(t->worst, got.r.max_residual);
        }
    }
    return tap_ok(!wrong, "%s: %d checks, residuals up to %.2f%s%s", name,
                  (int)t->checks, t->worst, wrong ? ": " : "",
                  wrong ? wrong : "");
}

/* ------------------------------------------------------------------- flips */

/* 1 if a change is so large that later passes, which read it, may overflow and
 * then report something too. */
static int is_huge(const stfi_trio *trio, double change)
{
    return !(change < (trio->s.bytes <= sizeof(float) ? 1e30 : 1e300));
}

/* 1 if only the struck lane, if any, has an event, and in the struck pass;
 * if `spread`, later passes may have events too. */
static int fits(const stfi_trio *trio, const stf_ft_report *r,
                const stf_fault *f, int spread)
{
    return r->detected >= 0 && (spread || r->detected <= 1)
           && r->located <= r->detected && r->corrected == 0
           && (spread || r->non_finite_input == 0) && r->overflowed == 0
           && (r->detected == 0) == (r->first_event.signal == -1)
           && (r->detected == 0
               || (r->first_event.signal == stfi_trio_first(trio, f->signal)
                   && r->first_event.pass == f->pass));
}

static const char *judge_detect(stfi_trio *trio, const stf_fault *f,
                                const stfi_trio_result *got, double error,
                                double *change, tally *t)
{
    int seen = got->r.detected > 0;

    *change = stfi_trio_change(trio, f->signal);
    if (got->status != STF_OK || !fits(trio, &got->r, f, is_huge(trio, *change))
        || got->r.recomputed || got->r.uncorrectable || got->r.rechecked)
        return "a report that does not fit";
    if (!stfi_trio_same_elsewhere(trio, f->signal))
        return "another transform is touched";
    t->flips++;
    t->found += seen;
    if (!(*change < 8 * error)) {
        t->matter8++;
        t->missed8 += !seen;
    }
    if (!(*change < 16 * error)) {
        t->matter16++;
        t->missed16 += !seen;
    }
    if (!(*change < 64 * error)) {
        t->matter++;
        t->missed64 += !seen;
    }
    t->missed4096 += !seen && !(*change < 4096 * error);
    return NULL;
}

static const char *judge_correct(stfi_trio *trio, const stf_fault *f,
                                 const stfi_trio_result *got, tally *t)
{
    const stf_ft_report *r = &got->r;

    if (!fits(trio, r, f, 0) || r->recomputed != r->detected
        || r->uncorrectable)
        return "a report of a repair that does not fit";
    if (got->status < 0 || (got->status != STF_OK && !r->detected))
        return "a status that does not fit";
    if (r->detected ? !stfi_trio_same(trio, -1)
                    : !stfi_trio_same_elsewhere(trio, f->signal))
        return r->detected ? "not repaired" : "another transform is touched";
    t->repaired += r->detected > 0;
    return NULL;
}

static const char *one_flip(stfi_trio *trio, const double *error, uint64_t seed,
                            tally *t)
{
    const char *wrong;
    stf_fault f;
    stfi_trio_result got;
    double change;

    if (stf_plan_draw_fault(trio->plan[STFI_TRIO_DETECT], seed, &f))
        return stf_error_message();
    got = stfi_trio_run(trio, STFI_TRIO_DETECT, &f, 1);
    if (!got.ran)
        return "no run";
    wrong = judge_detect(trio, &f, &got, error[f.signal], &change, t);
    if (!wrong) {
        got = stfi_trio_run(trio, STFI_TRIO_CORRECT, &f, 1);
        wrong = !got.ran ? "no run" : judge_correct(trio, &f, &got, t);
    }
    if (wrong)
        tap_diag("pass %d, stage %d, signal %d, element %d, component %d, "
                 "bit %d: residual %g, change %g of the rounding error",
                 (int)f.pass, (int)f.stage, (int)f.signal, (int)f.element,
                 (int)f.component, (int)f.bit, got.r.max_residual,
                 change / error[f.signal]);
    return wrong;
}

/* 1 if every weight inside of the checked transforms is optimised
 * (ft/weights/left_vector.h). This is so for complex transforms without a large
 * prime factor, up to a length that no pass of the cpu exceeds. In other
 * transforms one value in a hundred weighs less than a tenth of what it should,
 * and one in ten thousand less than a hundredth. */
static int is_optimised(const stfi_trio *trio)
{
    const stf_fft_desc *d = &trio->s.d;
    int a, optimised = d->kind == STF_C2C;

    for (a = 0; a < d->rank; a++)
        optimised = optimised && d->n[a] <= STFI_FT_LONGEST_OPTIMISED
                    && stfi_ft_is_optimised(d->n[a]);
    return optimised;
}

static int test_flips(stfi_trio *trio, const char *name, uint64_t *state,
                      tally *t)
{
    int count = tap_level() == TAP_QUICK ? 1 : 3, k, i;
    const char *wrong = NULL;
    double error[64];

    for (k = 0; k < STFI_DISTRIBUTIONS && !wrong; k++) {
        /* Denormal data have much larger errors, as they have few digits. */
        if (!strcmp(stfi_distribution_name(k), "denormal"))
            continue;
        if (!stfi_trio_draw(trio, k, state) || !stfi_trio_measure(trio, error))
            return 0;
        for (i = 0; i < count && !wrong; i++)
            wrong = one_flip(trio, error, stfi_random_u64(state), t);
    }
    return tap_ok(!wrong && !t->missed4096
                      && (!t->missed64 || !is_optimised(trio)),
                  "%s: %d flips, %d matter, %d missed; %d found, %d repaired"
                  "%s%s",
                  name, t->flips, t->matter, t->missed64, t->found, t->repaired,
                  wrong ? ": " : "", wrong ? wrong : "");
}

/* -------------------------------------------------------------------- all */

static void add(tally *all, const tally *t)
{
    all->checks += t->checks;
    all->rechecked += t->rechecked;
    all->worst = fmax(all->worst, t->worst);
    all->flips += t->flips;
    all->matter += t->matter;
    all->matter16 += t->matter16;
    all->matter8 += t->matter8;
    all->missed64 += t->missed64;
    all->missed16 += t->missed16;
    all->missed8 += t->missed8;
    all->found += t->found;
    all->repaired += t->repaired;
}

/* Returns 0 if the device protects nothing. */
static int test_problem(stf_device *dev, const stf_device_info *info,
                        const problem *p, const char *precision,
                        stf_direction direction, tally *all)
{
    char word[64], name[96];
    uint64_t state = tap_seed() + (uint64_t)(p - problems);
    tally t = {0};
    stfi_trio trio;
    int ready;

    snprintf(word, sizeof word, "%s:%s:%s:%s*%d", p->kind, precision, p->place,
             p->shape, p->batch);
    snprintf(name, sizeof name, "%s, %s", word,
             direction == STF_FORWARD ? "forward" : "inverse");
    if (!stfi_trio_has(info, word))
        return 1;
    ready = stfi_trio_open(&trio, dev, word, direction);
    if (ready > 0 && test_clean(&trio, name, &state, &t))
        test_flips(&trio, name, &state, &t);
    stfi_trio_close(&trio);
    add(all, &t);
    return ready >= 0;
}

/* 1 if this run takes problem i in variant n: precision n % 2, direction n / 2.
 * Real to complex kinds have one direction. */
static int is_taken(const stf_device_info *info, int i, int n)
{
    const problem *p = &problems[i];

    if (p->level > tap_level() || !tap_takes(i)
        || !stfi_device_takes(info, 4 * i + n, GPU_STEP))
        return 0;
    if (n / 2 == 0)
        return strcmp(p->kind, "c2r") != 0;
    return !strcmp(p->kind, "c2c") || !strcmp(p->kind, "c2r");
}

static void test_device(void *context, stf_device *dev,
                        const stf_device_info *info)
{
    tally all = {0}, halves = {0};
    int i, n, ready = 1;

    (void)context;
    for (i = 0; i < PROBLEMS && ready; i++)
        for (n = 0; n < 4 && ready; n++) {
            const problem *p = &problems[i];
            stf_direction direction = n / 2 ? STF_INVERSE : STF_FORWARD;
            if (!is_taken(info, i, n))
                continue;
            ready = test_problem(dev, info, p, n % 2 ? "f64" : "f32", direction,
                                 &all);
            if (ready && i % 3 == n % 2 && n % 2 != (direction > 0))
                ready = test_problem(dev, info, p, i % 2 ? "f16" : "bf16",
                                     direction, &halves);
        }
    if (!ready) {
        tap_skip("it does not protect transforms", "%s", info->name);
        return;
    }
    tap_diag("%s: 8x: %d of %d missed, 16x: %d of %d, 64x: %d of %d; %d "
             "found, %d repaired",
             info->name, all.missed8, all.matter8, all.missed16, all.matter16,
             all.missed64, all.matter, all.found, all.repaired);
    /* The largest residual must be near its threshold: a check that finds
     * nothing because its threshold is far too large would be useless. */
    tap_ok(all.worst > 0.1 && all.worst <= 1 && all.matter > all.flips / 3
               && all.rechecked <= 1 + all.checks / 1000
               && all.missed64 <= 2 + all.matter / 500,
           "%s: %d checks, %d of them repeated, residuals up to %.2f; %d "
           "flips",
           info->name, (int)all.checks, (int)all.rechecked, all.worst,
           all.flips);
    if (halves.checks > 0)
        tap_ok(halves.worst > 0.1 && halves.worst <= 1
                   && halves.rechecked <= 1 + halves.checks / 1000
                   && halves.missed64 <= 2 + halves.matter / 500,
               "%s: halves: %d checks, %d of them repeated, residuals up to "
               "%.2f; 16x: %d of %d missed, 64x: %d of %d",
               info->name, (int)halves.checks, (int)halves.rechecked,
               halves.worst, halves.missed16, halves.matter16, halves.missed64,
               halves.matter);
}

int main(void)
{
    tap_begin("ft/passes");
    stfi_devices_each(test_device, NULL);
    return tap_end();
}

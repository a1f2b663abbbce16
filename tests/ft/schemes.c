/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Checksums of groups of transforms, of every scheme and number of
 * transactions. Without faults the results equal those of an unprotected plan,
 * and there is no alarm, whatever the data. A bit flipped in any value is found
 * if it matters to the group; the whole batch is then right, and no other
 * transform is changed. Two faults in a group end in a right answer, too. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/devices.h"
#include "tests/ft/trio.h"
#include "tests/report.h"
#include "tests/tap.h"

enum { NORMAL }; /* the number of the first distribution */

static const struct {
    const char *name;
    stf_ft_scheme scheme;
} schemes[] = {
    {"signal", STF_FT_SCHEME_SIGNAL},
    {"one-sided", STF_FT_SCHEME_ONE_SIDED},
    {"two-sided", STF_FT_SCHEME_TWO_SIDED},
    {"thread", STF_FT_SCHEME_AUTO}, /* level THREAD */
};
static const int transactions[] = {1, 2, 8, 32};

enum { SCHEMES = 4, TRANSACTIONS = 4, THREAD = 3 };

/* Batches whose last tile is not full, and whose last group has fewer tiles. */
static const char *const words[] = {
    "c2c:f32:out:8*715",    "c2c:f64:out:64*299",  "c2c:f32:out:1000*70",
    "c2c:f64:out:4096*19",  "c2c:f32:out:65536*1", "c2c:f64:out:83*75",
    "c2c:f32:out:509*37",   "r2c:f32:out:100*90",  "r2c:f64:out:65536*1",
    "c2r:f32:out:1024*37",  "c2r:f64:out:105*70",  "c2c:f32:out:60x64*2",
    "c2c:f64:in:256*40",    "c2c:f32:in:65536*1",  "c2c:f32:out:65537*1",
    "r2c:f64:out:8x9x10*9", "dct2:f32:out:64*75",  "dct3:f64:in:105*40",
    "dst4:f32:out:30x44*9", "dst1:f64:out:99*70",  "dht:f32:out:65536*1",
};

enum { WORDS = sizeof words / sizeof *words };

typedef struct tally {
    int clean, flips, matter, missed, found, located, checks;
    double worst;
} tally;

static int quiet(const stf_ft_report *r)
{
    return report_has_only(r, REPORT_BIT(RECHECKED))
           && r->first_event.signal == -1;
}

static const char *is_clean(stfi_trio *trio, tally *t)
{
    int m;

    for (m = STFI_TRIO_DETECT; m < STFI_TRIO_MODES; m++) {
        stfi_trio_result got = stfi_trio_run(trio, (stfi_trio_mode)m, NULL, 0);
        if (!got.ran || got.status != STF_OK || !quiet(&got.r))
            return "an alarm";
        if (!stfi_trio_same(trio, -1))
            return "not as without protection";
        if (got.r.groups_checked < 1 || !(got.r.max_residual >= 0))
            return "nothing is checked";
        t->checks += (int)got.r.groups_checked;
        t->worst = fmax(t->worst, got.r.max_residual);
        t->clean++;
    }
    return NULL;
}

/* --------------------------------------------------------------- any data */

static void fill(stfi_trio *trio, double value)
{
    int64_t count = trio->s.in_count * trio->s.d.batch, i;

    for (i = 0; i < count; i++)
        stfi_signals_set(&trio->s, trio->s.in, i, value);
}

static void multiply(stfi_trio *trio, double factor)
{
    int64_t count = trio->s.in_count * trio->s.d.batch, i;

    for (i = 0; i < count; i++)
        stfi_signals_set(&trio->s, trio->s.in, i,
                         factor * stfi_signals_get(&trio->s, trio->s.in, i));
}

/* All signals equal the first one, so that their residuals are equal too and
 * add up instead of partly cancelling. */
static const char *equal(stfi_trio *trio, uint64_t *state, tally *t)
{
    size_t bytes = (size_t)trio->s.in_count * trio->s.bytes;
    const char *wrong;
    tally own = {0};
    int64_t b;

    if (!stfi_signals_draw(&trio->s, NORMAL, state))
        return "no data";
    for (b = 1; b < trio->s.d.batch; b++)
        memcpy((char *)trio->s.in + (size_t)b * bytes, trio->s.in, bytes);
    wrong = stfi_trio_load(trio) ? is_clean(trio, &own) : "no data";
    t->clean += own.clean;
    return wrong ? "equal signals" : NULL;
}

/* Puts Inf or NaN in one transform. */
static const char *spoilt(stfi_trio *trio, double value)
{
    int64_t at =
        trio->s.in_count * (trio->s.d.batch / 2) + trio->s.in_count / 3;
    double kept = stfi_signals_get(&trio->s, trio->s.in, at);
    const char *wrong = NULL;
    int m;

    stfi_signals_set(&trio->s, trio->s.in, at, value);
    if (!stfi_trio_load(trio))
        return "no data";
    for (m = STFI_TRIO_DETECT; m < STFI_TRIO_MODES && !wrong; m++) {
        stfi_trio_result got = stfi_trio_run(trio, (stfi_trio_mode)m, NULL, 0);
        if (!got.ran || got.status != STF_OK || got.r.detected
            || got.r.overflowed || got.r.non_finite_input < 1)
            wrong = "Inf or NaN in the input";
        else if (!stfi_trio_same(trio, trio->s.d.batch / 2))
            wrong = "neighbours of Inf or NaN";
    }
    stfi_signals_set(&trio->s, trio->s.in, at, kept);
    return wrong ? wrong : stfi_trio_load(trio) ? NULL : "no data";
}

static const char *overflowing(stfi_trio *trio)
{
    stfi_trio_result got;

    fill(trio, trio->s.bytes == sizeof(float) ? 3e38 : 1.7e308);
    if (!stfi_trio_load(trio))
        return "no data";
    got = stfi_trio_run(trio, STFI_TRIO_CORRECT, NULL, 0);
    if (!got.ran || got.status != STF_OK || got.r.detected
        || got.r.overflowed + got.r.non_finite_input < 1)
        return "an overflow";
    return NULL;
}

static const char *test_data(stfi_trio *trio, uint64_t *state, tally *t)
{
    double most = trio->s.bytes == sizeof(float) ? 1e30 : 1e290;
    const double factors[] = {most, 1 / most, 1 / most / most};
    const char *wrong = NULL;
    int k;

    k = tap_level() == TAP_QUICK ? (int)(stfi_random_u64(state) % 4) : 0;
    for (; k < STFI_DISTRIBUTIONS && !wrong;
         k += tap_level() == TAP_QUICK ? 4 : 1)
        wrong = stfi_trio_draw(trio, k, state) ? is_clean(trio, t) : "no data";
    if (wrong)
        return wrong;
    for (k = 0; k < 3 && !wrong; k++) {
        if (!stfi_signals_draw(&trio->s, NORMAL, state))
            return "no data";
        multiply(trio, factors[k]);
        wrong = stfi_trio_load(trio) ? is_clean(trio, t) : "no data";
    }
    wrong = wrong ? wrong : equal(trio, state, t);
    wrong = wrong ? wrong : overflowing(trio);
    if (!wrong && !stfi_trio_draw(trio, NORMAL, state))
        wrong = "no data";
    wrong = wrong ? wrong : spoilt(trio, NAN);
    return wrong ? wrong : spoilt(trio, -INFINITY);
}

/* ------------------------------------------------------------------ faults */

/* 1 if the report fits. An event may name the first transform of a group or, if
 * located, the struck one. If the change is huge, later passes may report
 * something too. */
static int fits(const stfi_trio *trio, const stf_ft_report *r,
                const stf_fault *f, int huge)
{
    if (r->detected == 0)
        return quiet(r);
    return (huge
            || (r->detected == 1 && !r->non_finite_input && !r->overflowed))
           && r->located <= r->detected && !r->corrected && !r->uncorrectable
           && r->first_event.pass == f->pass
           && (r->located && !huge
                   ? r->first_event.signal == stfi_trio_first(trio, f->signal)
                   : r->first_event.signal <= f->signal);
}

static const char *told(const char *wrong, const stf_fault *f,
                        const stfi_trio_result *got, double change)
{
    tap_diag("pass %d, stage %d, signal %d, element %d, component %d, bit "
             "%d, change %g: status %d, %d detected, %d located, %d "
             "recomputed, %d not finite, %d overflowed, first in pass %d, "
             "signal %d",
             (int)f->pass, (int)f->stage, (int)f->signal, (int)f->element,
             (int)f->component, (int)f->bit, change, (int)got->status,
             (int)got->r.detected, (int)got->r.located, (int)got->r.recomputed,
             (int)got->r.non_finite_input, (int)got->r.overflowed,
             (int)got->r.first_event.pass, (int)got->r.first_event.signal);
    return wrong;
}

static const char *one_flip(stfi_trio *trio, const double *error, uint64_t seed,
                            tally *t)
{
    double large = trio->s.bytes == sizeof(float) ? 1e30 : 1e300, change;
    int group =
        trio->lane
        * (trio->ft.scheme == STF_FT_SCHEME_SIGNAL ? 1 : trio->ft.transactions);
    stfi_trio_result got;
    stf_fault f;
    int seen;

    if (stf_plan_draw_fault(trio->plan[STFI_TRIO_DETECT], seed, &f))
        return stf_error_message();
    got = stfi_trio_run(trio, STFI_TRIO_DETECT, &f, 1);
    change = stfi_trio_change(trio, f.signal) / error[f.signal];
    if (!got.ran || got.status != STF_OK
        || !fits(trio, &got.r, &f, !(change * error[f.signal] < large)))
        return told("a report that does not fit", &f, &got, change);
    if (!stfi_trio_same_elsewhere(trio, f.signal))
        return told("another one is touched", &f, &got, change);
    seen = got.r.detected > 0;
    t->flips++;
    t->found += seen;
    t->located += got.r.located > 0;
    if (!(change < 64 * sqrt(group))) {
        t->matter++;
        t->missed += !seen;
    }
    got = stfi_trio_run(trio, STFI_TRIO_CORRECT, &f, 1);
    if (!got.ran || got.status < 0 || !fits(trio, &got.r, &f, 0)
        || got.r.recomputed != got.r.detected || (seen && !got.r.detected))
        return told("a report of a repair that does not fit", &f, &got, change);
    if (got.r.detected ? !stfi_trio_same(trio, -1)
                       : !stfi_trio_same_elsewhere(trio, f.signal))
        return told(got.r.detected ? "not repaired" : "another is touched", &f,
                    &got, change);
    return NULL;
}

static stf_fault fault_of(const stfi_trio *trio, int64_t signal,
                          double magnitude)
{
    stf_fault f = {0};

    f.signal = signal;
    f.element = trio->s.in_count / 8;
    f.bit = -1;
    f.magnitude = magnitude;
    return f;
}

/* Two faults of random sizes, in transforms that share a lane of some tiles and
 * perhaps a group. */
static const char *two_faults(stfi_trio *trio, uint64_t *state)
{
    int64_t batch = trio->s.d.batch, step = batch > 16 ? 16 : 1;
    stf_fault f[2];
    stfi_trio_result got;
    int i;

    for (i = 0; i < 8; i++) {
        int64_t from = (int64_t)(stfi_random_u64(state) % (uint64_t)step);
        int64_t left = (batch - from + step - 1) / step, k;
        for (k = 0; k < 2; k++) {
            int64_t at = (int64_t)(stfi_random_u64(state) % (uint64_t)left);
            f[k] = fault_of(trio, from + at * step,
                            pow(10, stfi_random_uniform(1, 7, state)));
        }
        f[1].element = trio->s.in_count / 5;
        got = stfi_trio_run(trio, STFI_TRIO_CORRECT, f, 2);
        if (!got.ran || got.status < 0 || !got.r.detected
            || got.r.recomputed != got.r.detected || got.r.non_finite_input
            || got.r.overflowed)
            return "a report of two faults that does not fit";
        if (!stfi_trio_same(trio, -1))
            return "two faults are not repaired";
    }
    return NULL;
}

/* The number of faults that are certainly reported. A GPU has only the sum over
 * a group's transforms, which does not separate two faults in it. */
static int told_at_least(const stfi_trio *trio, int faults)
{
    stf_device_info info;
    int summed =
        trio->ft.scheme != STF_FT_SCHEME_SIGNAL && trio->ft.transactions > 1;

    return summed && !stf_device_query(trio->dev, &info)
                   && stfi_device_is_gpu(&info)
               ? 1
               : faults;
}

/* A fault that strikes in every attempt, alone and together with one that
 * strikes once. */
static const char *persistent(stfi_trio *trio)
{
    int64_t batch = trio->s.d.batch, other = batch > 16 ? batch - 17 : 0;
    stf_fault f[2] = {fault_of(trio, batch - 1, 1e4),
                      fault_of(trio, other, 3e5)};
    stfi_trio_result got;
    int count;

    f[0].persistent = 1;
    for (count = 1; count <= (batch > 16 ? 2 : 1); count++) {
        got = stfi_trio_run(trio, STFI_TRIO_CORRECT, f, count);
        if (!got.ran || got.status != STF_ERR_UNCORRECTED
            || got.r.uncorrectable != 1
            || got.r.detected < told_at_least(trio, count)
            || got.r.recomputed != got.r.detected - 1)
            return "a report of a persistent fault that does not fit";
        if (!stfi_trio_same_elsewhere(trio, batch - 1))
            return "a persistent fault touches others";
    }
    got = stfi_trio_run(trio, STFI_TRIO_DETECT, f, 1);
    if (!got.ran || got.status != STF_OK || got.r.detected != 1
        || got.r.uncorrectable || got.r.recomputed)
        return "a persistent fault is not seen";
    return NULL;
}

static const char *test_faults(stfi_trio *trio, uint64_t *state, tally *t)
{
    int flips = tap_level() == TAP_QUICK ? 6 : 40, i;
    double *error = malloc((size_t)trio->s.d.batch * sizeof *error);
    const char *wrong = error ? NULL : "no memory";

    if (!wrong
        && (!stfi_trio_draw(trio, NORMAL, state)
            || !stfi_trio_measure(trio, error)))
        wrong = "no data";
    for (i = 0; i < flips && !wrong; i++)
        wrong = one_flip(trio, error, stfi_random_u64(state), t);
    free(error);
    wrong = wrong ? wrong : two_faults(trio, state);
    return wrong ? wrong : persistent(trio);
}

/* --------------------------------------------------------------------- all */

static void add(tally *all, const tally *t)
{
    all->clean += t->clean;
    all->checks += t->checks;
    all->flips += t->flips;
    all->matter += t->matter;
    all->missed += t->missed;
    all->found += t->found;
    all->located += t->located;
    all->worst = fmax(all->worst, t->worst);
}

/* Returns 0 if the device does not have the scheme. */
static int test_problem(stf_device *dev, int word, int scheme, int count,
                        tally *all)
{
    stf_direction direction = words[word][2] == 'r' ? STF_INVERSE : STF_FORWARD;
    stf_ft_desc ft = stf_fft_desc_default().ft;
    uint64_t state = tap_seed() + (uint64_t)(word * 100 + scheme * 10 + count);
    const char *wrong = NULL;
    tally t = {0};
    stfi_trio trio;
    int ready;

    ft.level = scheme == THREAD ? STF_FT_THREAD : STF_FT_BLOCK;
    ft.scheme = schemes[scheme].scheme;
    ft.transactions = transactions[count];
    ready = stfi_trio_open_as(&trio, dev, words[word], direction, &ft);
    if (ready > 0) {
        wrong = test_data(&trio, &state, &t);
        wrong = wrong ? wrong : test_faults(&trio, &state, &t);
        tap_ok(!wrong && !t.missed,
               "%s, %s of %d: %d clean, residuals up to "
               "%.2f; %d flips, %d matter, %d missed, %d located of %d found"
               "%s%s",
               words[word], schemes[scheme].name, transactions[count], t.clean,
               t.worst, t.flips, t.matter, t.missed, t.located, t.found,
               wrong ? ": " : "", wrong ? wrong : "");
    }
    stfi_trio_close(&trio);
    add(all, &t);
    return ready >= 0;
}

static int is_wanted(int word, int scheme, int count)
{
    if (scheme == THREAD)
        return count == 0 && (tap_level() > TAP_QUICK || word % 2 == 0);
    return tap_level() > TAP_QUICK || (word + scheme) % TRANSACTIONS == count;
}

static void test_device(void *context, stf_device *dev,
                        const stf_device_info *info)
{
    tally all = {0};
    int w, s, c, ready = 1;
    double most;

    (void)context;
    for (s = 0; s < SCHEMES && ready; s++)
        for (w = 0; w < WORDS && ready; w++)
            for (c = 0; c < TRANSACTIONS && ready; c++)
                if (tap_takes(w) && is_wanted(w, s, c)
                    && stfi_trio_has(info, words[w]))
                    ready = test_problem(dev, w, s, c, &all);
    if (!ready) {
        tap_skip("it does not check groups", "%s", info->name);
        return;
    }
    /* The residuals of equal signals add up, and a GPU compares only their sum,
     * so residuals may reach the square root of the group's size. The other
     * shares are those of many problems, not of a part. */
    most = stfi_device_is_gpu(info) ? sqrt(transactions[TRANSACTIONS - 1]) : 1;
    tap_ok(
        all.worst <= most
            && (!tap_takes_all()
                || (all.worst > 0.1 && all.matter > all.flips / 4
                    && all.located > all.found / 3 && all.located < all.found)),
        "%s: %d checks, residuals up to %.2f; %d flips, %d matter, %d "
        "missed, %d found, %d located",
        info->name, all.checks, all.worst, all.flips, all.matter, all.missed,
        all.found, all.located);
}

int main(void)
{
    tap_begin("ft/schemes");
    stfi_devices_each(test_device, NULL);
    return tap_end();
}

/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Two transforms that share a lane; see protected.h. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "run/fft/fft_plan.h"
#include "tests/simt/protected.h"
#include "tests/simt/simt.h"
#include "tests/report.h"
#include "tests/tap.h"

static const char *const words[] = {"r2c:f64:out:21*5", "c2r:f32:out:45*6",
                                    "r2c:f32:out:77*4", "c2r:f64:out:21*7",
                                    "dct3:f32:out:77*5"};

/* Opens a problem whose plan has lanes of two transforms. */
static int open_mates(const char *word, stf_device *dev, stf_ft_mode mode,
                      protected_run *r)
{
    return protected_open(word, dev, mode, r)
           && stfi_fft_plan_of(r->guarded.plan)->schedule->pass[0].balanced;
}

static size_t output_bytes(const stfi_trial *t)
{
    return (size_t)t->array[1].components * t->component_bytes;
}

static int execute(protected_run *r, stf_ft_report *report_p)
{
    return !stf_plan_ft_reset(r->guarded.plan)
           && !protected_execute(r, &r->guarded)
           && !stf_plan_ft_report(r->guarded.plan, report_p);
}

/* 1 if transform b has nothing but NaN, and all others are as near to those of the clean
 * run as rounding lets them be: those of its lane are not the same bits. */
static int is_alone(const protected_run *r, int64_t b)
{
    const stfi_trial *t = &r->trial;
    const int64_t reals = stfi_trial_elements(t, 1) * stfi_trial_parts(t, 1);
    const int64_t first = stfi_trial_place(t, 1, b, 0, 0);
    const double u = stfi_type_get(t->full.precision)->unit_roundoff;
    long double sum = 0, norm = 0;
    int right = 1;

    for (int64_t i = 0; i < t->array[1].components; i++) {
        const int64_t place = i - t->array[1].origin;
        const long double want = stfi_trial_get(t, r->want, i);
        const long double got = stfi_trial_get(t, t->array[1].block, i);
        if (!t->array[1].mine[i])
            continue;
        if (place >= first && place < first + reals) {
            right &= isnan(got) != 0;
        } else {
            norm += want * want;
            sum += (got - want) * (got - want);
        }
    }
    return right && sum <= 64.0L * u * u * norm;
}

/* 1 if transform b with one element Inf or NaN is told of, and harms no other. */
static int is_told(protected_run *r, int64_t b)
{
    stfi_trial *t = &r->trial;
    const int64_t at = stfi_trial_elements(t, 0) / 2;
    stf_ft_report report;

    stfi_trial_reset(t);
    stfi_trial_set(t, stfi_trial_array(t, 0), stfi_trial_place(t, 0, b, at, 0),
                   b % 3 ? (long double)INFINITY : (long double)NAN);
    if (!execute(r, &report))
        return 0;
    if (report.non_finite_input == 1 && report.detected == 0
        && report.overflowed == 0 && is_alone(r, b))
        return 1;
    tap_diag("transform %" PRId64 ": %" PRId64 " not finite, detected %" PRId64
             ", overflowed %" PRId64 ", others %s",
             b, report.non_finite_input, report.detected, report.overflowed,
             is_alone(r, b) ? "as they were" : "differ");
    return 0;
}

static void check_not_finite(stf_device *dev, const char *word)
{
    static protected_run r;
    stf_ft_report report;
    int right = open_mates(word, dev, STF_FT_CORRECT, &r)
                && execute(&r, &report)
                && (r.want = malloc(output_bytes(&r.trial))) != NULL;

    if (right)
        memcpy(r.want, r.trial.array[1].block, output_bytes(&r.trial));
    for (int64_t b = 0; right && b < r.trial.full.batch; b++)
        right = is_told(&r, b);
    tap_ok(right, "%s: Inf and NaN are told of, and stay where they are", word);
    protected_close(&r);
}

/* Multiplies the data by powers of two, the smaller the later a transform is, so that
 * all elements of most of them are below the normal numbers. */
static void make_small(stfi_trial *t)
{
    const int low = t->component_bytes == 4 ? -128 : -1024;
    const int64_t reals = stfi_trial_elements(t, 0) * stfi_trial_parts(t, 0);
    const stfi_fenced *in = &t->array[0];

    stfi_trial_reset(t);
    for (int64_t i = 0; i < in->components; i++)
        if (in->mine[i])
            stfi_trial_set(t, in->block, i,
                           ldexpl(stfi_trial_get(t, in->block, i),
                                  low - 4 * (int)((i - in->origin) / reals)));
}

static void check_small(stf_device *dev, const char *word, stf_ft_mode mode)
{
    static protected_run r;
    stf_ft_report report = {0};
    int right = open_mates(word, dev, mode, &r);

    if (right) {
        make_small(&r.trial);
        right = execute(&r, &report)
                && report_has_only(&report, REPORT_BIT(RECHECKED));
    }
    if (!tap_ok(right, "%s: no alarm below the normal numbers, mode %s", word,
                mode == STF_FT_CORRECT ? "CORRECT" : "DETECT"))
        tap_diag("largest residual %.3f, detected %" PRId64
                 ", overflowed %" PRId64,
                 report.max_residual, report.detected, report.overflowed);
    protected_close(&r);
}

void protected_check_mates(void)
{
    stf_device *dev;

    if (stfi_simt_device_open("h200", &dev)) {
        tap_ok(0, "%s", stf_error_message());
        return;
    }
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        check_not_finite(dev, words[i]);
        check_small(dev, words[i], STF_FT_DETECT);
        check_small(dev, words[i], STF_FT_CORRECT);
    }
    stf_device_close(dev);
}

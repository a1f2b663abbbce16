/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Signals of many distributions; see signals.h. */
#include "tests/ft/signals.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ft/fault.h"
#include "ft/threshold.h"
#include "fft/desc.h"
#include "run/plan.h"
#include "support/problem/component.h"
#include "tests/tap.h"

double stfi_signals_get(const stfi_signals *s, const void *array, int64_t i)
{
    return (double)stfi_type_read(s->d.precision, array, i);
}

void stfi_signals_set(const stfi_signals *s, void *array, int64_t i,
                      double value)
{
    stfi_type_write(s->d.precision, array, i, (long double)value);
}

static void draw(const stfi_signals *s, int distribution, void *array,
                 int64_t components, int parts, uint64_t *state)
{
    for (int64_t b = 0; b < s->d.batch; b++)
        stfi_distribution_draw(
            distribution, s->d.precision, components / parts, parts,
            (char *)array + (size_t)(b * components) * s->bytes, state);
}

/* ---------------------------------------------------------------- batches */

int stfi_signals_open(stfi_signals *s, stf_device *dev, const char *word,
                      stf_direction direction)
{
    stfi_problem p;
    double points = 1;
    int a;

    memset(s, 0, sizeof *s);
    if (stfi_problem_parse(word, &p))
        return tap_ok(0, "%s: %s", word, stf_error_message());
    s->d = p.desc;
    s->dev = dev;
    s->direction = direction;
    s->bytes = stfi_type_get(s->d.precision)->bytes;
    for (a = 0; a < s->d.rank; a++)
        points *= (double)s->d.n[a];
    s->d.scale_inverse = 1 / points;
    s->in_count = stfi_problem_components(&s->d, 0);
    s->out_count = stfi_problem_components(&s->d, 1);
    s->in = malloc((size_t)(s->in_count * s->d.batch) * s->bytes);
    s->out = malloc((size_t)(s->out_count * s->d.batch) * s->bytes);
    if (!s->in || !s->out || stf_plan_fft(dev, &s->d, &s->plan))
        return tap_ok(0, "%s: %s", word, stf_error_message());
    if (s->d.kind == STF_C2R) {
        stf_fft_desc back = s->d;
        back.kind = STF_R2C;
        s->real = malloc((size_t)(s->out_count * s->d.batch) * s->bytes);
        if (!s->real || stf_plan_fft(dev, &back, &s->back))
            return tap_ok(0, "%s: %s", word, stf_error_message());
    }
    return 1;
}

void stfi_signals_close(stfi_signals *s)
{
    stf_plan_destroy(s->plan);
    stf_plan_destroy(s->back);
    free(s->in);
    free(s->out);
    free(s->real);
}

int stfi_signals_draw(stfi_signals *s, int distribution, uint64_t *state)
{
    const stfi_kind *kind = stfi_kind_get(s->d.kind);

    if (s->back) {
        draw(s, distribution, s->real, s->out_count, 1, state);
        if (stf_execute(s->back, STF_FORWARD, s->real, s->in))
            return tap_ok(0, "spectra: %s", stf_error_message());
    } else {
        draw(s, distribution, s->in, s->in_count, kind->real_in ? 1 : 2, state);
    }
    return stfi_signals_run(s);
}

int stfi_signals_run(stfi_signals *s)
{
    memset(s->out, 0xff, (size_t)(s->out_count * s->d.batch) * s->bytes);
    if (stf_execute(s->plan, s->direction, s->in, s->out))
        return tap_ok(0, "transforms: %s", stf_error_message());
    return 1;
}

stf_status stfi_signals_by_passes(stf_plan *plan)
{
    const stf_fault neutral =
        stfi_fault_neutral(plan->class->draw_fault(plan, 1));
    stf_device_info info;
    stf_status status = stf_device_query(plan->dev, &info);

    if (status != STF_OK || strcmp(info.backend, "cpu") != 0)
        return status;
    return plan->class->inject(plan, &neutral, 1);
}

/* The L2 error of a transform, or the least measure of signals.h if that is
 * larger. */
static double error_of(const stfi_signals *s, const void *out,
                       const long double *want, int64_t first, double least)
{
    long double wrong = 0, norm = 0;

    for (int64_t i = first; i < first + s->out_count; i++) {
        long double e = stfi_signals_get(s, out, i) - want[i];
        wrong += e * e;
        norm += want[i] * want[i];
    }
    return norm > 0 ? fmax((double)sqrtl(wrong), least * (double)sqrtl(norm))
                    : INFINITY;
}

int stfi_signals_measure(const stfi_signals *s, const void *out, double least,
                         double *error)
{
    stf_fft_desc d = s->d;
    stf_plan *plan = NULL;
    int64_t nin = s->in_count * d.batch, nout = s->out_count * d.batch;
    long double *in = malloc((size_t)nin * sizeof *in);
    long double *want = malloc((size_t)nout * sizeof *want);
    int right;

    least *= sqrt(fmax(1, stfi_ft_depth(&d)))
             * stfi_type_get(d.precision)->unit_roundoff;
    d.precision = STF_F80;
    for (int64_t i = 0; i < nin && in; i++)
        in[i] = stfi_signals_get(s, s->in, i);
    right = in && want && !stf_plan_fft(s->dev, &d, &plan)
            && !stf_execute(plan, s->direction, in, want);
    for (int64_t b = 0; b < d.batch && right; b++)
        error[b] = error_of(s, out, want, b * s->out_count, least);
    stf_plan_destroy(plan);
    free(in);
    free(want);
    return right || tap_ok(0, "a measure: %s", stf_error_message());
}

int stfi_signals_check(const stfi_signals *s, stf_ft_report *report_p)
{
    memset(report_p, 0xff, sizeof *report_p);
    if (stf_check_fft(s->dev, &s->d, s->direction, s->in, s->out, report_p))
        return tap_ok(0, "the check: %s", stf_error_message());
    return 1;
}

/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Signals of many kinds; see signals.h. */
#include "tests/ft/signals.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plan/desc.h"
#include "tests/tap.h"

static const double two_pi = 6.28318530717958647692;

double stfi_random_uniform(double low, double high, uint64_t *state)
{
    double u = (double)(stfi_random_u64(state) >> 11) * 0x1p-53;

    return low + (high - low) * u;
}

double stfi_signals_get(const stfi_signals *s, const void *array, int64_t i)
{
    return s->bytes == sizeof(float) ? (double)((const float *)array)[i]
                                     : ((const double *)array)[i];
}

void stfi_signals_set(const stfi_signals *s, void *array, int64_t i,
                      double value)
{
    if (s->bytes == sizeof(float))
        ((float *)array)[i] = (float)value;
    else
        ((double *)array)[i] = value;
}

/* ----------------------------------------------------------- distributions */

/* What a signal is made from: what stays the same within it. */
typedef struct maker {
    uint64_t *state;
    int64_t elements;
    int single;
    double a, b;
    int64_t at;
} maker;

/* Component `part` of element i of each distribution. */
static double normal(const maker *m, int64_t i, int part)
{
    (void)i, (void)part;
    return stfi_random_normal(m->state);
}

static double uniform(const maker *m, int64_t i, int part)
{
    (void)i, (void)part;
    return stfi_random_uniform(-1, 1, m->state);
}

static double constant(const maker *m, int64_t i, int part)
{
    (void)i;
    return part ? m->b : m->a;
}

static double impulse(const maker *m, int64_t i, int part)
{
    return i == m->at ? (part ? m->b : m->a) : 0;
}

/* On a bin, and in every other signal half off one. */
static double tone(const maker *m, int64_t i, int part)
{
    double bin = (double)m->at + (m->a < 0 ? 0.5 : 0);
    double turns = fmod(bin * (double)i, (double)m->elements)
                   / (double)m->elements;

    return part ? sin(two_pi * turns) : cos(two_pi * turns);
}

static double scaled(const maker *m, int64_t i, int part)
{
    (void)i, (void)part;
    return pow(10, 30 * m->b) * stfi_random_normal(m->state);
}

static double mixed_scales(const maker *m, int64_t i, int part)
{
    (void)i, (void)part;
    return pow(10, stfi_random_uniform(-6, 6, m->state))
           * stfi_random_normal(m->state);
}

static double sparse(const maker *m, int64_t i, int part)
{
    (void)i, (void)part;
    return stfi_random_uniform(0, 1, m->state) < 0.01
           ? stfi_random_normal(m->state) : 0;
}

static double real_normal(const maker *m, int64_t i, int part)
{
    (void)i;
    return part ? 0 : stfi_random_normal(m->state);
}

static double positive(const maker *m, int64_t i, int part)
{
    (void)i, (void)part;
    return stfi_random_uniform(0, 1, m->state);
}

static double integer(const maker *m, int64_t i, int part)
{
    (void)i, (void)part;
    return floor(stfi_random_uniform(-100, 101, m->state));
}

static double decaying(const maker *m, int64_t i, int part)
{
    (void)part;
    return pow(10, -30.0 * (double)i / (double)m->elements)
           * stfi_random_normal(m->state);
}

static double denormal(const maker *m, int64_t i, int part)
{
    double power = stfi_random_uniform(-41, -36, m->state);

    (void)i, (void)part;
    return stfi_random_normal(m->state)
           * pow(10, m->single ? power : power - 280);
}

static const struct {
    const char *name;
    double (*make)(const maker *m, int64_t i, int part);
} distributions[STFI_DISTRIBUTIONS] = {
    { "normal", normal },         { "uniform", uniform },
    { "constant", constant },     { "impulse", impulse },
    { "tone", tone },             { "scaled", scaled },
    { "mixed scales", mixed_scales }, { "sparse", sparse },
    { "real", real_normal },      { "positive", positive },
    { "integers", integer },      { "decaying", decaying },
    { "denormal", denormal },
};

const char *stfi_distribution_name(int distribution)
{
    return distributions[distribution].name;
}

static void draw(const stfi_signals *s, int distribution, void *array,
                 int64_t components, int parts, uint64_t *state)
{
    int64_t b, i;

    for (b = 0; b < s->d.batch; b++) {
        maker m = { state, components / parts, s->bytes == sizeof(float),
                    stfi_random_normal(state),
                    stfi_random_uniform(-1, 1, state), 0 };
        m.at = (int64_t)(stfi_random_u64(state) % (uint64_t)m.elements);
        for (i = 0; i < components; i++)
            stfi_signals_set(s, array, b * components + i,
                distributions[distribution].make(&m, i / parts,
                                                 (int)(i % parts)));
    }
}

/* ---------------------------------------------------------------- batches */

static int64_t components(const stf_fft_desc *d, int output)
{
    const stfi_kind *kind = stfi_kind_get(d->kind);
    int64_t count = (output ? kind->real_out : kind->real_in) ? 1 : 2;
    int a;

    for (a = 0; a < d->rank; a++)
        count *= stfi_desc_extent(d, a, output);
    return count;
}

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
    s->bytes = s->d.precision == STF_F32 ? sizeof(float) : sizeof(double);
    for (a = 0; a < s->d.rank; a++)
        points *= (double)s->d.n[a];
    s->d.scale_inverse = 1 / points;
    s->in_count = components(&s->d, 0);
    s->out_count = components(&s->d, 1);
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
        draw(s, distribution, s->in, s->in_count, kind->real_in ? 1 : 2,
             state);
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

int stfi_signals_check(const stfi_signals *s, stf_ft_report *report_p)
{
    memset(report_p, 0xff, sizeof *report_p);
    if (stf_check_fft(s->dev, &s->d, s->direction, s->in, s->out, report_p))
        return tap_ok(0, "the check: %s", stf_error_message());
    return 1;
}

/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Signals of many distributions; see distribution.h. */
#include "support/problem/distribution.h"

#include <math.h>

#include "base/type.h"
#include "support/problem/problem.h"

static const double two_pi = 6.28318530717958647692;

double stfi_random_uniform(double low, double high, uint64_t *state)
{
    double u = (double)(stfi_random_u64(state) >> 11) * 0x1p-53;

    return low + (high - low) * u;
}

/* The parameters of a signal, which are drawn once for all of its elements. */
typedef struct maker {
    uint64_t *state;
    int64_t elements;
    int single, narrow; /* the range of exponents is that of F32, of F16 */
    double a, b;
    int64_t at;
} maker;

/* The functions from here on return component `part` of element i, one function
 * for each distribution. */
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

/* A pure tone, whose frequency is a bin or, in half of the signals, lies half a
 * bin above one. */
static double tone(const maker *m, int64_t i, int part)
{
    double bin = (double)m->at + (m->a < 0 ? 0.5 : 0);
    double turns =
        fmod(bin * (double)i, (double)m->elements) / (double)m->elements;

    return part ? sin(two_pi * turns) : cos(two_pi * turns);
}

static double scaled(const maker *m, int64_t i, int part)
{
    (void)i, (void)part;
    return pow(10, (m->narrow ? 1 : 30) * m->b) * stfi_random_normal(m->state);
}

static double mixed_scales(const maker *m, int64_t i, int part)
{
    double power = stfi_random_uniform(-6, 6, m->state);

    (void)i, (void)part;
    return pow(10, m->narrow ? power / 4 : power)
           * stfi_random_normal(m->state);
}

static double sparse(const maker *m, int64_t i, int part)
{
    (void)i, (void)part;
    return stfi_random_uniform(0, 1, m->state) < 0.01
               ? stfi_random_normal(m->state)
               : 0;
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
           * pow(10, m->narrow   ? power + 34
                     : m->single ? power
                                 : power - 280);
}

static const struct {
    const char *name;
    double (*make)(const maker *m, int64_t i, int part);
} distributions[STFI_DISTRIBUTIONS] = {
    {"normal", normal},
    {"uniform", uniform},
    {"constant", constant},
    {"impulse", impulse},
    {"tone", tone},
    {"scaled", scaled},
    {"mixed scales", mixed_scales},
    {"sparse", sparse},
    {"real", real_normal},
    {"positive", positive},
    {"integers", integer},
    {"decaying", decaying},
    {"denormal", denormal},
};

const char *stfi_distribution_name(int distribution)
{
    return distributions[distribution].name;
}

void stfi_distribution_draw(int distribution, stf_precision precision,
                            int64_t elements, int parts, void *array,
                            uint64_t *state)
{
    maker m = {state,
               elements,
               precision == STF_F32 || precision == STF_BF16,
               precision == STF_F16,
               stfi_random_normal(state),
               stfi_random_uniform(-1, 1, state),
               0};
    double unit = 1;

    /* Sums of F16 data must be below 65504: what is drawn is below 2^7. */
    for (int64_t n = elements; m.narrow && n > 1 << 7; n = (n + 1) / 2)
        unit /= 2;
    m.at = (int64_t)(stfi_random_u64(state) % (uint64_t)elements);
    for (int64_t i = 0; i < elements * parts; i++) {
        double x =
            distributions[distribution].make(&m, i / parts, (int)(i % parts));
        stfi_type_write(precision, array, i, (long double)(x * unit));
    }
}

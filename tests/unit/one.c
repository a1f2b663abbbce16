/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Single short arrays of the cpu, which have kernels of their own: every length up to
 * 256, all of two axes and some of three within that, in each instruction set, both
 * directions, in place and not, with scales that a real of the type holds and not,
 * against F80; and nothing is written behind the array. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/cpu/cpu_executable.h"
#include "base/type.h"
#include "run/fft/fft_plan.h"
#include "support/problem/problem.h"
#include "tests/tap.h"

enum { MOST = 256, BEHIND = 16 };

typedef struct problem {
    stf_precision precision;
    int64_t n; /* of all axes */
    stf_direction direction;
    int in_place;
    double scale;
    int64_t slow[2]; /* lengths of the slowest axes, 0: there is none */
} problem;

static long double want[2 * MOST];
static _Alignas(64) unsigned char in[8 * (2 * MOST + BEHIND)],
    out[8 * (2 * MOST + BEHIND)];

static stf_plan *plan_of(stf_device *dev, const problem *p,
                         stf_precision precision)
{
    stf_fft_desc d = stf_fft_desc_default();
    stf_plan *plan = NULL;

    d.precision = precision;
    d.n[0] = p->n;
    for (int i = 0; i < 2 && p->slow[i] > 0; i++) {
        d.n[i + 1] = d.n[i] / p->slow[i];
        d.n[i] = p->slow[i];
        d.rank++;
    }
    d.threads = 1;
    d.scale_forward = d.scale_inverse = p->scale;
    return stf_plan_fft(dev, &d, &plan) == STF_OK ? plan : NULL;
}

/* The relative error of an execution, or infinity. */
static double error_of(const problem *p, stf_plan *plan)
{
    const size_t bytes = stfi_type_get(p->precision)->bytes;
    unsigned char *to = p->in_place ? in : out;
    double error = 0, power = 0;

    memset(to + 2 * (size_t)p->n * bytes, 0x5a, BEHIND * bytes);
    if (stf_execute(plan, p->direction, in, to) != STF_OK)
        return INFINITY;
    for (size_t i = 0; i < BEHIND * bytes; i++)
        if (to[2 * (size_t)p->n * bytes + i] != 0x5a)
            return INFINITY;
    for (int64_t i = 0; i < 2 * p->n; i++) {
        const long double d = stfi_type_read(p->precision, to, i) - want[i];
        error += (double)(d * d);
        power += (double)(want[i] * want[i]);
    }
    return sqrt(error / power);
}

/* The error in units of the round-off and the root of the stages. */
static double run(stf_device *dev, const problem *p)
{
    const double unit = p->precision == STF_F32 ? 0x1p-24 : 0x1p-53;
    stf_plan *plan = plan_of(dev, p, p->precision);
    stf_plan *exact = plan_of(dev, p, STF_F80);
    double error = INFINITY;

    if (plan != NULL && exact != NULL) {
        for (int64_t i = 0; i < 2 * p->n; i++)
            want[i] = stfi_type_read(p->precision, in, i);
        if (stf_execute(exact, p->direction, want, want) == STF_OK)
            error = error_of(p, plan) / unit / sqrt(1 + log2((double)p->n));
    }
    stf_plan_destroy(plan);
    stf_plan_destroy(exact);
    return error;
}

/* The worst of both directions, places and scales of an array. */
static double worst_of(stf_device *dev, stf_precision precision, int64_t n,
                       int64_t slowest, int64_t slow, uint64_t *state)
{
    static const double scales[] = {1, 0.3};
    double worst = 0;

    for (int how = 0; how < 8; how++) {
        const problem p = {precision,
                           n,
                           how & 1 ? STF_INVERSE : STF_FORWARD,
                           how >> 1 & 1,
                           scales[how >> 2],
                           {slowest, slow}};
        stfi_random_fill(precision, in, 2 * n, state);
        worst = fmax(worst, run(dev, &p));
    }
    return worst;
}

static void test_lengths(stf_device *dev, const char *isa,
                         stf_precision precision)
{
    uint64_t state = tap_seed();
    double worst = 0;

    for (int64_t n = 2; n <= MOST; n++)
        worst = fmax(worst, worst_of(dev, precision, n, 0, 0, &state));
    tap_ok(worst < 2, "%s, %s: lengths up to %d: %.2g", isa,
           stfi_type_get(precision)->name, MOST, worst);
}

/* Axes of up to 17 points, of which there are three as long as they are short. */
static void test_axes(stf_device *dev, const char *isa, stf_precision precision)
{
    enum { AXIS = 17, SHORT = 7 };
    uint64_t state = tap_seed();
    double worst = 0;

    for (int64_t a = 2; a <= AXIS; a++)
        for (int64_t b = 2; b <= AXIS && a * b <= MOST; b++) {
            worst = fmax(worst, worst_of(dev, precision, a * b, a, 0, &state));
            for (int64_t c = 2; a < SHORT && b < SHORT && c < SHORT; c++)
                worst = fmax(worst,
                             worst_of(dev, precision, a * b * c, a, b, &state));
        }
    tap_ok(worst < 2, "%s, %s: arrays of several axes: %.2g", isa,
           stfi_type_get(precision)->name, worst);
}

/* 1 if a single array has such a kernel. */
static int has_kernel(stf_device *dev, stf_precision precision, int64_t n,
                      int64_t slowest, int64_t slow)
{
    const problem p = {
        .precision = precision, .n = n, .scale = 1, .slow = {slowest, slow}};
    stf_plan *plan = plan_of(dev, &p, precision);
    const stfi_exec *x = plan != NULL ? stfi_fft_plan_of(plan)->exec : NULL;
    const int has =
        x != NULL && x->compact != NULL && x->compact->one.run != NULL;

    stf_plan_destroy(plan);
    return has;
}

int main(void)
{
    stf_device *dev;
    const char *isa;

    tap_begin("unit/one");
    for (int i = 0; (isa = stfi_cpu_isa_at(i)) != NULL; i++) {
        setenv("STEADFAST_ISA", isa, 1);
        if (!tap_ok(stf_device_open("cpu", &dev) == STF_OK, "%s", isa))
            continue;
        test_lengths(dev, isa, STF_F32);
        test_lengths(dev, isa, STF_F64);
        test_axes(dev, isa, STF_F32);
        test_axes(dev, isa, STF_F64);
        if (stfi_cpu_isa_bytes(isa) >= 32) {
            tap_ok(has_kernel(dev, STF_F32, 100, 0, 0)
                       && has_kernel(dev, STF_F64, 90, 0, 0),
                   "%s: 100 and 90 points are a grid", isa);
            tap_ok(has_kernel(dev, STF_F32, 210, 5, 6)
                       && has_kernel(dev, STF_F64, 27, 9, 0),
                   "%s: so are 5x6x7 and 9x3", isa);
        }
        stf_device_close(dev);
    }
    return tap_end();
}

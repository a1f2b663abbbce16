/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Short arrays of the cpu, which have kernels of their own: every length up to 256, all
 * of two axes and some of three within that, longer ones, and odd numbers of rows and
 * of arrays; in each instruction set, both directions, in place and not, with scales
 * that a real of the type holds and not, against F80; and nothing is written behind
 * the arrays. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/cpu/cpu_executable.h"
#include "base/type.h"
#include "run/fft/fft_plan.h"
#include "support/problem/problem.h"
#include "tests/tap.h"

enum { MOST = 256, ALL = 7500, BEHIND = 16 };

typedef struct problem {
    stf_precision precision;
    int64_t n, batch; /* n: of all axes */
    stf_direction direction;
    int in_place;
    double scale;
    int64_t slow[2]; /* lengths of the slowest axes, 0: there is none */
} problem;

static long double want[2 * ALL];
static _Alignas(64) unsigned char in[8 * (2 * ALL + BEHIND)],
    out[8 * (2 * ALL + BEHIND)];

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
    d.batch = p->batch;
    d.threads = 1;
    d.scale_forward = d.scale_inverse = p->scale;
    return stf_plan_fft(dev, &d, &plan) == STF_OK ? plan : NULL;
}

/* The relative error of an execution, or infinity. */
static double error_of(const problem *p, stf_plan *plan)
{
    const size_t bytes = stfi_type_get(p->precision)->bytes;
    const int64_t reals = 2 * p->n * p->batch;
    unsigned char *to = p->in_place ? in : out;
    double error = 0, power = 0;

    memset(to + (size_t)reals * bytes, 0x5a, BEHIND * bytes);
    if (stf_execute(plan, p->direction, in, to) != STF_OK)
        return INFINITY;
    for (size_t i = 0; i < BEHIND * bytes; i++)
        if (to[(size_t)reals * bytes + i] != 0x5a)
            return INFINITY;
    for (int64_t i = 0; i < reals; i++) {
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
        for (int64_t i = 0; i < 2 * p->n * p->batch; i++)
            want[i] = stfi_type_read(p->precision, in, i);
        if (stf_execute(exact, p->direction, want, want) == STF_OK)
            error = error_of(p, plan) / unit / sqrt(1 + log2((double)p->n));
    }
    stf_plan_destroy(plan);
    stf_plan_destroy(exact);
    return error;
}

/* The worst of both directions, places and scales of some arrays. */
static double worst_of_many(stf_device *dev, stf_precision precision,
                            int64_t batch, int64_t n, int64_t slowest,
                            int64_t slow, uint64_t *state)
{
    static const double scales[] = {1, 0.3};
    double worst = 0;

    for (int how = 0; how < 8; how++) {
        const problem p = {precision,      n,
                           batch,          how & 1 ? STF_INVERSE : STF_FORWARD,
                           how >> 1 & 1,   scales[how >> 2],
                           {slowest, slow}};
        stfi_random_fill(precision, in, 2 * n * batch, state);
        worst = fmax(worst, run(dev, &p));
    }
    return worst;
}

static double worst_of(stf_device *dev, stf_precision precision, int64_t n,
                       int64_t slowest, int64_t slow, uint64_t *state)
{
    return worst_of_many(dev, precision, 1, n, slowest, slow, state);
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

/* Axes of up to 30 points, of which there are three as long as they are short. */
static void test_axes(stf_device *dev, const char *isa, stf_precision precision)
{
    enum { AXIS = 30, SHORT = 7 };
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

/* Odd numbers of rows, up to one that is computed in several pieces, and of arrays. */
static void test_many(stf_device *dev, const char *isa, stf_precision precision)
{
    enum { SHORT = 30, FEW = 3, ROWS = 5 };
    static const int64_t longer[] = {35,  64,  98,  112, 144, 200, 256, 270,
                                     300, 378, 400, 450, 625, 784, 900};
    static const int64_t shapes[][3] = {
        {4, 4, 0},  {3, 7, 0},    {5, 9, 0},   {23, 2, 0},  {17, 5, 0},
        {6, 91, 0}, {22, 5, 14},  {3, 29, 5},  {16, 16, 8}, {2, 3, 20},
        {30, 5, 7}, {13, 11, 17}, {9, 120, 0}, {28, 30, 0}, {30, 31, 0}};
    uint64_t state = tap_seed();
    double worst = 0;

    for (int64_t n = 2; n <= SHORT; n++)
        for (int64_t batch = 2; batch <= ROWS; batch++)
            worst = fmax(worst,
                         worst_of_many(dev, precision, batch, n, 0, 0, &state));
    for (size_t i = 0; i < sizeof longer / sizeof *longer; i++)
        worst = fmax(worst, worst_of_many(dev, precision, ROWS, longer[i], 0, 0,
                                          &state));
    tap_ok(worst < 2, "%s, %s: several rows: %.2g", isa,
           stfi_type_get(precision)->name, worst);
    worst = 0;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        const int64_t *s = shapes[i];
        const int64_t n = s[0] * s[1] * (s[2] > 0 ? s[2] : 1);
        worst = fmax(worst, worst_of_many(dev, precision, FEW, n, s[0],
                                          s[2] > 0 ? s[1] : 0, &state));
    }
    tap_ok(worst < 2, "%s, %s: several arrays: %.2g", isa,
           stfi_type_get(precision)->name, worst);
}

/* 1 if the plan of some arrays is of a sort. */
static int is_of_sort(stf_device *dev, const problem *p,
                      int (*sort)(const stfi_exec *))
{
    stf_plan *plan = plan_of(dev, p, p->precision);
    const stfi_exec *x = plan != NULL ? stfi_fft_plan_of(plan)->exec : NULL;
    const int is = x != NULL && sort(x);

    stf_plan_destroy(plan);
    return is;
}

static int has_convolution(const stfi_exec *x)
{
    return x->compact != NULL && x->compact->conv != NULL;
}

static int has_kernel_of_its_own(const stfi_exec *x)
{
    return x->compact != NULL
           && (x->compact->one.run != NULL || x->compact->rows != NULL);
}

/* 1 if passes would compute a convolution at several levels: the second-level cache
 * decides. */
static int has_levels(const stfi_exec *x)
{
    for (int i = 0; i < x->schedule.npasses; i++)
        if (x->schedule.pass[i].conv == STFI_CONV_SPREAD)
            return 1;
    return 0;
}

/* 1 if some arrays are computed as convolutions with vectors inside. */
static int is_convolved(stf_device *dev, stf_precision precision, int64_t n,
                        int64_t batch)
{
    const problem p = {
        .precision = precision, .n = n, .batch = batch, .scale = 1};

    return is_of_sort(dev, &p, has_convolution);
}

/* Many arrays of a length that passes compute at several levels. */
static void test_long_convolutions(stf_device *dev, const char *isa,
                                   stf_precision precision)
{
    enum { LENGTH = 14983, BATCH = 50 };
    const char *type = stfi_type_get(precision)->name;
    const problem p = {
        .precision = precision, .n = LENGTH, .batch = BATCH, .scale = 1};

    if (is_of_sort(dev, &p, has_levels))
        tap_ok(is_of_sort(dev, &p, has_convolution),
               "%s, %s: so have many long ones", isa, type);
    else
        tap_skip("the cache holds long ones", "%s, %s: so have many long ones",
                 isa, type);
}

/* Large primes, alone and times others, by both methods; short enough for one pass of
 * the schedule and not; alone and a few. */
static void test_convolutions(stf_device *dev, const char *isa,
                              stf_precision precision)
{
    static const int64_t alone[] = {317,  331,  503,  634,  951,  1021,
                                    2017, 2039, 2053, 4106, 5003, 7001};
    static const int64_t few[][2] = {{137, 2}, {137, 3}, {317, 4},
                                     {331, 2}, {37, 2},  {2053, 3}};
    uint64_t state = tap_seed();
    double worst = 0;

    for (size_t i = 0; i < sizeof alone / sizeof *alone; i++)
        worst = fmax(worst, worst_of(dev, precision, alone[i], 0, 0, &state));
    for (size_t i = 0; i < sizeof few / sizeof *few; i++)
        worst = fmax(worst, worst_of_many(dev, precision, few[i][1], few[i][0],
                                          0, 0, &state));
    tap_ok(worst < 2, "%s, %s: lengths with large primes: %.2g", isa,
           stfi_type_get(precision)->name, worst);
    if (stfi_cpu_isa_bytes(isa) > 16)
        test_long_convolutions(dev, isa, precision);
    if (stfi_cpu_isa_bytes(isa) > 8)
        tap_ok(is_convolved(dev, precision, 317, 1)
                   && is_convolved(dev, precision, 331, 1)
                   && is_convolved(dev, precision, 5003, 1)
                   && !is_convolved(dev, precision, 317, 50)
                   && !is_convolved(dev, precision, 360, 1),
               "%s, %s: these have vectors inside if they would not fill lanes",
               isa, stfi_type_get(precision)->name);
}

/* 1 if some arrays have such a kernel. */
static int has_kernel_for(stf_device *dev, stf_precision precision,
                          int64_t batch, int64_t n, int64_t slowest,
                          int64_t slow)
{
    const problem p = {.precision = precision,
                       .n = n,
                       .batch = batch,
                       .scale = 1,
                       .slow = {slowest, slow}};

    return is_of_sort(dev, &p, has_kernel_of_its_own);
}

static int has_kernel(stf_device *dev, stf_precision precision, int64_t n,
                      int64_t slowest, int64_t slow)
{
    return has_kernel_for(dev, precision, 1, n, slowest, slow);
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
        test_many(dev, isa, STF_F32);
        test_many(dev, isa, STF_F64);
        test_convolutions(dev, isa, STF_F32);
        test_convolutions(dev, isa, STF_F64);
        if (stfi_cpu_isa_bytes(isa) == 32)
            tap_ok(has_kernel_for(dev, STF_F64, 5, 14, 0, 0)
                       && has_kernel_for(dev, STF_F64, 5, 400, 0, 0)
                       && has_kernel_for(dev, STF_F64, 3, 450, 5, 6)
                       && has_kernel_for(dev, STF_F64, 3, 1463, 11, 7),
                   "%s: so have 14 and 400 points, 5x6x15 and 11x7x19", isa);
        if (stfi_cpu_isa_bytes(isa) >= 32) {
            tap_ok(has_kernel(dev, STF_F32, 100, 0, 0)
                       && has_kernel(dev, STF_F64, 90, 0, 0),
                   "%s: 100 and 90 points are a grid", isa);
            tap_ok(has_kernel(dev, STF_F32, 210, 5, 6)
                       && has_kernel(dev, STF_F64, 27, 9, 0),
                   "%s: so are 5x6x7 and 9x3", isa);
            tap_ok(has_kernel(dev, STF_F32, 22, 11, 0)
                       && has_kernel(dev, STF_F32, 12, 3, 2),
                   "%s: so are 11x2 and 3x2x2, with few columns", isa);
        }
        stf_device_close(dev);
    }
    return tap_end();
}

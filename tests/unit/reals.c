/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Single real arrays of the cpu and their half spectra, and those of real to real kinds,
 * which are computed around a complex transform: lengths up to 300 (kinds: 150) and some
 * more, in each instruction set, in place and not, with scales that a real of the type
 * holds and not, against F80; and nothing is written behind the array, or to an input
 * that is not the output. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/cpu/cpu_executable.h"
#include "base/type.h"
#include "run/fft/fft_plan.h"
#include "support/problem/problem.h"
#include "tests/tap.h"

enum { SHORT = 300, SHORT_KIND = 150, MOST = 8192, REALS = MOST + 32 };

typedef struct problem {
    stf_kind kind;
    stf_precision precision;
    int64_t n, batch;
    int inverse; /* the direction */
    int in_place;
    double scale;
} problem;

static _Alignas(64) long double exact[2][REALS];
static _Alignas(64) unsigned char in[8 * REALS], out[8 * REALS],
    before[8 * REALS];

/* 1 if a side, number 0 or 1, is half a spectrum. */
static int is_half(const problem *p, int side)
{
    return p->kind == (side == 0 ? STF_C2R : STF_R2C);
}

/* The reals of the array that a side has. */
static int64_t reals_of(const problem *p, int side)
{
    return p->batch * (is_half(p, side) ? p->n / 2 * 2 + 2 : p->n);
}

static stf_plan *plan_of(stf_device *dev, const problem *p,
                         stf_precision precision)
{
    stf_fft_desc d = stf_fft_desc_default();
    stf_plan *plan = NULL;

    d.kind = p->kind;
    d.precision = precision;
    d.n[0] = p->n;
    d.batch = p->batch;
    d.threads = 1;
    d.scale_forward = d.scale_inverse = p->scale;
    return stf_plan_fft(dev, &d, &plan) == STF_OK ? plan : NULL;
}

/* The place of real i of a side in an array in place, whose rows are padded. */
static int64_t place_of(const problem *p, int side, int64_t i)
{
    return p->in_place && is_half(p, !side)
               ? i / p->n * (p->n / 2 * 2 + 2) + i % p->n
               : i;
}

/* The relative error of an execution, or infinity. */
static double error_of(const problem *p, stf_plan *plan)
{
    const size_t bytes = stfi_type_get(p->precision)->bytes;
    const int64_t most = reals_of(p, 1) > reals_of(p, 0) || !p->in_place
                             ? reals_of(p, 1)
                             : reals_of(p, 0);
    unsigned char *from = p->in_place ? out : in;
    double error = 0, power = 0;

    memset(in, 0x5a, sizeof in);
    memset(out, 0x5a, sizeof out);
    for (int64_t i = 0; i < reals_of(p, 0); i++)
        stfi_type_write(p->precision, from, place_of(p, 0, i), exact[0][i]);
    memcpy(before, in, sizeof in);
    if (stf_execute(plan, p->inverse ? STF_INVERSE : STF_FORWARD, from, out)
            != STF_OK
        || memcmp(in, before, sizeof in) != 0)
        return INFINITY;
    for (size_t i = (size_t)most * bytes; i < sizeof out; i++)
        if (out[i] != 0x5a)
            return INFINITY;
    for (int64_t i = 0; i < reals_of(p, 1); i++) {
        const long double d =
            stfi_type_read(p->precision, out, place_of(p, 1, i)) - exact[1][i];
        error += (double)(d * d);
        power += (double)(exact[1][i] * exact[1][i]);
    }
    return sqrt(error / power);
}

/* The error in units of the round-off and the root of the stages, of real to real kinds
 * of their logical length. */
static double run(stf_device *dev, const problem *p, uint64_t *state)
{
    const double unit = p->precision == STF_F32 ? 0x1p-24 : 0x1p-53;
    stf_plan *plan = plan_of(dev, p, p->precision);
    stf_plan *better = plan_of(dev, p, STF_F80);
    double error = INFINITY;

    if (plan != NULL && better != NULL) {
        stfi_random_fill(p->precision, in, REALS, state);
        for (int64_t i = 0; i < REALS; i++)
            exact[0][i] = stfi_type_read(p->precision, in, i);
        if (stf_execute(better, p->inverse ? STF_INVERSE : STF_FORWARD,
                        exact[0], exact[1])
            == STF_OK)
            error = error_of(p, plan) / unit
                    / sqrt(1 + stfi_kind_is_r2r(p->kind) + log2((double)p->n));
    }
    stf_plan_destroy(plan);
    stf_plan_destroy(better);
    return error;
}

static double worst_of(stf_device *dev, stf_kind kind, stf_precision precision,
                       int64_t n, int64_t batch, uint64_t *state)
{
    static const double scales[] = {1, 0.3};
    const int own = stfi_kind_get(kind)->inverse == kind;
    double worst = 0;

    for (int how = 0; how < (own ? 8 : 4); how++) {
        const problem p = {kind,
                           precision,
                           n,
                           batch,
                           own ? how >> 2 : kind == STF_C2R,
                           how & 1,
                           scales[how >> 1 & 1]};
        worst = fmax(worst, run(dev, &p, state));
    }
    return worst;
}

static void test_lengths(stf_device *dev, const char *isa, stf_kind kind,
                         stf_precision precision)
{
    static const int64_t more[] = {450,  512,  613,  637,  1000,
                                   1001, 1024, 1238, 2048, 3003,
                                   4096, 4099, 6750, 8186, 8192};
    const int64_t most = stfi_kind_is_r2r(kind) ? SHORT_KIND : SHORT;
    uint64_t state = tap_seed();
    double worst = 0;

    for (int64_t n = 2; n <= most; n++)
        worst = fmax(worst, worst_of(dev, kind, precision, n, 1, &state));
    for (size_t i = 0; i < sizeof more / sizeof *more; i++)
        worst = fmax(worst, worst_of(dev, kind, precision, more[i], 1, &state));
    worst = fmax(worst, worst_of(dev, kind, precision, 30, 3, &state));
    worst = fmax(worst, worst_of(dev, kind, precision, 2048, 3, &state));
    worst = fmax(worst, worst_of(dev, kind, precision, 149, 2, &state));
    worst = fmax(worst, worst_of(dev, kind, precision, 317, 25, &state));
    tap_ok(worst < 2, "%s, %s: single arrays of %s: %.2g", isa,
           stfi_type_get(precision)->name, stfi_kind_get(kind)->name, worst);
}

/* 1 if a single array is computed so, around a convolution or not. DCT1 and DST1 have
 * factors if their extensions have some. */
static int is_inside(stf_device *dev, stf_kind kind, stf_precision precision,
                     int64_t n, int convolved)
{
    const int64_t more = (kind == STF_DCT1) - (kind == STF_DST1);
    const problem p = {kind, precision, n + more, 1, 0, 0, 1};
    stf_plan *plan = plan_of(dev, &p, precision);
    const stfi_exec *x = plan != NULL ? stfi_fft_plan_of(plan)->exec : NULL;
    const int is = x != NULL && x->compact != NULL && x->compact->reals != NULL
                   && (x->compact->conv != NULL) == convolved;

    stf_plan_destroy(plan);
    return is;
}

static void test_kind(stf_device *dev, const char *isa, stf_kind kind)
{
    test_lengths(dev, isa, kind, STF_F32);
    test_lengths(dev, isa, kind, STF_F64);
    /* Plain C has vectors of one number. */
    if (stfi_cpu_isa_bytes(isa) > 4)
        tap_ok(is_inside(dev, kind, STF_F32, 16, 0)
                   && is_inside(dev, kind, STF_F32, 6, 0)
                   && is_inside(dev, kind, STF_F64, 135, 0)
                   && is_inside(dev, kind, STF_F32, 1000, 0)
                   && is_inside(dev, kind, STF_F64, 512, 0),
               "%s: short arrays of %s have vectors inside", isa,
               stfi_kind_get(kind)->name);
    if (stfi_cpu_isa_bytes(isa) > 4)
        tap_ok(is_inside(dev, kind, STF_F32, 613, 1)
                   && is_inside(dev, kind, STF_F64, 619, 1)
                   && is_inside(dev, kind, STF_F64, 4099, 1),
               "%s: so have those of %s with large primes", isa,
               stfi_kind_get(kind)->name);
}

int main(void)
{
    static const stf_kind kinds[] = {
        STF_R2C,  STF_C2R,  STF_R2HC, STF_HC2R, STF_DHT,  STF_DCT1, STF_DCT2,
        STF_DCT3, STF_DCT4, STF_DST1, STF_DST2, STF_DST3, STF_DST4,
    };
    stf_device *dev;
    const char *isa;

    tap_begin("unit/reals");
    for (int i = 0; (isa = stfi_cpu_isa_at(i)) != NULL; i++) {
        setenv("STEADFAST_ISA", isa, 1);
        if (!tap_ok(stf_device_open("cpu", &dev) == STF_OK, "%s", isa))
            continue;
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
            test_kind(dev, isa, kinds[k]);
        stf_device_close(dev);
    }
    return tap_end();
}

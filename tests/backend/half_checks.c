/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* What is special of F16 and BF16, on any device; see half_checks.h. */
#include "tests/backend/half_checks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fft/desc.h"
#include "run/fft/fft_plan.h"
#include "support/problem/problem.h"
#include "tests/tap.h"

enum { CODES = 1 << 16 };

static stf_status run(const half_rig *rig, stf_plan *plan, stf_direction way,
                      const void *in, void *out)
{
    return rig->dev == rig->cpu ? stf_execute(plan, way, in, out)
                                : stf_execute_host(plan, way, in, out);
}

/* ------------------------------------------------------------ conversions */

/* Transforms of one point are copies, times the scale: of every code as the
 * elements of one batch, which lie in memory in some way. */
static const struct {
    const char *name;
    stf_kind kind;
    int rows;     /* the batch is split into transforms of so many points */
    int64_t step; /* from element to element */
} ways[] = {
    {"neighbouring columns", STF_C2C, 1, 1},
    {"columns apart", STF_C2C, 1, 3},
    {"reals", STF_DHT, 1, 1},
    {"reals apart", STF_DHT, 1, 2},
};

static const double scales[] = {1,          1 + 0x1p-11, 1 + 0x1p-8, 1.7,
                                -0x1p-14,   0x1p-12,     0x1.8p-9,   3,
                                0x1.ffep+0, 0x1p-7};

enum { SCALES = sizeof scales / sizeof *scales };

/* What each code times each scale, rounded to F32, rounds to. */
static uint16_t wanted[SCALES][CODES];

static void make_wanted(stf_precision p)
{
    for (int k = 0; k < SCALES; k++)
        for (int code = 0; code < CODES; code++) {
            uint16_t from = (uint16_t)code;
            float x = (float)(stfi_type_read(p, &from, 0) * scales[k]);
            stfi_type_write(p, wanted[k], code, (long double)x);
        }
}

/* 1 if a code is what is wanted. Any NaN is NaN, and with `any_zero` zeros of
 * either sign are the same. */
static int is_right(stf_precision p, uint16_t want, uint16_t code, int any_zero)
{
    int top = p == STF_F16 ? 0x7c00 : 0x7f80;

    return want == code || ((want & 0x7fff) > top && (code & 0x7fff) > top)
           || (any_zero && ((want | code) & 0x7fff) == 0);
}

/* Fills elements with all codes, so that neighbours differ. */
static uint16_t code_of(int64_t i)
{
    return (uint16_t)(i * 40503);
}

static void test_way(const half_rig *rig, stf_precision p, int w, int most)
{
    const int parts = ways[w].kind == STF_C2C ? 2 : 1;
    const int64_t step = ways[w].step, count = CODES / parts;
    const size_t bytes = (size_t)(CODES * step) * sizeof(uint16_t);
    uint16_t *in = malloc(bytes), *out = malloc(bytes);
    int wrong = 0, right = in != NULL && out != NULL;

    for (int k = 0; k < most && right; k++) {
        stf_fft_desc d = stf_fft_desc_default();
        stf_plan *plan = NULL;
        d.kind = ways[w].kind;
        d.precision = p;
        d.batch = count;
        d.in.dist = d.out.dist = step;
        d.scale_forward = scales[k];
        memset(in, 0, bytes);
        for (int64_t i = 0; i < CODES; i++)
            in[i / parts * parts * step + i % parts] = code_of(i);
        right = !stf_plan_fft(rig->dev, &d, &plan)
                && !run(rig, plan, STF_FORWARD, in, out);
        for (int64_t i = 0; i < CODES && right; i++) {
            int64_t at = i / parts * parts * step + i % parts;
            wrong += !is_right(p, wanted[k][in[at]], out[at], 0);
        }
        stf_plan_destroy(plan);
    }
    free(in);
    free(out);
    tap_ok(right && wrong == 0, "%s, %s, %s: %d of %d codes wrong%s%s",
           rig->name, stfi_type_get(p)->name, ways[w].name, wrong, most * CODES,
           right ? "" : ": ", right ? "" : stf_error_message());
}

/* An impulse of every code at the first place of rows, whose transform is a row
 * of that code: vectors along rows, all in use or some. */
static void test_rows(const half_rig *rig, stf_precision p, int n)
{
    stf_fft_desc d = stf_fft_desc_default();
    stf_plan *plan = NULL;
    uint16_t *in = calloc((size_t)CODES * 2 * (size_t)n, sizeof *in);
    uint16_t *out = calloc((size_t)CODES * 2 * (size_t)n, sizeof *out);
    int wrong = 0, right = in != NULL && out != NULL;

    d.precision = p;
    d.n[0] = n;
    d.batch = CODES - 1; /* the last tile is not full */
    for (int64_t i = 0; i < d.batch && right; i++)
        in[2 * n * i] = code_of(i);
    right = right && !stf_plan_fft(rig->dev, &d, &plan)
            && !run(rig, plan, STF_FORWARD, in, out);
    for (int64_t i = 0; i < d.batch * n && right; i++)
        wrong += !is_right(p, wanted[0][in[i / n * 2 * n]], out[2 * i], 1);
    tap_ok(right && wrong == 0, "%s, %s, rows of %d: %d codes wrong", rig->name,
           stfi_type_get(p)->name, n, wrong);
    stf_plan_destroy(plan);
    free(in);
    free(out);
}

void half_check_codes(const half_rig *rig, stf_precision p, int brief)
{
    make_wanted(p);
    for (size_t w = 0; w < sizeof ways / sizeof *ways; w++)
        test_way(rig, p, (int)w, brief ? 4 : SCALES);
    test_rows(rig, p, 8);
    test_rows(rig, p, 12);
}

/* -------------------------------------------------------------- roundings */

/* Stages on matrix units that round what they take: the first one of a pass takes
 * what is a half already, if nothing changes it on the way. */
static int rounding_stages(const stfi_pass *p)
{
    const int changed = p->twiddle.on_load || p->load.turn != STFI_TURN_NONE
                        || p->op != STFI_OP_FFT;
    int count = 0;

    for (int s = changed ? 0 : 1; s < p->nstages; s++)
        count += (int)(p->matrix >> s & 1);
    return count;
}

/* Passes that store halves, each of which rounds once, and stages that round. */
static int roundings_of(const stf_plan *plan)
{
    const stfi_schedule *s = stfi_fft_plan_of(plan)->schedule;
    int count = 0;

    for (int i = 0; i < s->npasses; i++)
        count += (stfi_schedule_format(s, s->pass[i].store.buf) == s->precision)
                 + rounding_stages(&s->pass[i]);
    return count;
}

/* Transforms the problem's data in F64, and returns the relative error of `out`
 * in units of the round-off; NaN if that is not possible. */
static double error_of(stf_device *cpu, const stf_fft_desc *d,
                       stf_direction way, int64_t nin, const void *in,
                       int64_t nout, const void *out)
{
    stf_fft_desc wide = *d;
    stf_plan *plan = NULL;
    double *x = calloc((size_t)nin, sizeof *x);
    double *want = calloc((size_t)nout, sizeof *want), error = 0, norm = 0;
    int right = x && want;

    wide.precision = STF_F64;
    wide.compute = STF_COMPUTE_NATIVE;
    for (int64_t i = 0; i < nin && right; i++)
        x[i] = (double)stfi_type_read(d->precision, in, i);
    right = right && !stf_plan_fft(cpu, &wide, &plan)
            && !stf_execute(plan, way, x, want);
    for (int64_t i = 0; i < nout && right; i++) {
        double e = (double)stfi_type_read(d->precision, out, i) - want[i];
        error += e * e;
        norm += want[i] * want[i];
    }
    stf_plan_destroy(plan);
    free(x);
    free(want);
    return right
               ? sqrt(error / norm) / stfi_type_get(d->precision)->unit_roundoff
               : NAN;
}

void half_check_rounding(const half_rig *rig, const char *word)
{
    stfi_problem p;
    stf_plan *plan = NULL;
    uint64_t state = tap_seed();
    int right = !stfi_problem_parse(word, &p)
                && !stf_plan_fft(rig->dev, &p.desc, &plan);
    const stf_fft_desc *d = &p.desc;
    int64_t nin = right ? stfi_problem_components(d, 0) * d->batch : 1;
    int64_t nout = right ? stfi_problem_components(d, 1) * d->batch : 1;
    void *in = malloc((size_t)nin * 2), *out = malloc((size_t)nout * 2);
    stf_direction way = d->kind == STF_C2R ? STF_INVERSE : STF_FORWARD;
    double error = NAN, most_error = 0;

    if (right && in && out) {
        stfi_random_fill(d->precision, in, nin, &state);
        right = !run(rig, plan, way, in, out);
        error = error_of(rig->cpu, d, way, nin, in, nout, out);
        most_error = 0.5 * sqrt(roundings_of(plan));
    }
    tap_ok(right && error <= most_error,
           "%s: %s: error %.3f u, at most %.3f%s%s", rig->name, word, error,
           most_error, right ? "" : ": ", right ? "" : stf_error_message());
    stf_plan_destroy(plan);
    free(in);
    free(out);
}

/* ------------------------------------------------------------------ range */

void half_check_range(const half_rig *rig, const char *word, int exponent,
                      int shift)
{
    stfi_problem p;
    stf_plan *plan = NULL;
    int right = !stfi_problem_parse(word, &p), wrong = 0;
    int64_t count = right ? stfi_problem_components(&p.desc, 0) / 2 : 1;
    double value = ldexp(1, exponent), sum = value * (double)count;
    /* Units cut off what they shift out of a sum, so that what cancels leaves a rest. */
    const int on_units = right && p.desc.compute == STF_COMPUTE_TENSOR;
    double rest = on_units ? ldexp(sum, -shift - 11) : 0;
    uint16_t *x = calloc((size_t)count * 2, sizeof *x);

    p.desc.scale_inverse = ldexp(1, -shift);
    for (int64_t i = 0; i < count && x; i++)
        stfi_type_write(p.desc.precision, x, 2 * i, (long double)value);
    right = right && x && !stf_plan_fft(rig->dev, &p.desc, &plan)
            && !run(rig, plan, STF_INVERSE, x, x);
    for (int64_t i = 1; i < 2 * count && right; i++)
        wrong +=
            !(fabs((double)stfi_type_read(p.desc.precision, x, i)) <= rest);
    tap_ok(right && wrong == 0
               && stfi_type_read(p.desc.precision, x, 0)
                      == (long double)ldexp(sum, -shift),
           "%s: %s: constant 2^%d, scale 2^-%d: %Lg and %d others", rig->name,
           word, exponent, shift,
           right ? stfi_type_read(p.desc.precision, x, 0) : 0.0L, wrong);
    stf_plan_destroy(plan);
    free(x);
}

/* ---------------------------------------------------------- other signals */

/* Compares results of two runs, of which signal `odd` was another one in the
 * second; returns how many of the others differ, or are numbers that have to be
 * NaN. */
static int64_t count_touched(const stfi_problem *p, int64_t odd, int is_nan,
                             const uint16_t *clean, const uint16_t *out)
{
    const int64_t each = stfi_problem_components(&p->desc, 1);
    const int64_t count = each * p->desc.batch;
    int64_t touched = 0;

    for (int64_t i = 0; i < count; i++)
        touched += i / each != odd ? clean[i] != out[i]
                                   : is_nan
                                         && !isnan((double)stfi_type_read(
                                             p->desc.precision, out, i));
    return touched;
}

void half_check_others(const half_rig *rig, const char *word)
{
    static const double values[] = {NAN, INFINITY, 65504};
    uint64_t state = tap_seed();
    stfi_problem p;
    stf_plan *plan = NULL;
    int right = !stfi_problem_parse(word, &p);
    const int64_t each = right ? stfi_problem_components(&p.desc, 0) : 1;
    const int64_t count = each * p.desc.batch, odd = p.desc.batch / 2;
    const int64_t results =
        right ? stfi_problem_components(&p.desc, 1) * p.desc.batch : 1;
    uint16_t *in = calloc((size_t)count, sizeof *in);
    uint16_t *clean = calloc((size_t)results, sizeof *clean);
    uint16_t *out = calloc((size_t)results, sizeof *out);
    int64_t touched = 0;

    right =
        right && in && clean && out && !stf_plan_fft(rig->dev, &p.desc, &plan);
    if (right)
        stfi_random_fill(p.desc.precision, in, count, &state);
    right = right && !run(rig, plan, STF_FORWARD, in, clean);
    for (int k = 0; k < 3 && right; k++) {
        for (int64_t i = odd * each; i < (odd + 1) * each; i++)
            stfi_type_write(p.desc.precision, in, i, (long double)values[k]);
        right = !run(rig, plan, STF_FORWARD, in, out);
        touched += count_touched(&p, odd, k == 0, clean, out);
    }
    tap_ok(right && touched == 0, "%s: %s: %lld results by other signals%s%s",
           rig->name, word, (long long)touched, right ? "" : ": ",
           right ? "" : stf_error_message());
    stf_plan_destroy(plan);
    free(in);
    free(clean);
    free(out);
}

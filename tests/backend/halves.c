/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* What is special of F16 and BF16: all of their values through every way of
 * loading and storing of each instruction set, the number of roundings, and the
 * range between passes. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fft/desc.h"
#include "run/fft/fft_plan.h"
#include "support/problem/problem.h"
#include "tests/tap.h"

enum { CODES = 1 << 16 };

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

static void test_way(stf_device *cpu, const char *isa, stf_precision p, int w)
{
    const int parts = ways[w].kind == STF_C2C ? 2 : 1;
    const int64_t step = ways[w].step, count = CODES / parts;
    const size_t bytes = (size_t)(CODES * step) * sizeof(uint16_t);
    uint16_t *in = malloc(bytes), *out = malloc(bytes);
    int wrong = 0, right = in != NULL && out != NULL;

    for (int k = 0; k < SCALES && right; k++) {
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
        right = !stf_plan_fft(cpu, &d, &plan)
                && !stf_execute(plan, STF_FORWARD, in, out);
        for (int64_t i = 0; i < CODES && right; i++) {
            int64_t at = i / parts * parts * step + i % parts;
            wrong += !is_right(p, wanted[k][in[at]], out[at], 0);
        }
        stf_plan_destroy(plan);
    }
    free(in);
    free(out);
    tap_ok(right && wrong == 0, "%s, %s, %s: %d of %d codes wrong%s%s", isa,
           stfi_type_get(p)->name, ways[w].name, wrong, SCALES * CODES,
           right ? "" : ": ", right ? "" : stf_error_message());
}

/* An impulse of every code at the first place of rows, whose transform is a row
 * of that code: vectors along rows, all in use or some. */
static void test_rows(stf_device *cpu, const char *isa, stf_precision p, int n)
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
    right = right && !stf_plan_fft(cpu, &d, &plan)
            && !stf_execute(plan, STF_FORWARD, in, out);
    for (int64_t i = 0; i < d.batch * n && right; i++)
        wrong += !is_right(p, wanted[0][in[i / n * 2 * n]], out[2 * i], 1);
    tap_ok(right && wrong == 0, "%s, %s, rows of %d: %d codes wrong", isa,
           stfi_type_get(p)->name, n, wrong);
    stf_plan_destroy(plan);
    free(in);
    free(out);
}

static void test_isa(const char *isa, stf_precision p)
{
    stf_device *cpu = NULL;

    setenv("STEADFAST_ISA", isa, 1);
    if (stf_device_open("cpu", &cpu)) {
        tap_skip(stf_error_message(), "conversions by %s", isa);
        return;
    }
    for (size_t w = 0; w < sizeof ways / sizeof *ways; w++)
        test_way(cpu, isa, p, (int)w);
    test_rows(cpu, isa, p, 8);
    test_rows(cpu, isa, p, 12);
    stf_device_close(cpu);
}

/* -------------------------------------------------------------- roundings */

/* Passes that store halves, each of which rounds once. */
static int roundings_of(const stf_plan *plan)
{
    const stfi_schedule *s = stfi_fft_plan_of(plan)->schedule;
    int count = 0;

    for (int i = 0; i < s->npasses; i++)
        count += stfi_schedule_format(s, s->pass[i].store.buf) == s->precision;
    return count;
}

static const char *const words[] = {
    "c2c:f16:16*50",   "c2c:bf16:1024*3",         "c2c:f16:16384",
    "c2c:bf16:1009",   "c2c:f16:12007",           "c2c:f16:32x48",
    "c2c:bf16:8x9x10", "r2c:f16:1000*3",          "r2c:bf16:105*9",
    "r2c:f16:20000",   "c2r:f16:1024*3",          "c2r:bf16:24x36",
    "dct2:f16:512*3",  "dst1:bf16:1000",          "dct4:f16:16384",
    "dht:bf16:30x40",  "r2r=dct1+hc2r:f16:33x20",
};

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

/* The error of normal data, which is no promise: more would mean that something
 * is rounded twice. */
static void test_word(stf_device *cpu, const char *word)
{
    stfi_problem p;
    stf_plan *plan = NULL;
    uint64_t state = tap_seed();
    int right =
        !stfi_problem_parse(word, &p) && !stf_plan_fft(cpu, &p.desc, &plan);
    const stf_fft_desc *d = &p.desc;
    int64_t nin = right ? stfi_problem_components(d, 0) * d->batch : 1;
    int64_t nout = right ? stfi_problem_components(d, 1) * d->batch : 1;
    void *in = malloc((size_t)nin * 2), *out = malloc((size_t)nout * 2);
    stf_direction way = d->kind == STF_C2R ? STF_INVERSE : STF_FORWARD;
    double error = NAN, most_error = 0;

    if (right && in && out) {
        stfi_random_fill(d->precision, in, nin, &state);
        right = !stf_execute(plan, way, in, out);
        error = error_of(cpu, d, way, nin, in, nout, out);
        most_error = 0.5 * sqrt(roundings_of(plan));
    }
    tap_ok(right && error <= most_error, "%s: error %.3f u, at most %.3f%s%s",
           word, error, most_error, right ? "" : ": ",
           right ? "" : stf_error_message());
    stf_plan_destroy(plan);
    free(in);
    free(out);
}

/* ------------------------------------------------------------------ range */

/* A constant of 2^exponent, whose sum over all points leaves the range of F16,
 * is transformed with a scale of 2^-shift. The result is one number. */
static void test_range(stf_device *cpu, const char *word, int exponent,
                       int shift)
{
    stfi_problem p;
    stf_plan *plan = NULL;
    int right = !stfi_problem_parse(word, &p), wrong = 0;
    int64_t count = right ? stfi_problem_components(&p.desc, 0) / 2 : 1;
    double value = ldexp(1, exponent), sum = value * (double)count;
    uint16_t *x = calloc((size_t)count * 2, sizeof *x);

    p.desc.scale_inverse = ldexp(1, -shift);
    for (int64_t i = 0; i < count && x; i++)
        stfi_type_write(p.desc.precision, x, 2 * i, (long double)value);
    right = right && x && !stf_plan_fft(cpu, &p.desc, &plan)
            && !stf_execute(plan, STF_INVERSE, x, x);
    for (int64_t i = 1; i < 2 * count && right; i++)
        wrong += stfi_type_read(p.desc.precision, x, i) != 0;
    tap_ok(right && wrong == 0
               && stfi_type_read(p.desc.precision, x, 0)
                      == (long double)ldexp(sum, -shift),
           "%s: constant 2^%d, scale 2^-%d: %Lg and %d others", word, exponent,
           shift, right ? stfi_type_read(p.desc.precision, x, 0) : 0.0L, wrong);
    stf_plan_destroy(plan);
    free(x);
}

static void test_describe(stf_device *cpu)
{
    stf_fft_desc d = stf_fft_desc_default();
    stf_plan *plan = NULL;
    char text[4096] = "";
    int right;

    d.precision = STF_F16;
    d.compute = STF_COMPUTE_TENSOR;
    d.n[0] = 64;
    right = !stf_plan_fft(cpu, &d, &plan)
            && !stf_plan_describe(plan, text, sizeof text);
    tap_ok(right && strstr(text, "native"),
           "a plan that has no matrix stages says so");
    stf_plan_destroy(plan);
}

int main(void)
{
    stf_device *cpu = NULL;

    tap_begin("backend/halves");
    for (int p = STF_F16; p <= STF_BF16; p++) {
        make_wanted((stf_precision)p);
        test_isa("base", (stf_precision)p);
        test_isa("avx2", (stf_precision)p);
        test_isa("avx512", (stf_precision)p);
    }
    unsetenv("STEADFAST_ISA");
    if (stf_device_open("cpu", &cpu))
        return tap_ok(0, "%s", stf_error_message()), tap_end();
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        test_word(cpu, words[i]);
    test_range(cpu, "c2c:f16:in:64x64", 10, 12);
    test_range(cpu, "c2c:f16:in:32x32x32", 15, 15);
    test_range(cpu, "c2c:f16:in:16x16x16x16", 12, 14);
    test_range(cpu, "c2c:f16:in:16384", 15, 14);
    test_range(cpu, "c2c:bf16:in:32x32x32", 100, 15);
    test_describe(cpu);
    stf_device_close(cpu);
    return tap_end();
}

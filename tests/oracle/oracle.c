/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Tests of the oracle itself: direct sums of data that can be checked by hand,
 * against the inverse, and against FFTW in long double where it is
 * installed. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/oracle/naive.h"
#include "fft/desc.h"
#include "support/harness/second.h"
#include "support/harness/trial.h"
#include "tests/tap.h"

/* A transform that is small enough to compute by hand. */
typedef struct by_hand {
    const char *word;
    stf_direction direction;
    double in[8], out[10]; /* components */
    int count;             /* number of components of the output */
} by_hand;

static const by_hand rows[] = {
    {"c2c:f64:out:1", STF_FORWARD, {3, -4}, {3, -4}, 2},
    {"c2c:f64:out:2", STF_FORWARD, {1, 2, 3, 5}, {4, 7, -2, -3}, 4},
    {"c2c:f64:out:2", STF_INVERSE, {1, 2, 3, 5}, {4, 7, -2, -3}, 4},
    {"c2c:f64:out:4",
     STF_FORWARD,
     {1, 0, 2, 0, 3, 0, 4, 0},
     {10, 0, -2, 2, -2, 0, -2, -2},
     8},
    {"c2c:f64:out:4",
     STF_INVERSE,
     {1, 0, 2, 0, 3, 0, 4, 0},
     {10, 0, -2, -2, -2, 0, -2, 2},
     8},
    {"c2c:f64:out:4",
     STF_FORWARD,
     {0, 0, 0, 1, 0, 0, 0, 0},
     {0, 1, 1, 0, 0, -1, -1, 0},
     8},
    {"c2c:f64:out:2x2",
     STF_FORWARD,
     {1, 0, 2, 0, 3, 0, 4, 0},
     {10, 0, -2, 0, -4, 0, 0, 0},
     8},
    {"c2c:f64:out:2*2",
     STF_FORWARD,
     {1, 0, 2, 0, 3, 0, 4, 0},
     {3, 0, -1, 0, 7, 0, -1, 0},
     8},
    {"c2c:f32:out:2", STF_FORWARD, {1, 2, 3, 5}, {4, 7, -2, -3}, 4},
    {"c2c:f80:out:2", STF_FORWARD, {1, 2, 3, 5}, {4, 7, -2, -3}, 4},
    {"r2c:f64:out:1", STF_FORWARD, {5}, {5, 0}, 2},
    {"r2c:f64:out:2", STF_FORWARD, {5, 3}, {8, 0, 2, 0}, 4},
    {"r2c:f64:out:4", STF_FORWARD, {1, 2, 3, 4}, {10, 0, -2, 2, -2, 0}, 6},
    {"r2c:f64:out:2x2",
     STF_FORWARD,
     {1, 2, 3, 4},
     {10, 0, -2, 0, -4, 0, 0, 0},
     8},
    {"c2r:f64:out:1", STF_INVERSE, {5, 9}, {5}, 1},
    {"c2r:f64:out:2", STF_INVERSE, {8, 7, 2, 6}, {10, 6}, 2},
    {"c2r:f64:out:4", STF_INVERSE, {10, 0, -2, 2, -2, 0}, {4, 8, 12, 16}, 4},
    {"c2r:f64:out:2x2",
     STF_INVERSE,
     {10, 0, -2, 0, -4, 0, 0, 0},
     {4, 8, 12, 16},
     4},
    {"dct1:f64:out:2", STF_FORWARD, {1, 3}, {4, -2}, 2},
    {"dct1:f64:out:3", STF_INVERSE, {1, 2, 4}, {9, -3, 1}, 3},
    {"dct2:f64:out:1", STF_FORWARD, {3}, {6}, 1},
    {"dct2:f64:out:3", STF_FORWARD, {1, 2, 1}, {8, 0, -2}, 3},
    {"dct3:f64:out:1", STF_FORWARD, {3}, {3}, 1},
    {"dct3:f64:out:3", STF_FORWARD, {1, 0, 4}, {5, -7, 5}, 3},
    {"dst1:f64:out:1", STF_FORWARD, {3}, {6}, 1},
    {"dst1:f64:out:3", STF_FORWARD, {1, 2, -1}, {4, 4, -4}, 3},
    {"dst2:f64:out:1", STF_FORWARD, {3}, {6}, 1},
    {"dst2:f64:out:3", STF_FORWARD, {1, -3, 1}, {-4, 0, 10}, 3},
    {"dst3:f64:out:1", STF_FORWARD, {3}, {3}, 1},
    {"dst3:f64:out:3", STF_FORWARD, {3, 0, 5}, {8, 1, 8}, 3},
    {"dht:f64:out:4", STF_INVERSE, {1, 2, 3, 4}, {10, -4, -2, 0}, 4},
    {"r2hc:f64:out:4", STF_FORWARD, {1, 2, 3, 4}, {10, -2, -2, 2}, 4},
    {"hc2r:f64:out:4", STF_FORWARD, {10, -2, -2, 2}, {4, 8, 12, 16}, 4},
    {"r2r=dct1+dht:f32:out:2x2", STF_FORWARD, {1, 2, 3, 4}, {10, -2, -4, 0}, 4},
};

/* Direct sums over quarter turns are exact except where cosine or sine should
 * be zero: these are wrong by at most an ulp of 1. */
static void test_by_hand(const by_hand *row)
{
    const long double ulp = ldexpl(1, -60);
    stfi_problem p;
    stf_fft_desc full;
    long double in[8], out[10];
    int i, right;

    right = !stfi_problem_parse(row->word, &p)
            && !stfi_desc_complete(&p.desc, &full);
    for (i = 0; i < 8; i++) {
        if (p.desc.precision == STF_F32)
            ((float *)in)[i] = (float)row->in[i];
        else if (p.desc.precision == STF_F64)
            ((double *)in)[i] = row->in[i];
        else
            in[i] = row->in[i];
    }
    for (i = 0; i < 10; i++)
        out[i] = NAN;
    right = right && !stfi_naive_fft(&full, row->direction, in, out);
    for (i = 0; i < row->count && right; i++)
        right = fabsl(out[i] - row->out[i]) <= 16 * ulp;
    for (; i < 10 && right; i++)
        right = isnan(out[i]);
    tap_ok(right, "%s %s by hand", row->word,
           row->direction == STF_FORWARD ? "forward" : "inverse");
}

/* The length 3, whose roots have the components -1/2 and sqrt(3)/2. */
static void test_three(void)
{
    const long double s = sqrtl(3) / 2;
    const long double in[6] = {1, 0, 2, 0, 4, 0};
    const long double want[6] = {7, 0, -2, 2 * s, -2, -2 * s};
    long double out[6];
    stf_fft_desc d = stf_fft_desc_default(), full;
    int i, right;

    d.precision = STF_F80;
    d.n[0] = 3;
    right = !stfi_desc_complete(&d, &full)
            && !stfi_naive_fft(&full, STF_FORWARD, in, out);
    for (i = 0; i < 6; i++)
        right = right && fabsl(out[i] - want[i]) <= ldexpl(1, -61);
    tap_ok(right, "three points by hand");
}

/* DCT4 and DST4, whose roots are half of an odd number of steps away from those of
 * others: 45 degrees for one point, 22.5 for two, 15 for three. */
static void test_fourth(void)
{
    const long double two = sqrtl(2), six = sqrtl(6);
    const long double c = sqrtl(2 + two), s = sqrtl(2 - two);
    const struct {
        const char *word;
        long double out[3];
    } each[] = {
        {"dct4:f64:out:1", {two}},
        {"dct4:f64:out:2", {c + 2 * s, s - 2 * c}},
        {"dct4:f64:out:3",
         {2.5L * six + two / 2, -5 * two, 2.5L * six - two / 2}},
        {"dst4:f64:out:1", {two}},
        {"dst4:f64:out:2", {s + 2 * c, c - 2 * s}},
        {"dst4:f64:out:3",
         {2.5L * six + 3.5L * two, -two, 2.5L * six - 3.5L * two}},
    };
    const double in[3] = {1, 2, 4};

    for (size_t i = 0; i < sizeof each / sizeof *each; i++) {
        stfi_problem p;
        stf_fft_desc full;
        long double out[3] = {NAN, NAN, NAN};
        int right = !stfi_problem_parse(each[i].word, &p)
                    && !stfi_desc_complete(&p.desc, &full);

        for (int way = 0; way < 2 && right; way++) {
            right = !stfi_naive_fft(&full, way ? STF_INVERSE : STF_FORWARD, in,
                                    out);
            for (int64_t k = 0; k < full.n[0] && right; k++)
                right = fabsl(out[k] - each[i].out[k]) <= ldexpl(1, -58);
        }
        tap_ok(right, "%s by hand, both ways", each[i].word);
    }
}

/* Scale factors, strides (negative ones too), and a batch. */
static void test_layout(void)
{
    /* The signals (1, 2) and (3, 4), interleaved; the outputs are stored
     * backwards. */
    const double in[8] = {1, 0, 3, 0, 2, 0, 4, 0};
    const long double want[8] = {-2, 0, 14, 0, -2, 0, 6, 0};
    long double out[8];
    stf_fft_desc d = stf_fft_desc_default(), full;
    int i, right;

    d.precision = STF_F64;
    d.n[0] = 2;
    d.batch = 2;
    d.in.stride[0] = 2;
    d.in.dist = 1;
    d.out.stride[0] = -1;
    d.out.dist = -2;
    d.scale_forward = 2;
    d.scale_inverse = -1;
    right = !stfi_desc_complete(&d, &full)
            && !stfi_naive_fft(&full, STF_FORWARD, in, out + 6);
    for (i = 0; i < 8; i++)
        right = right && fabsl(out[i] - want[i]) <= 1e-15L;
    tap_ok(right, "strides and scale by hand");
    right = !stfi_naive_fft(&full, STF_INVERSE, in, out + 6);
    tap_ok(right && fabsl(out[6] + 3) < 1e-15L && fabsl(out[4] - 1) < 1e-15L
               && fabsl(out[2] + 7) < 1e-15L && fabsl(out[0] - 1) < 1e-15L,
           "the inverse has its own factor");
}

static void test_refusals(void)
{
    stf_fft_desc d = stf_fft_desc_default(), full;
    float in[4] = {0};
    long double out[4];

    stfi_desc_complete(&d, &full);
    full.kind = (stf_kind)99;
    tap_ok(stfi_naive_fft(&full, STF_FORWARD, in, out) == STF_ERR_UNSUPPORTED,
           "no direct sums of a kind that is none");
    full.kind = STF_R2C;
    tap_ok(stfi_naive_fft(&full, STF_INVERSE, in, out) == STF_ERR_ARGUMENT,
           "R2C has one direction");
    full.kind = STF_C2R;
    tap_ok(stfi_naive_fft(&full, STF_FORWARD, in, out) == STF_ERR_ARGUMENT,
           "C2R has one direction");
}

static void test_error_and_bound(void)
{
    stf_fft_desc d = stf_fft_desc_default(), full;
    float got[4] = {3, 4, 0, 0};
    const long double want[4] = {3, 4, 0, 0};

    d.n[0] = 2;
    stfi_desc_complete(&d, &full);
    tap_ok(stfi_naive_error(&full, got, want) == 0, "no error");
    got[3] = 0.5f;
    tap_ok(fabsl(stfi_naive_error(&full, got, want) - 0.1L) < 1e-15L,
           "an error of a tenth");
    got[3] = NAN;
    tap_ok(isinf(stfi_naive_error(&full, got, want)), "NaN is infinite");
    got[3] = INFINITY;
    tap_ok(isinf(stfi_naive_error(&full, got, want)), "and so is Inf");
    tap_ok(stfi_naive_bound(&full) == ldexp(1, -24), "the bound of 2 points");
    full.n[0] = 65536;
    tap_ok(stfi_naive_bound(&full) == ldexp(4, -24), "of 2^16");
    full.n[0] = 17 * 16;
    full.precision = STF_F64;
    tap_ok(fabs(stfi_naive_bound(&full) / (3 * ldexp(sqrt(log2(272)), -53)) - 1)
               < 1e-12,
           "with a large prime");
    full.rank = 2;
    full.n[0] = full.n[1] = 256;
    full.precision = STF_F80;
    tap_ok(stfi_naive_bound(&full) == ldexp(4, -64), "of two axes");
}

/* Transforms by direct sums there and back, which must return the input up to
 * the rounding of the sums. */
static void test_there_and_back(const char *word)
{
    stfi_problem p;
    stfi_trial t;
    long double *there = NULL, *back = NULL, e = INFINITY;
    stf_fft_desc d;
    int64_t n, i;

    if (stfi_problem_parse(word, &p)
        || stfi_trial_open(&t, &p, 0, tap_seed())) {
        tap_ok(0, "%s: %s", word, stf_error_message());
        return;
    }
    n = t.points * t.full.batch;
    back = malloc(2 * (size_t)n * sizeof *back);
    d = t.full;
    d.precision = STF_F80;
    d.scale_inverse = 1.0 / (double)t.points;
    if (back
        && !stfi_trial_want(&t, NULL, STF_FORWARD, STFI_SOURCE_DIRECT, &there)
        && !stfi_naive_fft(&d, STF_INVERSE, there, back)) {
        for (i = 0; i < 2 * n; i++)
            back[i] =
                fabsl(back[i] - stfi_trial_get(&t, stfi_trial_array(&t, 0), i));
        for (e = 0, i = 0; i < 2 * n; i++)
            e = back[i] > e ? back[i] : e;
    }
    stfi_trial_free_want(&t, there);
    free(back);
    stfi_trial_close(&t);
    /* N(0,1) data stays below 6; 1/N itself is rounded to double. */
    tap_ok(e < ldexpl(6, -53), "%s there and back, off by %Lg", word, e);
}

/* A real to real kind and then its inverse, by direct sums, multiply by the
 * logical length. */
static void test_inverse(const char *kind, const char *inverse, int64_t n,
                         int64_t logical)
{
    long double in[16], there[16], back[16], e = 0;
    uint64_t state = tap_seed();
    stfi_problem p;
    stf_fft_desc full;
    char word[64];
    int right = 1;

    stfi_random_fill(STF_F80, in, 16, &state);
    for (int i = 0; i < 2 && right; i++) {
        snprintf(word, sizeof word, "%s:f80:out:%d", i == 0 ? kind : inverse,
                 (int)n);
        right = !stfi_problem_parse(word, &p)
                && !stfi_desc_complete(&p.desc, &full)
                && !stfi_naive_fft(&full, STF_FORWARD, i == 0 ? in : there,
                                   i == 0 ? there : back);
    }
    for (int64_t i = 0; i < n && right; i++)
        e = fmaxl(e, fabsl(back[i] - (long double)logical * in[i]));
    tap_ok(right && e < ldexpl((long double)logical, -58),
           "%s and %s of %d points make %d", kind, inverse, (int)n,
           (int)logical);
}

static void test_inverses(void)
{
    static const struct {
        const char *kind, *inverse;
        int times, plus;
    } pairs[] = {
        {"dct1", "dct1", 2, -1}, {"dct2", "dct3", 2, 0}, {"dct3", "dct2", 2, 0},
        {"dct4", "dct4", 2, 0},  {"dst1", "dst1", 2, 1}, {"dst2", "dst3", 2, 0},
        {"dst3", "dst2", 2, 0},  {"dst4", "dst4", 2, 0}, {"dht", "dht", 1, 0},
        {"r2hc", "hc2r", 1, 0},  {"hc2r", "r2hc", 1, 0},
    };

    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        for (int64_t n = 2; n <= 13; n += 2 + n % 3)
            test_inverse(pairs[i].kind, pairs[i].inverse, n,
                         pairs[i].times * (n + pairs[i].plus));
}

/* The largest permitted error relative to FFTW. Both results of F80 are within
 * the F80 bound. F32 and F64 data are summed in long double, which must be
 * within 1 % of what plans in their own precision may be off. */
static double allowed(const stf_fft_desc *full, const stf_fft_desc *f80)
{
    stf_fft_desc f64 = *full;

    f64.precision = STF_F64;
    return full->precision == STF_F80 ? 2 * stfi_naive_bound(f80)
                                      : 0.01 * stfi_naive_bound(&f64);
}

static void test_second(stfi_peer *peer, const char *word)
{
    stfi_problem p;
    stfi_trial t;
    stf_direction direction;
    stf_fft_desc d;
    stf_status status;
    long double *direct = NULL, *second = NULL, error;

    if (stfi_problem_parse(word, &p)
        || stfi_trial_open(&t, &p, 0, tap_seed())) {
        tap_ok(0, "%s: %s", word, stf_error_message());
        return;
    }
    direction = p.desc.kind == STF_C2R ? STF_INVERSE : STF_FORWARD;
    status = stfi_second_want(peer, &t, direction, &second);
    if (status == STF_ERR_UNSUPPORTED || status == STF_ERR_IO) {
        tap_skip(stf_error_message(), "%s agrees with FFTW", word);
    } else if (!status
               && !stfi_trial_want(&t, NULL, direction, STFI_SOURCE_DIRECT,
                                   &direct)) {
        d = t.full;
        d.precision = STF_F80;
        error = stfi_naive_error(&d, second, direct);
        tap_ok(error <= allowed(&t.full, &d), "%s agrees with FFTW", word);
        tap_diag("%s: %.2f units of 2^-64", word, (double)ldexpl(error, 64));
    } else {
        tap_ok(0, "%s: %s", word, stf_error_message());
    }
    stfi_trial_free_want(&t, direct);
    stfi_trial_free_want(&t, second);
    stfi_trial_close(&t);
}

static const char *const round_trips[] = {
    "c2c:f64:out:1",    "c2c:f32:out:7*3",  "c2c:f64:out:64",
    "c2c:f80:out:97",   "c2c:f64:out:1021", "c2c:f32:out:3x5x4*2",
    "c2c:f64:out:2000",
};

static const char *const seconds[] = {
    "c2c:f80:out:1",
    "c2c:f80:out:2*3",
    "c2c:f80:out:12",
    "c2c:f80:out:97",
    "c2c:f80:out:100*2",
    "c2c:f80:out:512",
    "c2c:f64:out:1009",
    "c2c:f32:out:2048",
    "c2c:f80:out:9x10x11",
    "r2c:f80:out:1",
    "r2c:f80:out:100",
    "r2c:f80:out:101*3",
    "r2c:f80:out:12x9",
    "r2c:f64:out:6x5x8",
    "c2r:f80:out:1",
    "c2r:f80:out:100",
    "c2r:f80:out:101*3",
    "c2r:f80:out:12x9",
    "c2r:f64:out:6x5x8",
    "dct1:f80:out:2",
    "dct1:f80:out:100",
    "dct2:f80:out:1",
    "dct2:f80:out:100",
    "dct3:f80:out:101*3",
    "dct4:f80:out:64",
    "dct4:f80:out:45",
    "dst1:f80:out:1",
    "dst1:f80:out:100",
    "dst2:f80:out:99",
    "dst3:f80:out:100*2",
    "dst4:f80:out:31",
    "dst4:f80:out:32",
    "dht:f80:out:97",
    "r2hc:f80:out:100",
    "r2hc:f80:out:9",
    "hc2r:f80:out:100",
    "hc2r:f80:out:9",
    "dct2:f64:out:6x5x8",
    "r2r=dct2+dst1:f80:out:9x8",
    "r2r=r2hc+dct4+dst3:f32:out:5x6x7",
};

int main(void)
{
    stfi_peer *peer = NULL;
    size_t i;

    tap_begin("oracle");
    for (i = 0; i < sizeof rows / sizeof *rows; i++)
        test_by_hand(&rows[i]);
    test_three();
    test_fourth();
    test_layout();
    test_refusals();
    test_error_and_bound();
    test_inverses();
    for (i = 0; i < sizeof round_trips / sizeof *round_trips; i++)
        test_there_and_back(round_trips[i]);
    if (stfi_peer_open("fftw", "cpu", &peer)) {
        tap_skip(stf_error_message(), "agrees with FFTW");
    } else {
        for (i = 0; i < sizeof seconds / sizeof *seconds; i++)
            test_second(peer, seconds[i]);
        stfi_peer_close(peer);
    }
    return tap_end();
}

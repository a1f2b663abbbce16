/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Properties of real to real transforms that need no oracle: a kind and then
 * its inverse multiply by the logical length, kinds are linear, symmetric or each
 * other's transpose, keep energies, make one line of a cosine, sine kinds are
 * cosine kinds of other signals, and the directions differ in their factor only.
 * Also what is refused so far. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/harness/far.h"
#include "support/oracle/naive.h"
#include "support/oracle/naive_real.h"
#include "support/problem/problem.h"
#include "fft/desc.h"
#include "tests/tap.h"

static stf_device *cpu;

/* The largest error, relative to the norm, of what two sums of doubles give. */
static const double MOST_ERROR = 1e-14;

/* Transforms by a plan of the word; returns 1 if there was no error. */
static int transform(const char *word, stf_direction direction, double scale,
                     const void *in, void *out)
{
    stfi_problem p;
    stf_plan *plan = NULL;
    int right = !stfi_problem_parse(word, &p);

    p.desc.scale_forward = p.desc.scale_inverse = scale;
    right = right && !stf_plan_fft(cpu, &p.desc, &plan)
            && !stf_execute(plan, direction, in, out);
    if (!right)
        tap_diag("%s: %s", word, stf_error_message());
    stf_plan_destroy(plan);
    return right;
}

static double *draw(int64_t count, uint64_t seed)
{
    double *x = malloc((size_t)count * sizeof *x);

    if (x == NULL)
        exit(EXIT_FAILURE);
    stfi_random_fill(STF_F64, x, count, &seed);
    return x;
}

/* |x - y| / |y|. */
static double distance(const double *x, const double *y, int64_t count)
{
    double d = 0, norm = 0;

    for (int64_t i = 0; i < count; i++) {
        d += (x[i] - y[i]) * (x[i] - y[i]);
        norm += y[i] * y[i];
    }
    return sqrt(d / norm);
}

static const struct {
    const char *there, *back;
} inverses[] = {
    {"dct1", "dct1"}, {"dct2", "dct3"}, {"dct4", "dct4"}, {"dst1", "dst1"},
    {"dst2", "dst3"}, {"dst4", "dst4"}, {"dht", "dht"},   {"r2hc", "hc2r"},
};

static const char *const shapes[] = {"2",      "15",    "64*3", "97",
                                     "1000*2", "12289", "65536"};

static void test_inverse(const char *there, const char *back, const char *shape)
{
    char words[2][96];
    stfi_problem p;
    double scale = 1, *x, *y, *z, error = INFINITY, bound;
    int64_t count;

    snprintf(words[0], sizeof words[0], "%s:f64:out:%s", there, shape);
    snprintf(words[1], sizeof words[1], "%s:f64:out:%s", back, shape);
    if (stfi_problem_parse(words[0], &p)
        || stfi_desc_complete(&p.desc, &p.desc)) {
        tap_ok(0, "%s: %s", words[0], stf_error_message());
        return;
    }
    for (int a = 0; a < p.desc.rank; a++)
        scale *= (double)stfi_naive_logical(p.desc.kinds[a], p.desc.n[a]);
    bound = stfi_naive_bound(&p.desc);
    count = p.desc.batch * stfi_problem_components(&p.desc, 0);
    x = draw(count, tap_seed());
    y = draw(count, 1);
    z = draw(count, 2);
    if (transform(words[0], STF_FORWARD, 1, x, y)
        && transform(words[1], STF_FORWARD, 1 / scale, y, z))
        error = distance(z, x, count) / bound;
    tap_ok(error <= 3, "%s is undone by %s", words[0], back);
    free(x);
    free(y);
    free(z);
}

/* <y, A x> = <A^T y, x>, where the transpose of DCT2 is DCT3 with x_0 counted
 * twice, and that of DST2 is DST3 with x_(n-1) counted twice. */
static void test_transpose(const char *kind, const char *other, int halved,
                           int64_t n)
{
    char words[2][64];
    double *x = draw(n, tap_seed()), *y = draw(n, tap_seed() + 1);
    double *ax = draw(n, 0), *by = draw(n, 0), left = 0, right = 0;

    snprintf(words[0], sizeof words[0], "%s:f64:out:%d", kind, (int)n);
    snprintf(words[1], sizeof words[1], "%s:f64:out:%d", other, (int)n);
    if (transform(words[0], STF_FORWARD, 1, x, ax)) {
        int64_t end = halved > 0 ? 0 : n - 1;
        for (int64_t k = 0; k < n; k++)
            left += y[k] * ax[k];
        if (halved != 0)
            y[end] *= 2;
        if (!transform(words[1], STF_FORWARD, 1, y, by))
            left = NAN;
        for (int64_t k = 0; k < n; k++)
            right += by[k] * x[k];
    }
    tap_ok(fabs(left - right) < 1e-12 * (double)n, "%s is the transpose of %s",
           words[0], words[1]);
    free(x);
    free(y);
    free(ax);
    free(by);
}

/* A sine kind is a cosine kind of a signal with alternating signs, or reversed,
 * with results reversed or of alternating signs. */
static void test_sine(const char *sine, const char *cosine, int reverses,
                      int64_t n)
{
    char words[2][64];
    double *x = draw(n, tap_seed()), *z = draw(n, 0);
    double *y = draw(n, 0), *want = draw(n, 0), error = INFINITY;

    snprintf(words[0], sizeof words[0], "%s:f64:out:%d", sine, (int)n);
    snprintf(words[1], sizeof words[1], "%s:f64:out:%d", cosine, (int)n);
    for (int64_t j = 0; j < n; j++)
        z[j] = reverses ? x[n - 1 - j] : j % 2 ? -x[j] : x[j];
    if (transform(words[0], STF_FORWARD, 1, x, y)
        && transform(words[1], STF_FORWARD, 1, z, want)) {
        for (int64_t k = 0; k < n; k++)
            z[k] = reverses ? (k % 2 ? -want[k] : want[k]) : want[n - 1 - k];
        error = distance(y, z, n);
    }
    tap_ok(error < MOST_ERROR, "%s by %s", words[0], cosine);
    free(x);
    free(y);
    free(z);
    free(want);
}

/* A (x - 2 y) = A x - 2 A y. */
static void test_linear(stf_kind kind, int64_t n)
{
    double *in = draw(3 * n, tap_seed()), *out = draw(4 * n, 1);
    double error = INFINITY, *want = out + 3 * n;
    char word[64];

    snprintf(word, sizeof word, "%s:f64:out:%d*3", stfi_kind_get(kind)->name,
             (int)n);
    for (int64_t j = 0; j < n; j++)
        in[2 * n + j] = in[j] - 2 * in[n + j];
    if (transform(word, STF_FORWARD, 1, in, out)) {
        for (int64_t k = 0; k < n; k++)
            want[k] = out[k] - 2 * out[n + k];
        error = distance(out + 2 * n, want, n);
    }
    tap_ok(error < MOST_ERROR, "%s is linear", word);
    free(in);
    free(out);
}

/* The sum of y^2 is the logical length times that of x^2. */
static void test_energy(stf_kind kind, int64_t n)
{
    double *x = draw(n, tap_seed()), *y = draw(n, 1), in = 0, out = NAN;
    char word[64];

    snprintf(word, sizeof word, "%s:f64:out:%d", stfi_kind_get(kind)->name,
             (int)n);
    if (transform(word, STF_FORWARD, 1, x, y)) {
        out = 0;
        for (int64_t k = 0; k < n; k++) {
            in += stfi_naive_share(kind, n, 0, k) * x[k] * x[k];
            out += stfi_naive_share(kind, n, 1, k) * y[k] * y[k];
        }
        out /= (double)stfi_naive_logical(kind, n);
    }
    tap_ok(fabs(out / in - 1) < MOST_ERROR, "%s keeps the energy", word);
    free(x);
    free(y);
}

/* Waves of which a kind makes one line: sample j is the wave at pi (2j + plus)
 * (2 line + by) `turns` / 4(n + more). The line is `height` times the logical length
 * high. */
static const struct {
    stf_kind kind;
    int cosine, sine, more, plus, by, turns;
    double height;
} tones[] = {
    {STF_DCT1, 1, 0, -1, 0, 0, 1, 0.5}, {STF_DCT2, 1, 0, 0, 1, 0, 1, 0.5},
    {STF_DCT3, 1, 0, 0, 0, 1, 1, 0.5},  {STF_DCT4, 1, 0, 0, 1, 1, 1, 0.5},
    {STF_DST1, 0, 1, 1, 2, 2, 1, 0.5},  {STF_DST2, 0, 1, 0, 1, 2, 1, 0.5},
    {STF_DST3, 0, 1, 0, 2, 1, 1, 0.5},  {STF_DST4, 0, 1, 0, 1, 1, 1, 0.5},
    {STF_DHT, 1, 1, 0, 0, 0, 2, 1.0},   {STF_R2HC, 1, 0, 0, 0, 0, 2, 0.5},
};

/* Sample j of a wave whose line is `line`. The angle is reduced in integers. */
static double wave(size_t row, int64_t n, int64_t line, int64_t j)
{
    int64_t quarters = 4 * (n + tones[row].more);
    int64_t at = (2 * j + tones[row].plus) * (2 * line + tones[row].by)
                 * tones[row].turns % (2 * quarters);
    double angle = acos(-1) * (double)at / (double)quarters;

    return tones[row].cosine * cos(angle) + tones[row].sine * sin(angle);
}

static void test_tone(size_t row, int64_t n)
{
    const int64_t line = n / 3;
    double *x = draw(n, 0), *y = draw(n, 1), *want = draw(n, 2);
    double error = INFINITY;
    char word[64];

    snprintf(word, sizeof word, "%s:f64:out:%d",
             stfi_kind_get(tones[row].kind)->name, (int)n);
    for (int64_t j = 0; j < n; j++) {
        x[j] = wave(row, n, line, j);
        want[j] = 0;
    }
    want[line] =
        tones[row].height * (double)stfi_naive_logical(tones[row].kind, n);
    if (transform(word, STF_FORWARD, 1, x, y))
        error = distance(y, want, n);
    tap_ok(error < MOST_ERROR, "%s makes one line of a wave", word);
    free(x);
    free(y);
    free(want);
}

static const stf_kind kinds[] = {STF_DCT1, STF_DCT2, STF_DCT3, STF_DCT4,
                                 STF_DST1, STF_DST2, STF_DST3, STF_DST4,
                                 STF_DHT,  STF_R2HC, STF_HC2R};

/* The properties of each kind by itself, of one length. */
static void test_length(int64_t n)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        test_linear(kinds[i], n);
        test_energy(kinds[i], n);
    }
    for (size_t i = 0; i < sizeof tones / sizeof *tones && n > 2; i++)
        test_tone(i, n);
}

/* A transform of one real by DCT4 or DST4 multiplies by sqrt(2) and the scale, whose
 * bound is one rounding: no other element makes up for an error. */
static void test_one_real(const char *kind, stf_precision precision,
                          double scale)
{
    enum { COUNT = 4096 };
    const size_t bytes = stfi_type_get(precision)->bytes;
    char word[80], *x = malloc(COUNT * bytes), *y = malloc(COUNT * bytes);
    uint64_t seed = tap_seed();
    long double worst = 0;

    if (x == NULL || y == NULL)
        exit(EXIT_FAILURE);
    snprintf(word, sizeof word, "%s:%s:out:1*%d", kind,
             stfi_type_get(precision)->name, COUNT);
    stfi_random_fill(precision, x, COUNT, &seed);
    if (!transform(word, STF_FORWARD, scale, x, y))
        worst = INFINITY;
    for (int i = 0; i < COUNT; i++) {
        long double want =
            sqrtl(2) * (long double)scale * stfi_type_read(precision, x, i);
        long double error = stfi_type_read(precision, y, i) - want;
        worst = fmaxl(worst, fabsl(error / want));
    }
    worst /= stfi_type_get(precision)->unit_roundoff;
    tap_ok(worst <= 1, "%s times %g is rounded once: %.3f", word, scale,
           (double)worst);
    free(x);
    free(y);
}

static void test_directions(void)
{
    double *x = draw(60, tap_seed()), *y = draw(60, 0), *z = draw(60, 1);

    tap_ok(transform("r2r=dct4+dht+dst1:f64:out:3x4x5", STF_FORWARD, 0.5, x, y)
               && transform("r2r=dct4+dht+dst1:f64:out:3x4x5", STF_INVERSE, 0.5,
                            x, z)
               && !memcmp(y, z, 60 * sizeof *y),
           "the inverse of kinds that are their own inverse is the same");
    free(x);
    free(y);
    free(z);
}

/* What is planned for a GPU and not for the cpu: a far device runs on the cpu
 * what was planned for its GPU. */
static void test_refused(void)
{
    stf_device *far = NULL;
    stfi_problem p;
    stf_plan *plan = NULL;

    tap_ok(!stfi_problem_parse("dct3:f32:out:65536", &p), "a DCT");
    if (stfi_far_open("h200", &far) != STF_OK) {
        tap_ok(0, "a far device: %s", stf_error_message());
        return;
    }
    tap_ok(stf_plan_fft(far, &p.desc, &plan) == STF_ERR_UNSUPPORTED
               && strstr(stf_error_message(), "mirrored columns"),
           "the cpu does not run what only GPUs can: %s", stf_error_message());
    stf_device_close(far);
}

int main(void)
{
    static const int lengths[] = {2, 8, 9, 17, 60, 101, 1021, 4096, 5000};
    static const double scales[] = {1, -2.5, 0.37, 1e-30};

    tap_begin("real_kinds");
    if (!tap_ok(!stf_device_open("cpu", &cpu), "the cpu device opens"))
        return tap_end();
    for (size_t i = 0; i < sizeof inverses / sizeof *inverses; i++)
        for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++) {
            test_inverse(inverses[i].there, inverses[i].back, shapes[k]);
            test_inverse(inverses[i].back, inverses[i].there, shapes[k]);
        }
    test_inverse("r2r=dct2+dst1+r2hc", "r2r=dct3+dst1+hc2r", "16x15x12");
    test_inverse("r2r=dct1+dst4+hc2r", "r2r=dct1+dst4+r2hc", "9x17x20*2");
    test_inverse("r2r=dst2+dht", "r2r=dst3+dht", "70x1001");
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        test_transpose("dct4", "dct4", 0, lengths[i]);
        test_transpose("dst1", "dst1", 0, lengths[i]);
        test_transpose("dst4", "dst4", 0, lengths[i]);
        test_transpose("dht", "dht", 0, lengths[i]);
        test_transpose("dct2", "dct3", 1, lengths[i]);
        test_transpose("dst2", "dst3", -1, lengths[i]);
        test_sine("dst2", "dct2", 0, lengths[i]);
        test_sine("dst3", "dct3", 1, lengths[i]);
        test_sine("dst4", "dct4", 1, lengths[i]);
        test_length(lengths[i]);
    }
    for (size_t i = 0; i < sizeof scales / sizeof *scales; i++)
        for (int k = 0; k < 4; k++)
            test_one_real(k % 2 == 0 ? "dct4" : "dst4",
                          k < 2 ? STF_F64 : STF_F32, scales[i]);
    test_directions();
    test_refused();
    stf_device_close(cpu);
    return tap_end();
}

/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The least weights of left vectors, which decide which faults are detected.
 * Those of optimised vectors, of vectors with a sign pattern and of vectors
 * with a real row must be at least what doc/abft.md promises. tests/ft/sites.c
 * confirms computed weights by faults. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ft/weights/constraint.h"
#include "ft/weights/sign_pattern.h"
#include "ft/weights/vector_form.h"
#include "ft/weights/optimise.h"
#include "ft/weights/row.h"
#include "ft/weights/vector.h"
#include "fft/factor.h"
#include "tests/ft/optimised.h"
#include "tests/ft/take.h"
#include "tests/tap.h"

/* The least weight that a pass must reach: its operation, points, the elements
 * of its tile, and the radices of the tile up to the first 0 (none: those that
 * a plan chooses). */
static const struct {
    const char *word;
    stfi_op op;
    stfi_conv conv;
    int64_t points, tile;
    int radix[6];
    double least;
    tap_level_t level;
} weights[] = {
#define FFT(n) "fft", STFI_OP_FFT, STFI_CONV_NONE, n, n
#define RADER(n) "rader", STFI_OP_CONV, STFI_CONV_RADER, n, (n)-1
#define BLUESTEIN(n, m) "bluestein", STFI_OP_CONV, STFI_CONV_BLUESTEIN, n, m
#define SPREAD(n) "spread", STFI_OP_CONV, STFI_CONV_SPREAD, n, n
#define R2C(n) "r2c", STFI_OP_R2C, STFI_CONV_NONE, n, (n) / 2
#define C2R(n) "c2r", STFI_OP_C2R, STFI_CONV_NONE, n, (n) / 2
#define R2C_TWO(n) "r2c two", STFI_OP_R2C_TWO, STFI_CONV_NONE, n, n
#define C2R_TWO(n) "c2r two", STFI_OP_C2R_TWO, STFI_CONV_NONE, n, n
    {FFT(1), {1}, 0.98, TAP_QUICK},
    {FFT(8), {0}, 0.60, TAP_QUICK},
    {FFT(16), {0}, 0.60, TAP_QUICK},
    {FFT(32), {0}, 0.55, TAP_QUICK},
    {FFT(64), {0}, 0.52, TAP_QUICK},
    {FFT(128), {0}, 0.48, TAP_QUICK},
    {FFT(256), {0}, 0.46, TAP_QUICK},
    {FFT(512), {0}, 0.43, TAP_NORMAL},
    {FFT(1024), {0}, 0.42, TAP_QUICK},
    {FFT(2048), {0}, 0.40, TAP_NORMAL},
    {FFT(4096), {0}, 0.38, TAP_NORMAL},
    {FFT(8192), {0}, 0.36, TAP_NORMAL},
    {FFT(16384), {0}, 0.34, TAP_LONG},
    {FFT(5), {0}, 0.80, TAP_QUICK},
    {FFT(6), {0}, 0.78, TAP_QUICK},
    {FFT(10), {0}, 0.78, TAP_QUICK},
    {FFT(15), {0}, 0.67, TAP_QUICK},
    {FFT(105), {0}, 0.49, TAP_QUICK},
    {FFT(360), {0}, 0.43, TAP_NORMAL},
    {FFT(1000), {0}, 0.41, TAP_NORMAL},
    {FFT(2187), {0}, 0.38, TAP_NORMAL},
    {FFT(1000), {4, 25, 10}, 0.41, TAP_NORMAL},
    {FFT(2401), {0}, 0.41, TAP_NORMAL},
    {FFT(3072), {0}, 0.38, TAP_NORMAL},
    {RADER(37), {0}, 0.38, TAP_QUICK},
    {RADER(97), {0}, 0.36, TAP_QUICK},
    {RADER(2311), {0}, 0.25, TAP_LONG},
    {BLUESTEIN(37, 128), {0}, 0.12, TAP_QUICK},
    {BLUESTEIN(83, 180), {0}, 0.17, TAP_QUICK},
    {BLUESTEIN(83, 180), {12, 15}, 0.17, TAP_NORMAL},
    {BLUESTEIN(1021, 2048), {0}, 0.12, TAP_NORMAL},
    {BLUESTEIN(4093, 8192), {0}, 0.09, TAP_LONG},
    {SPREAD(64), {0}, 0.52, TAP_QUICK},
    {SPREAD(96), {0}, 0.40, TAP_QUICK},
    {SPREAD(360), {0}, 0.33, TAP_NORMAL},
    {R2C(8), {0}, 0.50, TAP_QUICK},
    {R2C(60), {0}, 0.32, TAP_QUICK},
    {R2C(512), {0}, 0.16, TAP_NORMAL},
    {R2C(1000), {0}, 0.24, TAP_NORMAL},
    {R2C(16384), {0}, 0.09, TAP_LONG},
    {C2R(8), {0}, 0.60, TAP_QUICK},
    {C2R(60), {0}, 0.56, TAP_QUICK},
    {C2R(512), {0}, 0.46, TAP_NORMAL},
    {C2R(1000), {0}, 0.44, TAP_NORMAL},
    {R2C_TWO(64), {0}, 0.21, TAP_QUICK},
    {R2C_TWO(1024), {0}, 0.095, TAP_NORMAL},
    {C2R_TWO(64), {0}, 0.20, TAP_QUICK},
    {C2R_TWO(1024), {0}, 0.115, TAP_NORMAL},
};

/* 1 if bfloat16 and binary16 hold x exactly: |x| is at most 1, has at most 8
 * significant bits, and is a multiple of 2^-24. */
static int is_short(float x)
{
    int exponent;
    float step;

    frexpf(x, &exponent);
    step = ldexpf(1, exponent - 8 > -24 ? exponent - 8 : -24);
    return fabsf(x) <= 1 && rintf(x / step) * step == x;
}

/* 1 if 64 x is a whole number that a signed byte holds. */
static int is_byte(float x)
{
    return fabsf(x) <= 127.0f / 64 && rintf(x * 64) == x * 64;
}

/* The largest of ||e_k| - 1|, or 1 if a component has too many bits
 * (is_short()). */
static float roundness(int64_t n, const float *e)
{
    float worst = 0;
    int64_t k;

    for (k = 0; k < n; k++) {
        if (!is_short(e[2 * k]) || !is_short(e[2 * k + 1]))
            return 1;
        worst = fmaxf(worst, fabsf(hypotf(e[2 * k], e[2 * k + 1]) - 1));
    }
    return worst;
}

static int are_bytes(int64_t n, const float *e)
{
    for (int64_t i = 0; i < 2 * n; i++)
        if (!is_byte(e[i]))
            return 0;
    return 1;
}

static void test_weight(size_t row)
{
    int64_t points = weights[row].points, tile = weights[row].tile;
    int radix[STFI_MAX_STAGES], count = 0;
    float *e = take(4 * (size_t)points, sizeof *e), *random = e + 2 * points;
    double least = 0, random_least = 1, cost;
    stfi_network_shape shape;
    int is_fft;

    while (weights[row].radix[count] > 0)
        count++;
    memcpy(radix, weights[row].radix, (size_t)count * sizeof *radix);
    if (count == 0)
        count = stfi_factor_stages(tile, radix, &cost);
    shape = stfi_network_shape_make(weights[row].op, weights[row].conv, tile,
                                    count, radix);
    /* Components are rounded to multiples of 1/64, so that an element moves by
     * at most half the diagonal of a square of 1/64, which is 0.011. */
    is_fft = shape.op == STFI_OP_FFT;
    memset(e, 0, 2 * (size_t)points * sizeof *e);
    stfi_ft_random_vector(points, random);
    if (stfi_ft_optimised_vector(&shape, points, e)
        || stfi_ft_least_weight(&shape, points, e, &least)
        || stfi_ft_least_weight(&shape, points, random, &random_least))
        tap_diag("%s", stf_error_message());
    tap_ok(least >= weights[row].least && random_least < least,
           "%s %d, tile %d: least weight %.3f, at least %.2f (random %.4f)",
           weights[row].word, (int)points, (int)tile, least, weights[row].least,
           random_least);
    points = stfi_op_get(weights[row].op)->half ? points / 2 + 1 : points;
    tap_ok(roundness(points, e) < (is_fft ? 0.0111f : 0x1p-7f)
               && roundness(points, random) < 0x1p-7f
               && (!is_fft || are_bytes(points, e)),
           "phases of length 1, of %s", is_fft ? "bytes" : "eight bits");
    free(e);
}

/* Vectors with a sign pattern, of n elements of which each thread holds
 * `held`. */
static const struct {
    int64_t n, held;
    double least;
} coded[] = {
    {4, 4, 0.55},     {8, 8, 0.55},      {16, 16, 0.55},  {32, 32, 0.41},
    {64, 8, 0.10},    {256, 16, 0.045},  {512, 8, 0.095}, {1024, 32, 0.012},
    {4096, 16, 0.04}, {4096, 32, 0.010},
};

/* 1 if e[t + i T] = g(i) e[t] for all elements, where T = n / held, and all
 * components are multiples of 1/64 that a signed byte holds. */
static int has_code(int64_t n, int64_t held, const float *e)
{
    int64_t period = n / held;

    for (int64_t k = 0; k < n; k++) {
        stfi_ft_unit g =
            stfi_ft_sign_pattern_unit(stfi_ft_sign_pattern(held)[k / period]);
        const float *b = e + 2 * (k % period);
        if (e[2 * k] != (float)g.re * b[0] - (float)g.im * b[1]
            || e[2 * k + 1] != (float)g.re * b[1] + (float)g.im * b[0]
            || !is_byte(e[2 * k]) || !is_byte(e[2 * k + 1]))
            return 0;
    }
    return 1;
}

static double mean_square(int64_t n, const float *e)
{
    double sum = 0;

    for (int64_t k = 0; k < 2 * n; k++)
        sum += (double)e[k] * e[k];
    return sum / (double)n;
}

/* The shape of a transform of n points. */
static stfi_network_shape shape_of(int64_t n)
{
    int radix[STFI_MAX_STAGES];
    double cost;

    return stfi_network_shape_make(STFI_OP_FFT, STFI_CONV_NONE, n,
                                   stfi_factor_stages(n, radix, &cost), radix);
}

static void test_code(size_t row)
{
    int64_t n = coded[row].n, held = coded[row].held;
    float *e = take(2 * (size_t)n, sizeof *e);
    stfi_network_shape shape = shape_of(n);
    double least, square;

    shape.period = n / held;
    least = make_optimised(&shape, n, e);
    square = mean_square(n, e);

    tap_ok(least >= coded[row].least && has_code(n, held, e)
               && fabs(square - 1) < 0.02,
           "%d with a code of %d: least weight %.4f, at least %.3f; mean "
           "square %.3f",
           (int)n, (int)held, least, coded[row].least, square);
    free(e);
}

/* Vectors that are their own mirror images, so that their rows are real. */
static const struct {
    int64_t n;
    double least;
    tap_level_t level;
} mirrored[] = {
    {64, 0.35, TAP_QUICK},    {100, 0.32, TAP_QUICK},
    {128, 0.33, TAP_NORMAL},  {243, 0.29, TAP_NORMAL},
    {256, 0.32, TAP_QUICK},   {512, 0.30, TAP_NORMAL},
    {1000, 0.26, TAP_NORMAL}, {1024, 0.28, TAP_QUICK},
    {2048, 0.27, TAP_NORMAL}, {4096, 0.24, TAP_QUICK},
    {8192, 0.26, TAP_NORMAL}, {16384, 0.24, TAP_LONG},
};

/* 1 if e[n - k] is the conjugate of e[k] for all k, and all components are
 * multiples of 1/64 that a signed byte holds. */
static int is_mirrored(int64_t n, const float *e)
{
    for (int64_t k = 0; k < n; k++) {
        const float *image = e + 2 * (k > 0 ? n - k : 0);
        if (e[2 * k] != image[0] || e[2 * k + 1] != -image[1]
            || !is_byte(e[2 * k]) || !is_byte(e[2 * k + 1]))
            return 0;
    }
    return 1;
}

/* The largest imaginary part of a row, relative to sqrt(n). */
static double imaginary(int64_t n, const float *e)
{
    long double *row = take(2 * (size_t)n, sizeof *row), most = 0;

    if (stfi_ft_row(n, n, e, row))
        most = 1;
    for (int64_t k = 0; k < n; k++)
        most = fmaxl(most, fabsl(row[2 * k + 1]));
    free(row);
    return (double)(most / sqrtl((long double)n));
}

static void test_mirror(size_t row)
{
    int64_t n = mirrored[row].n;
    float *e = take(2 * (size_t)n, sizeof *e);
    stfi_network_shape shape = shape_of(n);
    double least, square;

    shape.real = 1;
    least = make_optimised(&shape, n, e);
    square = mean_square(n, e);

    tap_ok(least >= mirrored[row].least && is_mirrored(n, e)
               && imaginary(n, e) < 0x1p-57 && fabs(square - 1) < 0.02,
           "%d of a real row: least weight %.3f, at least %.2f; mean square "
           "%.3f",
           (int)n, least, mirrored[row].least, square);
    free(e);
}

/* Vectors of real elements, or (real = 1) of real and imaginary ones, so that
 * the row is real but for a pattern. */
static const struct {
    int64_t n;
    int real;
    double least;
    tap_level_t level;
} axes[] = {
    {3, 0, 0.55, TAP_QUICK},     {5, 0, 0.52, TAP_QUICK},
    {8, 0, 0.48, TAP_QUICK},     {60, 0, 0.35, TAP_QUICK},
    {64, 0, 0.42, TAP_QUICK},    {243, 0, 0.30, TAP_NORMAL},
    {256, 0, 0.32, TAP_QUICK},   {1000, 0, 0.28, TAP_NORMAL},
    {1024, 0, 0.27, TAP_NORMAL}, {3072, 0, 0.26, TAP_NORMAL},
    {4096, 0, 0.27, TAP_QUICK},  {16384, 0, 0.24, TAP_LONG},
    {2, 1, 0.50, TAP_QUICK},     {4, 1, 0.48, TAP_QUICK},
    {8, 1, 0.48, TAP_QUICK},     {64, 1, 0.29, TAP_QUICK},
    {256, 1, 0.23, TAP_QUICK},   {1024, 1, 0.20, TAP_NORMAL},
    {4096, 1, 0.17, TAP_QUICK},  {16384, 1, 0.14, TAP_LONG},
};

/* 1 if each element of e is a real or an imaginary byte, as its constraint
 * says. */
static int is_on_axes(const stfi_network_shape *shape, int64_t n,
                      const float *e)
{
    stfi_ft_constraint c = stfi_ft_constraint_of(shape, n);

    for (int64_t k = 0; k < n; k++) {
        int imaginary = stfi_ft_may_be_imaginary(&c, k);
        if (imaginary == stfi_ft_may_be_real(&c, k)
            || (imaginary && !shape->real) || e[2 * k + !imaginary] != 0
            || e[2 * k + imaginary] == 0 || !is_byte(e[2 * k + imaginary]))
            return 0;
    }
    return 1;
}

/* The largest difference of the row's imaginary part from 0, g, 0, -g, where g
 * is e[3n/4] - e[n/4], relative to sqrt(n). */
static double off_pattern(int64_t n, const float *e)
{
    long double *row = take(2 * (size_t)n, sizeof *row), most = 0;
    long double g =
        n % 4 == 0 ? (long double)e[3 * n / 2] - (long double)e[n / 2] : 0;

    if (stfi_ft_row(n, n, e, row))
        most = 1;
    for (int64_t k = 0; k < n; k++)
        most = fmaxl(
            most, fabsl(row[2 * k + 1] - (k % 2 == 0 ? 0 : (2 - k % 4) * g)));
    free(row);
    return (double)(most / sqrtl((long double)n));
}

static void test_axis(size_t row)
{
    int64_t n = axes[row].n;
    float *e = take(2 * (size_t)n, sizeof *e);
    stfi_network_shape shape = shape_of(n);
    double least, square;

    shape.axis = 1;
    shape.real = axes[row].real;
    least = make_optimised(&shape, n, e);
    square = mean_square(n, e);
    tap_ok(least >= axes[row].least && is_on_axes(&shape, n, e)
               && (!shape.real || off_pattern(n, e) < 0x1p-57)
               && fabs(square - 1) < 0.03,
           "%d on %s: least weight %.3f, at least %.2f; mean square %.3f",
           (int)n, shape.real ? "both axes, of a real row" : "the real axis",
           least, axes[row].least, square);
    free(e);
}

/* A pass of n points that `threads` threads share, with so many lanes per
 * signal. */
static stfi_pass pass_of(int64_t n, int threads, int64_t lanes)
{
    stfi_pass p = {.op = STFI_OP_FFT,
                   .n = n,
                   .nloops = 2,
                   .batch_loop = 1,
                   .loop_n = {lanes, 7},
                   .check = {.kind = STFI_CHECK_LANE},
                   .block = {.lanes = 4,
                             .threads = 4 * threads,
                             .elements = (int32_t)(n / threads)}};

    return p;
}

/* The period of the sign pattern of a pass of doubles; 0 if it has none. */
static int64_t period(const stfi_pass *p)
{
    return stfi_ft_sign_pattern_period(p, STF_F64, &stfi_tuning_h200);
}

static int is_real(const stfi_pass *p)
{
    return stfi_ft_row_is_real(p, STF_F64, &stfi_tuning_h200);
}

static void test_periods(void)
{
    stfi_pass good = pass_of(256, 16, 64), few = pass_of(256, 16, 63);
    stfi_pass alone = pass_of(8, 1, 1), odd = pass_of(48, 6, 4096);
    stfi_pass held = pass_of(256, 128, 4096), conv = good, thread = good;
    stfi_pass off = good, whole = few, twiddled = good;

    twiddled.twiddle.order = 16384;
    whole.block = (stfi_block){0};
    conv.op = STFI_OP_CONV;
    conv.conv = STFI_CONV_SPREAD;
    thread.check.level = STF_FT_THREAD;
    off.check.kind = STFI_CHECK_NONE;
    tap_ok(period(&good) == 16 && period(&alone) == 1 && period(&few) == 0
               && period(&odd) == 0 && period(&held) == 0 && period(&conv) == 0
               && period(&thread) == 0 && period(&off) == 0,
           "which passes have a code");
    tap_ok(!is_real(&good) && !is_real(&alone) && is_real(&few)
               && !is_real(&odd) && is_real(&held) && !is_real(&conv)
               && !is_real(&thread) && !is_real(&off) && !is_real(&whole),
           "and which a real row");
    tap_ok(stfi_ft_sign_pattern_period(&good, STF_F32, &stfi_tuning_h200) == 0
               && stfi_ft_row_is_real(&good, STF_F32, &stfi_tuning_h200)
               && stfi_ft_sign_pattern_period(&twiddled, STF_F32,
                                              &stfi_tuning_h200)
                      == 16
               && !stfi_ft_row_is_real(&twiddled, STF_F32, &stfi_tuning_h200),
           "with 32 registers of data a code is for twiddled ones");
    tap_ok(stfi_ft_sign_pattern(7) == NULL && stfi_ft_sign_pattern(64) == NULL,
           "lengths without a code");
}

/* The factors of a pass come in the order of the network, the last stage first.
 * Radices of several primes stay whole, others are split. */
static void test_factors(void)
{
    static const int radix[] = {12, 9, 10, 4};
    static const unsigned char back[] = {2, 2, 10, 3, 3, 12};
    static const unsigned char forth[] = {12, 3, 3, 10, 2, 2};
    const size_t bytes = sizeof back;
    stfi_network_shape fft =
        stfi_network_shape_make(STFI_OP_FFT, STFI_CONV_NONE, 4320, 4, radix);
    stfi_network_shape conv =
        stfi_network_shape_make(STFI_OP_CONV, STFI_CONV_SPREAD, 4320, 4, radix);

    stfi_network_shape real =
        stfi_network_shape_make(STFI_OP_R2C, STFI_CONV_NONE, 4320, 4, radix);

    tap_ok(real.nfactors == 5 && memcmp(real.factor, "\2\2\12\11\14", 5) == 0,
           "for real data powers of odd primes stay whole, too");
    tap_ok(fft.nfactors == 6 && memcmp(fft.factor, back, bytes) == 0
               && fft.before[0] == 0 && conv.nfactors == 6
               && memcmp(conv.factor, back, bytes) == 0
               && memcmp(conv.before, forth, bytes) == 0,
           "the order of the factors of a pass, and of both transforms of a "
           "convolution");
}

static void test_optimised(void)
{
    size_t i;

    for (i = 0; i < sizeof weights / sizeof *weights; i++)
        if (weights[i].level <= tap_level())
            test_weight(i);
    for (i = 0; i < sizeof coded / sizeof *coded; i++)
        test_code(i);
    for (i = 0; i < sizeof mirrored / sizeof *mirrored; i++)
        if (mirrored[i].level <= tap_level())
            test_mirror(i);
    for (i = 0; i < sizeof axes / sizeof *axes; i++)
        if (axes[i].level <= tap_level())
            test_axis(i);
    test_periods();
    test_factors();
    tap_ok(stfi_ft_is_optimised(16384) && stfi_ft_is_optimised(105)
               && !stfi_ft_is_optimised(8193) && !stfi_ft_is_optimised(32768)
               && !stfi_ft_is_optimised(1021),
           "which lengths are optimised");
}

int main(void)
{
    tap_begin("ft/weights");
    test_optimised();
    return tap_end();
}

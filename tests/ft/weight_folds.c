/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Left vectors of R2C and C2R whose residual is that of the complex transform in them
 * (lib/ft/weights/network_fold.h): errors of what separates or joins two elements of its
 * spectrum, by the definition, are heard at least as the network states. */
#include <complex.h>
#include <math.h>
#include <stdlib.h>

#include "ft/weights/optimise.h"
#include "ft/weights/row.h"
#include "fft/factor.h"
#include "tests/ft/take.h"
#include "tests/tap.h"

static const struct {
    stfi_op op;
    int64_t n;
    double least;
    tap_level_t level;
} folds[] = {
    {STFI_OP_R2C, 8, 0.40, TAP_QUICK},
    {STFI_OP_C2R, 8, 0.42, TAP_QUICK},
    {STFI_OP_R2C, 15, 0.41, TAP_QUICK},
    {STFI_OP_C2R, 15, 0.40, TAP_QUICK},
    {STFI_OP_R2C, 60, 0.33, TAP_QUICK},
    {STFI_OP_C2R, 60, 0.31, TAP_QUICK},
    {STFI_OP_R2C, 64, 0.34, TAP_QUICK},
    {STFI_OP_C2R, 64, 0.35, TAP_QUICK},
    {STFI_OP_R2C, 243, 0.27, TAP_NORMAL},
    {STFI_OP_C2R, 243, 0.27, TAP_NORMAL},
    {STFI_OP_R2C, 512, 0.28, TAP_NORMAL},
    {STFI_OP_C2R, 512, 0.29, TAP_NORMAL},
    {STFI_OP_R2C, 1000, 0.25, TAP_NORMAL},
    {STFI_OP_C2R, 1000, 0.26, TAP_NORMAL},
    {STFI_OP_R2C, 4096, 0.23, TAP_NORMAL},
    {STFI_OP_C2R, 4096, 0.24, TAP_NORMAL},
};

/* Returns how an error of E and one of O, where Z_k = E + i O and Z_(n-k) is conj E +
 * i conj O, are heard by weights of Z_k and Z_(n-k), relative to the two elements. */
static double heard(double complex one, double complex mirror,
                    double complex even, double complex odd)
{
    return cabs(one * (even + I * odd) + mirror * (conj(even) + I * conj(odd)))
           / sqrt(2);
}

/* Returns the least effect of an error of 1 in a component of the even or the odd part
 * of any pair, or of the odd part before or after its root. */
static double least_heard(int64_t n, const double complex *weight)
{
    double least = INFINITY;

    for (int64_t k = 1; 2 * k < n; k++)
        for (int part = 0; part < 6; part++) {
            double complex unit = part % 2 == 0 ? 1 : I;
            double complex turn =
                part < 4
                    ? 1
                    : cexp(I * 3.14159265358979323846 * (double)k / (double)n);
            double complex even = part < 2 ? unit : 0,
                           odd = part < 2 ? 0 : turn * unit;
            least = fmin(least, heard(weight[k], weight[n - k], even, odd));
        }
    return least;
}

/* The weights of Z: e where it is what R2C makes, the row where C2R joins it, relative
 * to sqrt(n). */
static void fill_weights(stfi_op op, int64_t n, const float *e,
                         double complex *weight)
{
    long double *row = take(2 * (size_t)n, sizeof *row);

    if (stfi_ft_row(n, n, e, row))
        tap_ok(0, "a row is made");
    for (int64_t k = 0; k < n; k++)
        weight[k] = op == STFI_OP_R2C
                        ? (double)e[2 * k] + I * (double)e[2 * k + 1]
                        : ((double)row[2 * k] + I * (double)row[2 * k + 1])
                              / sqrt((double)n);
    free(row);
}

static void test_fold(size_t i)
{
    const int64_t n = folds[i].n;
    const stfi_op op = folds[i].op;
    float *e = take(2 * (size_t)n, sizeof *e);
    double complex *weight = take((size_t)n, sizeof *weight);
    int radix[STFI_MAX_STAGES];
    double cost, least = 0, found;
    stfi_network_shape shape =
        stfi_network_shape_make(STFI_OP_FFT, STFI_CONV_NONE, n,
                                stfi_factor_stages(n, radix, &cost), radix);

    shape.op = op;
    shape.real = 1;
    if (stfi_ft_optimised_vector(&shape, n, e)
        || stfi_ft_least_weight(&shape, n, e, &least))
        tap_ok(0, "a vector is made");
    fill_weights(op, n, e, weight);
    found = least_heard(n, weight);
    tap_ok(
        least >= folds[i].least && found >= least - 1e-4,
        "%s of %d pairs: least weight %.3f, at least %.2f; of what is %s %.3f",
        op == STFI_OP_R2C ? "R2C" : "C2R", (int)n, least, folds[i].least,
        op == STFI_OP_R2C ? "separated" : "joined", found);
    free(weight);
    free(e);
}

int main(void)
{
    for (size_t i = 0; i < sizeof folds / sizeof *folds; i++)
        if (folds[i].level <= tap_level())
            test_fold(i);
    return tap_end();
}

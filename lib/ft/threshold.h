/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Thresholds: how large a residual may be. The residual d = e^T y - r^T x of a
 * transform without faults has the size of the rounding error of y, whatever
 * the data: about sqrt(1+L) u sqrt(N) ||x||, where L is the number of stages of
 * radix 2 and u the unit round-off. So the threshold is tau = K sqrt(1+L) u
 * sqrt(N) ||x|| plus the granularity of denormal numbers, times the transform's
 * scale. No constant is tuned to data. */
#ifndef STFI_FT_THRESHOLD_H
#define STFI_FT_THRESHOLD_H

#include <float.h>
#include <math.h>

#include "ft/outcome.h"
#include "steadfast.h"

/* K above which a residual is suspect, and K above which it is a fault.
 * The residuals of transforms without faults have a root mean square K of 0.7
 * to 1.1; about one lane in 20,000 of lanes of 8 points is suspect without a
 * fault. */
#define STFI_FT_SUSPECT 3.0L /* GPUs: backends/gpu/kernels/fft/args.h */
#define STFI_FT_REPORT 6.0L

/* tau = K * slope * ||x|| + floor. */
typedef struct stfi_ft_bound {
    long double slope;
    long double floor;
} stfi_ft_bound;

/* Returns L of a transform, given its completed descriptor: the sum over the
 * axes of log2 n, or of twice log2 of the convolution's length where n has a
 * large prime factor. */
double stfi_ft_depth(const stf_fft_desc *full);

/* The rounding errors that a transform of halves makes by storing its results:
 * how often each element is rounded, which counts twice per axis in transforms
 * of unknown passes. */
double stfi_ft_roundings(const stf_fft_desc *full);

/* Returns the bound for transforms of `points` points, `depth` stages of radix 2
 * and the given scale. u is the unit round-off of the arithmetic; each of
 * `roundings` to halves adds (h/2)^2 to the square of sqrt(1 + depth) u, h being
 * the data's round-off: its rounding errors have a root mean square of 0.4 h.
 * `own` > 0 is a threshold of the user's own, which replaces 6 times that
 * root. */
stfi_ft_bound stfi_ft_bound_make(stf_precision precision, double own,
                                 double points, double depth, double roundings,
                                 double scale);

/* Returns the bound for transforms of a completed descriptor. A
 * threshold of the user's own in it replaces 6 sqrt(1+L) u. */
stfi_ft_bound stfi_ft_bound_of(const stf_fft_desc *full, double scale);

/* The same for passes that round so often, if that is more than those of
 * stfi_ft_roundings() do. */
stfi_ft_bound stfi_ft_bound_rounded(const stf_fft_desc *full, double scale,
                                    double roundings);

/* Returns the size of a residual, whose parts lie in the range of double. Where
 * long double has a larger one, squares of these can neither overflow nor
 * vanish, and need none of hypotl()'s care, which takes longer than all else
 * that is done for a short transform. */
static inline long double stfi_ft_length(long double re, long double im)
{
#if LDBL_MAX_EXP >= 4 * DBL_MAX_EXP
    return sqrtl(re * re + im * im);
#else
    return hypotl(re, im);
#endif
}

/* Judges `residual` = |d| against `norm` = ||x||, both computed from data times
 * `unit`, a scale that keeps them from overflow and underflow. *ratio_p: the
 * residual divided by the tau for STFI_FT_REPORT; NaN if the input's norm is
 * not finite, INFINITY if the residual is not finite. Thread: any. */
stfi_ft_verdict stfi_ft_judge(const stfi_ft_bound *bound, long double residual,
                              long double norm, long double unit,
                              double *ratio_p);

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* How large a residual may be. A residual d = e^T y - r^T x of a transform
 * without faults is as large as the rounding error of y, whatever the data:
 * of the order of sqrt(1+L) u sqrt(N) ||x||, where L is the number of stages
 * of radix 2. So tau = K sqrt(1+L) u sqrt(N) ||x|| + the granularity of
 * denormal numbers, times the transform's scale; nothing is tuned to data. */
#ifndef STFI_FT_THRESHOLD_H
#define STFI_FT_THRESHOLD_H

#include "ft/outcome.h"
#include "steadfast.h"

/* K above which a residual is suspect, and above which it is a fault. Clean
 * residuals have a K of 0.7 to 1.1 (root mean square); of lanes of 8 points one
 * in 20,000 is suspect without a fault. */
#define STFI_FT_SUSPECT 3.0L /* GPUs: backends/gpu/kernels/fft/args.h */
#define STFI_FT_REPORT 6.0L

/* tau = K * slope * ||x|| + floor. */
typedef struct stfi_ft_bound {
    long double slope;
    long double floor;
} stfi_ft_bound;

/* L of a transform of the completed descriptor: the sum over its axes of
 * log2 n, or of twice log2 of the convolution's length where n has a large
 * prime. */
double stfi_ft_depth(const stf_fft_desc *full);

/* The bound of so many points, `depth` stages of radix 2 and a scale, of F32
 * or F64. `own` > 0 replaces 6 sqrt(1 + depth) u. */
stfi_ft_bound stfi_ft_bound_make(stf_precision precision, double own,
                                 double points, double depth, double scale);

/* The bound of F32 or F64 transforms. A threshold of the descriptor's own
 * replaces 6 sqrt(1+L) u. */
stfi_ft_bound stfi_ft_bound_of(const stf_fft_desc *full, double scale);

/* Judges |d| = residual against ||x|| = norm, both of data times `unit` (so
 * that neither overflows nor underflows). *ratio_p: the residual relative to
 * the tau of STFI_FT_REPORT; NaN where the input has no norm, INFINITY where
 * the residual is NaN. Thread: any. */
stfi_ft_verdict stfi_ft_judge(const stfi_ft_bound *bound, long double residual,
                              long double norm, long double unit,
                              double *ratio_p);

#endif

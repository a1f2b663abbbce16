/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Thresholds of residuals; see threshold.h. */
#include "ft/threshold.h"

#include <math.h>

#include "fft/desc.h"
#include "fft/factor.h"

/* The logical length of an axis, which the rounding errors of real to real
 * kinds depend on. */
static int64_t logical_length(const stf_fft_desc *full, int axis)
{
    const stfi_kind *kind =
        stfi_kind_get(full->kind == STF_R2R ? full->kinds[axis] : full->kind);
    int64_t n = full->n[axis];

    return stfi_kind_is_r2r(full->kind) ? kind->times * (n + kind->plus) : n;
}

double stfi_ft_depth(const stf_fft_desc *full)
{
    double depth = 0;

    for (int a = 0; a < full->rank; a++) {
        int64_t n = logical_length(full, a);
        depth += stfi_factor_direct(n)
                     ? log2((double)n)
                     : 2 * log2((double)stfi_factor_smooth(2 * n - 1));
        depth += stfi_kind_is_r2r(full->kind); /* the roots of its turns */
    }
    return depth;
}

double stfi_ft_roundings(const stf_fft_desc *full)
{
    const int tensor = full->compute == STF_COMPUTE_TENSOR;
    double roundings = 0;

    /* Matrix units round once more at every stage of radix 8 or more. */
    for (int a = 0; a < full->rank; a++)
        roundings +=
            full->n[a] > 1
                ? 2 + tensor * ceil(log2((double)logical_length(full, a)) / 3)
                : 0;
    return roundings > 0 ? roundings : 1;
}

stfi_ft_bound stfi_ft_bound_make(stf_precision precision, double own,
                                 double points, double depth, double roundings,
                                 double scale)
{
    const stfi_type *type = stfi_type_get(precision);
    const stfi_type *math = stfi_type_arithmetic(precision);
    long double u = math->unit_roundoff, h = 0, least = math->least;
    long double factor = fabsl((long double)scale);
    stfi_ft_bound bound;

    if (math != type && roundings > 0) {
        h = type->unit_roundoff / 2;
        least = type->least;
    }
    bound.slope = own > 0 ? (long double)own / STFI_FT_REPORT
                  : h > 0 ? sqrtl((1 + depth) * u * u + roundings * h * h)
                          : sqrtl(1 + depth) * u;
    bound.slope *= sqrtl(points) * factor;
    bound.floor = 2 * points * (1 + depth) * least * (factor > 1 ? factor : 1);
    return bound;
}

stfi_ft_bound stfi_ft_bound_rounded(const stf_fft_desc *full, double scale,
                                    double roundings)
{
    double points = 1;

    for (int a = 0; a < full->rank; a++)
        points *= (double)logical_length(full, a);
    return stfi_ft_bound_make(full->precision, full->ft.threshold, points,
                              stfi_ft_depth(full),
                              fmax(roundings, stfi_ft_roundings(full)), scale);
}

stfi_ft_bound stfi_ft_bound_of(const stf_fft_desc *full, double scale)
{
    return stfi_ft_bound_rounded(full, scale, 0);
}

/* Comparisons are negated, so that a residual that is NaN exceeds any bound. */
stfi_ft_verdict stfi_ft_judge(const stfi_ft_bound *bound, long double residual,
                              long double norm, long double unit,
                              double *ratio_p)
{
    long double one = bound->slope * norm, floor = bound->floor * unit;
    long double tau = STFI_FT_REPORT * one + floor;

    if (!isfinite(norm)) {
        *ratio_p = NAN;
        return STFI_FT_UNVERIFIABLE;
    }
    *ratio_p = isfinite(residual) ? (double)(residual / tau) : INFINITY;
    if (!(residual <= tau))
        return STFI_FT_FAULTY;
    return !(residual <= STFI_FT_SUSPECT * one + floor) ? STFI_FT_SUSPICIOUS
                                                        : STFI_FT_CLEAN;
}

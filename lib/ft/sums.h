/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Weighted sums over an array of any layout, with weights that are a product
 * of one vector per axis: half of a residual, and the norm. */
#ifndef STFI_FT_SUMS_H
#define STFI_FT_SUMS_H

#include <stdint.h>

#include "steadfast.h"

/* What is summed, in components. Weight i of axis a is element i of
 * weight[a], or, reversed, element period[a] - i. */
typedef struct stfi_ft_side {
    int rank;
    int parts;      /* components of an element: 1 or 2 */
    int reversed;   /* weights of -i */
    int conjugate;  /* of the data */
    int64_t halved; /* n of a half spectrum whose other half
                                       counts too, else 0: see below */
    int64_t n[STF_MAX_RANK];
    int64_t below[STF_MAX_RANK]; /* elements of the axes after each */
    int64_t stride[STF_MAX_RANK];
    const void *weight[STF_MAX_RANK];
    int64_t period[STF_MAX_RANK];
} stfi_ft_side;

/* sum of weight * x * unit and sum of |x * unit|^2. Of a half spectrum,
 * elements 0 and n/2 of the last axis weigh half in the first sum, and the
 * others twice in the second, since their mirror images are not stored. */
typedef struct stfi_ft_sum {
    long double re, im, power;
} stfi_ft_sum;

/* One row per precision: sums in the next wider one, by halves, so that
 * rounding is far below that of the data. Thread: any. */
typedef struct stfi_ft_summer {
    int any_size; /* 1: squares of all data are in range: unit is 1 */
    long double (*peak)(const stfi_ft_side *side, const void *x);
    stfi_ft_sum (*sum)(const stfi_ft_side *side, const void *x,
                       long double unit);
} stfi_ft_summer;

extern const stfi_ft_summer stfi_ft_sum_f32, stfi_ft_sum_f64;

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Weighted sums over an array of any layout, with weights that are a product
 * of one vector per axis: half of a residual, and the norm. */
#ifndef STFI_FT_SUMS_H
#define STFI_FT_SUMS_H

#include <stdint.h>

#include "steadfast.h"

/* What adjacent elements add up to: products of a component of the weights
 * (first letter) and one of the data (second), and the sum of squares. */
typedef struct stfi_ft_products {
    double rr, ii, ri, ir, power;
} stfi_ft_products;

/* Forms of such rows, which are added up. */
enum {
    STFI_FT_ROW_COMPLEX = 1,   /* the data are complex */
    STFI_FT_ROW_BACKWARDS = 2, /* weights are read backwards from w on */
    STFI_FT_ROW_POWER = 4,     /* the sum of squares is wanted */
    STFI_FT_ROW_FORMS = 8
};

/* Adds up `count` adjacent elements, the first of which and whose weight are at
 * x and w, with rounding errors below those of a transform of the data. Squares
 * may overflow or vanish. Thread: any. */
typedef void stfi_ft_row_sum(const void *x, const void *w, int64_t count,
                             stfi_ft_products *products_p);

/* A complex sum of products, and the sum of squares. */
typedef struct stfi_ft_total {
    double re, im, power;
} stfi_ft_total;

/* The same for each of `rows` rows, whose first elements are `apart` components
 * apart, and which have the same weights. Equal rows have equal sums. */
typedef void stfi_ft_many_sum(const void *x, const void *w, int64_t count,
                              int64_t apart, int64_t rows,
                              stfi_ft_total *totals);

/* Returns the sum of the words of 64 bits in `bytes` bytes of memory. */
typedef uint64_t stfi_ft_bit_sum(const void *x, int64_t bytes);

/* The functions by form. */
typedef struct stfi_ft_rows {
    stfi_ft_bit_sum *bits;
    stfi_ft_row_sum *one[STFI_FT_ROW_FORMS];
    stfi_ft_many_sum *many[STFI_FT_ROW_FORMS];
} stfi_ft_rows;

/* The array that is summed; strides are in components. Element i of axis a is
 * multiplied by element i of weight[a] or, if reversed, by element period[a] -
 * i. */
typedef struct stfi_ft_side {
    int rank;
    int parts;      /* components of an element: 1 or 2 */
    int reversed;   /* 1: element -i of the weights belongs to element i */
    int conjugate;  /* 1: the data are conjugated */
    int64_t halved; /* n of a half spectrum, whose other half counts
                       in the sums (see below); else 0 */
    int64_t n[STF_MAX_RANK];
    int64_t below[STF_MAX_RANK]; /* product of n[] of the later axes */
    int64_t stride[STF_MAX_RANK];
    const void *weight[STF_MAX_RANK];
    int64_t period[STF_MAX_RANK];
    int powerless;            /* 1: the sum of squares is not needed */
    const stfi_ft_rows *rows; /* add up adjacent elements if the unit is 1;
                                     NULL: none */
} stfi_ft_side;

/* The sums of weight * x * unit and of |x * unit|^2. In a half spectrum
 * (`halved` > 0), elements 0 and n/2 of the last axis count half in the first
 * sum, and the other elements count twice in the second, since their mirror
 * images are not stored. */
typedef struct stfi_ft_sum {
    long double re, im, power;
} stfi_ft_sum;

/* The functions for one precision. They add in the next wider precision, and
 * pairwise by halves, so that their rounding is far below that of the data.
 * Thread: any. */
typedef struct stfi_ft_summer {
    int64_t most_many; /* the longest rows whose sums by rows->many round as
                          little */
    int any_size; /* 1: squares of all finite data are in range, so unit may be
                     1 */
    long double least, most; /* `rows` have lost nothing if the mean of squares
                                is above the first and their sum below the
                                second */
    long double (*peak)(const stfi_ft_side *side, const void *x);
    stfi_ft_sum (*sum)(const stfi_ft_side *side, const void *x,
                       long double unit);
} stfi_ft_summer;

extern const stfi_ft_summer stfi_ft_sum_f16, stfi_ft_sum_bf16, stfi_ft_sum_f32,
    stfi_ft_sum_f64;

#endif

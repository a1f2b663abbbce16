/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* How a length that fits a tile is computed: by radices, or, when it has a
 * large prime, by a convolution (Rader or Bluestein).
 * Source: [Govindaraju2008], sections IV.D and IV.E. Thread: any. */
#ifndef STFI_FFT_FACTOR_H
#define STFI_FFT_FACTOR_H

#include <stdint.h>

#include "fft/schedule.h"

/* A row of radices.def. */
typedef struct stfi_radix {
    int r;
    double ops;
    int special;
} stfi_radix;

/* The i-th row, NULL past the end; rows rise by r. */
const stfi_radix *stfi_radix_at(int i);

/* Splits n into radices of the table, first stage first, cheapest sum of
 * operations and sweeps over the tile. Returns the number of stages (0 for
 * n = 1), or -1 if n has a prime without a row. radix may be NULL. *cost_p
 * gets the operations per element. */
int stfi_factor_stages(int64_t n, int radix[STFI_MAX_STAGES], double *cost_p);

/* 1 if every prime of n has a row in radices.def. */
int stfi_factor_direct(int64_t n);

/* 1 if the radix has a special butterfly. */
int stfi_factor_special(int r);

/* Rader's method needs a prime n with n-1 a product of radices. */
int stfi_factor_rader(int64_t n);

/* The cheapest length >= at_least whose primes are at most 7, times 1, 11 or
 * 13, for a convolution; never more than the next power of two. */
int64_t stfi_factor_smooth(int64_t at_least);

/* The cheapest way to transform n elements inside one tile: returns its
 * operations per element and sets the method and the tile's length. */
double stfi_factor_tile(int64_t n, stfi_conv *conv_p, int64_t *tile_p);

#endif

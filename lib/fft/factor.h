/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* How a transform of a length that fits a tile is computed: by radices, or, if
 * the length has a large prime factor, by a convolution (Rader or Bluestein).
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

/* Returns the i-th row, or NULL past the end; rows are in rising order of r. */
const stfi_radix *stfi_radix_at(int i);

/* Splits n into radices of the table, first stage first, with the least sum of
 * operations and of costs for loading and storing elements in each stage.
 * Returns the number of stages (0 for n = 1), or -1 if n has a prime factor
 * without a row. radix may be NULL. *cost_p gets the operations per element. */
int stfi_factor_stages(int64_t n, int radix[STFI_MAX_STAGES], double *cost_p);

/* Ways to split n into radices of the table, in falling order: the first ones by
 * the same cost. Returns how many there are, at most STFI_FACTOR_WAYS. */
enum { STFI_FACTOR_WAYS = 6 };
typedef struct stfi_radix_way {
    int count;
    int radix[STFI_MAX_STAGES];
    double cost;
} stfi_radix_way;
int stfi_factor_ways(int64_t n, stfi_radix_way way[STFI_FACTOR_WAYS]);

/* Returns 1 if every prime factor of n has a row in radices.def. */
int stfi_factor_direct(int64_t n);

/* Returns 1 if the radix has a special butterfly. */
int stfi_factor_special(int r);

/* Returns 1 if Rader's algorithm applies: n is prime, and n - 1 has no larger prime
 * factor than `largest`. */
int stfi_factor_rader(int64_t n, int64_t largest);

/* Returns the cheapest length >= at_least for a convolution, among those whose
 * prime factors are at most 7, but for one 11 or 13; it is never more than the
 * next power of two. */
int64_t stfi_factor_smooth(int64_t at_least);

/* Finds the cheapest way to transform n elements inside one tile: returns its
 * operations per element, and sets the method and the tile's length. */
double stfi_factor_tile(int64_t n, stfi_conv *conv_p, int64_t *tile_p);

#endif

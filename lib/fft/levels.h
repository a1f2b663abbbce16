/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Levels: the split of an axis, N = N1 * N2 * ... * Nk, into one pass over
 * device memory for each factor, and how a tile computes each. */
#ifndef STFI_FFT_LEVELS_H
#define STFI_FFT_LEVELS_H

#include "fft/builder.h"

enum { STFI_MAX_LEVELS = 16 };

/* One level of the decomposition: its logical length, and how a tile computes
 * it. */
typedef struct stfi_level {
    int64_t n;
    stfi_conv conv;
    int64_t tile; /* elements in the tile: n, or the convolution's length */
    double ops;   /* operations per element */
} stfi_level;

typedef struct stfi_split {
    int count;
    stfi_level level[STFI_MAX_LEVELS];
    int64_t spread; /* > 0: levels of a convolution of this length */
    int64_t block;  /* > 0: WORK0 is [k1 / block][j'][k1 % block] */
    double cost;
} stfi_split;

/* Makes the level of a length. Returns 1 if the level's tile fits, of at most
 * `max` elements. */
stfi_level stfi_level_make(const stfi_builder *b, int64_t n);
int stfi_level_fits(const stfi_builder *b, const stfi_level *l, int64_t max);

/* Returns 1 if few multiprocessors of a GPU would compute a single level, each a tile
 * that takes longer than the launches of several levels, whose tiles all of them
 * compute. */
int stfi_level_is_slow_alone(const stfi_builder *b, const stfi_level *l,
                             double others);

/* Gets the split that the builder's choice has for an axis of n elements. Returns
 * 0 if it has none; if it has one that is not possible, sets b->status to
 * UNSUPPORTED. row: 1 if a single pass would read rows. */
int stfi_split_chosen(stfi_builder *b, int64_t n, int row, stfi_split *split_p);

/* Returns the elements of a convolution that computes a transform of n elements, by
 * Bluestein's algorithm, if all its elements and results count: any difference of the
 * numbers of a result and an element has a place of its own. */
static inline int64_t stfi_split_conv(int64_t n)
{
    return 2 * n - 1;
}

/* Returns the choice's split of an axis of n elements, or the cheapest, or of
 * the convolution of at least `conv` elements that computes it. count 0: none fits, or,
 * if b->status is set, memory is short. `row`: 1 if a single pass would read rows;
 * `others`: lanes of the axis. */
stfi_split stfi_split_choose(stfi_builder *b, int64_t n, int64_t conv, int row,
                             double others);

/* Returns the cheapest two levels for a real transform of n elements on a GPU,
 * R2C or (`inverse`) C2R, with the block of WORK0. Level 0 is on the side of
 * the reals and uses real transforms, level 1 is on the side of the spectrum.
 * Level 1 is even if n is. count 0: none fits. */
stfi_split stfi_split_choose_real(const stfi_builder *b, int64_t n, int inverse,
                                  double others);

/* Returns the block of k1 for two levels on a GPU, or 0 if columns are wide
 * anyway, or if no block of at least a memory sector divides the first
 * level. */
int64_t stfi_split_block(const stfi_builder *b, const stfi_split *s,
                         double others);

#endif

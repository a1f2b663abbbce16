/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Checks of packed transforms as a whole: the residual of offline.h, with one
 * weight for each real in memory, by which a backend sums up short transforms
 * in vectors, whatever their kind and their axes. */
#ifndef STFI_FT_WHOLE_H
#define STFI_FT_WHOLE_H

#include "fft/schedule.h"
#include "ft/offline.h"

/* The most vectors that are added one to another before their sum is added to
 * that of others. */
enum { STFI_FT_CHAIN = 8 };

/* What computes transforms that are checked as a whole: nothing; the radices of their
 * passes; or one butterfly for each axis of up to STFI_WHOLE_AT_ONCE complex numbers. */
typedef enum stfi_ft_whole {
    STFI_WHOLE_NONE,
    STFI_WHOLE_PASSES,
    STFI_WHOLE_AXES
} stfi_ft_whole;
enum { STFI_WHOLE_AT_ONCE = 30 };

/* The most checks of a transform: the second one, of end-to-end checks, has other
 * weights, so that what one hardly sees is seen by the other. */
enum { STFI_WHOLE_CHECKS = 2 };

/* Checks of transforms as a whole, forward and inverse, by number; NULL: there is no such
 * direction, or only one. */
struct stfi_ft_whole_checks {
    const stfi_ft_offline *by[2][STFI_WHOLE_CHECKS];
};
typedef struct stfi_ft_whole_checks stfi_ft_whole_checks;

/* Makes a check for transforms of the completed descriptor as a whole. Axes that
 * passes of the protected schedule transform have the vectors of these, which are
 * there already, or of their one butterfly: other vectors would be blind for some
 * values in between. Vectors of others are random, as they would take long to make.
 * second: 1 for the second check.
 * The cache must outlive it; stfi_ft_offline_close() frees it. Errors: MEMORY,
 * UNSUPPORTED. */
stf_status stfi_ft_whole_open(stfi_ft_cache *cache, const stf_fft_desc *full,
                              const stfi_schedule *s, stfi_ft_whole how,
                              stf_direction direction, int second,
                              stfi_ft_offline *check_p);

/* Returns 1 if transforms of a completed descriptor have few enough weights for checks as
 * a whole: those of the longest arrays would take seconds to make, and the memory of
 * their data. */
int stfi_ft_whole_suits(const stf_fft_desc *full);

/* Returns the number of reals of a packed side. */
int64_t stfi_ft_reals(const stfi_ft_side *side);

/* Weights of several axes are products: a packed side of a long array is seen as lines,
 * with the weights of its last axes, which are multiplied by a weight of each line.
 * Returns the first axis of a line; 0 if the side is one line. */
int stfi_ft_line_axis(const stfi_ft_side *side);

/* Returns the side as if it had axes [first, end) only. */
stfi_ft_side stfi_ft_axes(const stfi_ft_side *side, int first, int end);

/* The weights of element i of a packed side, in memory's order: part p of it adds
 * weight[0][p] times itself to the real part of the sum, and weight[1][p] times
 * itself to the imaginary part. precision: of the data. */
void stfi_ft_weights_of(const stfi_ft_side *side, stf_precision precision,
                        int64_t i, long double weight[2][2]);

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Checks of single butterflies (level THREAD): e and row with as many points as
 * the radix, optimised for the values inside the butterfly. */
#ifndef STFI_WEIGHTS_STAGE_H
#define STFI_WEIGHTS_STAGE_H

#include "fft/schedule.h"

enum { STFI_FT_LARGEST_RADIX = 61 };

typedef struct stfi_ft_stage {
    double e[2 * STFI_FT_LARGEST_RADIX];   /* numbers of eight bits */
    double row[2 * STFI_FT_LARGEST_RADIX]; /* e^T W, rounded once */
} stfi_ft_stage;

/* Computes the vectors of a radix, which are always the same. Takes some
 * milliseconds the first time. Errors: MEMORY. Thread: any. */
stf_status stfi_ft_stage_make(int radix, stfi_ft_stage *stage_p);

/* Returns the factor in the threshold of a butterfly of radix R, tau = K slope
 * factor ||x||. The slope is that of its pass: the unit round-off, or the
 * user's threshold divided by K. The factor is sqrt(R (1 + log2 R + w)) + R;
 * w is 1 if the inputs have twiddles, else 0. The term R is for inputs that
 * are nearly proportional to the row, so that all terms of the sums, and their
 * roundings, add up: with as few numbers as a butterfly has, this happens by
 * chance. Even so, the faults that this threshold finds are smaller than those
 * that the residual of a whole lane would show. */
double stfi_ft_stage_factor(int radix, int twiddled);

#endif

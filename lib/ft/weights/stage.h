/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Checks of single butterflies (level THREAD): e and row of as many points as
 * a radix, optimised for what the butterfly does inside. */
#ifndef STFI_WEIGHTS_STAGE_H
#define STFI_WEIGHTS_STAGE_H

#include "fft/schedule.h"

enum { STFI_FT_LARGEST_RADIX = 61 };

typedef struct stfi_ft_stage {
    double e[2 * STFI_FT_LARGEST_RADIX];   /* numbers of eight bits */
    double row[2 * STFI_FT_LARGEST_RADIX]; /* e^T W, rounded once */
} stfi_ft_stage;

/* The vectors of a radix; they are the same each time. Some milliseconds.
 * Errors: MEMORY. Thread: any. */
stf_status stfi_ft_stage_make(int radix, stfi_ft_stage *stage_p);

/* A butterfly of radix R is held against tau = K slope factor ||x||, slope that
 * of its pass: the unit round-off, or a threshold of the user's own / K. The
 * factor is sqrt(R (1 + log2 R + w)) + R, w = 1 if inputs have twiddles. The
 * second part is for inputs like the row, of which all terms of the sums add
 * up, and so do their roundings: few numbers are like any row, 16 by chance
 * are. What is a fault is still smaller than a lane's residual would tell. */
double stfi_ft_stage_factor(int radix, int twiddled);

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Problems drawn at random, so that speed is measured on lengths that no list
 * names. */
#ifndef STFI_COMMAND_RANDOM_PROBLEM_H
#define STFI_COMMAND_RANDOM_PROBLEM_H

#include "support/problem/problem.h"

/* Which problems are drawn. */
typedef struct stfi_draw {
    int any_kind, any_precision; /* 0: those of `like` */
    stfi_problem like;
    double points; /* the most points of one transform, at least 8 */
} stfi_draw;

/* Draws a problem from `*state`: its kind among C2C (half of them), R2C and
 * C2R, its precision F32 or F64, one to three axes whose lengths are products
 * of primes up to 13, or primes in a tenth of all problems, with the logarithm
 * of their product distributed evenly, a third of all in place. One in five is
 * a single transform, which desc.batch 1 says; for all others it is 0. */
stfi_problem stfi_random_problem(const stfi_draw *draw, uint64_t *state);

/* The name of the group that a problem with its batch belongs to: transforms
 * in batches, single short ones (up to 2^16 points), single arrays of at least
 * 2^18 elements and two or three axes, and other single transforms. */
const char *stfi_random_group(const stf_fft_desc *d);

#endif

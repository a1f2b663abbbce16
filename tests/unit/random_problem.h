/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Random problems for the planner: all kinds, ranks, layouts and protections
 * that a descriptor can ask for, and sizes from 1 to what no machine holds. */
#ifndef STFI_UNIT_RANDOM_PROBLEM_H
#define STFI_UNIT_RANDOM_PROBLEM_H

#include <stddef.h>

#include "base/random.h"
#include "steadfast.h"

typedef struct random_problem {
    stf_fft_desc d;
    int in_place; /* 1: in its form for runs in place, if it has one */
    int bits;     /* lengths and batch have a product of 2^bits at most */
} random_problem;

enum { RANDOM_PROBLEM_BYTES = 1024 };

/* Draws a problem. */
void random_problem_draw(uint64_t *state, random_problem *p_p);

/* Writes all that a descriptor has beyond its defaults, for messages. */
void random_problem_print(const random_problem *p,
                          char text[RANDOM_PROBLEM_BYTES]);

#endif

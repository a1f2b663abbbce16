/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Signals of many distributions for which checksums must work: large and small,
 * smooth and rough, sparse, denormal. Tests and the command share them. */
#ifndef STFI_PROBLEM_DISTRIBUTION_H
#define STFI_PROBLEM_DISTRIBUTION_H

#include "steadfast.h"

enum { STFI_DISTRIBUTIONS = 13 };

const char *stfi_distribution_name(int distribution);

/* Draws one signal of F32 or F64: `elements` of `parts` components (1: real,
 * 2: complex) from `array` on. */
void stfi_distribution_draw(int distribution, stf_precision precision,
                            int64_t elements, int parts, void *array,
                            uint64_t *state);

/* A uniform random number, at least `low` and less than `high`. */
double stfi_random_uniform(double low, double high, uint64_t *state);

#endif

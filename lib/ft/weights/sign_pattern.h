/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Sign patterns: how the elements of a left vector that one thread uses differ
 * from each other, so that a sum over the thread's registers needs additions
 * only:
 *
 *     e[t + i T] = g(i) b[t],    t < T, i < V
 *
 * where the T threads of a lane hold V elements each. The g are numbers a + b i
 * with a and b in {-1, 0, 1}, not both 0. In a DFT of V points of the g, no
 * result and no intermediate value of its stages of radix 2 is small, just as
 * no weight of an optimised vector is (butterfly_network.h). doc/abft.md says
 * what patterns gain, vector_form.h which passes have one. Thread: any. */
#ifndef STFI_WEIGHTS_SIGN_PATTERN_H
#define STFI_WEIGHTS_SIGN_PATTERN_H

#include <stdint.h>

/* Returns the pattern of `count` elements, one digit for each: the argument of
 * g in multiples of 45 degrees. Returns NULL if there is none. */
const char *stfi_ft_sign_pattern(int64_t count);

/* The g that a digit stands for. */
typedef struct stfi_ft_unit {
    int re, im;
} stfi_ft_unit;

stfi_ft_unit stfi_ft_sign_pattern_unit(char digit);

#endif

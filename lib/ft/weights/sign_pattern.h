/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Sign patterns: what the elements of a left vector that a thread meets in its
 * registers are to each other, so that a sum over them takes additions alone:
 *
 *     e[t + i T] = g(i) b[t],    t < T, i < V
 *
 * where the T threads of a lane hold V elements each. The g are numbers a + b i
 * with a and b in {-1, 0, 1}, not both 0. Under a DFT of V points, and in all
 * stages of radix 2 on the way there, no sum of them gets small, as no weight
 * of an optimised vector does (butterfly_network.h). doc/abft.md says what they
 * gain, vector_form.h which passes have one. Thread: any. */
#ifndef STFI_WEIGHTS_SIGN_PATTERN_H
#define STFI_WEIGHTS_SIGN_PATTERN_H

#include <stdint.h>

/* The pattern of so many elements: a digit for each, the multiples of 45
 * degrees of g's argument; NULL if there is none. */
const char *stfi_ft_sign_pattern(int64_t count);

/* The g of a digit. */
typedef struct stfi_ft_unit {
    int re, im;
} stfi_ft_unit;

stfi_ft_unit stfi_ft_sign_pattern_unit(char digit);

#endif

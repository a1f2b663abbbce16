/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Codes: what the elements of a left vector that a thread meets in its
 * registers are to each other, so that a sum over them takes additions alone:
 *
 *     e[t + i T] = g(i) b[t],    t < T, i < V
 *
 * where the T threads of a lane hold V elements each. The g are numbers a + b i
 * with a and b in {-1, 0, 1}, not both 0. Under a DFT of V points, and in all
 * stages of radix 2 on the way there, no sum of them gets small, as no weight
 * of a levelled vector does (network.h). */
#ifndef STFI_WEIGHTS_SIGN_PATTERN_H
#define STFI_WEIGHTS_SIGN_PATTERN_H

#include "device/tuning.h"
#include "fft/schedule.h"

/* The code of so many elements: a digit for each, the multiples of 45 degrees
 * of g's argument; NULL if there is none. */
const char *stfi_ft_sign_pattern(int64_t count);

/* g for a digit. */
typedef struct stfi_ft_unit {
    int re, im;
} stfi_ft_unit;

stfi_ft_unit stfi_ft_sign_pattern_unit(char digit);

/* Of a pass whose check says what there is to check: the T of a sign pattern
 * of its e, or 0, where all elements are free. */
int64_t stfi_ft_sign_pattern_period(const stfi_pass *p, stf_precision precision,
                                    const stfi_tuning *tuning);

/* The same: whether its row r is real, for which half of its bytes do, and half
 * of its products: then e is its own mirror image, e[n - k] = conj e[k]. */
int stfi_ft_row_is_real(const stfi_pass *p, stf_precision precision,
                        const stfi_tuning *tuning);

#endif

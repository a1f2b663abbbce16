/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Short texts about the passes of a schedule. */
#ifndef STFI_COMMAND_PASSES_H
#define STFI_COMMAND_PASSES_H

#include "fft/schedule.h"

/* The name of the pass's operation: "fft", "convolve", ..; never NULL. */
const char *stfi_pass_name(const stfi_pass *p);

/* Prints the factors "16*16*4", "" when there are none, like snprintf. */
int stfi_pass_factors(const stfi_pass *p, char *text, size_t capacity);

/* Prints "2 passes: fft 16*16, fft 16*16*4"; cut to the capacity. */
void stfi_passes_print(const stfi_schedule *s, char *text, size_t capacity);

#endif

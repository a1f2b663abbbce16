/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The text of config.h, which the kernels' sources include, of a
 * configuration. Pure functions. Thread: any. */
#ifndef STFI_FFT_DEFINES_H
#define STFI_FFT_DEFINES_H

#include "fft/gpu/config.h"

/* Writes a macro for each row of config.def that has one, and what follows
 * from these: roots of the radices, vectors of their checks, sign patterns.
 * STFK_BLOCKS and STFK_NAME are not among them.
 * Errors: INTERNAL (too long), MEMORY. */
stf_status stfi_gpu_defines(const stfi_gpu_config *c, char *text,
                            size_t capacity);

#endif

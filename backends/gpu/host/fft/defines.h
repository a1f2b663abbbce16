/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Writes the text of config.h, which the kernels' sources include, for a
 * configuration. These are pure functions. Thread: any. */
#ifndef STFI_FFT_DEFINES_H
#define STFI_FFT_DEFINES_H

#include "fft/gpu/config.h"

/* Writes a macro for each row of config.def that has one, and macros that
 * follow from these: roots of the radices, vectors of their checks, the sign
 * pattern. STFK_BLOCKS and STFK_NAME are left to the caller.
 * Errors: INTERNAL (the text is too long), MEMORY. */
stf_status stfi_gpu_defines(const stfi_gpu_config *c, char *text,
                            size_t capacity);

#endif

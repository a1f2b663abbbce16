/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Transforms of host arrays taken out of their layout, and put back. */
#ifndef STFI_RUN_PACK_H
#define STFI_RUN_PACK_H

#include <stddef.h>

#include "steadfast.h"

/* Bytes of the batch's input (output = 0) or output (1) elements, packed. */
size_t stfi_pack_bytes(const stf_fft_desc *d, int output);

/* Copies the elements of `count` transforms from `first` on, of an input
 * (output = 0) or output (1) array whose element 0 is at `array`, to packed
 * order. */
void stfi_pack(const stf_fft_desc *full, int output, int64_t first,
               int64_t count, const char *array, char *packed);

/* Copies packed output elements to where they belong; nothing between them
 * is written. */
void stfi_unpack(const stf_fft_desc *full, int64_t first, int64_t count,
                 const char *packed, char *out);

#endif

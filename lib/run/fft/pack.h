/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Packing the elements of host arrays, and putting results back into their
 * layout, by `threads` threads if that pays. */
#ifndef STFI_RUN_PACK_H
#define STFI_RUN_PACK_H

#include <stddef.h>

#include "steadfast.h"

/* Returns the bytes of the batch's input elements (output = 0) or output
 * elements (output = 1), packed. */
size_t stfi_pack_bytes(const stf_fft_desc *d, int output);

/* Copies the elements of `count` transforms, from transform `first` on, into
 * packed order. `array` points to element 0 of the input (output = 0) or output
 * (output = 1) array. */
void stfi_pack(const stf_fft_desc *full, int output, int64_t first,
               int64_t count, const char *array, char *packed, int threads);

/* Copies packed output elements to their places; nothing between these is
 * written. */
void stfi_unpack(const stf_fft_desc *full, int64_t first, int64_t count,
                 const char *packed, char *out, int threads);

#endif

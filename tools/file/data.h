/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The data of transforms: random input, which is the same on every machine, and
 * elements gathered from any layout. */
#ifndef STFI_FILE_DATA_H
#define STFI_FILE_DATA_H

#include "steadfast.h"

/* Fills the whole input array of a completed descriptor with N(0,1) numbers,
 * also gaps between strided elements. `memory` is the array's lowest address. A
 * half spectrum is made one that real data can have. */
void stfi_data_fill(const stf_fft_desc *full, void *memory, uint64_t seed);

/* Makes half spectra conjugate-even in the planes of frequency 0 and n/2 of the
 * last axis, as the spectra of real signals are. `in` points at element 0. */
void stfi_data_symmetrise(const stf_fft_desc *full, void *in);

/* Copies the elements of one transform of the input (output = 0) or output
 * (1) array, whose element 0 is at `from`, to packed order. */
void stfi_data_gather(const stf_fft_desc *full, int output, const void *from,
                      int64_t transform, void *to);

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Descriptors: checking what a user asked for, and filling in what was left
 * at its default. Pure functions; messages go through base/status.h. */
#ifndef STFI_FFT_DESC_H
#define STFI_FFT_DESC_H

#include "base/type.h"

/* One row of kinds.def. */
typedef struct stfi_kind {
    stf_kind id;
    const char *name;      /* "c2c" */
    int real_in, real_out; /* the array holds reals */
    int supported;         /* a lowering exists */
} stfi_kind;

/* Rows by id, by name ("c2c"); NULL when there is none. Thread: any. */
const stfi_kind *stfi_kind_get(stf_kind id);
const stfi_kind *stfi_kind_find(const char *name);

/* Checks every field and returns in *full_p a copy in which nothing is left
 * at a default: strides, distances, ft mode.
 * Errors: ARGUMENT, UNSUPPORTED, each naming the field and what it was. */
stf_status stfi_desc_complete(const stf_fft_desc *d, stf_fft_desc *full_p);

/* 1 if its transforms run in that direction: R2C only forward, C2R only
 * inverse. */
int stfi_desc_has_direction(const stf_fft_desc *d, int inverse);

/* Length of axis a of the input or output array (half spectra are shorter). */
int64_t stfi_desc_extent(const stf_fft_desc *d, int axis, int output);

/* 1 if a completed descriptor runs in place as it is, 0 otherwise. */
int stfi_desc_inplace_ok(const stf_fft_desc *full);

/* 1 if the real side was packed by default, so that an in-place run pads its
 * rows: *padded_p gets that descriptor, completed. */
int stfi_desc_padded(const stf_fft_desc *d, stf_fft_desc *padded_p);

/* Prints "c2c:f32:360x7*4" like snprintf. */
int stfi_desc_print(const stf_fft_desc *d, char *text, size_t capacity);

#endif

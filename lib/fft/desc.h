/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Descriptors: checking what a user asked for, and filling in defaults. Pure
 * functions; error messages are recorded by base/status.h. */
#ifndef STFI_FFT_DESC_H
#define STFI_FFT_DESC_H

#include "base/type.h"

/* One row of kinds.def. */
typedef struct stfi_kind {
    stf_kind id;
    const char *name;      /* "c2c" */
    int real_in, real_out; /* 1: the array holds reals */
    int supported;         /* 1: there is a lowering */
} stfi_kind;

/* Return the row of an id or of a name ("c2c"); NULL if there is none. Thread:
 * any. */
const stfi_kind *stfi_kind_get(stf_kind id);
const stfi_kind *stfi_kind_find(const char *name);

/* Checks every field and returns in *full_p a copy in which all defaults are
 * filled in: strides, distances, ft mode. Errors: ARGUMENT, UNSUPPORTED;
 * messages name the field and its value. */
stf_status stfi_desc_complete(const stf_fft_desc *d, stf_fft_desc *full_p);

/* Returns 1 if transforms of the descriptor run in that direction: R2C runs
 * only forward, C2R only inverse. */
int stfi_desc_has_direction(const stf_fft_desc *d, int inverse);

/* Length of axis a of the input or output array (half spectra are shorter). */
int64_t stfi_desc_extent(const stf_fft_desc *d, int axis, int output);

/* Returns 1 if transforms of a completed descriptor can run in place. */
int stfi_desc_inplace_ok(const stf_fft_desc *full);

/* Returns 1 if the real side was packed by default, so that an in-place run has
 * padded rows; *padded_p gets the completed descriptor of that form. */
int stfi_desc_padded(const stf_fft_desc *d, stf_fft_desc *padded_p);

/* Prints "c2c:f32:360x7*4" like snprintf. */
int stfi_desc_print(const stf_fft_desc *d, char *text, size_t capacity);

#endif

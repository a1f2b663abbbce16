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
    stf_kind inverse;      /* the kind of the way back */
    int times, plus;       /* logical length: times * (n + plus) */
} stfi_kind;

/* Room for the text of a kind, "r2r=dct2+..." with as many axes as there may
 * be. */
enum { STFI_KIND_TEXT = 4 + 5 * STF_MAX_RANK + 4 };

/* Return the row of an id or of a name ("c2c"); NULL if there is none. Thread:
 * any. */
const stfi_kind *stfi_kind_get(stf_kind id);
const stfi_kind *stfi_kind_find(const char *name);

/* Returns 1 if the kind has reals on both sides. */
int stfi_kind_is_r2r(stf_kind id);

/* Copies a caller's descriptor, whose struct may be that of an earlier version:
 * fields that it does not have get their defaults. Errors: ARGUMENT (NULL, or a
 * size that no version had). */
stf_status stfi_desc_take(const stf_fft_desc *d, stf_fft_desc *own_p);

/* Checks every field and returns in *full_p a copy in which all defaults are
 * filled in: strides, distances, ft mode, and the kind of each axis of real to
 * real transforms. Errors: ARGUMENT, UNSUPPORTED;
 * messages name the field and its value. */
stf_status stfi_desc_complete(const stf_fft_desc *d, stf_fft_desc *full_p);

/* Returns 1 if transforms of the completed descriptor run in that direction: R2C
 * runs only forward, C2R only inverse, and real to real kinds inverse only if
 * all of them are their own inverse. */
int stfi_desc_has_direction(const stf_fft_desc *d, int inverse);

/* Length of axis a of the input or output array (half spectra are shorter). */
int64_t stfi_desc_extent(const stf_fft_desc *d, int axis, int output);

/* Returns 1 if transforms of a completed descriptor can run in place. */
int stfi_desc_inplace_ok(const stf_fft_desc *full);

/* Returns 1 if the real side was packed by default, so that an in-place run has
 * padded rows; *padded_p gets the completed descriptor of that form. */
int stfi_desc_padded(const stf_fft_desc *d, stf_fft_desc *padded_p);

/* Returns the first axis of a completed descriptor whose kind is real to real
 * and not its own inverse, or -1. */
int stfi_desc_one_way(const stf_fft_desc *full);

/* Returns the power of two by which axes of one real multiply: DCT2, DST1 and
 * DST2 of one point are products with 2, and so are two of DCT4 and DST4
 * together. It is part of the scale factor; *root_p gets the last axis of DCT4 or
 * DST4 that is left over, or -1. */
double stfi_desc_factor(const stf_fft_desc *full, int *root_p);

/* Prints the kind, "c2c" or "r2r=dct2+dst1", like snprintf. */
int stfi_desc_print_kind(const stf_fft_desc *d, char *text, size_t capacity);

/* Prints "c2c:f32:360x7*4" like snprintf. */
int stfi_desc_print(const stf_fft_desc *d, char *text, size_t capacity);

#endif

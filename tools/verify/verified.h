/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The kinds of transforms that `steadfast verify` runs. Thread: any. */
#ifndef STFI_VERIFY_VERIFIED_H
#define STFI_VERIFY_VERIFIED_H

#include "steadfast.h"

/* A kind with a direction; quick: 1 if --quick runs it without being asked to by
 * --kind. */
typedef struct stfi_verified {
    stf_kind kind;
    stf_direction direction;
    int quick;
} stfi_verified;

/* Returns row i, or NULL past the end. */
const stfi_verified *stfi_verified_at(int i);

/* Sets the kind of a descriptor that has a shape, and those of its axes: those of
 * `named`, which is NULL where the user named none. Returns 0 if there are no
 * such transforms: DCT1 has no lengths of 1, one axis is not mixed, and there is
 * one named kind for each axis. */
int stfi_verified_set(const stfi_verified *v, const stf_fft_desc *named,
                      stf_fft_desc *d);

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* What is special of F16 and BF16, on any device: conversions, the number of
 * roundings, the range between passes, and what leaves it. Each check is one or
 * a few TAP results. */
#ifndef STFI_TESTS_HALF_CHECKS_H
#define STFI_TESTS_HALF_CHECKS_H

#include "steadfast.h"

typedef struct half_rig {
    stf_device *dev;
    stf_device *cpu;  /* the device that computes references */
    const char *name; /* of the device or of an instruction set */
} half_rig;

/* All values, with some scale factors (`brief`: few), through all ways of loading
 * and storing. */
void half_check_codes(const half_rig *rig, stf_precision p, int brief);

/* The error of normal data, which is no promise: more would mean that something
 * is rounded twice. */
void half_check_rounding(const half_rig *rig, const char *word);

/* A constant of 2^exponent, whose sum over all points leaves the range of F16,
 * is transformed with a scale of 2^-shift. The result is one number; of units, beside
 * what cancels to the round-off. */
void half_check_range(const half_rig *rig, const char *word, int exponent,
                      int shift);

/* What one signal of a batch has, NaN, infinities or the largest number, changes no
 * bit of the others' results; NaN is in all results of its own. */
void half_check_others(const half_rig *rig, const char *word);

#endif

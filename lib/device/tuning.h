/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Constants that were measured on a device. tuning.def says what each one
 * means. They are data, so that each device can have its own. */
#ifndef STFI_DEVICE_TUNING_H
#define STFI_DEVICE_TUNING_H

#include "device/caps.h"

/* A radix whose butterfly fits the registers, and its operations per
 * element. */
typedef struct stfi_radix_cost {
    int r;
    double ops;
} stfi_radix_cost;

/* The relative cost of convolutions of odd * 2^k elements, in F32 and in F64. */
typedef struct stfi_odd_weight {
    int odd;
    double weight[2];
} stfi_odd_weight;

/* The relative cost of Rader's algorithm for a prime n, by the largest prime factor of
 * n - 1: elements of a convolution of a power of two that take as long as one. */
typedef struct stfi_rader_weight {
    int largest;
    double weight[2];
} stfi_rader_weight;

/* The fractions of the copy bandwidth that loads and stores reach, from `at`
 * bytes or elements on. */
typedef struct stfi_rate {
    double at, load, store;
} stfi_rate;

typedef struct stfi_tuning {
    const char *device; /* device that the constants were measured on */
#define STFI_TUNING(type, name, h200, meaning) type name;
#define STFI_TUNING_PAIR(type, name, f32, f64, meaning) type name[2];
#define STFI_TUNING_ROWS(type, name, h200, meaning) \
    const type *name;                               \
    int name##_count;
#include "device/tuning.def"
#undef STFI_TUNING
#undef STFI_TUNING_PAIR
#undef STFI_TUNING_ROWS
} stfi_tuning;

extern const stfi_tuning stfi_tuning_h200;

/* Returns the constants for planning for a device: those of its row in
 * presets.def, or else the H200's. */
const stfi_tuning *stfi_tuning_of(const stfi_caps *caps);

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The columns of tuning.def, and its tables; see tuning.h. */
#include "device/tuning.h"

#include <stddef.h>

static const stfi_radix_cost h200_radices[] = {
    {2, 2.0},   {3, 4.7},   {4, 4.0},   {5, 7.2},   {6, 6.7},   {7, 9.4},
    {8, 6.5},   {9, 9.5},   {10, 9.2},  {11, 13.6}, {12, 8.7},  {13, 15.7},
    {14, 11.4}, {15, 11.9}, {16, 9.5},  {17, 17.0}, {18, 16.0}, {19, 19.0},
    {20, 15.0}, {21, 19.0}, {23, 23.0}, {24, 15.0}, {25, 22.0}, {27, 22.0},
    {28, 18.0}, {29, 29.0}, {30, 19.0}, {31, 31.0}, {32, 13.0},
};

/* Source of both: bench/results/cuda-h200-random.md, "Primes". */
static const stfi_odd_weight h200_convolutions[] = {
    {1, {1.0, 1.0}}, {3, {1.5, 1.3}},  {5, {1.5, 1.4}},
    {7, {1.6, 1.5}}, {9, {1.6, 1.35}}, {15, {1.7, 1.6}},
};

static const stfi_rader_weight h200_raders[] = {
    {13, {0.0, 0.0}},
    {19, {2.45, 2.1}},
    {23, {3.05, 2.3}},
    {31, {3.2, 1e9}},
};

/* Rounded results of measurements of kernels of single passes. */
static const stfi_rate h200_run_rates[] = {
    {8, 0.15, 0.07},   {16, 0.35, 0.14},  {32, 0.60, 0.64},   {64, 0.75, 0.80},
    {128, 0.92, 0.92}, {256, 0.95, 0.96}, {1024, 0.97, 0.97},
};

/* The same for columns. The values for far columns of 2048 elements and more
 * are lower than measured, because whole transforms of that size were slower
 * than their passes. */
static const stfi_rate h200_column_rates[] = {
    {256, 0.97, 0.98},  {512, 0.91, 0.955}, {1024, 0.79, 0.92},
    {2048, 0.66, 0.83}, {4096, 0.50, 0.78}, {8192, 0.45, 0.26},
};

const stfi_tuning stfi_tuning_h200 = {
    .device = "h200",
#define STFI_TUNING(type, name, h200, meaning) .name = (h200),
#define STFI_TUNING_PAIR(type, name, f32, f64, meaning) .name = {f32, f64},
#define STFI_TUNING_ROWS(type, name, h200, meaning) \
    .name = (h200), .name##_count = (int)(sizeof(h200) / sizeof *(h200)),
#include "device/tuning.def"
#undef STFI_TUNING
#undef STFI_TUNING_PAIR
#undef STFI_TUNING_ROWS
};

const stfi_tuning *stfi_tuning_of(const stfi_caps *caps)
{
    return caps->tuning != NULL ? caps->tuning : &stfi_tuning_h200;
}

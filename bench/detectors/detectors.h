/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Rules that tell a damaged transform from a clean one by its input and its
 * output alone: this library's rule and published ones. All rules get sums in a
 * type so wide that the rounding of the sums does not matter, and rows e^T W
 * that are as exact as this library's. That favours some of the published
 * rules. */
#ifndef STFI_BENCH_DETECTORS_H
#define STFI_BENCH_DETECTORS_H

#include "ft/weights/vector.h"

typedef enum stfi_detector {
#define STFI_DETECTOR(id, name, vector, rule, negated, text) STFI_DETECT_##id,
#include "bench/detectors/detectors.def"
#undef STFI_DETECTOR
    STFI_DETECTORS
} stfi_detector;

/* The left vectors for one length, and the constants of the thresholds. */
typedef struct stfi_detectors {
    stf_fft_desc full;
    stfi_ft_cache *cache;
    const stfi_ft_vector *levelled;
    void *memory; /* left vectors and rows of the other rules */
    int real;     /* 1: signals are reals */
    long double u, depth, slope, floor;
    long double points; /* the logical length */
} stfi_detectors;

/* Makes the vectors for a completed descriptor. Errors: ARGUMENT if it is not a
 * complex or real to real transform of one axis in F32 or F64, unscaled; MEMORY. */
stf_status stfi_detectors_make(const stf_fft_desc *full, stfi_detectors *d_p);
void stfi_detectors_free(stfi_detectors *d);

const char *stfi_detector_name(stfi_detector detector);
const char *stfi_detector_text(stfi_detector detector); /* its rule as text */

/* Measures a transform by each rule. x and y are packed.
 * Shape: size[STFI_DETECTORS], in units of each rule's threshold.
 * Thread: any. */
void stfi_detectors_measure(const stfi_detectors *d, const void *x,
                            const void *y, double *size);

/* 1 if the rule raises an alarm for a transform of this size (in units of its
 * threshold) when its threshold is multiplied by `factor`. */
int stfi_detector_alarms(stfi_detector detector, double size, double factor);

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Rules that tell a damaged transform from a clean one by its input and its
 * output alone, ours among those of others. All of them get sums that are
 * wide enough for the rounding of the sums not to matter, and rows e^T W as
 * good as ours, which is kinder than what was published of some. */
#ifndef STFI_BENCH_DETECTORS_H
#define STFI_BENCH_DETECTORS_H

#include "ft/weights/vector.h"

typedef enum stfi_detector {
#define STFI_DETECTOR(id, name, vector, rule, negated, text) STFI_DETECT_##id,
#include "bench/detectors/detectors.def"
#undef STFI_DETECTOR
    STFI_DETECTORS
} stfi_detector;

/* The left vectors of a length, and what thresholds are made of. */
typedef struct stfi_detectors {
    stf_fft_desc full;
    stfi_ft_cache *cache;
    const stfi_ft_vector *levelled;
    void *memory; /* of the others */
    long double u, depth, slope, floor;
} stfi_detectors;

/* Of a completed descriptor. Errors: UNSUPPORTED, but for forward complex
 * transforms of one axis in F32 or F64; MEMORY. */
stf_status stfi_detectors_make(const stf_fft_desc *full, stfi_detectors *d_p);
void stfi_detectors_free(stfi_detectors *d);

const char *stfi_detector_name(stfi_detector detector);
const char *stfi_detector_text(stfi_detector detector); /* its rule */

/* What each rule compares, of packed x and y, in units of its threshold.
 * Thread: any. */
void stfi_detectors_measure(const stfi_detectors *d, const void *x,
                            const void *y, double *size);

/* 1 if the rule takes a transform for damaged that has such a size, with its
 * threshold multiplied by `factor`. */
int stfi_detector_alarms(stfi_detector detector, double size, double factor);

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Records which features of schedules a test has covered, so that none is lost
 * unnoticed when the planner changes. */
#ifndef STFI_TESTS_SIMT_FEATURES_H
#define STFI_TESTS_SIMT_FEATURES_H

#include "fft/schedule.h"

enum { STFI_MAX_FEATURES = 80 };

typedef struct stfi_features {
    int seen[2][STFI_MAX_FEATURES]; /* [0]: F32, [1]: F64 */
} stfi_features;

void stfi_features_note(stfi_features *f, const stfi_schedule *s);

/* Writes the names of the features that were not seen in both precisions (if
 * `either`, in neither precision), and returns their number. */
int stfi_features_missing(const stfi_features *f, int either, char *text,
                          size_t capacity);

#endif

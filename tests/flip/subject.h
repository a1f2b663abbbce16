/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* A problem whose executions suffer flips: its plan on the cpu device, its data
 * and what a good output is. Only the public interface is used. Thread: one per
 * subject. */
#ifndef STFI_TESTS_FLIP_SUBJECT_H
#define STFI_TESTS_FLIP_SUBJECT_H

#include <stddef.h>
#include <stdint.h>

#include "steadfast.h"

/* Reals of a transform in an array: rows, whose elements follow one another. */
typedef struct flip_array {
    size_t row;   /* reals of a row that count */
    size_t pitch; /* from one row to the next, more where rows are padded */
    size_t reals; /* of a transform, with the padding */
    size_t bytes; /* of the batch */
} flip_array;

typedef struct flip_subject {
    const char *word;
    const char *mode;
    stf_fft_desc desc;
    int in_place;
    stf_direction direction;
    stf_device *device;
    stf_device_info info;
    stf_plan *plan;
    flip_array in, out;
    char *input, *output; /* the same in place */
    char *pristine;       /* the input, which an execution may overwrite */
    char *other;          /* input of another execution */
    char *clean;          /* the output without a flip */
    long double *oracle;  /* the output in F80 */
    double *clean_error;  /* of each transform, relative to the oracle; not less
                             than half of the unit round-off */
    double seconds;       /* of an execution */
} flip_subject;

/* An output is bad if the relative L2 error of a transform is above this many
 * times that of the clean output. */
#define FLIP_BAD_RATIO 64.0

/* The problems that rates are stated for, ended by NULL. */
extern const char *const flip_problems[];

/* Makes a problem ready, of a word "kind:precision:place:lengths*batch", such
 * as "c2c:f32:out:32x30x28*1", in a mode "off", "detect" or "correct", the last
 * two also with "+e2e" after it. Returns what is wrong, or NULL. */
const char *flip_subject_open(const char *word, const char *mode,
                              flip_subject *subject_p);
void flip_subject_close(flip_subject *subject);

/* Draws new input and computes what belongs to it; the old is the input of
 * other executions. Returns what is wrong, or NULL. */
const char *flip_subject_renew(flip_subject *subject, uint64_t *random);

/* The largest error of a transform relative to that of the clean output. */
double flip_subject_ratio(const flip_subject *subject, const char *output);

#endif

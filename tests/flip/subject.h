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

/* Reals of signals in an array: transforms, or lines of a product, whose errors are
 * judged one by one. */
typedef struct flip_array {
    size_t row;     /* reals of a row that count */
    size_t step;    /* from one of them to the next */
    size_t pitch;   /* from one row to the next, more where rows are padded */
    size_t reals;   /* of a transform, with the padding */
    size_t apart;   /* from one signal to the next */
    size_t signals; /* of the batch, or lines */
    size_t bytes;   /* of all */
} flip_array;

typedef struct flip_subject {
    const char *word;
    const char *mode;
    stf_fft_desc desc;  /* of a product, its precision and protection alone */
    stf_gemm_desc gemm; /* of a product; m is 0 for transforms */
    double scalars[2];  /* alpha and beta, in the product's precision */
    size_t b_at, c_at;  /* where B and C are in what begins with A, in bytes */
    int in_place;
    stf_direction direction;
    stf_device *device;
    stf_device_info info;
    stf_plan *plan;
    flip_array in, out;
    char *input,
        *output;    /* the same in place. Of a product, A, B and, in place, C
                             lie one behind the other in the input */
    char *b;        /* of a product */
    char *pristine; /* the input, which an execution may overwrite */
    char *other;    /* input of another execution */
    char *clean;    /* the output without a flip */
    long double *oracle; /* the output in F80 */
    double *clean_error; /* of each signal, relative to the oracle; not less
                             than half of the unit round-off */
    double seconds;      /* of an execution */
} flip_subject;

/* An output is bad if the relative L2 error of a signal is above this many times that
 * of the clean output. */
#define FLIP_BAD_RATIO 64.0

/* The problems that rates are stated for, ended by NULL. */
extern const char *const flip_problems[];

/* Makes a problem ready, of a word "kind:precision:place:lengths*batch", such
 * as "c2c:f32:out:32x30x28*1", in a mode "off", "detect" or "correct", the last
 * two also with "+e2e" after it. The kind gemm has lengths MxNxK; it adds to C in
 * place, and is checked as a whole with "+e2e". Returns what is wrong, or NULL. */
const char *flip_subject_open(const char *word, const char *mode,
                              flip_subject *subject_p);
void flip_subject_close(flip_subject *subject);

/* Draws new input and computes what belongs to it; the old is the input of
 * other executions. Returns what is wrong, or NULL. */
const char *flip_subject_renew(flip_subject *subject, uint64_t *random);

/* The largest error of a signal relative to that of the clean output. */
double flip_subject_ratio(const flip_subject *subject, const char *output);

/* The bytes of a real of the problem, and real i of an array as F80 has it. */
size_t flip_width_of(const flip_subject *subject);
long double flip_value(const flip_subject *subject, const void *data, size_t i);

/* ---------------------------------------------------------------- products */

/* The same for the word of a product, of which desc and the mode are known: lengths
 * to dimensions, arrays, a plan. */
const char *flip_product_open(flip_subject *subject);

/* Computes the oracle. */
const char *flip_product_oracle(flip_subject *subject);

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Digests of results: a few numbers per result, in a text file, which show
 * whether two machines computed the same within rounding. */
#ifndef STFI_VERIFY_DIGEST_H
#define STFI_VERIFY_DIGEST_H

#include <stdio.h>

#include "base/hash.h"
#include "fft/schedule.h"
#include "steadfast.h"
#include "tools/verify/values.h"

enum {
    STFI_PROJECTIONS = 4,
    STFI_LABEL_BYTES = 160,
    STFI_MACHINE_BYTES = 256,
    STFI_PASSES_BYTES = 512
};

/* A hash of a result's bits, its norm, its products with random vectors of
 * signs, and its error. An error of relative size e moves each product by about
 * e * norm. */
typedef struct stfi_digest {
    char label[STFI_LABEL_BYTES]; /* the problem, without spaces */
    uint64_t seed;                /* the seed of its data */
    stfi_hash bits;
    long double norm;
    long double projection[STFI_PROJECTIONS];
    double error;                   /* against the oracle; below 0: not known */
    char passes[STFI_PASSES_BYTES]; /* "fft:16*8;fft:8*8": what each computes,
                                       behind '@' a hash of what it left, or
                                       no '@'; "-" if that is not known */
    stfi_values values;             /* or none */
} stfi_digest;

/* All digests of a file. */
typedef struct stfi_digests {
    char machine[STFI_MACHINE_BYTES]; /* which device made it */
    int count, capacity;
    stfi_digest *item;
} stfi_digests;

/* Computes the digest of a result, whose element 0 is at `out`; its error is
 * not known, and it has no values. Errors: MEMORY. */
stf_status stfi_digest_compute(const stf_fft_desc *full, const void *out,
                               const char *label, uint64_t seed,
                               stfi_digest *digest_p);

/* The same of an array of so many numbers. */
void stfi_digest_of_array(stf_precision precision, const void *x, int64_t count,
                          const char *label, uint64_t seed,
                          stfi_digest *digest_p);

/* Notes the passes of the schedule that computed the result, and, unless `bits`
 * is NULL, a hash of what each of them left. */
void stfi_digest_set_passes(const stfi_schedule *s, const stfi_hash *bits,
                            stfi_digest *digest);

/* The largest difference of two digests, relative to the norm; INFINITY if a
 * digest is not finite. */
double stfi_digest_distance(const stfi_digest *a, const stfi_digest *b);

/* The largest permitted distance between the digests of two results that are
 * both within `bound` of the truth. */
double stfi_digest_tolerance(double bound);

/* Writes the first lines of a file, and a line per digest, followed by its
 * values if it has them. */
void stfi_digest_print_head(const stf_device_info *info, FILE *file);
void stfi_digest_print(const stfi_digest *digest, FILE *file);

/* Reads a file. Errors: IO (the message names the line), MEMORY. */
stf_status stfi_digests_read(const char *path, stfi_digests *list_p);
const stfi_digest *stfi_digests_find(const stfi_digests *list,
                                     const char *label);
void stfi_digests_free(stfi_digests *list);

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Digests of results: a few numbers per result, in a text file, which show
 * whether two machines computed the same within rounding. */
#ifndef STFI_VERIFY_DIGEST_H
#define STFI_VERIFY_DIGEST_H

#include <stdio.h>

#include "steadfast.h"

enum { STFI_PROJECTIONS = 4, STFI_LABEL_BYTES = 160 };

/* The norm of a result, and its products with random vectors of signs. An error
 * of relative size e moves each product by about e * norm. */
typedef struct stfi_digest {
    char label[STFI_LABEL_BYTES]; /* the problem, without spaces */
    uint64_t seed;                /* the seed of its data */
    long double norm;
    long double projection[STFI_PROJECTIONS];
} stfi_digest;

/* All digests of a file. */
typedef struct stfi_digests {
    int count, capacity;
    stfi_digest *item;
} stfi_digests;

/* Computes the digest of a result, whose element 0 is at `out`.
 * Errors: MEMORY. */
stf_status stfi_digest_compute(const stf_fft_desc *full, const void *out,
                               const char *label, uint64_t seed,
                               stfi_digest *digest_p);

/* The largest difference of two digests, relative to the norm; INFINITY if a
 * digest is not finite. */
double stfi_digest_distance(const stfi_digest *a, const stfi_digest *b);

/* The largest permitted distance between the digests of two results that are
 * both within `bound` of the truth. */
double stfi_digest_tolerance(double bound);

/* Writes the first line of a file, and a line per digest. */
void stfi_digest_print_head(FILE *file);
void stfi_digest_print(const stfi_digest *digest, FILE *file);

/* Reads a file. Errors: IO (the message names the line), MEMORY. */
stf_status stfi_digests_read(const char *path, stfi_digests *list_p);
const stfi_digest *stfi_digests_find(const stfi_digests *list,
                                     const char *label);
void stfi_digests_free(stfi_digests *list);

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Results of two machines, by their digests: which have the same bits, by how
 * much others differ, and whether both are within the bound of accuracy. */
#ifndef STFI_VERIFY_AGREEMENT_H
#define STFI_VERIFY_AGREEMENT_H

#include "tools/verify/digest.h"

/* Counts over all results that were compared. */
typedef struct stfi_agreement {
    int same, other;              /* with the same bits, and with others */
    int planned;                  /* of the others: by the same passes */
    double roundings;             /* the largest difference, in roundings .. */
    char worst[STFI_LABEL_BYTES]; /* .. and of which result */
} stfi_agreement;

/* Compares a result with that of a file. `bound` is the largest error of
 * either against the truth, and `unit` the round-off of their precision.
 * Writes what is found to `detail`, and returns 1 if the two agree within
 * twice the bound (their values, if both have them) and each error that is
 * known is within it. Of results with other bits, the first pass that
 * computes in another way is named, if there is one. */
int stfi_agreement_add(stfi_agreement *c, const stfi_digest *mine,
                       const stfi_digest *known, double bound, double unit,
                       char *detail, size_t capacity);

/* Writes the counts as one line of a TAP comment. */
void stfi_agreement_print(const stfi_agreement *c, const char *device,
                          FILE *file);

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Compares results by digests; see agreement.h. */
#include "tools/verify/agreement.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Writes an error and whose it is, if it is known. Returns 1 unless it is
 * above the bound. */
static int add_error(const char *whose, double error, double bound, char *text,
                     size_t capacity, int *used)
{
    size_t at = (size_t)*used < capacity ? (size_t)*used : capacity - 1;

    if (error < 0.0)
        return 1;
    *used += snprintf(text + at, capacity - at, "; %s error %.3e%s", whose,
                      error, error <= bound ? "" : " is above the bound");
    return error <= bound;
}

/* Writes which pass is the first that is not the same, or that all are. Returns
 * 1 for the latter. */
static int add_passes(const char *its, const char *own, char *text,
                      size_t capacity, int *used)
{
    size_t at = (size_t)*used < capacity ? (size_t)*used : capacity - 1;
    int pass = 0;

    if (strcmp(its, "-") == 0 || strcmp(own, "-") == 0)
        return 0;
    if (strcmp(its, own) == 0) {
        *used += snprintf(text + at, capacity - at, "; the same passes");
        return 1;
    }
    for (;; pass++) {
        int a = (int)strcspn(its, ";"), b = (int)strcspn(own, ";");
        if (a != b || strncmp(its, own, (size_t)a) != 0 || its[a] == '\0'
            || own[b] == '\0') {
            *used += snprintf(text + at, capacity - at,
                              "; pass %d is the first that differs: its "
                              "%.*s, own %.*s",
                              pass, a, its, b, own);
            return 0;
        }
        its += a + 1;
        own += b + 1;
    }
}

/* Writes how a result with other bits differs. */
static int tell_gap(const stfi_values_gap *gap, double distance, double unit,
                    double tolerance, char *text, size_t capacity)
{
    int used = snprintf(text, capacity,
                        "other bits, distance %.3e is %.2g roundings, "
                        "tolerance %.3e",
                        distance, distance / unit, tolerance);

    if (gap->count > 0 && (size_t)used < capacity)
        used +=
            snprintf(text + used, capacity - (size_t)used,
                     "; %" PRId64 " of %" PRId64
                     " numbers differ, that at %" PRId64 " by %.2g roundings",
                     gap->other, gap->count, gap->at, gap->largest / unit);
    return used;
}

int stfi_agreement_add(stfi_agreement *c, const stfi_digest *mine,
                       const stfi_digest *known, double bound, double unit,
                       char *detail, size_t capacity)
{
    double distance = stfi_digest_distance(mine, known);
    double tolerance = stfi_digest_tolerance(bound);
    int same = stfi_hash_equal(mine->bits, known->bits);
    int used = 0, right;
    stfi_values_gap gap = {.count = 0};

    if (!same && stfi_values_compare(&mine->values, &known->values, &gap)) {
        distance = gap.distance;
        tolerance = 2.0 * bound;
    }
    right = distance <= tolerance;
    if (same) {
        used = snprintf(detail, capacity, "same bits");
    } else {
        used = tell_gap(&gap, distance, unit, tolerance, detail, capacity);
        c->planned +=
            add_passes(known->passes, mine->passes, detail, capacity, &used);
    }
    c->same += same;
    c->other += !same;
    if (!same && distance / unit >= c->roundings) {
        c->roundings = distance / unit;
        snprintf(c->worst, sizeof c->worst, "%s", mine->label);
    }
    right &= add_error("its", known->error, bound, detail, capacity, &used);
    right &= add_error("own", mine->error, bound, detail, capacity, &used);
    return right;
}

void stfi_agreement_print(const stfi_agreement *c, const char *device,
                          FILE *file)
{
    fprintf(file,
            "# compared with %s: %d results have the same bits, %d differ",
            device, c->same, c->other);
    if (c->other > 0)
        fprintf(file,
                ", by %.2g roundings at most (%s), %d of them with the same "
                "passes",
                c->roundings, c->worst, c->planned);
    fputc('\n', file);
}

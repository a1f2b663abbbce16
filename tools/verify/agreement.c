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

/* A pass of a digest's list: its operation with factors, and the hash of what
 * it left behind '@', if that is known. */
typedef struct listed {
    const char *text;
    int named, length; /* without and with the hash */
} listed;

static listed pass_at(const char *text)
{
    const int length = (int)strcspn(text, ";");
    const int named = (int)strcspn(text, ";@");

    return (listed){text, named, length};
}

static int same_text(const char *a, int a_length, const char *b, int b_length)
{
    return a_length == b_length && strncmp(a, b, (size_t)a_length) == 0;
}

static int other_bits(const listed *a, const listed *b)
{
    return a->length > a->named && b->length > b->named
           && !same_text(a->text, a->length, b->text, b->length);
}

/* Writes which pass is the first that is not the same or, if all are, the first
 * with other bits, as far as that is known. Returns 1 if all are the same. */
static int add_passes(const char *its, const char *own, char *text,
                      size_t capacity, int *used)
{
    size_t at = (size_t)*used < capacity ? (size_t)*used : capacity - 1;
    int first = -1;

    if (strcmp(its, "-") == 0 || strcmp(own, "-") == 0)
        return 0;
    for (int pass = 0;; pass++) {
        const listed a = pass_at(its), b = pass_at(own);
        const int ends = its[a.length] == '\0' || own[b.length] == '\0';

        if (!same_text(its, a.named, own, b.named)
            || its[a.length] != own[b.length]) {
            *used += snprintf(text + at, capacity - at,
                              "; pass %d is the first that differs: its "
                              "%.*s, own %.*s",
                              pass, a.named, its, b.named, own);
            return 0;
        }
        if (first < 0 && other_bits(&a, &b))
            first = pass;
        if (ends)
            break;
        its += a.length + 1;
        own += b.length + 1;
    }
    *used += snprintf(text + at, capacity - at, "; the same passes");
    at = (size_t)*used < capacity ? (size_t)*used : capacity - 1;
    if (first >= 0)
        *used += snprintf(text + at, capacity - at,
                          ", pass %d is the first with other bits", first);
    return 1;
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

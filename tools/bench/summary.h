/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* What a bench found, in a line per group of problems and protection:
 * geometric means and the worst of fraction_of_copy, ratio_to_peer and the
 * cost of protection. */
#ifndef STFI_BENCH_SUMMARY_H
#define STFI_BENCH_SUMMARY_H

#include <stdio.h>

enum { STFI_SUMMARY_GROUPS = 640, STFI_WORD_BYTES = 64 };

/* Positive numbers of which the geometric mean, a percentile and the least are
 * wanted. */
typedef struct stfi_spread {
    int count, capacity;
    double *value; /* `count` of them; NULL: there was no memory for them */
    double logs;   /* sum of the logarithms */
    double least;
    char least_at[STFI_WORD_BYTES]; /* its problem */
} stfi_spread;

typedef struct stfi_group {
    const char *name, *ft; /* owned by the caller */
    int problems;
    stfi_spread fraction, ratio, speed;
} stfi_group;

typedef struct stfi_summary {
    int count;
    stfi_group group[STFI_SUMMARY_GROUPS];
} stfi_summary;

/* Adds one of our measurements: a problem with one protection. A number that is
 * not known is 0; `speed` is relative to the plan without protection. Groups
 * for which there is no room are left out. */
void stfi_summary_add(stfi_summary *s, const char *group, const char *ft,
                      const char *word, double fraction, double ratio,
                      double speed);

/* Prints a line per group, each of which begins with "# "; groups of twenty
 * problems and more have percentiles. peer: its name, NULL without one. */
void stfi_summary_print(stfi_summary *s, const char *peer, FILE *file);
void stfi_summary_end(stfi_summary *s);

#endif

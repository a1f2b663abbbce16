/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* What a bench found, in a line per group of problems and protection:
 * geometric means and the worst of fraction_of_copy, ratio_to_peer and the
 * cost of protection. */
#ifndef STFI_BENCH_SUMMARY_H
#define STFI_BENCH_SUMMARY_H

#include <stdio.h>

enum { STFI_SUMMARY_GROUPS = 640, STFI_DIMS_BYTES = 64 };

/* Positive numbers of which mean and least are asked. */
typedef struct stfi_spread {
    int count;
    double logs; /* sum */
    double least;
    char least_at[STFI_DIMS_BYTES];
} stfi_spread;

typedef struct stfi_group {
    const char *name, *ft; /* borrowed */
    int problems;
    stfi_spread fraction, ratio, speed;
} stfi_group;

typedef struct stfi_summary {
    int count;
    stfi_group group[STFI_SUMMARY_GROUPS];
} stfi_summary;

/* One of ours: a problem in one protection. Each number is 0 where it is not
 * known; speed: relative to that without protection. Groups beyond the last
 * that there is room for are left out. */
void stfi_summary_add(stfi_summary *s, const char *group, const char *ft,
                      const char *dims, double fraction, double ratio,
                      double speed);

/* Prints a line per group, each behind a "# "; peer: NULL without one. */
void stfi_summary_print(const stfi_summary *s, const char *peer, FILE *file);

#endif

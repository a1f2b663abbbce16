/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* What a bench found, in a line per group of problems: geometric means and
 * the least of fraction_of_copy and ratio_to_peer. */
#ifndef STFI_TOOLS_SUMMARY_H
#define STFI_TOOLS_SUMMARY_H

#include <stdio.h>

enum { STFI_SUMMARY_GROUPS = 64, STFI_DIMS_BYTES = 64 };

/* Positive numbers of which mean and least are asked. */
typedef struct stfi_spread {
    int count;
    double logs;                /* sum */
    double least;
    char least_at[STFI_DIMS_BYTES];
} stfi_spread;

typedef struct stfi_group {
    const char *name;           /* borrowed */
    int problems;
    stfi_spread fraction, ratio;
} stfi_group;

typedef struct stfi_summary {
    int count;
    stfi_group group[STFI_SUMMARY_GROUPS];
} stfi_summary;

/* Adds a problem; fraction and ratio are 0 where they are not known. Groups
 * beyond the last that there is room for are left out. */
void stfi_summary_add(stfi_summary *s, const char *group, const char *dims,
                      double fraction, double ratio);

/* Prints a line per group, each behind a "# "; peer: NULL without one. */
void stfi_summary_print(const stfi_summary *s, const char *peer, FILE *file);

#endif

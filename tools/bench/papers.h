/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Suites that repeat a paper's shapes: errors in the paper's own measure, and its
 * figures beside ours. */
#ifndef STFI_BENCH_PAPERS_H
#define STFI_BENCH_PAPERS_H

#include <stdio.h>

#include "tools/verify/accuracy.h"

/* A row of bench/papers.def. */
typedef struct stfi_paper {
    const char *suite, *name, *unit;
    double (*error)(const stfi_error_means *means, double points);
} stfi_paper;

/* Returns the paper that a group of problems belongs to, or NULL. */
const stfi_paper *stfi_paper_of(const char *group);

/* Returns what the paper calls the error of transforms of so many points. */
double stfi_paper_error(const stfi_paper *paper, const stfi_error_means *means,
                        double points);

/* Prints what the paper's error is, and what the paper says of the group, in lines
 * that begin with "# "; nothing if the group is of no paper. */
void stfi_paper_quote(const char *group, FILE *file);

#endif

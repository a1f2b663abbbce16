/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Summaries of measurements. */
#ifndef STFI_COMMAND_STATS_H
#define STFI_COMMAND_STATS_H

/* Median of count >= 1 numbers, which are sorted in place. */
double stfi_median(double *x, int count);

/* Geometric mean of count >= 1 positive numbers. */
double stfi_geometric_mean(const double *x, int count);

/* Smallest of count >= 1 numbers. */
double stfi_minimum(const double *x, int count);

#endif

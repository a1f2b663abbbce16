/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Summaries of measurements; see stats.h. */
#include "tools/command/stats.h"

#include <math.h>
#include <stdlib.h>

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double stfi_median(double *x, int count)
{
    qsort(x, (size_t)count, sizeof *x, compare_doubles);
    return count % 2 ? x[count / 2] : 0.5 * (x[count / 2 - 1] + x[count / 2]);
}

double stfi_geometric_mean(const double *x, int count)
{
    double sum = 0.0;
    for (int i = 0; i < count; i++)
        sum += log(x[i]);
    return exp(sum / count);
}

double stfi_minimum(const double *x, int count)
{
    double low = x[0];
    for (int i = 1; i < count; i++)
        low = x[i] < low ? x[i] : low;
    return low;
}

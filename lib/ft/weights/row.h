/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Rows of checksums, r = e^T W: the weights with which the input enters the
 * checksum. Since W is symmetric, r is the DFT of e. It is computed by a small
 * FFT of its own, in long double, that is independent of the transforms that it
 * is to check. */
#ifndef STFI_WEIGHTS_ROW_H
#define STFI_WEIGHTS_ROW_H

#include <stdint.h>

#include "steadfast.h"

/* Computes row[2 * n], the forward DFT of n points of e[2 * count], which
 * counts as 0 from element `count` on. The error is about 2^-57 of the norm if
 * long double has 64 bits. O(n log n) work, and 64 bytes a point (400 if n has
 * a large prime factor). Errors: MEMORY. Thread: any. */
stf_status stfi_ft_row(int64_t n, int64_t count, const float *e,
                       long double *row);

/* The same for a row-major array of several axes, whose DFT is along each of them. */
stf_status stfi_ft_row_of_axes(int axes, const int64_t *n, const float *e,
                               long double *row);

/* Replaces values[2 * n] by their forward DFT, in the same way. */
stf_status stfi_ft_row_transform(int64_t n, long double *values);

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Rows of checksums, r = e^T W: how a left vector sees the input. Since W is
 * symmetric, r is the DFT of e. This is a small FFT of its own, in long
 * double, so that nothing of what it shall check is shared with it. */
#ifndef STFI_WEIGHTS_ROW_H
#define STFI_WEIGHTS_ROW_H

#include <stdint.h>

#include "steadfast.h"

/* row[2 * n]: the forward DFT of n points of e[2 * count], 0 from count on,
 * with an error of some 2^-57 of its norm where long double has 64 bits.
 * O(n log n) work, and 64 bytes a point (400 if n has a large prime).
 * Errors: MEMORY. Thread: any. */
stf_status stfi_ft_row(int64_t n, int64_t count, const float *e,
                       long double *row);

#endif

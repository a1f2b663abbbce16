/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Rows of checksums of real to real transforms, r = e^T M, where M is the matrix
 * of a kind. Its elements are cosines and sines, so that r consists of DFTs of e
 * with factors before and after them. */
#ifndef STFI_WEIGHTS_REAL_ROW_H
#define STFI_WEIGHTS_REAL_ROW_H

#include <stdint.h>

#include "steadfast.h"

/* Computes row[2 * n] of e[2 * n] for a real to real kind, in long double, by the
 * DFT of row.h. Errors: MEMORY. Thread: any. */
stf_status stfi_ft_real_row(stf_kind kind, int64_t n, const float *e,
                            long double *row);

#endif

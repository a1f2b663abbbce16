/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Kernels in F80: the types of a component in memory, in arithmetic and in the
 * sums of checks, their names and sizes, and the lanes of a vector. */
#ifndef STFI_SIMD_F80_H
#define STFI_SIMD_F80_H

#include "backends/cpu/simd/isa.h"

#define STFI_STORED long double
#define STFI_REAL long double
#define STFI_SUM long double
#define STFI_REAL_NAME f80
#define STFI_REAL_ID STF_F80
#define STFI_STORED_BYTES 16
#define STFI_REAL_BYTES 16
#define STFI_LANES 1 /* no vector unit has long double */

#endif

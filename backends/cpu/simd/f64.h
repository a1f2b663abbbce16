/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Kernels in F64: the types of a component in memory, in arithmetic and in the
 * sums of checks, their names and sizes, and the lanes of a vector. */
#ifndef STFI_SIMD_F64_H
#define STFI_SIMD_F64_H

#include "backends/cpu/simd/isa.h"

#define STFI_STORED double
#define STFI_REAL double
#define STFI_SUM double
#define STFI_REAL_NAME f64
#define STFI_REAL_ID STF_F64
#define STFI_STORED_BYTES 8
#define STFI_REAL_BYTES 8
#define STFI_LANES STFI_ISA_LANES(8)

#endif

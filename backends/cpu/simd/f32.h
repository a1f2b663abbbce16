/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Kernels in F32: the types of a component in memory, in arithmetic and in the
 * sums of checks, their names and sizes, and the lanes of a vector. */
#ifndef STFI_SIMD_F32_H
#define STFI_SIMD_F32_H

#include "backends/cpu/simd/isa.h"

#define STFI_STORED float
#define STFI_REAL float
#define STFI_SUM float
#define STFI_REAL_NAME f32
#define STFI_REAL_ID STF_F32
#define STFI_STORED_BYTES 4
#define STFI_REAL_BYTES 4
#define STFI_LANES STFI_ISA_LANES(4)

#endif

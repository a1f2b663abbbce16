/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Kernels of F16 and BF16, which are computed in F32: see f32.h, whose defines
 * these are. STFI_HALF says that arrays have several formats (stored.h). */
#ifndef STFI_SIMD_HALF_H
#define STFI_SIMD_HALF_H

#include "backends/cpu/simd/isa.h"

#define STFI_HALF
#define STFI_STORED uint16_t
#define STFI_REAL float
#define STFI_SUM float
#define STFI_REAL_NAME half
#define STFI_REAL_ID STF_F32
#define STFI_STORED_BYTES 2
#define STFI_REAL_BYTES 4
#define STFI_LANES STFI_ISA_LANES(4)

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Weighted sums over F32 data. This file is compiled once per instruction
 * set. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "backends/cpu/simd/isa.h"

#define STFI_STORED float
#define STFI_REAL float
#define STFI_SUM float
#define STFI_REAL_NAME f32
#define STFI_REAL_ID STF_F32
#define STFI_STORED_BYTES 4
#define STFI_REAL_BYTES 4
#define STFI_LANES STFI_ISA_LANES(4)

#include "backends/cpu/sums/row_sums.h"

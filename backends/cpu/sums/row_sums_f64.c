/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Weighted sums over F64 data. This file is compiled once per instruction
 * set. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "backends/cpu/simd/isa.h"

#define STFI_STORED double
#define STFI_REAL double
#define STFI_SUM double
#define STFI_REAL_NAME f64
#define STFI_REAL_ID STF_F64
#define STFI_STORED_BYTES 8
#define STFI_REAL_BYTES 8
#define STFI_LANES STFI_ISA_LANES(8)

#include "backends/cpu/sums/row_sums.h"

/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Matrix products in F80, in plain C. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "backends/cpu/simd/isa.h"

#define STFI_STORED long double
#define STFI_REAL long double
#define STFI_SUM long double
#define STFI_REAL_NAME f80
#define STFI_REAL_ID STF_F80
#define STFI_STORED_BYTES 16
#define STFI_REAL_BYTES 16
#define STFI_LANES 1 /* no vector unit has long double */

#include "backends/cpu/gemm/gemm.h"

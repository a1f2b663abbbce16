/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Rows and arrays of several axes in F64, with vectors of 32 bytes. This file is
 * compiled once per instruction set that uses them. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "backends/cpu/simd/f64.h"

#ifdef HAVE_VECTOR_EXT
#undef STFI_LANES
#define STFI_LANES 4
#define STFI_PAIRS

#include "backends/cpu/compact/rows.h"
#endif

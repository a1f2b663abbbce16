/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Single short arrays in F32 by one butterfly. This file is compiled once per
 * instruction set. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "backends/cpu/simd/f32.h"

#ifdef HAVE_VECTOR_EXT
#undef STFI_LANES
#define STFI_LANES 4
#define STFI_PAIRS

#include "backends/cpu/compact/one_pairs.h"
#endif

/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The passes in F16 and BF16, which are computed in F32. One set of kernels has
 * both, and F32 in the workspace, because that takes a third of the room of one
 * for each. This file is compiled once per instruction set. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

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

#include "backends/cpu/fft/kernel.h"

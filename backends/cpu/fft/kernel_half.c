/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The passes in F16 and BF16, which are computed in F32. One set of kernels has
 * both, and F32 in the workspace, because that takes a third of the room of one
 * for each. This file is compiled once per instruction set. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "backends/cpu/simd/half.h"

#include "backends/cpu/fft/kernel.h"

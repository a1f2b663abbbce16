/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Matrix products in F80, in plain C. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "backends/cpu/simd/f80.h"

#include "backends/cpu/gemm/gemm.h"

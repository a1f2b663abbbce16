/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Rows of few points in F64. This file is compiled once per instruction set. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "backends/cpu/simd/f64.h"

#include "backends/cpu/compact/few.h"

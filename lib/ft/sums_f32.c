/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Sums over F32 data, in double. */
#include <float.h>

#define REAL float
#define REAL_MAX_EXP FLT_MAX_EXP
#define LEAST_SQUARE 1e-30L
#define MOST_SQUARE 1e30L
#define ROW 512
#define MANY 16384
#define WIDE double
#define WIDE_MAX_EXP DBL_MAX_EXP
#define SUMMER stfi_ft_sum_f32
#include "ft/sums_body.h"

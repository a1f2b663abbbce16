/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Sums over F16 data, as F32 numbers in double. */
#include <float.h>

#include "base/half.h"

#define REAL float
#define REAL_MAX_EXP FLT_MAX_EXP
#define DATA uint16_t
#define VALUE(x) stfi_half_from_f16(x)
#define COPIED 1
#define LEAST_SQUARE 1e-30L
#define MOST_SQUARE 1e30L
#define ROW 512
#define MANY 0
#define WIDE double
#define WIDE_MAX_EXP DBL_MAX_EXP
#define SUMMER stfi_ft_sum_f16
#include "ft/sums_body.h"

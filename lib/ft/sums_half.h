/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* What the sums over F16 and over BF16 data share: they are added as F32 numbers,
 * in double. The includer defines VALUE and SUMMER. */
#ifndef STFI_FT_SUMS_HALF_H
#define STFI_FT_SUMS_HALF_H

#include <float.h>

#include "base/half.h"

#define REAL float
#define REAL_MAX_EXP FLT_MAX_EXP
#define DATA uint16_t
#define COPIED 1
#define LEAST_SQUARE 1e-30L
#define MOST_SQUARE 1e30L
#define ROW 512
#define MANY 0
#define WIDE double
#define WIDE_MAX_EXP DBL_MAX_EXP
#include "ft/sums_body.h"

#endif

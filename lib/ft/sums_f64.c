/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Sums over F64 data, in long double. */
#include <float.h>

#define REAL double
#define REAL_MAX_EXP DBL_MAX_EXP
#define LEAST_SQUARE 1e-280L
#define MOST_SQUARE 1e280L
#define ROW 128
#define MANY 1024
#define WIDE long double
#define WIDE_MAX_EXP LDBL_MAX_EXP
#define SUMMER stfi_ft_sum_f64
#include "ft/sums_body.h"

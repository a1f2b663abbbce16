/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Sums over F64 data, in long double. */
#define REAL double
#define WIDE long double
#define SUMMER stfi_ft_sum_f64
#include "ft/sums_body.h"

/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Sums over F32 data, in double. */
#define REAL float
#define WIDE double
#define SUMMER stfi_ft_sum_f32
#include "ft/sums_body.h"

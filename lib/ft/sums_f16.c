/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Sums over F16 data. */
#define VALUE(x) stfi_half_from_f16(x)
#define SUMMER stfi_ft_sum_f16
#include "ft/sums_half.h"

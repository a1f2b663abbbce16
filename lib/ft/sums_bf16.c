/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Sums over BF16 data. */
#define VALUE(x) stfi_half_from_bf16(x)
#define SUMMER stfi_ft_sum_bf16
#include "ft/sums_half.h"

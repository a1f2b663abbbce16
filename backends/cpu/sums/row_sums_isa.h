/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The weighted sums of ft/sums.h over adjacent elements, by instruction set. */
#ifndef STFI_SUMS_ROW_SUMS_ISA_H
#define STFI_SUMS_ROW_SUMS_ISA_H

#include "ft/sums.h"

typedef struct stfi_cpu_row_sums {
    const char *isa;
    stf_precision precision;
    stfi_ft_rows rows; /* of NULL: plain C has none */
} stfi_cpu_row_sums;

/* Returns the functions by form, or NULL if there are none. */
const stfi_ft_rows *stfi_cpu_row_sums_find(const char *isa,
                                           stf_precision precision);

#endif

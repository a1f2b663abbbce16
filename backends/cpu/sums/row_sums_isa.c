/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The weighted sums that are compiled in. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <string.h>

#include "backends/cpu/sums/row_sums_isa.h"
#include "backends/cpu/simd/isas.h"

#define DECLARE(isa)                                            \
    extern const stfi_cpu_row_sums stfi_cpu_row_sums_f32_##isa; \
    extern const stfi_cpu_row_sums stfi_cpu_row_sums_f64_##isa;
#define ROWS(isa) &stfi_cpu_row_sums_f32_##isa, &stfi_cpu_row_sums_f64_##isa,

STFI_EACH_ISA(DECLARE)

static const stfi_cpu_row_sums *const sums[] = {STFI_EACH_ISA(ROWS)};

const stfi_ft_rows *stfi_cpu_row_sums_find(const char *isa,
                                           stf_precision precision)
{
    for (size_t i = 0; i < sizeof sums / sizeof *sums; i++)
        if (sums[i]->precision == precision && strcmp(sums[i]->isa, isa) == 0)
            return sums[i]->rows.one[0] != NULL ? &sums[i]->rows : NULL;
    return NULL;
}

/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The tables of the steps of compact transforms; see cpu_step.h. */
#include "backends/cpu/compact/cpu_step.h"

#include "base/type.h"
#include "fft/tables/complex_table.h"
#include "math/roots.h"

stf_status stfi_cpu_step_twiddle(stfi_cpu_step *t, stf_precision precision,
                                 int lanes)
{
    int64_t r = t->radix, row = stfi_cpu_row_of(t->m, lanes);
    int rows = t->kind == STFI_CPU_ROWS;
    const stfi_type *type = stfi_type_get(precision);
    stf_status status;

    if (t->kind > STFI_CPU_ROWS || t->m == 1)
        return STF_OK;
    status = stfi_complex_alloc((r - 1) * (rows ? row : t->m), precision,
                                &t->twiddle);
    for (int64_t p = 0; p < (rows ? row : t->m) && status == STF_OK; p++)
        for (int64_t j = 1; j < r; j++) {
            uint64_t order = (uint64_t)(t->m * r);
            long double re, im;
            stfi_root_l((uint64_t)(p * j) % order, order, &re, &im);
            if (!rows) {
                stfi_complex_put(precision, t->twiddle, p * (r - 1) + j - 1, re,
                                 im);
                continue;
            }
            stfi_type_write(type->id, t->twiddle, 2 * (j - 1) * row + p, re);
            stfi_type_write(type->id, t->twiddle, (2 * (j - 1) + 1) * row + p,
                            im);
        }
    return status;
}

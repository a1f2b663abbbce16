/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Tables of complex numbers; see complex_table.h. */
#include "fft/tables/complex_table.h"

#include "base/alloc.h"
#include "base/type.h"

stf_status stfi_complex_alloc(int64_t count, stf_precision precision,
                              void **table_p)
{
    size_t bytes;
    stf_status status =
        stfi_bytes((size_t)count, 2, stfi_type_get(precision)->bytes,
                   "the plan's tables", &bytes);

    return status != STF_OK
               ? status
               : stfi_alloc_raw(bytes, "the plan's tables", table_p);
}

void stfi_complex_put(stf_precision precision, void *table, int64_t i,
                      long double re, long double im)
{
    stfi_type_write(precision, table, 2 * i, re);
    stfi_type_write(precision, table, 2 * i + 1, im);
}

void stfi_complex_get(stf_precision precision, const void *table, int64_t i,
                      long double *re_p, long double *im_p)
{
    *re_p = stfi_type_read(precision, table, 2 * i);
    *im_p = stfi_type_read(precision, table, 2 * i + 1);
}

/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Tables of complex numbers; see complex_table.h. */
#include "fft/tables/complex_table.h"

#include "base/alloc.h"
#include "fft/desc.h"

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
    switch (precision) {
    case STF_F32:
        ((float *)table)[2 * i] = (float)re;
        ((float *)table)[2 * i + 1] = (float)im;
        break;
    case STF_F64:
        ((double *)table)[2 * i] = (double)re;
        ((double *)table)[2 * i + 1] = (double)im;
        break;
    default:
        ((long double *)table)[2 * i] = re;
        ((long double *)table)[2 * i + 1] = im;
    }
}

void stfi_complex_get(stf_precision precision, const void *table, int64_t i,
                      long double *re_p, long double *im_p)
{
    switch (precision) {
    case STF_F32:
        *re_p = ((const float *)table)[2 * i];
        *im_p = ((const float *)table)[2 * i + 1];
        break;
    case STF_F64:
        *re_p = ((const double *)table)[2 * i];
        *im_p = ((const double *)table)[2 * i + 1];
        break;
    default:
        *re_p = ((const long double *)table)[2 * i];
        *im_p = ((const long double *)table)[2 * i + 1];
    }
}

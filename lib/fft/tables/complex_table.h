/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Tables of complex numbers in F32, F64 or F80: (re, im) pairs of the
 * precision. Their values are computed in long double, and each component is
 * rounded once, when it is put into the table. Thread: any. */
#ifndef STFI_TABLES_COMPLEX_TABLE_H
#define STFI_TABLES_COMPLEX_TABLE_H

#include <stdint.h>

#include "steadfast.h"

/* Allocates `count` numbers, to be freed by stfi_dealloc(). Errors: MEMORY. */
stf_status stfi_complex_alloc(int64_t count, stf_precision precision,
                              void **table_p);

/* Puts number i into a table. This is inline because making a plan calls it
 * millions of times: as an ordinary function, which is passed long doubles in
 * memory, it would take half of the plan's time. */
static inline void stfi_complex_put(stf_precision precision, void *table,
                                    int64_t i, long double re, long double im)
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

static inline void stfi_complex_get(stf_precision precision, const void *table,
                                    int64_t i, long double *re_p,
                                    long double *im_p)
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

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Tables of complex numbers in F32, F64 or F80: (re, im) pairs of the
 * precision. What fills them computes in long double, and each component is
 * rounded once, when it is put. Thread: any. */
#ifndef STFI_TABLES_COMPLEX_TABLE_H
#define STFI_TABLES_COMPLEX_TABLE_H

#include <stdint.h>

#include "steadfast.h"

/* Memory of `count` numbers, to be freed by stfi_dealloc(). Errors: MEMORY. */
stf_status stfi_complex_alloc(int64_t count, stf_precision precision,
                              void **table_p);

void stfi_complex_put(stf_precision precision, void *table, int64_t i,
                      long double re, long double im);
void stfi_complex_get(stf_precision precision, const void *table, int64_t i,
                      long double *re_p, long double *im_p);

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Copies many components of an array; see component.h. */
#include "support/problem/component.h"

/* From this many components on, a copy is worth several threads. */
enum { SHARED_COUNT = 1 << 16 };

void stfi_load_many(stf_precision precision, const void *data, int64_t i,
                    int64_t count, long double *x)
{
#ifdef _OPENMP
#pragma omp parallel for schedule(static) if (count > SHARED_COUNT)
#endif
    for (int64_t k = 0; k < count; k++)
        x[k] = stfi_type_read(precision, data, i + k);
}

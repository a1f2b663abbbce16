/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Components of arrays; see component.h. */
#include "support/problem/component.h"

/* Components that are worth threads. */
enum { SHARED_COUNT = 1 << 16 };

long double stfi_load(stf_precision precision, const void *data, int64_t i)
{
    if (precision == STF_F32)
        return ((const float *)data)[i];
    if (precision == STF_F64)
        return ((const double *)data)[i];
    return ((const long double *)data)[i];
}

void stfi_store(stf_precision precision, void *data, int64_t i,
                long double value)
{
    if (precision == STF_F32)
        ((float *)data)[i] = (float)value;
    else if (precision == STF_F64)
        ((double *)data)[i] = (double)value;
    else
        ((long double *)data)[i] = value;
}

void stfi_load_many(stf_precision precision, const void *data, int64_t i,
                    int64_t count, long double *x)
{
#ifdef _OPENMP
#pragma omp parallel for schedule(static) if (count > SHARED_COUNT)
#endif
    for (int64_t k = 0; k < count; k++)
        x[k] = stfi_load(precision, data, i + k);
}

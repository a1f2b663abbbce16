/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Components of arrays of any precision of the cpu, as numbers. */
#ifndef STFI_PROBLEM_COMPONENT_H
#define STFI_PROBLEM_COMPONENT_H

#include "steadfast.h"

/* Component i of data of a precision (F32, F64, F80). */
long double stfi_load(stf_precision precision, const void *data, int64_t i);
void stfi_store(stf_precision precision, void *data, int64_t i,
                long double value);

/* Copies components i, i+1, .. of data to x, as F80. */
void stfi_load_many(stf_precision precision, const void *data, int64_t i,
                    int64_t count, long double *x);

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Reads many components of an array by several threads. */
#ifndef STFI_PROBLEM_COMPONENT_H
#define STFI_PROBLEM_COMPONENT_H

#include "base/type.h"

/* Copies components i, i+1, .. of data to x, as F80. */
void stfi_load_many(stf_precision precision, const void *data, int64_t i,
                    int64_t count, long double *x);

#endif

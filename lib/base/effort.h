/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* What descriptors of all classes say about effort. Pure functions. */
#ifndef STFI_BASE_EFFORT_H
#define STFI_BASE_EFFORT_H

#include "steadfast.h"

/* Checks both fields. Errors: ARGUMENT, naming the field. */
stf_status stfi_effort_check(stf_effort effort, double effort_seconds);

/* Returns how many candidates of every sort an effort looks at. */
int stfi_effort_each(stf_effort effort);

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* What a matrix product must do with special values, sizes and scalars on any
 * device: mostly what BLAS says. */
#ifndef STFI_TESTS_TRAP_ROWS_H
#define STFI_TESTS_TRAP_ROWS_H

#include "steadfast.h"

/* A TAP line for each trap, with the device's name. large: 1 for sizes, too,
 * that take an emulated device minutes. */
void traps_on(stf_device *dev, const char *name, int large);

#endif

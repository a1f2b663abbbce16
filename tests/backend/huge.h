/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Arrays of more than 2^31 elements. */
#ifndef STFI_TESTS_BACKEND_HUGE_H
#define STFI_TESTS_BACKEND_HUGE_H

#include "steadfast.h"

/* Executes a batch of 19 GB and compares transforms at its ends and at its
 * element 2^31; skipped where the device lacks the memory. */
void stfi_test_huge(stf_device *dev, const stf_device_info *info);

#endif

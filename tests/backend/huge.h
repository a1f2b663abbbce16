/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* A test of arrays of more than 2^31 elements. */
#ifndef STFI_TESTS_BACKEND_HUGE_H
#define STFI_TESTS_BACKEND_HUGE_H

#include "steadfast.h"

/* Executes a batch of 17 GB, out of place, and compares the transforms at its
 * ends and around its element 2^31. The test is skipped if the device lacks the
 * memory. */
void stfi_test_huge(stf_device *dev, const stf_device_info *info);

#endif

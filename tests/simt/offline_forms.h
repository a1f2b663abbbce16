/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Tests of checks from input to output where they differ from those of arrays
 * on the device out of place. */
#ifndef STFI_TESTS_SIMT_OFFLINE_FORMS_H
#define STFI_TESTS_SIMT_OFFLINE_FORMS_H

#include "tests/simt/offline_run.h"

/* In place a fault is noticed, and cannot be repaired. */
void stfi_offline_check_in_place(const stfi_offline_row *row, stf_device *dev,
                                 const char *word);

/* Beside the checks of the passes. */
void stfi_offline_check_end_to_end(stf_device *dev, const char *word);

/* Host arrays, which come in parts of the batch. */
void stfi_offline_check_host(stf_device *dev);

/* A long transform alone, of which many blocks make the sums. */
void stfi_offline_check_long(stf_device *dev);

/* Allocations that fail. */
void stfi_offline_check_memory(stf_device *dev);

#endif

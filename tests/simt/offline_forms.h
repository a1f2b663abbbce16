/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Tests of end-to-end checks beyond those of transforms out of place on the
 * device: in place, together with checks of the passes, of host arrays, of one
 * long transform, and with too little memory. */
#ifndef STFI_TESTS_SIMT_OFFLINE_FORMS_H
#define STFI_TESTS_SIMT_OFFLINE_FORMS_H

#include "tests/simt/offline_run.h"

/* A fault of a transform in place is detected, but cannot be repaired, since
 * the input is overwritten. */
void stfi_offline_check_in_place(const stfi_offline_row *row, stf_device *dev,
                                 const char *word);

/* Tests end-to-end checks together with the checks of the passes. */
void stfi_offline_check_end_to_end(stf_device *dev);

/* Tests wrong sums, and passes that cannot repair what they found, in F64. */
void stfi_offline_check_mended(const stfi_offline_row *row, stf_device *dev,
                               const char *word);

/* Tests plans of several passes, whose launches have signatures: whatever changes
 * a value outside of all sums of passes shows. persistent: the device has persistent
 * blocks. */
void stfi_offline_check_signed(const stfi_offline_row *row, stf_device *dev,
                               int persistent);

/* Tests plans of one pass, whose residuals are made of what memory holds. */
void stfi_offline_check_from_memory(const stfi_offline_row *row,
                                    stf_device *dev);

/* Tests host arrays, which are transformed in several parts of the batch. */
void stfi_offline_check_host(stf_device *dev);

/* Tests one long transform, whose sums are computed by many blocks. */
void stfi_offline_check_long(stf_device *dev);

/* Tests that failing allocations leave nothing behind. */
void stfi_offline_check_memory(stf_device *dev);

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Checks from input to output: one look at the input before the transform, one
 * at the output after it. Each transform of the batch has a residual. What is
 * off is repaired by executing again, as long as the input is there: in place
 * it is not. Sums are the host's where it can read the arrays; elsewhere they
 * are the device's (end_to_end_device.h). Nothing here knows of plans: a check
 * is of descriptors, and of executables that are passed to each launch. */
#ifndef STFI_RUN_END_TO_END_H
#define STFI_RUN_END_TO_END_H

#include "run/device.h"
#include "run/end_to_end/form.h"

typedef struct stfi_e2e stfi_e2e;

/* 1 if a completed descriptor asks for such checks. */
int stfi_e2e_wanted(const stf_ft_desc *ft);

/* Workspace bytes that they take. */
size_t stfi_e2e_bytes(const stf_device *dev, const stf_fft_desc *full);

/* Checks of all forms, whose share of the workspace begins `work_at` bytes in
 * it. The device and the descriptors stay until stfi_e2e_destroy(). Errors:
 * MEMORY; on devices DEVICE, COMPILE. */
stf_status stfi_e2e_create(stf_device *dev, const stfi_e2e_forms *forms,
                           size_t work_at, stfi_e2e **e2e_p);
void stfi_e2e_destroy(stfi_e2e *e2e); /* NULL is a no-op */

/* Launches an executable of a form, with the checks before and after it. As
 * stf_execute_on(). */
stf_status stfi_e2e_launch(stfi_e2e *e2e, stfi_e2e_which which, stfi_exec *exec,
                           const stfi_buffers *buffers, void *stream);

/* What was found, as the ledger of an executable; without checks (NULL):
 * nothing. Errors: DEVICE. */
stf_status stfi_e2e_ledger(stfi_e2e *e2e, int reset, stfi_ft_ledger *ledger_p);

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* End-to-end checks: sums over the input before the transform, and over the
 * output after it. Each transform of the batch has a residual. If it is too
 * large, the execution is repeated, but only if the input is still there: in
 * place, it is not. The host computes the sums if it can read the arrays;
 * otherwise the device does (end_to_end_device.h). These functions do not use
 * plans: a check is made from descriptors, and executables are passed to each
 * launch. */
#ifndef STFI_RUN_END_TO_END_H
#define STFI_RUN_END_TO_END_H

#include "run/device.h"
#include "run/end_to_end/form.h"

typedef struct stfi_e2e stfi_e2e;

/* Returns the bytes of workspace that the checks need. */
size_t stfi_e2e_bytes(const stf_device *dev, const stf_fft_desc *full);

/* Makes the checks for all forms. Their part of the workspace begins `work_at`
 * bytes into it. The device and the descriptors must outlive them. Errors:
 * MEMORY; on devices also DEVICE, COMPILE. */
stf_status stfi_e2e_create(stf_device *dev, const stfi_e2e_forms *forms,
                           size_t work_at, stfi_e2e **e2e_p);
void stfi_e2e_destroy(stfi_e2e *e2e); /* NULL is a no-op */

/* Launches an executable for arrays of a form, with the checks before and after
 * it. As stf_execute_on(). */
stf_status stfi_e2e_launch(stfi_e2e *e2e, stfi_e2e_which which, stfi_exec *exec,
                           const stfi_buffers *buffers, void *stream);

/* Returns what was found, as the ledger of an executable does; nothing if there
 * are no checks (NULL). Errors: DEVICE. */
stf_status stfi_e2e_ledger(stfi_e2e *e2e, int reset, stfi_ft_ledger *ledger_p);

#endif

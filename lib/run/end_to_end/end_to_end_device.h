/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* End-to-end checks of arrays in device memory: the device computes the sums,
 * judges the residuals, and repeats executions as needed; the host waits for
 * nothing. Errors and arguments are as in end_to_end.h. */
#ifndef STFI_RUN_END_TO_END_DEVICE_H
#define STFI_RUN_END_TO_END_DEVICE_H

#include "run/device.h"
#include "run/end_to_end/form.h"

typedef struct stfi_device_e2e stfi_device_e2e;

/* Returns 1 if the device can do that. */
int stfi_device_e2e_is_there(const stf_device *dev);

stf_status stfi_device_e2e_create(stf_device *dev, const stfi_e2e_forms *forms,
                                  size_t work_at, stfi_device_e2e **e2e_p);
void stfi_device_e2e_destroy(stfi_device_e2e *e2e); /* NULL is a no-op */

stf_status stfi_device_e2e_launch(const stfi_device_e2e *e2e,
                                  stfi_e2e_which which, stfi_exec *exec,
                                  const stfi_buffers *buffers, void *stream);
stf_status stfi_device_e2e_ledger(stfi_device_e2e *e2e, int reset,
                                  stfi_ft_ledger *ledger_p);

#endif

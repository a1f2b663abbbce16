/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Sweeps where arrays are in memory of the device's own: it does the sums,
 * judges them and has executions repeated, and the host waits for nothing. */
#ifndef STFI_RUN_END_TO_END_DEVICE_H
#define STFI_RUN_END_TO_END_DEVICE_H

#include "run/plan.h"

typedef struct stfi_device_e2e stfi_device_e2e;

/* 1 if the plan's device does so. */
int stfi_device_e2e_is_there(const stf_plan *plan);

/* Workspace bytes that it takes. */
size_t stfi_device_e2e_bytes(const stf_plan *plan);

/* Of a plan with its executables. Errors: MEMORY, DEVICE, COMPILE. */
stf_status stfi_device_e2e_create(const stf_plan *plan,
                                  stfi_device_e2e **sweep_p);
void stfi_device_e2e_destroy(const stf_plan *plan, stfi_device_e2e *sweep);

/* As stfi_e2e_launch() and stfi_e2e_ledger(). */
stf_status stfi_device_e2e_launch(const stf_plan *plan,
                                  const stfi_device_e2e *sweep, stfi_exec *exec,
                                  const stfi_buffers *buffers, void *stream);
stf_status stfi_device_e2e_ledger(const stf_plan *plan, stfi_device_e2e *sweep,
                                  int reset, stfi_ft_ledger *ledger_p);

#endif

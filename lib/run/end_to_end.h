/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Plans that are checked from input to output: one sweep over the input before
 * the transform, one over the output after it. Each transform of the batch
 * has a residual. What is off is repaired by executing again, as long as the
 * input is there: in place it is not. Sums are the host's where it can read
 * the arrays; elsewhere they are the device's (end_to_end_device.h). */
#ifndef STFI_RUN_END_TO_END_H
#define STFI_RUN_END_TO_END_H

#include "run/plan.h"

/* Executions of the same input, at most. */
enum { STFI_E2E_EXECUTIONS = 3 };

/* 1 if the plan's descriptor asks for sweeps. */
int stfi_e2e_wanted(const stf_plan *plan);

/* Workspace bytes that they take. */
size_t stfi_e2e_bytes(const stf_plan *plan);

/* Makes plan->e2e, if it is wanted, of a plan with its executables.
 * Errors: MEMORY; on devices DEVICE, COMPILE. */
stf_status stfi_e2e_create(stf_plan *plan);
void stfi_e2e_destroy(stf_plan *plan);

/* Launches an executable of the plan, with sweeps if there are any; their
 * share of the workspace begins at plan->e2e_at. As stf_execute_on(). */
stf_status stfi_e2e_launch(const stf_plan *plan, stfi_exec *exec,
                           const stfi_buffers *buffers, void *stream);

/* What was found; as exec_ledger. A plan without sweeps found nothing.
 * Errors: DEVICE. */
stf_status stfi_e2e_ledger(const stf_plan *plan, int reset,
                           stfi_ft_ledger *ledger_p);

#endif

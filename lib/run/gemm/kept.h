/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Products without a plan of the caller's: a device keeps the plans of its last
 * calls, and workspaces for as many calls as ever ran at once. */
#ifndef STFI_RUN_GEMM_KEPT_H
#define STFI_RUN_GEMM_KEPT_H

#include "run/gemm/gemm_plan.h"

/* Makes or finds the plan of a descriptor, whose fields that are not set must
 * be 0, and computes the product on the default stream. Errors: those of
 * stfi_gemm_plan_create() and stfi_gemm_plan_launch(). Thread: any. */
stf_status stfi_gemm_kept_run(stf_device *dev, const stf_gemm_desc *d,
                              const stfi_gemm_call *call);

/* Destroys what a device keeps, when the program closes it: each plan keeps the
 * device open. */
void stfi_gemm_kept_drop(stf_device *dev);

#endif

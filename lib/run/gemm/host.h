/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Matrix products of host arrays. */
#ifndef STFI_RUN_GEMM_HOST_H
#define STFI_RUN_GEMM_HOST_H

#include "run/gemm/gemm_plan.h"

/* Computes the products with the plan's own workspace. On a device with memory
 * of its own, it holds copies of the whole arrays until the call returns.
 * Errors: those of stfi_gemm_plan_launch(); MEMORY, DEVICE. */
stf_status stfi_gemm_host_run(stfi_gemm_plan *plan, const stfi_gemm_call *call);

#endif

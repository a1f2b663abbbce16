/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Protected plans of any class: what their checks found, and faults on
 * purpose. */
#ifndef STFI_RUN_PROTECT_H
#define STFI_RUN_PROTECT_H

#include "run/plan.h"

/* Returns 1 if the plan's executions are checked. */
int stfi_plan_is_protected(const stf_plan *plan);

/* As the public functions of the same purpose, such as stf_plan_report(). */
stf_status stfi_plan_report(stf_plan *plan, stf_ft_report *report_p);
stf_status stfi_plan_reset(stf_plan *plan);
stf_status stfi_plan_inject(stf_plan *plan, const stf_fault *fault, int count);
stf_status stfi_plan_draw_fault(const stf_plan *plan, uint64_t seed,
                                stf_fault *fault_p);

/* Called after an execution that returned `status`, which is passed on. Faults
 * that were meant for an executable that it did not run are removed. */
stf_status stfi_plan_disarm(stf_plan *plan, stf_status status);

#endif

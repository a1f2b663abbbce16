/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Protected plans of any class: what their checks found, and faults on
 * purpose. */
#ifndef STFI_RUN_PROTECT_H
#define STFI_RUN_PROTECT_H

#include "run/plan.h"

/* 1 if what the plan runs is checked. */
int stfi_plan_is_protected(const stf_plan *plan);

/* As the public calls of like names. */
stf_status stfi_plan_report(stf_plan *plan, stf_ft_report *report_p);
stf_status stfi_plan_reset(stf_plan *plan);
stf_status stfi_plan_inject(stf_plan *plan, const stf_fault *fault, int count);
stf_status stfi_plan_draw_fault(const stf_plan *plan, uint64_t seed,
                                stf_fault *fault_p);

/* After an execution that returned `status`, which is passed on: what it did
 * not run has no faults to suffer either. */
stf_status stfi_plan_disarm(stf_plan *plan, stf_status status);

#endif

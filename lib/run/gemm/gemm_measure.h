/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Contests of plans of matrix products. */
#ifndef STFI_RUN_GEMM_MEASURE_H
#define STFI_RUN_GEMM_MEASURE_H

#include "run/contest.h"
#include "run/gemm/gemm_plan.h"

/* Finds the fastest choice for a completed descriptor. As stfi_plan_contest_run(). */
stf_status stfi_gemm_measure(stf_device *dev, const stf_gemm_desc *full,
                             stfi_gemm_choice *choice_p, stfi_measured *m_p);

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Plans of matrix products: a descriptor, and the executable on a device. */
#ifndef STFI_RUN_GEMM_PLAN_H
#define STFI_RUN_GEMM_PLAN_H

#include "run/plan.h"

typedef struct stfi_gemm_plan {
    stf_plan head;
    stf_gemm_desc desc; /* completed */
    stfi_gemm gemm;
    stfi_gemm_exec *exec;
} stfi_gemm_plan;

/* What a user passes to an execution. */
typedef struct stfi_gemm_call {
    const void *alpha, *a, *b, *beta;
    void *c;
} stfi_gemm_call;

extern const stfi_plan_class stfi_gemm_plan_class;

/* `workspace` as for stfi_plan_make(). Errors: ARGUMENT, UNSUPPORTED, MEMORY,
 * DEVICE. */
stf_status stfi_gemm_plan_create(stf_device *dev, const stf_gemm_desc *d,
                                 int workspace, stfi_gemm_plan **plan_p);

/* Returns the plan as one of matrix products. Errors: ARGUMENT (the plan is of
 * another class); the message names `call`, the function that was called. */
stf_status stfi_gemm_plan_get(stf_plan *plan, const char *call,
                              stfi_gemm_plan **gemm_p);

/* Computes the products, with a workspace of the plan's size. The pointers are
 * valid. Errors: ARGUMENT (C overlaps A or B), DEVICE, UNCORRECTED. */
stf_status stfi_gemm_plan_launch(const stfi_gemm_plan *plan,
                                 const stfi_gemm_call *call, void *workspace,
                                 void *stream);

#endif

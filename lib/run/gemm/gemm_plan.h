/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Plans of matrix products: a descriptor, and the executable on a device. */
#ifndef STFI_RUN_GEMM_PLAN_H
#define STFI_RUN_GEMM_PLAN_H

#include "run/plan.h"

enum { STFI_GEMM_PLAN_HOW = 1024 };

typedef struct stfi_gemm_plan {
    stf_plan head;
    stf_gemm_desc desc;           /* completed */
    stfi_gemm gemm;               /* with the choice that it was made of */
    char how[STFI_GEMM_PLAN_HOW]; /* how that was found, or "" */
    stfi_gemm_exec *exec;
} stfi_gemm_plan;

/* What a user passes to an execution. */
typedef struct stfi_gemm_call {
    const void *alpha, *a, *b, *beta;
    void *c;
} stfi_gemm_call;

extern const stfi_plan_class stfi_gemm_plan_class;

/* Makes a plan of a completed descriptor as a choice says, whatever the effort.
 * `workspace` as for stfi_plan_make(). Errors: UNSUPPORTED (also if the choice is not
 * possible), MEMORY, DEVICE, COMPILE. */
stf_status stfi_gemm_plan_create_as(stf_device *dev, const stf_gemm_desc *full,
                                    int workspace,
                                    const stfi_gemm_choice *choice,
                                    stfi_gemm_plan **plan_p);

/* Makes a plan with the effort that the descriptor asks for (effort.c). Errors: those,
 * ARGUMENT. */
stf_status stfi_gemm_plan_create(stf_device *dev, const stf_gemm_desc *d,
                                 int workspace, stfi_gemm_plan **plan_p);

/* Returns the plan as one of matrix products. Errors: ARGUMENT (the plan is of
 * another class); the message names `call`, the function that was called. */
stf_status stfi_gemm_plan_get(stf_plan *plan, const char *call,
                              stfi_gemm_plan **gemm_p);

/* Returns a plan, which must be one of matrix products, for reading. */
const stfi_gemm_plan *stfi_gemm_plan_of(const stf_plan *plan);

/* Computes the products, with a workspace of the plan's size. The pointers are
 * valid. Errors: ARGUMENT (C overlaps A or B), DEVICE, UNCORRECTED. */
stf_status stfi_gemm_plan_launch(const stfi_gemm_plan *plan,
                                 const stfi_gemm_call *call, void *workspace,
                                 void *stream);

#endif

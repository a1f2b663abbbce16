/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Checks from input to output on a GPU: sums by kernels, verdicts and findings
 * in device memory. */
#ifndef STFI_END_TO_END_END_TO_END_H
#define STFI_END_TO_END_END_TO_END_H

#include "backend/e2e_ops.h"
#include "backends/gpu/host/fft/spec.h"

/* The kernels: sums over elements that are complex, real or of half a
 * spectrum; then what needs no form. */
typedef enum stfi_e2e_kernel {
    STFI_E2E_COMPLEX,
    STFI_E2E_REAL,
    STFI_E2E_HALF,
    STFI_E2E_FOLD,
    STFI_E2E_CONCLUDE,
    STFI_E2E_KERNELS
} stfi_e2e_kernel;

/* Of sums. packed: weights are vectors e, not rows; one_axis: of rank 1. */
typedef struct stfi_e2e_form {
    int packed, one_axis;
} stfi_e2e_form;

/* Errors: INTERNAL. Thread: any. */
stf_status stfi_gpu_e2e_spec(stfi_e2e_kernel kernel, stfi_e2e_form form,
                             stf_precision precision, const stfi_caps *caps,
                             stfi_gpu_spec *spec_p);

extern const stfi_e2e_ops stfi_gpu_e2e_table;

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Checks from input to output on a GPU: sums by kernels, verdicts and findings
 * in device memory. */
#ifndef STFI_END_TO_END_END_TO_END_H
#define STFI_END_TO_END_END_TO_END_H

#include "backends/gpu/host/fft/spec.h"

/* The kernels: sums over elements that are complex, real or of half a
 * spectrum; then what needs no form. */
typedef enum stfi_weigh_kernel {
    STFI_WEIGH_COMPLEX,
    STFI_WEIGH_REAL,
    STFI_WEIGH_HALF,
    STFI_WEIGH_FOLD,
    STFI_WEIGH_CONCLUDE,
    STFI_WEIGH_KERNELS
} stfi_weigh_kernel;

/* Of sums. packed: weights are vectors e, not rows; one_axis: of rank 1. */
typedef struct stfi_weigh_form {
    int packed, one_axis;
} stfi_weigh_form;

/* Errors: INTERNAL. Thread: any. */
stf_status stfi_gpu_weigh_spec(stfi_weigh_kernel kernel, stfi_weigh_form form,
                               stf_precision precision, const stfi_caps *caps,
                               stfi_gpu_spec *spec_p);

extern const stfi_weigh_table stfi_gpu_weigh_table;

#endif

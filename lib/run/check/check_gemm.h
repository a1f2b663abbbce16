/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Checking matrix products that anyone computed. */
#ifndef STFI_RUN_CHECK_GEMM_H
#define STFI_RUN_CHECK_GEMM_H

#include "gemm/gemm.h"
#include "run/device.h"

/* A product as the user has it. A and B are NULL if they are not to be read, as
 * is c_before; scalars are on the host. */
typedef struct stfi_gemm_checked {
    const void *a, *b, *c_before, *c;
    const void *alpha, *beta;
} stfi_gemm_checked;

/* As stf_check_gemm(), with a product whose ft.threshold counts. Errors:
 * MEMORY, DEVICE. */
stf_status stfi_check_gemm(stf_device *dev, const stfi_gemm *gemm,
                           const stfi_gemm_checked *x, stf_ft_report *report_p);

#endif

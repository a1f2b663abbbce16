/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Descriptors of matrix products: checking what a user asked for, and filling
 * in defaults. Pure functions; error messages are recorded by
 * base/status.h. */
#ifndef STFI_GEMM_GEMM_DESC_H
#define STFI_GEMM_GEMM_DESC_H

#include "base/type.h"

/* Copies a descriptor, which may be of an earlier version of the struct: what that
 * lacks is 0. Errors: ARGUMENT (NULL, or no version has that size). */
stf_status stfi_gemm_desc_take(const stf_gemm_desc *d, stf_gemm_desc *own_p);

/* Checks each field and fills in what was left at its default: leading
 * dimensions, distances (0 for a shared matrix), the mode of protection.
 * Errors: ARGUMENT, naming the field; UNSUPPORTED. */
stf_status stfi_gemm_desc_complete(const stf_gemm_desc *d,
                                   stf_gemm_desc *full_p);

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* `steadfast inject gemm:...`: campaigns of faults in matrix products. */
#ifndef STFI_INJECT_INJECT_GEMM_H
#define STFI_INJECT_INJECT_GEMM_H

#include "tools/command/options.h"

/* Runs the campaign of a product, as the options say, and prints it. Returns
 * the exit status. */
int stfi_inject_gemm(const stfi_args *args, const stf_gemm_desc *product);

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* `steadfast plan gemm:...`: how a matrix product is computed. */
#ifndef STFI_COMMAND_PLAN_GEMM_H
#define STFI_COMMAND_PLAN_GEMM_H

#include "tools/command/options.h"

/* Prints the plan of the product that the command's word describes, on a device
 * or on a preset of one. Returns the exit status. */
int stfi_plan_gemm_word(const stfi_args *args);

/* Prints the plan of a product, protected as the options say.
 * Errors: ARGUMENT, those of stf_plan_gemm(). */
stf_status stfi_plan_gemm(const stfi_args *args, const stf_gemm_desc *product);

#endif

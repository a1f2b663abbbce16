/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Executes matrix products on a GPU of any vendor. */
#ifndef STFI_GPU_GEMM_EXEC_H
#define STFI_GPU_GEMM_EXEC_H

#include "backend/gemm_ops.h"

extern const stfi_gemm_ops stfi_gpu_gemm_table;

#endif

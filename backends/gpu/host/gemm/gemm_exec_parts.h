/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* What the files of matrix products on a GPU share: an executable. */
#ifndef STFI_GPU_GEMM_EXEC_PARTS_H
#define STFI_GPU_GEMM_EXEC_PARTS_H

#include <stdatomic.h>

#include "backend/gemm_ops.h"
#include "backends/gpu/host/device/gpu_ctx.h"
#include "backends/gpu/host/fft/protect.h"
#include "backends/gpu/host/gemm/gemm_spec.h"
#include "backends/gpu/kernels/gemm/gemm_args.h"
#include "base/type.h"

/* Offsets in the workspace. */
typedef struct work_map {
    size_t weighed, norm_a, norm_b; /* partial tiles come first */
    size_t half_a, half_b, exponent_a, exponent_b;
    size_t total;
} work_map;

struct stfi_gemm_exec {
    stfi_bctx *ctx;
    stfi_gemm gemm;
    stfi_gemm_tiling tiling;
    const stfi_type *type; /* that is computed in */
    size_t bytes_ab, bytes_c;
    int checked;
    stfi_gpu_loaded *kernel[STFI_GEMM_KERNELS];
    uint32_t shared_bytes[STFI_GEMM_KERNELS];
    work_map work;
    int64_t chunks, members_a, members_b;
    stfi_gpu_protection guard; /* its ledger */
    stfk_gemm_fault *fault;    /* in device memory */
    atomic_int faults;         /* of the next launch */
};

/* The rows of C that a thread stores at once (kernels/gemm/shape.h). */
int stfi_gpu_gemm_neighbours(const stfi_gemm_exec *exec);

/* The arguments of all kernels of a launch. */
stfk_gemm stfi_gpu_gemm_args(const stfi_gemm_exec *exec,
                             const stfi_gemm_arrays *arrays);

#endif

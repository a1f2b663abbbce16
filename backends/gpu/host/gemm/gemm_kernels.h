/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The kernels that plans of matrix products load, for devices that may be absent. */
#ifndef STFI_GPU_GEMM_KERNELS_H
#define STFI_GPU_GEMM_KERNELS_H

#include "backends/gpu/host/fft/spec.h"
#include "gemm/gemm.h"

/* Gets a kernel, which it copies. */
typedef stf_status stfi_gpu_gemm_visit(void *arg, const stfi_gpu_spec *spec);

/* Visits the kernels of a plan for the product on a device with `caps` and the
 * architecture `arch`, one more than once if need be, and with an effort above
 * STF_EFFORT_ESTIMATE those of the candidates that measuring begins with. (A plan
 * loads others where memory is short, or where the compiler is too old for units of
 * the architecture.)
 * Errors: UNSUPPORTED, MEMORY, INTERNAL, those of `visit`. Thread: any. */
stf_status stfi_gpu_gemm_kernels(const stfi_gemm *gemm, stf_effort effort,
                                 const stfi_caps *caps, const char *arch,
                                 stfi_gpu_gemm_visit *visit, void *arg);

#endif

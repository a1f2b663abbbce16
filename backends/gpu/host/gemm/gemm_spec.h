/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The kernels of matrix products: their names, config.h and launches. Pure
 * functions, which need no device. */
#ifndef STFI_GPU_GEMM_SPEC_H
#define STFI_GPU_GEMM_SPEC_H

#include "backends/gpu/host/fft/spec.h"
#include "gemm/gemm_tiles.h"

/* STRIKE is MULTIPLY with faults on purpose, STRIKE_ADD and STRIKE_SETTLE are ADD
 * and SETTLE, STRIKE_MEND is MEND; KEEP and SETTLE are for products that are
 * checked as a whole; ENCODE makes the sums that checks take beforehand, SPLIT
 * splits the operands into halves, ADD adds up the parts of k, and MEND computes
 * tiles again that were not clean. */
typedef enum stfi_gemm_kernel {
    STFI_GEMM_MULTIPLY,
    STFI_GEMM_STRIKE,
    STFI_GEMM_ENCODE,
    STFI_GEMM_SPLIT,
    STFI_GEMM_ADD,
    STFI_GEMM_STRIKE_ADD,
    STFI_GEMM_KEEP,
    STFI_GEMM_SETTLE,
    STFI_GEMM_STRIKE_SETTLE,
    STFI_GEMM_MEND,
    STFI_GEMM_STRIKE_MEND,
    STFI_GEMM_KERNELS
} stfi_gemm_kernel;

/* Returns 1 if code for this architecture has copies to block memory that run
 * beside a thread's instructions: "sm_80" and later have. */
int stfi_gpu_gemm_async(const char *arch);

/* The products that its matrix units of halves add to a sum at once, after which
 * they cut it off [Fasi2021]. */
int stfi_gpu_gemm_cut(const char *arch);

/* Returns 1 if units that groups of threads use multiply the weighed rows of A, too,
 * 2 if these are split, else 0. */
int stfi_gpu_gemm_unit_sums(const stfi_gemm *gemm,
                            const stfi_gemm_tiling *tiling);

/* Returns 1 if norms of columns of B are made beside the product, and not
 * beforehand. */
int stfi_gpu_gemm_own_norms(const stfi_gemm *gemm,
                            const stfi_gemm_tiling *tiling);

/* Errors: INTERNAL. Thread: any. */
stf_status stfi_gpu_gemm_spec(stfi_gemm_kernel kernel, const stfi_gemm *gemm,
                              const stfi_gemm_tiling *tiling,
                              const stfi_caps *caps, stfi_gpu_spec *spec_p);

#endif

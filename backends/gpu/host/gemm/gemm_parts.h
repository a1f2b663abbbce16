/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* What the files of matrix products on a GPU share: the executable, and its
 * launches. */
#ifndef STFI_GPU_GEMM_PARTS_H
#define STFI_GPU_GEMM_PARTS_H

#include <stdatomic.h>

#include "backend/gemm_ops.h"
#include "backends/gpu/host/device/gpu_ctx.h"
#include "backends/gpu/host/fft/protect.h"
#include "backends/gpu/host/gemm/gemm_spec.h"
#include "backends/gpu/kernels/gemm/gemm_args.h"
#include "base/type.h"

/* Offsets in the workspace. `predict` is that of the product of weighed rows. */
typedef struct work_map {
    size_t weighed, norm_a, norm_b, total; /* partial tiles come first */
    size_t predicted, before, predict;
    size_t odd, found; /* of tiles that are computed again (stfk_gemm) */
    size_t half_a, half_b, exponent_a, exponent_b; /* of split operands */
} work_map;

struct stfi_gemm_exec {
    stfi_bctx *ctx;
    stfi_gemm gemm;
    stfi_gemm_tiling tiling;
    const stfi_type *type; /* that is computed in */
    size_t bytes_ab, bytes_c;
    int checked;
    stfi_gemm_exec
        *predict; /* the product that makes the sums that C should have,
                              * if one does (gemm_expected.c); else NULL */
    stfi_gpu_loaded *kernel[STFI_GEMM_KERNELS];
    stfi_gpu_launch launch[STFI_GEMM_KERNELS]; /* but for the blocks */
    work_map work;
    int64_t chunks, members_a, members_b;
    stfi_gpu_protection guard; /* its ledger */
    stfk_gemm_fault *fault;    /* in device memory */
    atomic_int faults;         /* of the next launch */
};

/* What a plan and a list of kernels decide alike (gemm_kernels.c): sets all that
 * follows from the product; chooses the tiling, for limits that may be less than the
 * device's; and tells which kernels are loaded with the plan, after
 * stfi_gpu_gemm_expects(). Errors: UNSUPPORTED. */
stf_status stfi_gpu_gemm_begin(stfi_gemm_exec *exec, stfi_bctx *ctx,
                               const stfi_gemm *gemm);
stf_status stfi_gpu_gemm_tile(stfi_gemm_exec *exec, const stfi_caps *caps,
                              size_t most_bytes);
int stfi_gpu_gemm_needs(const stfi_gemm_exec *exec, stfi_gemm_kernel kernel);

/* The candidates of a product whose tiling is chosen, and of which it is known whether
 * it expects sums (gemm_ops.h). */
int stfi_gpu_gemm_candidates(const stfi_gemm_exec *exec, int each,
                             stfi_gemm_choice list[STFI_GEMM_CANDIDATES]);

/* Adds a part of a workspace of `*bytes` bytes so far; returns where it begins. */
size_t stfi_gpu_gemm_add_part(size_t *bytes, double size);

/* The rows of C that a thread stores at once (kernels/gemm/shape.h). */
int stfi_gpu_gemm_neighbours(const stfi_gemm_exec *exec);

/* The steps of k after which a matrix unit of halves cuts off what it adds up; 0
 * if all sums are rounded (gemm_arguments.c). */
int stfi_gpu_gemm_cut_of(const stfi_gemm_exec *exec);

/* The length of a weighed row of a tile, and the bytes of them all
 * (gemm_arguments.c). */
int64_t stfi_gpu_gemm_weighed_length(const stfi_gemm_exec *exec);
double stfi_gpu_gemm_weighed_bytes(const stfi_gemm_exec *exec);

/* Makes room for the halves of split operands (gemm_arguments.c). */
void stfi_gpu_gemm_lay_out_halves(const stfi_gemm_exec *exec, work_map *work);

/* The arguments of all kernels of a launch. */
stfk_gemm stfi_gpu_gemm_args(const stfi_gemm_exec *exec,
                             const stfi_gemm_arrays *arrays);

/* Launches so many blocks of a kernel. */
stf_status stfi_gpu_gemm_launch_blocks(const stfi_gemm_exec *exec,
                                       stfi_gemm_kernel kernel, stfk_gemm *args,
                                       int64_t blocks, void *stream);

/* Returns 1 if the product is checked as a whole. */
int stfi_gpu_gemm_is_whole(const stfi_gemm_exec *exec);

/* Sums that are made by a product of their own (gemm_expected.c). Decides whether there
 * are any, which the tiling notes; returns 1 and that product if there are. */
int stfi_gpu_gemm_expects(stfi_gemm_exec *exec, size_t most_bytes,
                          stfi_gemm *product_p);

/* Returns 1 if a product that is checked tile by tile can take such sums. */
int stfi_gpu_gemm_can_be_apart(const stfi_gemm_exec *exec);

/* Decides it, and makes that product; the functions after it need it. */
stf_status stfi_gpu_gemm_make_predict(stfi_gemm_exec *exec, size_t most_bytes);
void stfi_gpu_gemm_lay_out_predict(stfi_gemm_exec *exec);
void stfi_gpu_gemm_set_predict(const stfi_gemm_exec *exec, char *work,
                               stfk_gemm *args);

/* Makes the sums that C should have, and keeps C as it is if that is needed. */
stf_status stfi_gpu_gemm_predict(const stfi_gemm_exec *exec,
                                 const stfi_gemm_arrays *arrays,
                                 stfk_gemm *args, void *stream);

#endif

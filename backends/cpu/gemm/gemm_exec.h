/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* What the files of matrix products on the CPU share: an executable, one
 * execution of it, and a tile of C in that. */
#ifndef STFI_CPU_GEMM_EXEC_PARTS_H
#define STFI_CPU_GEMM_EXEC_PARTS_H

#include <stdatomic.h>

#include "backend/gemm_ops.h"
#include "backends/cpu/gemm/gemm_kernels.h"
#include "backends/cpu/protect/cpu_check.h"
#include "base/type.h"

/* Where the parts of a thread's workspace begin, and its size, in bytes. */
typedef struct stfi_cpu_gemm_work {
    size_t a, b, acc; /* packed blocks; accumulators */
    size_t sums;      /* of a checked tile */
    size_t ratio;     /* residuals relative to thresholds, by row */
    size_t wide;      /* a block of halves, in F32 */
    size_t bytes;
} stfi_cpu_gemm_work;

struct stfi_gemm_exec {
    stfi_gemm gemm;
    const stfi_cpu_gemm_kernels *kernels;
    const stfi_type *math;     /* what is computed in */
    int64_t bytes;             /* of a number of that */
    int64_t bytes_ab, bytes_c; /* of an element of A or B, and of C */
    int widens;                /* 1: A and B are halves */
    int narrows;               /* 1: C is, too */
    int64_t tile_m, tile_n;    /* rows and columns of a tile */
    int64_t tiles_m, tiles_n;
    int keeps; /* 1: accumulators are kept over blocks or for a check */
    int slots; /* threads that compute at once, each with a workspace */
    stfi_cpu_gemm_work work;

    int checked;
    stfi_cpu_gemm_bound bound;
    stfi_cpu_log log; /* if checked */
    stfi_gemm_fault *fault;
    atomic_int faults; /* for the next launch */
};

/* One execution. */
typedef struct stfi_cpu_gemm_run {
    stfi_gemm_exec *exec;
    const stfi_gemm_arrays *arrays;
    int scales; /* 1: only C = beta C */
    const stfi_gemm_fault *fault;
    int faults;
    _Atomic(int64_t) next; /* tile that no thread has taken */
    /* Factor of the thresholds: above 1 after some tile had larger residuals
     * that turned out to be rounding. */
    _Atomic(double) slack;
    stfi_ft_result result; /* guarded by the log's lock */
} stfi_cpu_gemm_run;

/* A tile of a member of the batch. */
typedef struct stfi_cpu_gemm_tile {
    stfi_cpu_part a, b; /* the tile's rows of A and columns of B */
    char *c;
    int64_t member, i, j; /* where it is in C */
    int64_t rows, cols;
    int64_t acc_rows; /* rows of the accumulators */
    char *work;       /* the thread's workspace */
    stfi_cpu_gemm_sums sums;
} stfi_cpu_gemm_tile;

/* Computes the accumulators of a checked tile and its sums, for the first time
 * or again. */
void stfi_cpu_gemm_accumulate(const stfi_cpu_gemm_run *run,
                              stfi_cpu_gemm_tile *tile, int again);

/* Stores C from the accumulators. */
void stfi_cpu_gemm_store(const stfi_cpu_gemm_run *run,
                         const stfi_cpu_gemm_tile *tile);

/* Computes a tile, checks it, repairs it if the plan corrects, stores it, and
 * notes what was found (gemm_settle.c). */
void stfi_cpu_gemm_compute_checked(stfi_cpu_gemm_run *run,
                                   stfi_cpu_gemm_tile *tile,
                                   stfi_cpu_watch *watch);

#endif

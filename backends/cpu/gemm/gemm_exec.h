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

/* Of a tile, at most, unless a choice says more. */
enum { STFI_CPU_GEMM_ROWS = 960, STFI_CPU_GEMM_COLS = 1024 };

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
    int64_t mc, kc;  /* rows and columns of a block of A */
    int64_t sums_kc; /* kc, rounded up to what its sums take */
    int keeps;       /* 1: accumulators are kept over blocks or for a check */
    int slots;       /* threads that compute at once, each with a workspace */
    stfi_cpu_gemm_work work;

    int checked;
    /* Not checked tile by tile but as a whole: the sums of A and B are made
     * before the product, those of C after it. The workspace of the threads is
     * followed by what these are made of. */
    int offline;
    int64_t sums_bytes;     /* of the sums of a tile */
    size_t copy, sums, all; /* where a copy of C and the sums begin; the end */
    stfi_cpu_gemm_bound bound;
    stfi_cpu_log log; /* if checked */
    stfi_gemm_fault *fault;
    atomic_int faults; /* for the next launch */
};

typedef struct stfi_cpu_gemm_run stfi_cpu_gemm_run;
typedef struct stfi_cpu_gemm_tile stfi_cpu_gemm_tile;

/* What an execution does with each tile; of products that are checked as a whole
 * there are several. */
typedef void stfi_cpu_gemm_phase(stfi_cpu_gemm_run *run,
                                 stfi_cpu_gemm_tile *tile,
                                 stfi_cpu_watch *watch);

/* One execution. */
struct stfi_cpu_gemm_run {
    stfi_gemm_exec *exec;
    const stfi_gemm_arrays *arrays;
    int scales; /* 1: only C = beta C */
    stfi_cpu_gemm_phase *phase;
    const stfi_gemm_fault *fault;
    int faults;
    _Atomic(int64_t) next; /* tile that no thread has taken */
    /* Factor of the thresholds: above 1 after some tile had larger residuals
     * that turned out to be rounding. */
    _Atomic(double) slack;
    stfi_ft_result result; /* guarded by the log's lock */
};

/* A tile of a member of the batch. */
struct stfi_cpu_gemm_tile {
    stfi_cpu_part a, b; /* the tile's rows of A and columns of B */
    char *c;
    int64_t member, i, j; /* where it is in C */
    int64_t rows, cols;
    int64_t acc_rows; /* rows of the accumulators */
    int64_t number;
    char *work;    /* the thread's workspace */
    char *sums_at; /* memory of `sums` */
    stfi_cpu_gemm_sums sums;
};

/* Computes the accumulators of a checked tile and its sums, for the first time
 * or again. */
void stfi_cpu_gemm_accumulate(const stfi_cpu_gemm_run *run,
                              stfi_cpu_gemm_tile *tile, int again);

/* Stores C from the accumulators. Returns how many elements differed when they
 * were computed again. */
int64_t stfi_cpu_gemm_store(const stfi_cpu_gemm_run *run,
                            const stfi_cpu_gemm_tile *tile);

/* The same with another leading dimension of C. */
int64_t stfi_cpu_gemm_store_at(const stfi_cpu_gemm_run *run,
                               const stfi_cpu_gemm_tile *tile, int64_t ldc);

/* Computes a tile without a check, and stores it. */
void stfi_cpu_gemm_compute(const stfi_cpu_gemm_run *run,
                           stfi_cpu_gemm_tile *tile);

/* Sets where the sums of a tile are; clears them. */
void stfi_cpu_gemm_place_sums(const stfi_gemm_exec *exec,
                              stfi_cpu_gemm_tile *tile);
void stfi_cpu_gemm_clear_sums(const stfi_gemm_exec *exec,
                              stfi_cpu_gemm_tile *tile);

/* Strikes the checksums of a tile that are to be. */
void stfi_cpu_gemm_strike_sums(const stfi_cpu_gemm_run *run,
                               const stfi_cpu_gemm_tile *tile, int again);

/* Computes a tile, checks it, repairs it if the plan corrects, stores it, and
 * notes what was found (gemm_settle.c). */
stfi_cpu_gemm_phase stfi_cpu_gemm_compute_checked;

/* Computes the accumulators of a tile again, until they are clean or come out
 * the same. Returns what became of them. */
stfi_ft_outcome stfi_cpu_gemm_compute_again(stfi_cpu_gemm_run *run,
                                            stfi_cpu_gemm_tile *tile);

/* Notes the outcome for a tile. */
void stfi_cpu_gemm_note(stfi_cpu_watch *watch, const stfi_cpu_gemm_tile *tile,
                        stfi_ft_outcome outcome, double ratio);

/* The phases of a product that is checked as a whole (gemm_offline.c), and what
 * it needs beside the workspaces of threads. */
stfi_cpu_gemm_phase stfi_cpu_gemm_sum_up, stfi_cpu_gemm_multiply_plain,
    stfi_cpu_gemm_check_stored;
void stfi_cpu_gemm_lay_out_offline(stfi_gemm_exec *exec);

#endif

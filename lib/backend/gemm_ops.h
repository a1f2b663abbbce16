/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Matrix products on an open device: making executables of them, and launching
 * these. launch() neither allocates, locks nor compiles, and changes nothing in
 * the executable but its ledger: any number of threads may launch one
 * executable at the same time, each with arrays of its own. */
#ifndef STFI_BACKEND_GEMM_OPS_H
#define STFI_BACKEND_GEMM_OPS_H

#include "backend/device_ops.h"
#include "gemm/gemm_candidates.h"

typedef struct stfi_ft_ledger stfi_ft_ledger;
typedef struct stfi_gemm_exec stfi_gemm_exec; /* a product ready to run */

/* Arrays of one execution, as the product has them (stfi_gemm: swapped). work
 * is aligned to 64 bytes and holds workspace() bytes. */
typedef struct stfi_gemm_arrays {
    const void *a, *b;
    void *c;
    const void *alpha, *beta;
    void *work;
} stfi_gemm_arrays;

/* What a residual of a checked product covers: a row of a tile of C, or a column
 * of it, all as the product has them. A fault has its tile computed again. */
typedef struct stfi_gemm_cover {
    int64_t tile_m, tile_n;
    int by_columns; /* 1: a column of a tile */
    int cut;        /* a matrix unit cuts off its sums after each so many steps
                     * of k; 0: all sums are rounded */
} stfi_gemm_cover;

typedef struct stfi_gemm_ops {
    /* Decides how a product is computed, as its choice says, with a workspace of
     * `most_bytes` at most if that is possible. Takes little time and memory.
     * Errors: UNSUPPORTED (also if the choice is not possible), MEMORY. */
    stf_status (*create)(stfi_bctx *, const stfi_gemm *, int threads,
                         size_t most_bytes, stfi_gemm_exec **exec_p);
    void (*destroy)(stfi_gemm_exec *);           /* NULL is a no-op */
    size_t (*workspace)(const stfi_gemm_exec *); /* bytes at arrays.work */
    /* Returns 1 if the workspace can be smaller. */
    int (*can_be_cut)(const stfi_gemm_exec *);
    /* Lists choices that differ from that of the executable's product in one
     * respect and may be faster, at most `each` of every sort, or a few times that,
     * the likeliest ones first. Returns how many there are. */
    int (*candidates)(const stfi_gemm_exec *, int each,
                      stfi_gemm_choice list[STFI_GEMM_CANDIDATES]);
    /* As snprintf(): returns the length of the whole text. */
    size_t (*describe)(const stfi_gemm_exec *, char *text, size_t capacity);
    stf_status (*launch)(stfi_gemm_exec *, const stfi_gemm_arrays *,
                         void *stream);
    /* Both for executables whose ft.mode is not STF_FT_OFF, as those of
     * stfi_fft_ops: what the checks of finished launches found; faults that the
     * next launch shall suffer, which were checked (ft/gemm_fault.h). */
    stf_status (*ledger)(stfi_gemm_exec *, int reset, stfi_ft_ledger *ledger_p);
    stf_status (*inject)(stfi_gemm_exec *, const stf_fault *fault, int count);
    void (*cover)(const stfi_gemm_exec *, stfi_gemm_cover *cover_p);
} stfi_gemm_ops;

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Matrix products as backends get them: C has its columns as runs of
 * neighbours, and transposes are steps. A row-major product is the
 * column-major product of the transposes, C' = op(B)' op(A)', so that the two
 * operands change places. */
#ifndef STFI_GEMM_GEMM_H
#define STFI_GEMM_GEMM_H

#include "gemm/gemm_choice.h"
#include "steadfast.h"

/* Where element (i, j) of member b lies: i row + j col + b dist. One of row and
 * col is 1. */
typedef struct stfi_gemm_matrix {
    int64_t row, col, dist;
} stfi_gemm_matrix;

typedef struct stfi_gemm {
    stf_precision precision; /* of A and B; alpha and beta are of that which it
                                  is computed in */
    stf_precision precision_c; /* of C */
    stf_compute compute;
    int64_t m, n, k, batch;
    stfi_gemm_matrix a, b, c; /* m x k, k x n and m x n; c.row is 1 */
    int on_device;            /* 1: so are alpha and beta */
    int swapped;              /* 1: `a` is the user's B, and `b` the user's A */
    int leads; /* 1: the launch behind it may run beside it and waits for it by itself,
                * on a GPU */
    stf_ft_desc ft;
    stfi_gemm_choice
        choice; /* how it is computed; lowering leaves it to the model */
} stfi_gemm;

/* Translates a completed descriptor. */
stfi_gemm stfi_gemm_lower(const stf_gemm_desc *full);

/* Returns the elements from the lowest to the highest of the batch of a matrix
 * of rows x cols elements; 0 if it has none. *before_p: how many of them lie
 * before element (0, 0) of member 0. */
int64_t stfi_gemm_extent(const stfi_gemm *gemm, const stfi_gemm_matrix *x,
                         int64_t rows, int64_t cols, int64_t *before_p);

/* Returns 1 if some element of the batch of matrices C is one of those of A,
 * which has `rows` rows and `cols` columns. The matrices begin at c0 and a0,
 * which are aligned to the elements. If members of the batch of A share elements
 * with each other, 1 may also mean that both lie in the same part of memory. */
int stfi_gemm_overlaps(const stfi_gemm *gemm, const void *c0,
                       const stfi_gemm_matrix *a, int64_t rows, int64_t cols,
                       const void *a0);

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* How far a matrix product is from the definition. */
#ifndef STFI_VERIFY_GEMM_ACCURACY_H
#define STFI_VERIFY_GEMM_ACCURACY_H

#include "support/oracle/naive_gemm.h"

/* L2 norms over the elements that were compared, relative to that of the true ones.
 * `usual` and `bound` are those of naive_gemm.h. */
typedef struct stfi_gemm_accuracy {
    double error, usual, bound;
    int64_t samples; /* elements that were compared */
    int outside;     /* 1: one of them is beyond the contract for any data */
} stfi_gemm_accuracy;

/* The steps of k after which the plan's matrix units cut their sums off, or 0:
 * `cuts` of naive_gemm.h. */
int stfi_gemm_cuts(stf_plan *plan);

/* Compares some 200 elements of the result with the definition, the first and the
 * last of all matrices among them. Those whose sums may leave the range of the
 * precision are passed over, and what underflows may be lost. */
stfi_gemm_accuracy stfi_gemm_compare(const stfi_naive_gemm *gemm,
                                     const void *c);

#endif

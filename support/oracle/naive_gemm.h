/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The oracle of matrix products: each element by itself, from the definition,
 * in a wider precision, sharing no code with the library under test. */
#ifndef STFI_ORACLE_NAIVE_GEMM_H
#define STFI_ORACLE_NAIVE_GEMM_H

#include "steadfast.h"

/* A product: its completed descriptor, and the host arrays and scalars as they
 * were before it was computed. */
typedef struct stfi_naive_gemm {
    const stf_gemm_desc *full;
    const void *alpha, *a, *b, *beta, *c;
    int cuts; /* steps of k that a matrix unit adds at once, after which it cuts
                 off; 0: sums are rounded */
} stfi_naive_gemm;

/* An element of C as it should be, and how far from that it may be. */
typedef struct stfi_naive_element {
    long double value;
    /* The contract, for any data: with K = k + 2 and u the unit round-off,
     * K u / (1 - K u) |alpha| sum |a| |b| + 2 u |beta c|. What cuts off has twice
     * the errors, and splitting 10 u more. Where C is of halves, their rounding
     * comes to that. */
    long double bound;
    /* For data whose products do not have the same rounding errors all along k:
     * 2 u (sqrt(k) + s) |alpha| ||a|| ||b|| + 2 u |beta c|, s the sums that are
     * cut off; with k below 8 the same as the contract. */
    long double usual;
} stfi_naive_element;

/* Where an element of the member's A, B or C ('a', 'b', 'c'), row i and column
 * j of what is multiplied or made, lies: counted in elements from the first
 * one. */
int64_t stfi_naive_gemm_place(const stf_gemm_desc *full, char matrix,
                              int64_t member, int64_t i, int64_t j);

/* Computes element (i, j) of a member of the batch. */
stfi_naive_element stfi_naive_gemm_at(const stfi_naive_gemm *gemm,
                                      int64_t member, int64_t i, int64_t j);

#endif

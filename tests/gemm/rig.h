/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Matrix products in host memory that is watched: what lies between, before and
 * behind the elements is NaN, which would show in the result if it were read,
 * and must be the same afterwards. */
#ifndef STFI_TESTS_GEMM_RIG_H
#define STFI_TESTS_GEMM_RIG_H

#include "support/oracle/naive_gemm.h"

typedef union rig_scalar {
    float f32;
    double f64;
    long double f80;
} rig_scalar;

typedef struct rig {
    stf_gemm_desc full; /* completed */
    size_t bytes[3];    /* of an element of A, B, C */
    void *memory[3];    /* of A, B, C */
    size_t size[3];     /* of that */
    void *at[3];        /* first element of the first member */
    void *before;       /* the memory of C before the product */
    rig_scalar alpha, beta;
    int cuts; /* see naive_gemm.h; 0 until it is set */
} rig;

enum { RIG_A, RIG_B, RIG_C };

/* Makes the arrays of a descriptor with uniform random numbers in [low, 1) and
 * with `shift` elements before the first. Returns 0 if the descriptor is
 * refused or memory is short. */
int rig_make(rig *r, const stf_gemm_desc *d, int shift, double low,
             uint64_t seed);
void rig_free(rig *r);

void rig_scalars(rig *r, double alpha, double beta);

/* Read and write an element: row i and column j of op(A), op(B) or C. */
long double rig_get(const rig *r, int matrix, int64_t member, int64_t i,
                    int64_t j);
void rig_set(rig *r, int matrix, int64_t member, int64_t i, int64_t j,
             long double value);

/* Fills C with what it was before. */
void rig_restore(rig *r);

/* Executes the product on a plan, with its own workspace. */
stf_status rig_execute(rig *r, stf_plan *plan);

/* The same with copies of the arrays in the memory of a device. */
stf_status rig_execute_on(rig *r, stf_plan *plan, stf_device *dev);

/* What the comparison with the oracle found. */
typedef struct rig_result {
    double bound, usual; /* the largest errors, relative to these bounds;
                            Inf if a result is NaN or should be */
    int touched;         /* 1: something beside the elements of C changed */
} rig_result;
rig_result rig_compare(const rig *r);

#endif

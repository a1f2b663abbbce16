/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Faults on purpose in matrix products: which ones there are, and where one
 * strikes. */
#ifndef STFI_FT_GEMM_FAULT_H
#define STFI_FT_GEMM_FAULT_H

#include "gemm/gemm.h"

/* What is struck, the component of a stf_fault. */
typedef enum stfi_gemm_struck {
    STFI_STRUCK_ACCUMULATOR, /* after the step */
    STFI_STRUCK_A,           /* the element of A in a register */
    STFI_STRUCK_B,           /* that of B */
    STFI_STRUCK_CHECKSUM,    /* of the element's row */
    STFI_STRUCK_EPILOGUE,    /* the element of C, when it is first made */
    STFI_STRUCK
} stfi_gemm_struck;

/* Step k of the chain of one element, all as the product has them, whose
 * operands may have changed places. */
typedef struct stfi_gemm_fault {
    int64_t member, row, col, k;
    stfi_gemm_struck struck;
    int bit, persistent;
    double magnitude;
} stfi_gemm_fault;

/* Checks a fault. Errors: ARGUMENT, naming the field. */
stf_status stfi_gemm_fault_check(const stfi_gemm *gemm, const stf_fault *fault);

/* Translates a valid fault. */
stfi_gemm_fault stfi_gemm_fault_place(const stfi_gemm *gemm,
                                      const stf_fault *fault);

/* Draws a random fault: a flipped bit of an accumulator, or of a register of A
 * or B, at a random step. */
stf_fault stfi_gemm_fault_draw(const stfi_gemm *gemm, uint64_t seed);

#endif

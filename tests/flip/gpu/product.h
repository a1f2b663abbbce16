/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Matrix products among the problems whose executions are struck: words of
 * support/problem/gemm_problem.h, with "+c" behind those that add to C, such as
 * "gemm:f32:nn:256x192x128+c". Thread: any. */
#ifndef STFI_FLIP_PRODUCT_H
#define STFI_FLIP_PRODUCT_H

#include <stddef.h>
#include <stdint.h>

#include "steadfast.h"

/* A, B and C lie one behind the other in an input, in bytes from its beginning. A
 * column of C, which has a checksum of its own in each tile, is judged alone. */
typedef struct flip_product {
    stf_gemm_desc desc;
    int adds; /* 1: beta is not 0, and C is a part of the input */
    size_t b_at, c_at, in_bytes, out_bytes;
    char alpha[16], beta[16]; /* in the precision that is computed in */
} flip_product;

/* Reads a word. Errors: ARGUMENT. */
stf_status flip_product_parse(const char *word, flip_product *p_p);

/* Sets the protection: "+e2e" is a check of the whole product. */
void flip_product_protect(flip_product *p, const stf_ft_desc *ft);

/* Draws an input of in_bytes. */
void flip_product_fill(const flip_product *p, char *input, uint64_t *seed);

/* Computes the product of an input on the CPU, in the widest precision.
 * Errors: those of the library. */
stf_status flip_product_oracle(const flip_product *p, const char *input,
                               long double *oracle);

/* Executes with arrays of the device; `input` is the same input on the host, from
 * which C comes. Errors: those of the library. */
stf_status flip_product_run(const flip_product *p, stf_device *dev,
                            stf_plan *plan, const char *input, const void *in,
                            void *out);

#endif

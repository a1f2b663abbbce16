/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Words for matrix products, such as gemm:f32:nt:1000x777x3000*4: precision,
 * transposes of A and B (n, t), m x n x k and a batch. Matrices are packed and
 * column-major. */
#ifndef STFI_PROBLEM_GEMM_PROBLEM_H
#define STFI_PROBLEM_GEMM_PROBLEM_H

#include <stddef.h>

#include "steadfast.h"

/* Returns 1 if a word is meant to be one of these. */
int stfi_gemm_word(const char *word);

/* Errors: ARGUMENT, naming what is wrong. */
stf_status stfi_gemm_parse(const char *word, stf_gemm_desc *d_p);

/* As snprintf(): writes the word of a descriptor. */
size_t stfi_gemm_print(const stf_gemm_desc *d, char *text, size_t capacity);

#endif

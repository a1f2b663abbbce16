/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* `steadfast verify` of matrix products. */
#ifndef STFI_VERIFY_VERIFY_GEMM_H
#define STFI_VERIFY_VERIFY_GEMM_H

#include "tools/verify/session.h"

/* Verifies the products of verify_gemm.def in the precisions that the options
 * leave. */
void stfi_verify_gemm(stfi_verify_session *s);

/* Verifies the product of a word, which gemm_problem.h parses. */
void stfi_verify_gemm_word(stfi_verify_session *s, const char *word);

#endif

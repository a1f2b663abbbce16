/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* `steadfast bench` of matrix products: how fast they are. */
#ifndef STFI_BENCH_BENCH_GEMM_H
#define STFI_BENCH_BENCH_GEMM_H

#include "tools/command/problems.h"

/* Measures a list of products with each protection of --ft and with the peer in
 * turn. Returns the exit status. */
int stfi_bench_gemm(const stfi_args *args, const stfi_problems *products);

#endif

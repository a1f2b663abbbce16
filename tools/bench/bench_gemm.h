/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* `steadfast bench gemm:...`: how fast matrix products are. */
#ifndef STFI_BENCH_BENCH_GEMM_H
#define STFI_BENCH_BENCH_GEMM_H

#include "tools/command/options.h"

/* Measures products, of which each of the command's words is one, with each
 * protection of --ft and with the peer in turn. Returns the exit status. */
int stfi_bench_gemm(const stfi_args *args);

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* How many threads make an execution faster. Short calls are those of one: they
 * neither wake threads nor wait for them. */
#ifndef STFI_CPU_THREADS_H
#define STFI_CPU_THREADS_H

#include "backend/gemm_ops.h"
#include "backends/cpu/cpu_exec.h"

/* Returns the number of threads, from 1 to x->threads, that an execution of x
 * should have. Its passes are made. */
int stfi_cpu_threads_of(const stfi_exec *x);

/* The same for a matrix product, of at most `threads`. */
int stfi_cpu_threads_of_gemm(const stfi_gemm *gemm, int threads);

#endif

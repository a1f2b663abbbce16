/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Matrix products on the CPU: the functions of stfi_gemm_ops. */
#ifndef STFI_CPU_GEMM_EXEC_H
#define STFI_CPU_GEMM_EXEC_H

#include "backend/gemm_ops.h"

stf_status stfi_cpu_gemm_make(const char *isa, const stfi_gemm *gemm,
                              int threads, size_t most_bytes,
                              stfi_gemm_exec **exec_p);
void stfi_cpu_gemm_destroy(stfi_gemm_exec *exec);
size_t stfi_cpu_gemm_workspace(const stfi_gemm_exec *exec);
int stfi_cpu_gemm_can_be_cut(const stfi_gemm_exec *exec);
int stfi_cpu_gemm_candidates(const stfi_gemm_exec *exec, int each,
                             stfi_gemm_choice list[STFI_GEMM_CANDIDATES]);
size_t stfi_cpu_gemm_describe(const stfi_gemm_exec *exec, char *text,
                              size_t capacity);
stf_status stfi_cpu_gemm_launch(stfi_gemm_exec *exec,
                                const stfi_gemm_arrays *arrays, void *stream);
stf_status stfi_cpu_gemm_ledger(stfi_gemm_exec *exec, int reset,
                                stfi_ft_ledger *ledger_p);
stf_status stfi_cpu_gemm_inject(stfi_gemm_exec *exec, const stf_fault *fault,
                                int count);
void stfi_cpu_gemm_cover(const stfi_gemm_exec *exec, stfi_gemm_cover *cover_p);

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Executions of the CPU backend of which each transform is checked as a whole. */
#ifndef STFI_CPU_EXEC_WHOLE_H
#define STFI_CPU_EXEC_WHOLE_H

#include "backends/cpu/cpu_executable.h"

/* As stfi_fft_ops.may_check_whole and check_whole, for kernels of `isa`. */
stf_status stfi_cpu_exec_may_check_whole(const char *isa, const stfi_dft *dft,
                                         stfi_exec *x, int *wants_p);
stf_status stfi_cpu_exec_check_whole(stfi_exec *x, const char *isa,
                                     const stfi_ft_offline *const check[2]);

/* 1 if this launch, which has no faults to suffer, goes that way. */
int stfi_cpu_exec_suits_whole(const stfi_exec *x, const stfi_buffers *b);

/* Runs one thread's share of such a launch. */
void stfi_cpu_exec_run_whole(stfi_exec *x, const stfi_buffers *b, int thread,
                             int threads, stfi_ft_result *result);

/* A stfi_brief_launch. */
int stfi_cpu_exec_whole_briefly(stfi_exec *x, const stfi_brief_way *way,
                                const void *in, void *out, void *work);

#endif

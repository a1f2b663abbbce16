/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Executables of the CPU backend. The functions are those of
 * backend/backend.h, but take no context. */
#ifndef STFI_CPU_EXEC_H
#define STFI_CPU_EXEC_H

#include "backend/backend.h"
#include "fft/tables/convolution.h"

/* Makes an executable of a schedule for kernels of `isa`. `dft` transforms the
 * kernels of convolutions; it may be NULL if the schedule has none. Errors:
 * UNSUPPORTED (a precision without kernels), MEMORY. */
stf_status stfi_cpu_exec_make(const char *isa, const stfi_schedule *s,
                              int threads, const stfi_exec *like,
                              const stfi_dft *dft, stfi_exec **exec_p);
void stfi_cpu_exec_destroy(stfi_exec *x);
size_t stfi_cpu_exec_workspace(const stfi_exec *x);
stf_status stfi_cpu_exec_launch(stfi_exec *x, const stfi_buffers *b,
                                void *stream);
stfi_brief stfi_cpu_exec_brief(stfi_exec *x);
int stfi_cpu_exec_signature(const stfi_exec *x, const stfi_buffers *b,
                            uint64_t *sum_p);
stf_status stfi_cpu_exec_ledger(stfi_exec *x, int reset,
                                stfi_ft_ledger *ledger_p);
stf_status stfi_cpu_exec_inject(stfi_exec *x, const stf_fault *fault,
                                int count);
stf_status stfi_cpu_exec_time(stfi_exec *x, const stfi_buffers *b, int reps,
                              double *seconds_p);

/* stfi_fft_ops.is_whole. */
int stfi_cpu_exec_is_whole(const stfi_exec *x);

#endif

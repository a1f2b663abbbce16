/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Executions of the CPU backend of which each transform is checked as a whole. */
#ifndef STFI_CPU_EXEC_WHOLE_H
#define STFI_CPU_EXEC_WHOLE_H

#include "backends/cpu/cpu_executable.h"

/* As stfi_fft_ops.may_check_whole and check_whole, for kernels of `isa`. */
stf_status stfi_cpu_exec_may_check_whole(const char *isa, const stfi_dft *dft,
                                         stfi_exec *x, int *how_p);
stf_status stfi_cpu_exec_check_whole(stfi_exec *x, const char *isa,
                                     const stfi_ft_whole_checks *checks);

/* As stfi_fft_ops.from_memory: launches with two checks read all that they have computed
 * from memory, and what that was computed of. Faults strike what passes do. */
int stfi_cpu_exec_is_end_to_end(const stfi_exec *x, int in_place);

/* 1 if this launch, which has no faults to suffer, goes that way. */
int stfi_cpu_exec_suits_whole(const stfi_exec *x, const stfi_buffers *b);

/* Runs one thread's share of such a launch. */
void stfi_cpu_exec_run_whole(stfi_exec *x, const stfi_buffers *b, int thread,
                             int threads, stfi_ft_result *result);

/* Brief launches: of any such executable, and of those of a single row that is
 * compact. */
stfi_brief_launch stfi_cpu_exec_whole_briefly, stfi_cpu_exec_alone_briefly;

/* 1 if there are checks as a whole for launches in place, or not. */
static inline int stfi_cpu_exec_is_whole_for(const stfi_exec *x, int in_place)
{
    return stfi_cpu_whole_is_made(&x->whole)
           && (!in_place || x->whole.keep > 0);
}

/* 1 if it may be launched so, this time and in this direction. */
static inline int stfi_cpu_exec_is_whole_brief(const stfi_exec *x,
                                               const stfi_brief_way *way,
                                               int in_place)
{
    return atomic_load_explicit(&x->faults, memory_order_relaxed) == 0
           && stfi_cpu_exec_is_whole_for(x, in_place)
           && x->whole.way[way->backward][0].check != NULL;
}

/* Counts rows. The counter has no other writer: a plan is executed in its own
 * workspace by one thread at a time. */
static inline void stfi_cpu_exec_count(stfi_exec *x, int64_t rows)
{
    atomic_store_explicit(
        &x->log.checked,
        atomic_load_explicit(&x->log.checked, memory_order_relaxed) + rows,
        memory_order_relaxed);
}

/* 1 if a brief launch has other arrays than its caller asked for. */
static inline int stfi_cpu_exec_is_astray(const stfi_exec *x, const void *in,
                                          const void *out)
{
    return in != x->asked.in || out != x->asked.out;
}

/* What was found of a single row. */
typedef struct stfi_cpu_alone {
    int clean;
    const char *sums; /* where sums were stored elsewhere, or NULL */
    int astray;       /* the arrays are others than those of the caller */
    double worst;     /* the largest |residual|^2 / norm^2 so far */
} stfi_cpu_alone;

/* Ends the brief launch of a single row that has been computed: if it may not be
 * clean, or has a larger residual than all before. */
int stfi_cpu_exec_end_alone(stfi_exec *x, const stfi_brief_way *way,
                            const void *in, void *out, void *work,
                            const stfi_cpu_alone *found);

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The limits and rates of this processor, for the planner. */
#ifndef STFI_CPU_CAPS_H
#define STFI_CPU_CAPS_H

#include "fft/cost.h"

/* The memory of the machine. */
int64_t stfi_cpu_memory_bytes(void);

/* Rows of how many bytes in all, input and output, are prefetched while they are summed
 * up, where `small` are if the second-level cache is. */
int64_t stfi_cpu_far_bytes(int64_t small);

/* The limits and rates for kernels of `isa` on `threads` threads. */
stfi_caps stfi_cpu_caps(const char *isa, int threads);

#endif

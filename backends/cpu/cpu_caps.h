/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The limits and rates of this processor, for the planner. */
#ifndef STFI_CPU_CAPS_H
#define STFI_CPU_CAPS_H

#include "fft/cost.h"

/* The memory of the machine. */
int64_t stfi_cpu_memory_bytes(void);

/* The limits and rates for kernels of `isa` on `threads` threads. */
stfi_caps stfi_cpu_caps(const char *isa, int threads);

#endif

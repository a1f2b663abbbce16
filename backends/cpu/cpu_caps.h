/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* What this processor is, for the planner. */
#ifndef STFI_CPU_CAPS_H
#define STFI_CPU_CAPS_H

#include "fft/cost.h"

/* The limits of kernels of `isa` on so many threads. */
stfi_caps stfi_cpu_caps(const char *isa, int threads);

#endif

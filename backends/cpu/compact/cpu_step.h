/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The tables of the steps of compact transforms. */
#ifndef STFI_CPU_STEP_H
#define STFI_CPU_STEP_H

#include "backends/cpu/compact/cpu_compact.h"

/* Makes the twiddles of a step for kernels of so many lanes, if it has any.
 * Errors: MEMORY. */
stf_status stfi_cpu_step_twiddle(stfi_cpu_step *t, stf_precision precision,
                                 int lanes);

#endif

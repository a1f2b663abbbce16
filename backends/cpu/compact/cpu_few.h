/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Batches of rows of few points, one row in each lane (few.h). */
#ifndef STFI_CPU_FEW_H
#define STFI_CPU_FEW_H

#include "backends/cpu/compact/cpu_compact.h"
#include "backends/cpu/compact/cpu_shape.h"

/* Makes what computes them; leaves *compact_p as it is if there are no kernels for the
 * shape, or slower ones. Errors: MEMORY. */
stf_status stfi_cpu_few_make(const char *isa, const stfi_schedule *s,
                             const stfi_cpu_shape *a,
                             stfi_cpu_compact **compact_p);

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Weights of level THREAD: a butterfly of r points has a residual of e[r] and
 * row[r] of its own (ft/instrument.h). */
#ifndef STFI_PROTECT_CPU_GUARD_H
#define STFI_PROTECT_CPU_GUARD_H

#include "fft/schedule.h"

/* guard[s]: e, then row, of stage s, in the precision, F32 or F64; freed one
 * by one. None if the pass is not of that level. Errors: MEMORY. */
stf_status stfi_cpu_guards_make(const stfi_pass *p, stf_precision precision,
                                void **guard);

#endif

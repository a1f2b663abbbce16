/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Weights for level THREAD: each butterfly of r points has a residual of its
 * own, with a left vector e of r points and its row (ft/instrument.h). */
#ifndef STFI_PROTECT_CPU_GUARD_H
#define STFI_PROTECT_CPU_GUARD_H

#include "fft/schedule.h"

/* Sets guard[s] for each stage s to an array of e[r], then row[r] (complex, in
 * the precision of sums, for F32 or F64). The caller frees each of them. Does
 * nothing if the pass is not checked at level THREAD. Errors: MEMORY. */
stf_status stfi_cpu_guards_make(const stfi_pass *p, stf_precision precision,
                                void **guard);

#endif

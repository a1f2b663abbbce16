/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Single arrays of few reals of several axes, and their half spectra: rows of the last
 * axis in lanes (few.h), and butterflies over the columns of half spectra, which stay
 * where they are (grid.h). */
#ifndef STFI_CPU_FEW_AXES_H
#define STFI_CPU_FEW_AXES_H

#include "backends/cpu/compact/cpu_compact.h"
#include "backends/cpu/compact/cpu_shape.h"

/* Finds the function for an array of a shape, and makes its table. one_p->run is NULL
 * if there is none. Errors: MEMORY. */
stf_status stfi_cpu_few_axes_make(const char *isa, stf_precision precision,
                                  const stfi_cpu_shape *a, stfi_cpu_one *one_p);

#endif

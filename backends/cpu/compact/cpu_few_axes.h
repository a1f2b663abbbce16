/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Single arrays of few reals of several axes, and their half spectra: rows of the last
 * axis in lanes (few.h), and butterflies over the columns of half spectra, which stay
 * where they are (grid.h). */
#ifndef STFI_CPU_FEW_AXES_H
#define STFI_CPU_FEW_AXES_H

#include "backends/cpu/compact/cpu_compact.h"
#include "backends/cpu/compact/cpu_shape.h"

/* Finds what computes such an array alone, and makes its table. c->one.run stays NULL if
 * there is nothing. Errors: MEMORY. */
stf_status stfi_cpu_few_axes_find(stfi_cpu_compact *c, const char *isa,
                                  const stfi_schedule *s,
                                  const stfi_cpu_shape *a);

#endif

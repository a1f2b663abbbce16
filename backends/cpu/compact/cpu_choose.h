/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Chooses the kernels of compact transforms, and whether these are faster than passes. */
#ifndef STFI_CPU_CHOOSE_H
#define STFI_CPU_CHOOSE_H

#include "backends/cpu/compact/cpu_shape.h"

/* Finds out whether many arrays are faster with vectors inside of each: a->inside. */
void stfi_cpu_find_inside(const char *isa, const stfi_schedule *s,
                          stfi_cpu_shape *a);

/* Chooses the kernels and how many arrays are computed together. Returns 0 if the passes
 * are better. */
int stfi_cpu_compact_choose(stfi_cpu_compact *c, const char *isa,
                            const stfi_schedule *s, const stfi_cpu_shape *a);

#endif

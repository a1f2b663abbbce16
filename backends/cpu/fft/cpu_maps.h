/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Maps from places in memory to places in a tile, for passes whose lanes hold
 * whole axes of real to real transforms: kernels then read and write memory in
 * its own order, whatever the order of the side. */
#ifndef STFI_FFT_CPU_MAPS_H
#define STFI_FFT_CPU_MAPS_H

#include "backends/cpu/cpu_pass.h"

/* An entry of a map is 2 * s, or 2 * s + 1 if the real changes its sign, where s
 * is the place in the tile in units of vectors: 2 * element + component. */
enum { STFI_CPU_NOWHERE = UINT32_MAX };

/* Returns 1 if the pass is a transform by radices, or of reals, in one tile of
 * which each lane holds all reals of the axis, and a side has an order. */
int stfi_cpu_is_straight(const stfi_pass *p);

/* Makes the maps of the sides that have an order, and the roots of their turns,
 * of a straight pass whose pos[] is made. Other passes get the roots only.
 * Errors: MEMORY. */
stf_status stfi_cpu_maps_make(stfi_cpu_pass *cp, stf_precision precision);

#endif

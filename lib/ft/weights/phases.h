/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Left vectors e of checksums: phases, most of them of length 1, in numbers of
 * eight bits.
 *
 * Data do not know e, so its seed is fixed, and a length has one e for ever.
 * The components of an element are numbers that both a bfloat16 and a
 * binary16 hold: a kernel reads four bytes for an element. Those of transforms
 * are multiples of 1/64 up to 127/64, so that it may read two. */
#ifndef STFI_WEIGHTS_PHASES_H
#define STFI_WEIGHTS_PHASES_H

#include <stdint.h>

#include "ft/weights/network.h"

/* Longest e that is levelled: no weight inside a transform of its length gets
 * small (see network.h). Others are random, of which one weight in a hundred
 * is below 0.1. */
enum { STFI_FT_LEVELLED = 16384 };

/* 1 if what goes through a tile of so many elements has a levelled e: a
 * product of radices that is short enough. */
int stfi_ft_has_levelled(int64_t tile);

/* e[2 * n]: random phases. Thread: any. */
void stfi_ft_phases_random(int64_t n, float *e);

/* Levelled ones, of a check of so many points; where the way has a period, all
 * elements but the first ones are what these and their code say (code.h), of
 * lengths between 0.8 and 1.2; where its row is real, e is its own mirror
 * image, of free lengths. Errors: MEMORY. Thread: any. */
stf_status stfi_ft_phases_levelled(const stfi_network_way *way, int64_t points,
                                   float *e);

/* The smallest weight of e, of all values on the way. Errors: MEMORY. */
stf_status stfi_ft_least_weight(const stfi_network_way *way, int64_t points,
                                const float *e, double *least_p);

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* How many blocks a GPU's multiprocessor holds at once: by registers, block
 * memory and threads. Pure functions. Thread: any. */
#ifndef STFI_GPU_RESIDENCY_H
#define STFI_GPU_RESIDENCY_H

#include "device/tuning.h"
#include "fft/gpu/config.h"

/* The 32-bit registers of a multiprocessor. Devices of which they are not known
 * are planned for as NVIDIA's. */
int64_t stfi_gpu_unit_registers(const stfi_caps *caps);

/* Estimates the registers of a thread that holds `held` elements. `largest` is
 * the largest radix; odd ones also keep sums and differences. */
int stfi_gpu_registers(int held, int largest, size_t real_bytes);

/* Returns 1 if r is prime; for radices. */
int stfi_gpu_is_prime(int r);

/* Returns 1 if the planner expects that a block with so many threads and bytes
 * is alone on its multiprocessor, which then idles while threads wait for each
 * other. twiddle: 1 if there are twiddles between passes. */
int stfi_gpu_is_alone(int64_t threads, int64_t bytes, int registers,
                      int twiddle, const stfi_caps *caps);

/* Returns 1 if so many blocks of a multiprocessor hide each other's waits, some
 * computing while one waits: of halves and doubles three or more, of short columns of
 * doubles two. */
int stfi_gpu_has_company(const stfi_gpu_config *c, int blocks,
                         const stfi_tuning *t);

/* Returns how many blocks fit a multiprocessor by everything in the
 * configuration but `resident`; the compiler limits registers to make them
 * fit. */
int stfi_gpu_resident(const stfi_gpu_config *c, int64_t shared_bytes,
                      const stfi_caps *caps);

/* Returns 1 if a multiprocessor has more registers than NVIDIA's. Such devices were not
 * at hand: what launches of few tiles gain was not measured there, and stays undone. */
int stfi_gpu_has_more_registers(const stfi_caps *caps);

/* Returns how many blocks a launch of the pass has, if each computes one tile; at most,
 * if it has no tiles. */
int64_t stfi_gpu_count_tiles(const stfi_pass *p);

/* Sets for how many blocks a multiprocessor the kernel is compiled, and what its
 * threads may keep outside of their registers, by everything else in the
 * configuration, for launches of so many tiles.
 *
 * Where these are too few to fill the device, threads may have the registers of the
 * blocks that do not come: otherwise they wait for memory several times, as they cannot
 * hold all that they ask for (18 times in a protected C2R of 308 doubles, 5 times so).
 *
 * No estimate of a check's registers is good to a tenth, so a protected kernel is first
 * tried with more blocks where these were mostly faster: if it would be alone on its
 * multiprocessor, if its threads hold few elements, and for C2R. Sets also whether each
 * wave of a block judges for itself. */
void stfi_gpu_settle_blocks(stfi_gpu_config *c, int64_t tiles,
                            const stfi_caps *caps);

#endif

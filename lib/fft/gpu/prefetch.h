/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Whether the blocks of a GPU ask the second-level cache for rows that other blocks will
 * load. Pure functions. Thread: any. */
#ifndef STFI_GPU_PREFETCH_H
#define STFI_GPU_PREFETCH_H

#include "fft/gpu/config.h"

/* Returns 1 for tiles of one long row, of which a multiprocessor computes one or two at
 * once: while all their threads compute, or wait for each other, memory is idle. It
 * brings a later tile nearer then. Everything else in the configuration is settled. */
int stfi_gpu_prefetches(const stfi_gpu_config *c, int64_t tiles,
                        const stfi_caps *caps);

#endif

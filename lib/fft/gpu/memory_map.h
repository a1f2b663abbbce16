/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Where things lie in a block's memory. Pure functions. Thread: any. */
#ifndef STFI_GPU_MEMORY_MAP_H
#define STFI_GPU_MEMORY_MAP_H

#include "device/tuning.h"
#include "fft/gpu/config.h"

/* Partial sums of a lane that checks leave in block memory, of T threads whose
 * lanes interleave so. The kernels fold as STFK_SUM_NEAR and STFK_SUM_FAR of
 * backends/gpu/kernels/fft/args.h say: tests/unit/gpu_config.c compares. */
int stfi_gpu_partial_sums(int interleave, int lanes, int threads, int wave);

/* Bytes of the sums of one tile's checks, or of the sums over tiles. */
int64_t stfi_gpu_sum_bytes(const stfi_gpu_config *c);

/* Sets all offsets, the numbers of twiddles' factors, and shared_bytes:
 * the exchanges take the first `exchange` bytes. */
void stfi_gpu_map_memory(int64_t exchange, const stfi_tuning *tuning,
                         stfi_gpu_config *c);

#endif

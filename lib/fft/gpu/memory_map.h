/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The map of a block's memory. Pure functions. Thread: any. */
#ifndef STFI_GPU_MEMORY_MAP_H
#define STFI_GPU_MEMORY_MAP_H

#include "device/tuning.h"
#include "fft/gpu/config.h"

/* Returns how many partial sums of a lane the checks leave in block memory, if
 * a lane has `threads` threads, interleaved as given, and exchanges in a wave add up
 * those of at most `most` threads. It must agree with
 * STFK_SUM_NEAR and STFK_SUM_FAR of backends/gpu/kernels/fft/args.h;
 * tests/unit/gpu_config.c compares them. */
int stfi_gpu_partial_sums(int interleave, int lanes, int threads, int wave,
                          int most);

/* Sets sum_together of a block whose memory has been mapped; returns 1 if it changed,
 * and memory has to be mapped again. All waves of a block take part in exchanges;
 * sums that threads leave in block memory are added up by the waves that judge. So
 * exchanges are left out as far as these sums have room. Sums that need no block
 * memory keep to their waves. */
int stfi_gpu_choose_sums(const stfi_caps *caps, stfi_gpu_config *c);

/* Gives the sums of a block of few lanes memory of their own if they share that of the
 * exchanges, which takes so many bytes, and as many blocks fit: a barrier less. In
 * blocks of more lanes it made no difference. */
void stfi_gpu_separate_sums(int64_t exchange, const stfi_caps *caps,
                            stfi_gpu_config *c);

/* Returns the bytes of the sums for one tile's checks, or of the sums over
 * tiles. */
int64_t stfi_gpu_sum_bytes(const stfi_gpu_config *c);

/* Returns the bytes of the half spectra of two signals in each lane, where they move
 * as one run; otherwise 0. */
int64_t stfi_gpu_rows_of_two_bytes(const stfi_gpu_config *c);

/* Sets the layout of rows that block memory has as halves and nothing else, and its
 * bytes. Returns 0 if the tile has no such rows. */
int stfi_gpu_lay_half_rows(stfi_gpu_config *c, int64_t *bytes_p);

/* Sets all offsets, the numbers of twiddle factors, and shared_bytes. The first
 * `exchange` bytes are for the exchanges. */
void stfi_gpu_map_memory(int64_t exchange, const stfi_tuning *tuning,
                         stfi_gpu_config *c);

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* What exchanges, sides and held elements of a tile cost, in the units of the
 * model that gpu_shape.h minimises, and how many lanes a block has;
 * lib/device/tuning.def has the constants.
 * Thread: any. */
#ifndef STFI_FFT_GPU_SHAPE_COST_H
#define STFI_FFT_GPU_SHAPE_COST_H

#include "device/tuning.h"
#include "fft/gpu_shape.h"

/* The index into pairs of tuning constants {single, double}. */
static inline int stfi_gpu_is_double(size_t real_bytes)
{
    return real_bytes > 4;
}

/* Powers of two have constants of their own, called even. */
static inline int stfi_gpu_is_even(int64_t n)
{
    return (n & (n - 1)) == 0;
}

/* Returns 1 for rows of real transforms, whose spectra are put together in block
 * memory, if blocks have so many lanes at least. */
int stfi_gpu_is_spectrum(const stfi_gpu_tile *tile, int lanes);

/* Returns 1 for short rows of real transforms, and the relative time of a shape for many
 * of them: by its stages, its threads for a row, the elements that a thread holds and the
 * idle places for each element. Half of what they hold is known to be zero or is not
 * stored, so that exchanges count more than registers. */
int stfi_gpu_has_short_reals(const stfi_tuning *t, const stfi_gpu_tile *tile);
double stfi_gpu_short_real_cost(const stfi_gpu_tile *tile,
                                const stfi_caps *caps, int stages, int threads,
                                int held, double idle);

/* Returns the cost factor of rows of real transforms, 1 for others. */
double stfi_gpu_reals_factor(const stfi_tuning *t, const stfi_gpu_tile *tile,
                             int lanes, int stages, int held);

/* Returns the cost of an exchange among the threads of a tile of at least so many
 * lanes, 1 for rows. */
double stfi_gpu_exchange_cost(const stfi_tuning *t, const stfi_gpu_tile *tile,
                              int lanes, int threads);

/* Returns the elements per thread beyond which too few threads fit a
 * multiprocessor to hide the latency of memory, and the cost factor for each
 * element beyond. */
int stfi_gpu_has_half_rows(const stfi_gpu_tile *tile);
int stfi_gpu_held_good(const stfi_tuning *t, const stfi_gpu_tile *tile);
double stfi_gpu_held_cost(const stfi_tuning *t, const stfi_gpu_tile *tile,
                          int lanes);

/* Returns the bytes of a row that neighbouring threads access at once. */
int64_t stfi_gpu_run_bytes(const stfi_gpu_tile *tile, int64_t threads);

/* Returns 1 for checked convolutions of columns that are faster as tiles of half of
 * `width`: the sums of two checks leave a wide tile no registers for another block, and
 * in place, a block waits for its verdict before it stores. Lanes keep their shape:
 * those that are cheapest for fewer lanes have more threads, and too few registers. */
int stfi_gpu_is_half_conv(const stfi_gpu_tile *tile, const stfi_caps *caps,
                          int64_t width);

/* Returns 1 if rows go through block memory on a side: `across` if neighbouring
 * lanes are closer than elements, `run` if the rows follow each other. */
int stfi_gpu_is_staged(const stfi_tuning *t, const stfi_gpu_tile *tile,
                       int threads, int across, int run);

/* Returns 1 if rows go through block memory on either side, and may move in packs. */
int stfi_gpu_has_packs(const stfi_tuning *t, const stfi_gpu_tile *tile,
                       int threads);

/* Returns what a side costs more than a row that is moved line by line. */
double stfi_gpu_side_cost(const stfi_tuning *t, const stfi_gpu_tile *tile,
                          int threads, int across, int run);

/* Returns the lanes of a block of so many threads a lane, `least` or more, but not more
 * rows than there are. */
int stfi_gpu_block_lanes(const stfi_gpu_tile *tile, const stfi_caps *caps,
                         int threads, int least);

#endif

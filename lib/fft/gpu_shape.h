/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* How a GPU's thread block does a tile: radices, threads, lanes. Pure
 * functions of the tile and the device's limits. Thread: any. */
#ifndef STFI_FFT_GPU_SHAPE_H
#define STFI_FFT_GPU_SHAPE_H

#include "fft/cost.h"

/* Bytes of a lane that checks take, at most: what is known of a suspect. */
enum { STFI_GPU_CHECK_BYTES = 96 };

/* Factors of twiddles that a block keeps for a lane, at most. */
enum { STFI_GPU_STEPS_MOST = 96 };

/* What is asked: a tile of n elements a lane. */
typedef struct stfi_gpu_tile {
    int64_t n;
    int64_t lanes; /* of the whole pass */
    size_t real_bytes;
    int load_across; /* neighbouring lanes are neighbours in memory */
    int store_across;
    int far;     /* it loads elements that are far apart, and stores
                           long runs */
    int whole;   /* both components must be in block memory at once */
    int extra;   /* elements of block memory a lane beyond n */
    int conv;    /* it is transformed there and back */
    int twiddle; /* there are twiddles between passes */
    int rising;  /* the largest radix is to be the last one */
    int run;     /* the rows that it loads are one run of memory */
    int width;   /* lanes that a block should have; 0: any number */
    int checked; /* checks need block memory for each lane */
} stfi_gpu_tile;

typedef struct stfi_gpu_shape {
    int nstages;
    int radix[STFI_MAX_STAGES];
    int threads; /* per lane */
    int lanes;   /* per block */
    int held;    /* elements in a thread's registers, at most */
    int staged;  /* as in stfi_block */
    int split;   /* 1: block memory holds one component at a time */
    int ahead;   /* as in stfi_block */
    double cost; /* operations per element, in units of an addition */
} stfi_gpu_shape;

/* The cheapest shape. Returns 0 if the tile does not fit a block or n has a
 * prime that no radix covers. */
int stfi_gpu_shape_choose(const stfi_gpu_tile *tile, const stfi_caps *caps,
                          stfi_gpu_shape *shape_p);

/* 1 if there is a shape for rows of n > 1 elements; `whole`: with both
 * components of all, and of one more, in block memory at once. */
int stfi_gpu_shape_exists(int64_t n, int whole, int checked,
                          const stfi_caps *caps, size_t real_bytes);

/* Block memory of a shape, in bytes, without what keeps banks apart but with
 * the tile that is on its way. */
int64_t stfi_gpu_shape_bytes(const stfi_gpu_tile *tile,
                             const stfi_gpu_shape *shape);

/* Elements that a block can hold at most, over all its lanes. */
int64_t stfi_gpu_block_elements(const stfi_caps *caps, size_t real_bytes);

/* Elements that a lane of a pass among several can have at most: columns are
 * read in runs of at least 16 bytes, and twiddles take block memory too. */
int64_t stfi_gpu_column_elements(const stfi_caps *caps, size_t real_bytes);

/* Lanes of a tile of n elements whose lanes are neighbours in memory: enough
 * for wide accesses, few enough to fit, and to leave work for every
 * multiprocessor. */
int stfi_gpu_width(int64_t n, int64_t lanes, int far, const stfi_caps *caps,
                   size_t real_bytes);

/* Part of the copy bandwidth that a side reaches whose runs have so many
 * bytes: run_rates of tuning.def. */
double stfi_gpu_run_efficiency(double bytes, int store, const stfi_caps *caps);

/* Part of the copy bandwidth that the passes of a transform of two levels
 * reach: the first reads columns of n elements that are far apart (`far`), the
 * second one run and stores columns. What long columns lack is room for
 * several wide tiles. column_rates of tuning.def. */
double stfi_gpu_column_efficiency(int64_t n, int far, const stfi_caps *caps);

/* How a length that fits a tile is computed on a GPU: by radices, Rader or
 * Bluestein; sets the method and the tile's length. */
void stfi_gpu_method(int64_t n, size_t real_bytes, const stfi_caps *caps,
                     stfi_conv *conv_p, int64_t *tile_p);

#endif

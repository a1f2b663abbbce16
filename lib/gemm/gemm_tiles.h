/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Which tiles and parts of k a GPU computes a matrix product with, by what this
 * is expected to take. Pure functions, which need no device. */
#ifndef STFI_GEMM_GEMM_TILES_H
#define STFI_GEMM_GEMM_TILES_H

#include "device/caps.h"
#include "gemm/gemm.h"

/* What multiplies: each thread, or matrix units of doubles, of halves, or of the
 * halves of F32; and those of halves that groups of 128 threads use together
 * (STFI_MATRIX_GROUPS). */
enum {
    STFI_GEMM_NO_UNIT,
    STFI_GEMM_UNIT_DOUBLE,
    STFI_GEMM_UNIT_HALF,
    STFI_GEMM_UNIT_SPLIT,
    STFI_GEMM_UNIT_GROUP,
    STFI_GEMM_UNIT_GROUP_SPLIT,
    STFI_GEMM_UNITS
};

/* What is true of a unit. */
typedef struct stfi_gemm_unit {
    int halves; /* it multiplies halves */
    int splits; /* F32 is split into them */
    int groups; /* groups of threads use it */
    /* The part of a product's time that the sums which checks expect take beside it. */
    double sums;
} stfi_gemm_unit;

const stfi_gemm_unit *stfi_gemm_unit_get(int unit);

/* A row of gemm_tiles.def. */
typedef struct stfi_gemm_tile {
    int wide, unit, m, n, thread_m, thread_n, steps, blocks;
    double rate, alone;
} stfi_gemm_tile;

/* Parts of k and norms of checks begin at multiples of so many steps. */
enum { STFI_GEMM_CHUNK = 256 };

typedef struct stfi_gemm_tiling {
    stfi_gemm_tile tile; /* its blocks: those that the device holds */
    int async;  /* copies to block memory run beside a thread's instructions,
                 * and there are matrix units of doubles and halves */
    int steps;  /* of k of a slab */
    int stages; /* slabs in block memory */
    int threads;
    int64_t shared_bytes;
    int64_t tiles_m, tiles_n;
    int64_t length;      /* of rows of split operands: whole slabs */
    int64_t parts, part; /* of k, and the steps of each but the last */
    double seconds;      /* predicted */
    int apart; /* 1: a product of its own makes the sums that checks expect, which
                * otherwise are made beside this one; the backend decides */
} stfi_gemm_tiling;

/* Returns the i-th tile, or NULL past the end. */
const stfi_gemm_tile *stfi_gemm_tile_at(int i);

/* Completes the tiling of a product with a tile and so many parts of k, or
 * fewer; `async` is set. Returns 0 if a block's memory or the registers do not
 * hold it, or if it needs matrix units that are not there. */
int stfi_gemm_tiling_make(const stfi_gemm *gemm, const stfi_caps *caps,
                          const stfi_gemm_tile *tile, int64_t parts,
                          stfi_gemm_tiling *tiling);

/* Chooses the tiling that is predicted to be the fastest of those whose parts
 * take at most `most_bytes` of workspace, or which have one part, and that the
 * product's choice leaves; where memory is short and that leaves none, of all.
 * async: the device has copies that run beside a thread's instructions, and matrix
 * units. Returns 0 if the device holds none. */
int stfi_gemm_tiling_choose(const stfi_gemm *gemm, const stfi_caps *caps,
                            int async, size_t most_bytes,
                            stfi_gemm_tiling *tiling_p);

/* Seconds that the sums which checks expect take beside the product. */
double stfi_gemm_tiling_sums(const stfi_gemm_tiling *tiling);

/* From now on, the calling thread's choices are of one tile, with so many parts
 * or fewer; tests and measurements use this. -1 ends it. */
void stfi_gemm_tiling_want(int tile, int64_t parts);

/* The same of the sums that checks expect: 1 if a product of their own makes them
 * wherever it can, 0 if none does, -1 as the times say. */
void stfi_gemm_tiling_want_apart(int apart);

/* Bytes of the finished tiles of all parts; 0 of one part. */
double stfi_gemm_tiling_bytes(const stfi_gemm *gemm,
                              const stfi_gemm_tiling *tiling);

#endif

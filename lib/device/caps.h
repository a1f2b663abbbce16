/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Limits and rates of a device, for the planner. */
#ifndef STFI_DEVICE_CAPS_H
#define STFI_DEVICE_CAPS_H

#include <stdint.h>

struct stfi_tuning; /* device/tuning.h */

/* Bits of stfi_caps.matrix. GROUPS: there are units that 128 threads use together,
 * which read both operands from block memory. PIECES: units take F16, but numbers
 * below the normal ones for 0, which the pieces of F32 bear and data in F16 do
 * not. */
enum {
    STFI_MATRIX_F16 = 1,
    STFI_MATRIX_BF16 = 2,
    STFI_MATRIX_GROUPS = 4,
    STFI_MATRIX_PIECES = 8
};

/* Limits and rates of a device, measured or from a row of presets.def. */
typedef struct stfi_caps {
    char name[32];
    int gpu;              /* 0: a CPU; lanes are SIMD lanes, and tiles are in
                             the cache */
    int32_t units;        /* cores or multiprocessors */
    int32_t wave;         /* GPU: threads that run together (warp); CPU: vector
                             width in bytes */
    int32_t registers;    /* 32-bit registers per thread (gpu), vector
                                    registers (cpu) */
    int32_t max_threads;  /* threads per block */
    int32_t unit_threads; /* threads that a multiprocessor holds */
    int32_t cluster;      /* blocks that can share block memory; 1: none */
    int32_t parts;        /* parts of a multiprocessor, each with its own
                             registers; 0: not known, as in the two below */
    int32_t unit_registers; /* 32-bit registers of a multiprocessor */
    int32_t reserved_bytes; /* block memory that each block takes in addition,
                               beside block_bytes; of use only if
                               unit_registers are known, as is the next */
    int32_t granule_bytes;  /* block memory is given out in multiples of it */
    int32_t static_bytes;   /* block memory that a kernel with checks takes of
                               its own, out of block_bytes */
    int32_t split_early;    /* 1: block memory holds one component at a time as
                               soon as that lets a second block in; 0: only
                               if both do not fit */
    int32_t
        register_granule; /* registers of a thread are given out in multiples
                                 of it; 0: not known */
    int32_t product_base; /* registers of a thread of a matrix product beside
                               twice the words that it has of the product; 0:
                               as many as there are */
    int32_t matrix;       /* kinds of halves that matrix units multiply, with
                               sums in F32: STFI_MATRIX_F16, ..., or 0 */
    int32_t axes;         /* the most axes of an array that a pass transforms
                             in one tile; 0: one */
    int folds;            /* 1: checks of R2C and C2R may be those of the
                             complex transform in them */
    int64_t block_bytes;  /* block memory that one tile may take */
    int64_t l2_bytes;
    double bandwidth; /* bytes/s, read + written, device memory */
    double l2_bandwidth;
    double flops[2];                  /* per second; indexed by
                                         stfi_type.wide */
    double launch_seconds;            /* fixed cost of a pass */
    const struct stfi_tuning *tuning; /* NULL: never measured, see
                                         stfi_tuning_of() */
    int64_t memory_bytes;             /* memory installed; 0: not known */
} stfi_caps;

/* Returns the row of presets.def with this name, or NULL if there is none. */
const stfi_caps *stfi_preset_find(const char *name);

/* Returns the i-th preset, or NULL past the end, for listing. */
const stfi_caps *stfi_preset_at(int i);

/* Returns how many blocks that take so many bytes the block memory of a
 * multiprocessor holds; INT32_MAX of none. */
int64_t stfi_caps_blocks(const stfi_caps *caps, int64_t bytes);

#endif

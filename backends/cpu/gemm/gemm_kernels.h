/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* What matrix products of the CPU backend are made of: the kernels of one
 * instruction set and precision.
 *
 * Parts of A and B are packed before they are multiplied: a block of op(A) into
 * strips of `mr` rows, a block of op(B) into strips of `nr` columns, each with
 * the elements of one k as neighbours. The last strip of A has as many rows as
 * half of the others if these suffice, and zeros below the last row; the last
 * strip of B has only the columns that there are.
 *
 * A micro tile is the product of two strips. Its accumulators stay in registers
 * over the depth of a block and between blocks in a buffer of the tile: for each
 * strip of B one micro tile after the other, each by columns. So every element
 * of C is one chain of multiply-adds in the order of k, whatever the sizes of
 * blocks and tiles are. The structure is that of [Goto2008] and
 * [VanZee2015]. */
#ifndef STFI_CPU_GEMM_KERNELS_H
#define STFI_CPU_GEMM_KERNELS_H

#include <stddef.h>
#include <stdint.h>

#include "steadfast.h"

/* A part of a matrix: element (i, j) is at i row + j col. */
typedef struct stfi_cpu_part {
    const void *at;
    int64_t row, col;
} stfi_cpu_part;

/* One block of a tile. */
typedef struct stfi_cpu_gemm_block {
    int64_t rows, cols, depth;
    const void *a, *b; /* packed */
    void *sums;       /* the tile's accumulators; NULL: the block is all of K */
    int64_t sum_rows; /* rows of these, with the zeros below the last */
    int64_t row;      /* the block's first row in the tile */
    int first;        /* 1: chains begin with this block */
    void *c;          /* C at the block; NULL: it is not stored yet */
    int64_t ldc;
    const void *alpha, *beta;
} stfi_cpu_gemm_block;

typedef struct stfi_cpu_gemm_kernels {
    const char *isa;
    stf_precision precision;
    int mr, nr; /* rows and columns of a micro tile */
    int kc, mc; /* depth of blocks, and rows of blocks of A */
    int slack;  /* elements behind packed B that packing may write */
    void (*pack_a)(const stfi_cpu_part *, int64_t rows, int64_t depth,
                   void *packed);
    void (*pack_b)(const stfi_cpu_part *, int64_t depth, int64_t cols,
                   void *packed);
    void (*multiply)(const stfi_cpu_gemm_block *);
    /* Computes C = beta C. */
    void (*scale)(void *c, int64_t ldc, int64_t rows, int64_t cols,
                  const void *beta);
    int (*is_zero)(const void *scalar);
    int (*is_one)(const void *scalar);
} stfi_cpu_gemm_kernels;

/* Returns the kernels of an instruction set; NULL if there are none for the
 * precision. */
const stfi_cpu_gemm_kernels *
stfi_cpu_gemm_kernels_find(const char *isa, stf_precision precision);

#endif

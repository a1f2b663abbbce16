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
 * A micro tile is the product of two strips. Its accumulators stay in
 * registers over the depth of a block and between blocks in a buffer of the
 * tile: for each strip of B one micro tile after the other, each by columns.
 * So every element of C is one chain of multiply-adds in the order of k,
 * whatever the sizes of blocks and tiles are. The structure is that of
 * [Goto2008] and [VanZee2015].
 *
 * A checked tile has two residuals for each of its rows. Two vectors w of signs
 * weigh its columns: the sums over row i of w_j c_ij and over k of a_ik bw_k,
 * with bw_k the sum of w_j b_kj, differ by rounding errors alone. bw is made
 * while B is packed and the second sums while A is, of what is read from the
 * operands; the first are made of the finished accumulators. */
#ifndef STFI_CPU_GEMM_KERNELS_H
#define STFI_CPU_GEMM_KERNELS_H

#include <stddef.h>
#include <stdint.h>

#include "ft/gemm_fault.h"

/* A part of a matrix: element (i, j) is at i row + j col. */
typedef struct stfi_cpu_part {
    const void *at;
    int64_t row, col;
} stfi_cpu_part;

enum { STFI_CPU_GEMM_VECTORS = 2 };

/* A sum per row in two numbers of the tile's precision: the second has what
 * rounding took from the first. */
typedef struct stfi_cpu_gemm_row_sums {
    void *high, *low;
} stfi_cpu_gemm_row_sums;

/* The sums of a checked tile. Those by row have the rows of its
 * accumulators. */
typedef struct stfi_cpu_gemm_sums {
    stfi_cpu_gemm_row_sums bw[STFI_CPU_GEMM_VECTORS]; /* by k of a block */
    stfi_cpu_gemm_row_sums r[STFI_CPU_GEMM_VECTORS];  /* of a_ik bw_k */
    stfi_cpu_gemm_row_sums s[STFI_CPU_GEMM_VECTORS];  /* of w_j c_ij */
    /* Of some neighbouring c_ij, by row; of some neighbouring b_kj, by k. */
    void *run[STFI_CPU_GEMM_VECTORS], *run_b[STFI_CPU_GEMM_VECTORS];
    void *squares_a, *squares_c; /* by row */
    double squares_b;            /* of the whole part */
} stfi_cpu_gemm_sums;

/* The elements that the sums of a tile take, with blocks of depth kc. */
static inline int64_t stfi_cpu_gemm_sums_length(int64_t rows, int64_t kc)
{
    return STFI_CPU_GEMM_VECTORS * (3 * kc + 5 * rows) + 2 * rows;
}

/* The faults of a launch, and the place of a block. */
typedef struct stfi_cpu_gemm_strike {
    const stfi_gemm_fault *fault;
    int count;
    int again; /* 1: the tile is computed again */
    int64_t member, row, col, k;
} stfi_cpu_gemm_strike;

/* One block of a tile. */
typedef struct stfi_cpu_gemm_block {
    int64_t rows, cols, depth;
    const void *a, *b; /* packed */
    void *acc;        /* the tile's accumulators; NULL: the block is all of K */
    int64_t acc_rows; /* rows of these: a multiple of mr / 2 */
    int64_t row;      /* the block's first row in the tile */
    int first;        /* 1: chains begin with this block */
    stfi_cpu_gemm_sums *sums;           /* not NULL: C is summed up */
    const stfi_cpu_gemm_strike *strike; /* NULL: none */
    int mends;          /* 1: what store() finds to differ is computed again */
    int64_t *different; /* to which store() adds how many elements did */
    void *c;            /* C at the block; NULL: it is not stored now */
    int64_t ldc;
    const void *alpha, *beta;
} stfi_cpu_gemm_block;

/* A tile of C in memory, and as it was before the product. */
typedef struct stfi_cpu_gemm_stored {
    const void *c, *before;
    int64_t ldc, ld_before;
    const void *alpha, *beta;
} stfi_cpu_gemm_stored;

/* Thresholds of a tile's rows: tau_i = factor max(sqrt(chain S_i), ||a_i||
 * ||B||) + floor, where S_i is the sum of the squares of the row of the
 * tile. */
typedef struct stfi_cpu_gemm_bound {
    double factor; /* 6 u */
    double chain;  /* k + 16; 0: only the second */
    double floor;  /* what denormal numbers may lose */
} stfi_cpu_gemm_bound;

typedef struct stfi_cpu_gemm_kernels {
    const char *isa;
    stf_precision precision; /* that they compute in */
    int mr, nr;              /* rows and columns of a micro tile */
    int kc, mc;              /* depth of blocks, and rows of blocks of A */
    int slack; /* elements behind packed B that packing may write */
    /* Pack a block. If `sums` is not NULL, pack_a() adds to r and squares_a
     * from row `row` of the tile on, and pack_b(), whose block has all columns
     * of the tile, makes bw and adds to squares_b. */
    void (*pack_a)(const stfi_cpu_part *, int64_t rows, int64_t depth,
                   void *packed, stfi_cpu_gemm_sums *sums, int64_t row);
    void (*pack_b)(const stfi_cpu_part *, int64_t depth, int64_t cols,
                   void *packed, stfi_cpu_gemm_sums *sums);
    void (*multiply)(const stfi_cpu_gemm_block *);
    /* Stores C, where the accumulators of the block are finished, and computes
     * it twice. Returns how many elements differed. */
    void (*store)(const stfi_cpu_gemm_block *);
    /* Computes C = beta C. */
    void (*scale)(const stfi_cpu_gemm_block *);
    /* Gets the residuals of a row, and each row's larger one relative to its
     * threshold: Inf if it is not finite, -1 if the squares are too large or
     * too small to tell. */
    void (*residual)(const stfi_cpu_gemm_sums *, int64_t row,
                     double residual_p[STFI_CPU_GEMM_VECTORS]);
    void (*judge)(const stfi_cpu_gemm_sums *, const stfi_cpu_gemm_bound *,
                  int64_t rows, double *ratio);
    /* Adds C as it lies in memory, less beta times what it was before (NULL:
     * nothing), to s and to squares_c; and multiplies r and squares_a as alpha
     * does with C. */
    void (*weigh_stored)(const stfi_cpu_gemm_stored *, int64_t rows,
                         int64_t cols, const stfi_cpu_gemm_sums *);
    void (*strike)(const stfi_gemm_fault *, void *value);
    /* Convert numbers of F16 or BF16, for which the kernels of F32 are; NULL in
     * others. */
    void (*widen)(stf_precision from, const uint16_t *half, float *wide,
                  int64_t count);
    void (*narrow)(stf_precision to, const float *wide, uint16_t *half,
                   int64_t count);
    int (*is_zero)(const void *scalar);
    int (*is_one)(const void *scalar);
} stfi_cpu_gemm_kernels;

/* Returns the kernels of an instruction set, for a precision that is computed
 * in; NULL if there are none. */
const stfi_cpu_gemm_kernels *
stfi_cpu_gemm_kernels_find(const char *isa, stf_precision precision);

/* The place of an accumulator: row i and column j of a tile. */
static inline int64_t stfi_cpu_gemm_place(const stfi_cpu_gemm_kernels *k,
                                          int64_t acc_rows, int64_t cols,
                                          int64_t i, int64_t j)
{
    int64_t strip = j / k->nr * k->nr, nr = cols - strip;
    int64_t micro = i / k->mr * k->mr, rows = acc_rows - micro;

    nr = nr < k->nr ? nr : k->nr;
    rows = rows < k->mr ? rows : k->mr;
    return strip * acc_rows + micro * nr + (j - strip) * rows + (i - micro);
}

#endif

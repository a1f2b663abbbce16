/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The arguments of the kernels of matrix products. C and C++ compilers read
 * this file, after fft/args.h. Distances are in elements. */
#ifndef STFK_GEMM_ARGS_H
#define STFK_GEMM_ARGS_H

enum {
    STFK_GEMM_CHUNK = 256, /* steps of k whose norms are summed up together;
                                parts of k end where chunks do */
    STFK_GEMM_PIECE = 64,  /* steps of A that a block weighs, with a norm of
                                its own */
    STFK_GEMM_PIECES = STFK_GEMM_CHUNK / STFK_GEMM_PIECE,
    STFK_GEMM_VECTORS = 2,   /* of signs */
    STFK_GEMM_THREADS = 256, /* of the kernels that encode and add up */
    STFK_GEMM_LINES = 32,    /* columns whose norms a block makes at once, and
                                rows or columns that it splits */
    STFK_GEMM_STEPS = 128,   /* of k that a block splits at once */
    STFK_GEMM_UNIT_ROWS =
        8, /* of halves, in which the weighed rows of a tile are
                                 for units that groups of threads use */
    STFK_GEMM_WHOLE_STEPS =
        64,                   /* to whole ones of which weighed rows are filled
                                   up with 0 */
    STFK_GEMM_FINDING = 32,   /* bytes of what a look finds of a column */
    STFK_GEMM_NOTHING = -200, /* exponent of rows of zeros */
    STFK_GEMM_SPECIAL = 1 << 20 /* exponent of a row that has Inf or NaN */
};

/* An operand: m x k or k x n. `across` is the step along m or n, `along` the
 * one along k; one of them is 1. */
typedef struct stfk_gemm_operand {
    const void *base;
    long long across, along, dist;
    int wide;   /* 1: every fourth (second in F64) element is aligned to 16
                 bytes, and `across` is 1 */
    int shared; /* 1: one matrix for the whole batch */
} stfk_gemm_operand;

/* An operand in F32 as two halves, which have steps as neighbours: `lines` rows
 * of A (columns of B), each `length` long, of each member; all that are not in the
 * matrix are 0. First the upper halves of all members, then the lower ones. Rows
 * are scaled by powers of two; `exponent` has 2^e of each, which is above its
 * elements, and `most` the largest of each STFK_GEMM_LINES. */
typedef struct stfk_gemm_halves {
    void *base;
    int *exponent, *most;
    long long lines, length;
    long long lower; /* from an upper half to the lower one, in halves */
} stfk_gemm_halves;

/* A fault on purpose; see lib/ft/gemm_fault.h. */
typedef struct stfk_gemm_fault {
    long long member, row, col, k;
    double magnitude;
    int struck, bit, persistent, reserved;
} stfk_gemm_fault;

typedef struct stfk_gemm {
    stfk_gemm_operand a, b;
    void *c;
    long long ldc, dist_c;
    long long m, n, k, batch;
    double alpha, beta; /* unless they are in device memory */
    const void *alpha_at, *beta_at;
    int c_wide; /* 1: columns of C are aligned to 16 bytes */
    int unused;
    long long tiles_m, tiles_n; /* of C */
    long long parts, part;      /* of k, and the steps of each but the last */
    long long first;            /* the number of the first block's tile */
    void *partial;              /* [part][member][tile], of parts > 1 */
    /* Sums made beforehand, of which shared matrices have one member:
     * weighed rows of A [member][tile of m][vector][k, filled up] (for units of
     * groups of threads: STFK_GEMM_UNIT_ROWS rows of halves, see
     * predict_group.h), norms of those tiles [member][tile of m][chunk][piece],
     * and of columns of B [member][chunk][n]. */
    void *weighed;
    double *norm_a, *norm_b;
    long long chunks;   /* of k */
    long long encode_a; /* blocks that encode A, which come first */
    stfk_gemm_halves half_a, half_b; /* if F32 is split */
    /* If a product of its own made them: the sums that C should have,
     * [member][column][tile of m][vector], or a row of digits for a vector. Of products
     * that are checked as a whole, C as it was, packed. */
    const void *predicted;
    void *before;
    /* tau = factor max(sqrt(chain S_j), ||A|| ||b_j||) + floor; chain counts
     * the steps of a part. */
    double factor, chain, floor;
    double unit;  /* the unit round-off */
    double least; /* the least positive number */
    stfk_ledger *ledger;
    /* By tile and part, as blocks are numbered: how many threads say that it is to be
     * computed again, and what was found of its columns then. */
    unsigned *odd;
    void *found;
    const stfk_gemm_fault *fault;
    long long faults;
} stfk_gemm;

#endif

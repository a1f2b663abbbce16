/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Kernels of matrix products in one precision; see gemm_kernels.h. The includer
 * defines what simd.h asks for, STFI_REAL_NAME and STFI_REAL_ID. */
#ifndef STFI_CPU_GEMM_H
#define STFI_CPU_GEMM_H

#include <float.h>
#include <math.h>

#include "backends/cpu/gemm/gemm_kernels.h"
#include "backends/cpu/simd/simd.h"

#include "backends/cpu/gemm/micro.h"

#include "backends/cpu/gemm/weigh.h"

#include "backends/cpu/gemm/pack.h"

#include "backends/cpu/gemm/weigh_stored.h"

#include "backends/cpu/gemm/strike_steps.h"

#include "backends/cpu/gemm/finish.h"

/* Block sizes: a strip of B and one of A stay in the first-level cache while a
 * micro tile is computed, a block of A in the second-level cache. */
enum {
    KC = STFI_REAL_BYTES == 4   ? 384
         : STFI_REAL_BYTES == 8 ? 256
                                : 64,
    MC = STFI_REAL_BYTES == 4   ? 480 / MR * MR
         : STFI_REAL_BYTES == 8 ? 240 / MR * MR
                                : 64 / MR * MR
};

/* The accumulators of a micro tile that are kept, at row i and column j. */
INLINE real *kept_at(const stfi_cpu_gemm_block *k, int64_t i, int64_t j, int nr)
{
    return (real *)k->acc + j * k->acc_rows + (k->row + i) * nr;
}

/* Multiplies a strip of A, from row i on, and one of B, from column j on. */
INLINE void multiply_strips(const stfi_cpu_gemm_block *k, const real *a,
                            const real *b, int64_t i, int64_t j)
{
    _Alignas(64) real local[NR * MR];
    int64_t rows = k->rows - i < MR ? k->rows - i : MR;
    int nr = k->cols - j < NR ? (int)(k->cols - j) : NR;
    int mv = vectors_of(rows);
    real *acc = k->acc == NULL ? local : kept_at(k, i, j, nr);

    if (k->strike == NULL)
        micros[nr - 1][mv - 1](k->depth, a, b, acc, k->first);
    else
        strike_steps(k, a, b, acc, mv, nr, i, j);
    if (k->sums != NULL) {
        const real *kept = kept_at(k, i, j, nr);
        SEPARATE(kept);
        weigh_c(k->sums, kept, mv, nr, k->row + i, j);
    }
    if (k->c != NULL)
        finish_block(k, acc, mv, rows, nr, i, j);
}

static void multiply(const stfi_cpu_gemm_block *k)
{
    const real *b = k->b;

    for (int64_t j = 0; j < k->cols; j += NR, b += NR * k->depth) {
        const real *a = k->a;
        for (int64_t i = 0; i < k->rows; i += MR, a += MR * k->depth)
            multiply_strips(k, a, b, i, j);
        if (k->sums != NULL)
            end_c(k->sums, k->row, k->rows, j, k->cols);
    }
}

/* Returns the same twice in a row. */
INLINE int vectors_surely_of(int64_t rows)
{
    int64_t again = rows;
    int mv;

    do {
        mv = vectors_of(rows);
        SEPARATE(again);
    } while (mv != vectors_of(again));
    return mv;
}

/* Stores micro tile number `t`. */
static int64_t store_micro(const stfi_cpu_gemm_block *k, uint32_t down,
                           uint32_t t)
{
    const int64_t i = t % down * MR, j = (int64_t)(t / down) * NR;
    const int64_t rows = k->rows - i < MR ? k->rows - i : MR;
    const int nr = k->cols - j < NR ? (int)(k->cols - j) : NR;
    finished f = {
        .block = k,
        .sums = kept_at(k, i, j, nr),
        .at = (real *)k->c + i + j * k->ldc,
        .row = i,
        .col = j,
        .rows = rows,
        .mv = vectors_surely_of(rows),
        .nr = nr,
    };

    SEPARATE(t);
    f.again = (real *)k->c + t % down * MR + (int64_t)(t / down) * NR * k->ldc;
    return finish_twice(&f);
}

/* Micro tiles are counted: where the loop ended early, it goes on. */
static void store_block(const stfi_cpu_gemm_block *k)
{
    const uint32_t down = (uint32_t)((k->rows + MR - 1) / MR);
    const uint32_t all = down * (uint32_t)((k->cols + NR - 1) / NR);

    for (uint32_t t = 0; t < all;) {
        for (; t < all; t++) {
            *k->different += store_micro(k, down, t);
            SEPARATE(t);
        }
        SEPARATE(t);
    }
}

static void scale(const stfi_cpu_gemm_block *k)
{
    const real factor = *(const real *)k->beta;

    for (int64_t j = 0; j < k->cols; j++) {
        real *column = (real *)k->c + j * k->ldc;
        for (int64_t i = 0; i < k->rows; i++)
            column[i] = factor == 0 ? 0 : column[i] * factor;
    }
}

#if STFI_REAL_BYTES == 4
#include "backends/cpu/gemm/halves.h"
#endif

static int is_zero(const void *scalar)
{
    return *(const real *)scalar == 0;
}

static int is_one(const void *scalar)
{
    return *(const real *)scalar == 1;
}

#define KERNELS STFI_ISA_NAME(stfi_cpu_gemm_)

extern const stfi_cpu_gemm_kernels KERNELS;

const stfi_cpu_gemm_kernels KERNELS = {
    .isa = STFI_ISA_TEXT,
    .precision = STFI_REAL_ID,
    .mr = MR,
    .nr = NR,
    .kc = KC,
    .mc = MC,
    .slack = 2 * W,
    .pack_a = pack_a,
    .pack_b = pack_b,
    .multiply = multiply,
    .store = store_block,
    .residual = residual,
    .judge = judge,
    .weigh_stored = weigh_stored,
    .strike = strike,
#if STFI_REAL_BYTES == 4
    .widen = widen,
    .narrow = narrow,
#endif
    .scale = scale,
    .is_zero = is_zero,
    .is_one = is_one,
};

#endif

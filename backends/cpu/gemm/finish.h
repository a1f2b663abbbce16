/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The end of a micro tile: C = alpha x + beta C, where x is a finished sum. In
 * checked plans it is computed twice before it is stored, as no residual covers
 * it. */
#ifndef STFI_CPU_FINISH_H
#define STFI_CPU_FINISH_H

/* C = alpha sums + beta C for one vector of a column. */
INLINE V combine(V sums, real alpha, real beta, const real *c)
{
    return beta == 0 ? sums * alpha : sums * alpha + loadu(c) * beta;
}

/* Computes `rows` rows of a micro tile of C into `to`. With beta = 0, C is not
 * read. All results are made by this one function, since a compiler may fuse the
 * products and the sum otherwise in each copy of it. */
static __attribute__((noinline)) void
finish(const real *sums, int mv, int64_t rows, int nr, real alpha, real beta,
       const real *c, int64_t ldc, real *to, int64_t ld_to)
{
    for (int j = 0; j < nr; j++, c += ldc, to += ld_to, sums += mv * W) {
        int64_t i = 0;
        for (; i + W <= rows; i += W)
            *(VU *)(to + i) = combine(load(sums + i), alpha, beta, c + i);
        for (; i < rows; i++)
            to[i] = beta == 0 ? sums[i] * alpha : sums[i] * alpha + c[i] * beta;
    }
}

INLINE void finish_block(const stfi_cpu_gemm_block *k, const real *acc, int mv,
                         int64_t rows, int nr, int64_t i, int64_t j)
{
    real *c = (real *)k->c + i + j * k->ldc;

    finish(acc, mv, rows, nr, *(const real *)k->alpha, *(const real *)k->beta,
           c, k->ldc, c, k->ldc);
}

/* ------------------------------------------------------------------ twice */

enum { MORE_TURNS = 3 };

/* Keeps the compiler from using what was read before. */
#define FORGET() __asm__ volatile("" : : : "memory")

#if STFI_LANES > 1
typedef __typeof__((V){0} != (V){0}) MASK;
#define LANE_OF(mask, i) ((mask)[i])
#else
typedef int MASK;
#define LANE_OF(mask, i) (mask)
#endif

/* A micro tile that is finished: `at` is C at its first element. */
typedef struct finished {
    const stfi_cpu_gemm_block *block;
    const real *sums;
    real *at;
    int64_t row, col, rows; /* of the block; how many rows there are */
    int mv, nr;
} finished;

/* Computes elements of C, with those of a fault on purpose. */
INLINE void make(const finished *f, int again, real *made)
{
    const stfi_cpu_gemm_strike *s = f->block->strike;
    const int step = f->mv * W;

    if (f->rows < step)
        memset(made, 0, (size_t)(f->nr * step) * sizeof *made);
    finish(f->sums, f->mv, f->rows, f->nr, *(const real *)f->block->alpha,
           *(const real *)f->block->beta, f->at, f->block->ldc, made, step);
    for (int n = 0; s != NULL && n < s->count; n++) {
        const stfi_gemm_fault *x = &s->fault[n];
        const int64_t row = x->row - s->row - f->row;
        const int64_t col = x->col - s->col - f->col;
        if (x->struck == STFI_STRUCK_EPILOGUE && x->member == s->member
            && (x->persistent || !again) && row >= 0 && row < f->rows
            && col >= 0 && col < f->nr)
            strike(x, &made[col * step + row]);
    }
}

/* Returns 1 if some lane differs; of NaN, which differ from themselves, too. */
INLINE int may_differ(const real *x, const real *y, int count)
{
    MASK mask = load(x) != load(y);
    int any = 0;

    for (int i = W; i < count; i += W)
        mask |= load(x + i) != load(y + i);
    for (int i = 0; i < W; i++)
        any |= LANE_OF(mask, i) != 0;
    return any;
}

static int64_t count_different(const real *x, const real *y, int count)
{
    int64_t different = 0;

    for (int i = 0; i < count; i++)
        different += !(x[i] == y[i] || (x[i] != x[i] && y[i] != y[i]));
    return different;
}

/* Returns how many elements differed when they were computed again. They are
 * computed until two results in a row agree or, if the block is not mended,
 * stored as they were first. */
INLINE int64_t finish_twice(const finished *f)
{
    _Alignas(64) real made[NR * MR], again[NR * MR];
    const int count = f->nr * f->mv * W;
    int64_t different = 0, now;

    make(f, 0, made);
    FORGET();
    make(f, 1, again);
    for (int turn = 0; turn < MORE_TURNS && may_differ(made, again, count);
         turn++) {
        now = count_different(made, again, count);
        different += now;
        if (now == 0 || !f->block->mends)
            break;
        memcpy(made, again, sizeof made);
        FORGET();
        make(f, 1, again);
    }
    for (int j = 0; j < f->nr; j++)
        memcpy(f->at + j * f->block->ldc, made + j * f->mv * W,
               (size_t)f->rows * sizeof *made);
    return different;
}

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The end of a micro tile: C = alpha x + beta C, where x is a finished sum. In
 * checked plans it is computed twice before it is stored, as no residual covers
 * it. */
#ifndef STFI_CPU_FINISH_H
#define STFI_CPU_FINISH_H

/* Keeps a product out of a fused multiply-add: the compiler would fuse either of two
 * products that are added, or none, and not the same one in each copy of the code. */
#if defined __SSE2__ && STFI_REAL_BYTES <= 8
#define APART(x) __asm__("" : "+x"(x))
#else
#define APART(x) __asm__("" : "+m"(x))
#endif

/* C = alpha sums + beta C for one vector of a column, and for one element. */
INLINE V combine(V sums, real alpha, real beta, const real *c)
{
    V now = sums * alpha, before;

    if (beta == 0)
        return now;
    before = loadu(c) * beta;
    APART(now);
    APART(before);
    return now + before;
}

INLINE real combine_one(real x, real alpha, real beta, const real *c)
{
    real now = x * alpha, before;

    if (beta == 0)
        return now;
    before = *c * beta;
    APART(now);
    APART(before);
    return now + before;
}

/* Computes `rows` rows of a micro tile of C into `to`. With beta = 0, C is not
 * read. */
static __attribute__((noinline)) void
finish(const real *sums, int mv, int64_t rows, int nr, real alpha, real beta,
       const real *c, int64_t ldc, real *to, int64_t ld_to)
{
    for (int j = 0; j < nr; j++, c += ldc, to += ld_to, sums += mv * W) {
        int64_t i = 0;
        for (; i + W <= rows; i += W)
            *(VU *)(to + i) = combine(load(sums + i), alpha, beta, c + i);
        for (; i < rows; i++)
            to[i] = combine_one(sums[i], alpha, beta, c + i);
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

/* Where bits of two vectors differ: not 0. */
#if STFI_LANES > 1
#if STFI_REAL_BYTES == 4
typedef int32_t MASK __attribute__((vector_size(4 * STFI_LANES)));
#else
typedef int64_t MASK __attribute__((vector_size(8 * STFI_LANES)));
#endif
INLINE MASK differing(V x, V y)
{
    return (MASK)x ^ (MASK)y;
}
#else
typedef int MASK;
INLINE MASK differing(V x, V y)
{
    return !(x == y || (x != x && y != y));
}
#endif

INLINE int any_of(MASK mask)
{
    enum { PARTS = sizeof(MASK) / sizeof(int) };
    int part[PARTS], any = 0;

    memcpy(part, &mask, sizeof mask);
    for (int i = 0; i < PARTS; i++)
        any |= part[i];
    return any != 0;
}

/* A micro tile that is finished: `at` is C at its first element. */
typedef struct finished {
    const stfi_cpu_gemm_block *block;
    const real *sums;
    real *at;
    const real *again;      /* the same, counted apart */
    int64_t row, col, rows; /* of the block; how many rows there are */
    int mv, nr;
} finished;

/* Strikes those elements of a micro tile that are to be. */
static void strike_elements(const finished *f, int again, real *tile)
{
    const stfi_cpu_gemm_strike *s = f->block->strike;

    for (int n = 0; s != NULL && n < s->count; n++) {
        const stfi_gemm_fault *x = &s->fault[n];
        const int64_t row = x->row - s->row - f->row;
        const int64_t col = x->col - s->col - f->col;
        if (x->struck == STFI_STRUCK_EPILOGUE && x->member == s->member
            && (x->persistent || !again) && row >= 0 && row < f->rows
            && col >= 0 && col < f->nr)
            strike(x, &tile[col * f->mv * W + row]);
    }
}

/* Computes elements of C, with those of a fault on purpose. */
INLINE void make(const finished *f, int again, real *made)
{
    const int step = f->mv * W;

    if (f->rows < step)
        memset(made, 0, (size_t)(f->nr * step) * sizeof *made);
    finish(f->sums, f->mv, f->rows, f->nr, *(const real *)f->block->alpha,
           *(const real *)f->block->beta, f->at, f->block->ldc, made, step);
    strike_elements(f, again, made);
}

INLINE int may_differ(const real *x, const real *y, int count)
{
    MASK mask = {0};

    for (int i = 0; i < count; i += W)
        mask |= differing(load(x + i), load(y + i));
    return any_of(mask);
}

static int64_t count_different(const real *x, const real *y, int count)
{
    int64_t different = 0;

    for (int i = 0; i < count; i++)
        different += !(x[i] == y[i] || (x[i] != x[i] && y[i] != y[i]));
    return different;
}

INLINE int rows_differ(const finished *f, const real *kept, const real *made)
{
    int any = 0;

    for (int j = 0; j < f->nr; j++)
        any |= memcmp(kept + j * f->block->ldc, made + j * f->mv * W,
                      (size_t)f->rows * sizeof *made);
    return any != 0;
}

INLINE int whole_differs(const finished *f, const real *kept, const real *made)
{
    MASK mask = {0};

    UNROLL
    for (int j = 0; j < NR; j++)
        for (int v = 0; v < 2; v++)
            mask |= differing(loadu(kept + j * f->block->ldc + v * W),
                              load(made + j * MR + v * W));
    return any_of(mask);
}

/* Stores results, and again if they are not what C has then. Returns how often. */
INLINE int64_t store_made(const finished *f, const real *made, int whole)
{
    const int step = whole ? MR : f->mv * W, nr = whole ? NR : f->nr;
    const size_t bytes = (size_t)(whole ? MR : f->rows) * sizeof *made;
    int64_t again = -1;

    do {
        UNROLL
        for (int j = 0; j < nr; j++)
            memcpy(f->at + j * f->block->ldc, made + j * step, bytes);
        FORGET();
    } while (++again < MORE_TURNS
             && (whole ? whole_differs(f, f->again, made)
                       : rows_differ(f, f->again, made)));
    return again;
}

/* Returns how many elements differed when they were computed again. They are
 * computed until two results in a row agree or, if the block is not mended,
 * stored as they were first. */
static __attribute__((noinline)) int64_t finish_in_turns(const finished *f)
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
    return different + store_made(f, made, 0);
}

/* Beta, or 0 if C is not read. */
INLINE real beta_of(const finished *f, int reads)
{
    return reads ? *(const real *)f->block->beta : 0;
}

/* Computes a whole micro tile from accumulators and C. */
INLINE void make_whole(const finished *f, const real *sums, int reads, real *to,
                       int64_t ld_to)
{
    const real alpha = *(const real *)f->block->alpha;
    const real beta = beta_of(f, reads);

    UNROLL
    for (int j = 0; j < NR; j++)
        for (int v = 0; v < 2; v++)
            *(VU *)(to + j * ld_to + v * W) =
                combine(load(sums + j * MR + v * W), alpha, beta,
                        f->at + j * f->block->ldc + v * W);
}

/* Computes it again, from places that are counted apart. Returns 1 if other results
 * are at `kept`. */
INLINE int whole_is_other(const finished *f, const real *sums, int reads,
                          const real *kept, int64_t ld)
{
    const real alpha = *(const real *)f->block->alpha;
    const real beta = beta_of(f, reads);
    MASK mask = {0};

    UNROLL
    for (int j = 0; j < NR; j++)
        for (int v = 0; v < 2; v++)
            mask |= differing(loadu(kept + j * ld + v * W),
                              combine(load(sums + j * MR + v * W), alpha, beta,
                                      f->again + j * f->block->ldc + v * W));
    return any_of(mask);
}

/* Finishes a whole micro tile, of accumulators and C that are read twice. Returns how
 * often it was stored again; -1 if two results differ, with which nothing is lost: C
 * is stored before they are compared only if it is not read. */
INLINE int64_t finish_alike(const finished *f, const real *first,
                            const real *again, int reads)
{
    _Alignas(64) real made[NR * MR];
    const int64_t ld = reads ? MR : f->block->ldc;

    make_whole(f, first, reads, reads ? made : f->at, ld);
    FORGET();
    if (whole_is_other(f, again, reads, reads ? made : f->again, ld))
        return -1;
    return reads ? store_made(f, made, 1) : 0;
}

/* The same, with faults on purpose in what is read. */
static __attribute__((noinline)) int64_t finish_struck(const finished *f,
                                                       int reads)
{
    _Alignas(64) real sums[2][NR * MR];

    for (int again = 0; again < 2; again++) {
        memcpy(sums[again], f->sums, sizeof sums[again]);
        strike_elements(f, again, sums[again]);
    }
    return finish_alike(f, sums[0], sums[1], reads);
}

INLINE int64_t finish_whole(const finished *f)
{
    const int reads = *(const real *)f->block->beta != 0;

    if (f->block->strike != NULL)
        return finish_struck(f, reads);
    return reads ? finish_alike(f, f->sums, f->sums, 1)
                 : finish_alike(f, f->sums, f->sums, 0);
}

/* Returns how many elements differed, or 1 if some did that do no longer. */
INLINE int64_t finish_twice(const finished *f)
{
    const int whole = f->mv == 2 && f->nr == NR && f->rows == MR;
    int64_t different = whole ? finish_whole(f) : -1;

    if (different >= 0)
        return different;
    different = finish_in_turns(f);
    return different > 0 || !whole ? different : 1;
}

#endif

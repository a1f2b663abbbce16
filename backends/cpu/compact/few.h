/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Rows of few points, in one precision and instruction set: a row in each lane, by one
 * butterfly in registers, of reals without what is conjugate to something else
 * (fft/real_butterfly.h). Memory is moved by whole vectors of a row where these hold few
 * reals twice, else by 16 bytes at a time: W rows are then transposed within the quarters
 * of vectors.
 *
 * The same butterflies compute rows a second time, and compare the results with those in
 * memory: that takes less than sums over such rows. */
#ifndef STFI_CPU_FEW_H
#define STFI_CPU_FEW_H

#include "backends/cpu/compact/cpu_compact.h"
#include "backends/cpu/fft/real_butterfly.h"
#include "backends/cpu/fft/scale.h"
#include "backends/cpu/simd/prefetch.h"
#include "backends/cpu/simd/quarters.h"

#if STFI_LANES > 1

enum {
    MOST = STFI_CPU_FEW,
    ROOM = MOST / 2 * 2 + 2 /* reals of the longest row */
};

/* What results have that are compared with memory, if not NULL; else they are stored.
 * Any bit is that of a result that memory has not, or that is not finite. */
enum { WORDS = STFI_LANES * STFI_REAL_BYTES / 8 };
typedef uint64_t bits __attribute__((vector_size(WORDS * 8)));

INLINE bits compared(V memory, V result)
{
    return ((bits)memory ^ (bits)result) | (bits)(result - result);
}

/* Quarter i of a vector. */
INLINE Q quarter(V v, int i)
{
    Q q;

    memcpy(&q, (const char *)&v + 16 * i, sizeof q);
    return q;
}

INLINE void store_quarter(stored *p, int reals, Q q)
{
#if STFI_REAL_BYTES == 4
    if (reals < SQUARE) {
        *(eight_bytes *)(void *)p = ((two_eights)q)[0];
        if (reals > 2)
            p[2] = q[2];
        return;
    }
#endif
    (void)reals;
    *(QU *)p = q;
}

/* Reals from number e on of W rows, at most SQUARE. */
INLINE void take_square(const stored *at, int64_t step, int e, int reals, V *x)
{
    V v[W] = {{0}};

    UNROLL
    for (int i = 0; i < SQUARE; i++)
        v[i] = load_quarters(at + e, step, i, reals);
    transpose_squares(v);
    UNROLL
    for (int i = 0; i < SQUARE && i < reals; i++)
        x[e + i] = v[i];
}

INLINE void give_square(stored *at, int64_t step, int e, int reals, const V *x,
                        bits *other)
{
    V v[W] = {{0}};

    UNROLL
    for (int i = 0; i < SQUARE && i < reals; i++)
        v[i] = x[e + i];
    transpose_squares(v);
    UNROLL
    for (int i = 0; i < SQUARE; i++) {
        if (other != NULL) {
            *other |= compared(load_quarters(at + e, step, i, reals), v[i]);
            continue;
        }
        UNROLL
        for (int k = 0; k < QUARTERS; k++)
            store_quarter(at + (k * SQUARE + i) * step + e, reals,
                          quarter(v[i], k));
    }
}

/* The same by whole vectors. */
INLINE void take_vectors(const stored *at, int64_t step, int e, V *x)
{
    V v[W];

    UNROLL
    for (int l = 0; l < W; l++)
        v[l] = load_stored(at + l * step + e, STFI_REAL_ID);
    transpose(v);
    UNROLL
    for (int i = 0; i < W; i++)
        x[e + i] = v[i];
}

INLINE void give_vectors(stored *at, int64_t step, int e, const V *x,
                         bits *other)
{
    V v[W];

    UNROLL
    for (int i = 0; i < W; i++)
        v[i] = x[e + i];
    transpose(v);
    UNROLL
    for (int l = 0; l < W; l++) {
        stored *to = at + l * step + e;
        if (other != NULL)
            *other |= compared(load_stored(to, STFI_REAL_ID), v[l]);
        else
            store_stored(to, STFI_REAL_ID, v[l]);
    }
}

/* 1 if rows are moved by whole vectors: the last one overlaps less than half of the one
 * before. Measured. */
INLINE int is_by_vectors(int reals)
{
    return QUARTERS > 1 && reals >= W && 2 * ((W - reals % W) % W) < W;
}

/* W rows of `reals`. */
INLINE void take_rows(const stored *at, int64_t step, int reals, V *x)
{
    const int whole = is_by_vectors(reals), side = whole ? W : SQUARE;

    UNROLL
    for (int e = 0; e < reals; e += side) {
        if (whole)
            take_vectors(at, step, (int)square_at(e, W, reals), x);
        else
            take_square(at, step, (int)square_at(e, SQUARE, reals), reals, x);
    }
}

INLINE void give_rows(stored *at, int64_t step, int reals, const V *x,
                      bits *other)
{
    const int whole = is_by_vectors(reals), side = whole ? W : SQUARE;

    UNROLL
    for (int e = 0; e < reals; e += side) {
        if (whole)
            give_vectors(at, step, (int)square_at(e, W, reals), x, other);
        else
            give_square(at, step, (int)square_at(e, SQUARE, reals), reals, x,
                        other);
    }
}

/* Rows of both sides, and by what results are multiplied. */
typedef struct rows {
    const stored *from;
    stored *to;
    int64_t in, out; /* reals from row to row */
    factor scale;
    int64_t ahead; /* rows to those that are prefetched; 0: none */
} rows;

/* Transforms groups of W rows. Returns 1 if it compares, and some results are others, or
 * not finite. */
typedef int few_fn(rows r, int64_t groups);

INLINE rows next_rows(rows r)
{
    r.from += W * r.in;
    r.to += W * r.out;
    return r;
}

INLINE void prefetch_group(const rows *r)
{
    if (r->ahead == 0)
        return;
    prefetch_lines(r->from + r->ahead * r->in, W * r->in, 0);
    prefetch_lines(r->to + r->ahead * r->out, W * r->out, 1);
}

INLINE int any_of(bits b)
{
    uint64_t all = 0;

    for (int i = 0; i < WORDS; i++)
        all |= b[i];
    return all != 0;
}

/* A function that stores and one that compares, of what transforms one group. */
#define BOTH(name, group, ...)                                   \
    static int name(rows r, int64_t groups)                      \
    {                                                            \
        for (int64_t g = 0; g < groups; g++, r = next_rows(r))   \
            group(r, NULL, ##__VA_ARGS__);                       \
        return 0;                                                \
    }                                                            \
    static int same_##name(rows r, int64_t groups)               \
    {                                                            \
        bits other = {0};                                        \
        for (int64_t g = 0; g < groups; g++, r = next_rows(r)) { \
            prefetch_group(&r);                                  \
            group(r, &other, ##__VA_ARGS__);                     \
        }                                                        \
        return any_of(other);                                    \
    }

/* Complex numbers; an inverse transform has their parts exchanged. */
#define NUMBERS(n)                                                       \
    INLINE void numbers_##n(rows r, bits *other, int inverse)            \
    {                                                                    \
        V parts[2 * n];                                                  \
        C v[n];                                                          \
        take_rows(r.from, r.in, 2 * n, parts);                           \
        UNROLL                                                           \
        for (int j = 0; j < n; j++)                                      \
            v[j] = (C){parts[2 * j + inverse], parts[2 * j + !inverse]}; \
        bf_##n(v);                                                       \
        UNROLL                                                           \
        for (int k = 0; k < n; k++) {                                    \
            parts[2 * k + inverse] = v[k].r * r.scale.high;              \
            parts[2 * k + !inverse] = v[k].i * r.scale.high;             \
        }                                                                \
        give_rows(r.to, r.out, 2 * n, parts, other);                     \
    }                                                                    \
    BOTH(forward_##n, numbers_##n, 0)                                    \
    BOTH(inverse_##n, numbers_##n, 1)

#define R2C(n)                                               \
    INLINE void halve_##n(rows r, bits *other)               \
    {                                                        \
        V x[n], parts[n / 2 * 2 + 2];                        \
        C y[n / 2 + 1];                                      \
        take_rows(r.from, r.in, n, x);                       \
        rf_##n(x, y);                                        \
        UNROLL                                               \
        for (int k = 0; k <= n / 2; k++) {                   \
            parts[2 * k] = y[k].r * r.scale.high;            \
            parts[2 * k + 1] = y[k].i;                       \
            if (2 * k % n != 0)                              \
                parts[2 * k + 1] = y[k].i * r.scale.high;    \
        }                                                    \
        give_rows(r.to, r.out, n / 2 * 2 + 2, parts, other); \
    }                                                        \
    BOTH(r2c_##n, halve_##n)

#define C2R(n)                                          \
    INLINE void whole_##n(rows r, bits *other)          \
    {                                                   \
        V x[n], parts[n / 2 * 2 + 2];                   \
        C y[n / 2 + 1];                                 \
        take_rows(r.from, r.in, n / 2 * 2 + 2, parts);  \
        UNROLL                                          \
        for (int k = 0; k <= n / 2; k++)                \
            y[k] = (C){parts[2 * k], parts[2 * k + 1]}; \
        rb_##n(y, x);                                   \
        UNROLL                                          \
        for (int j = 0; j < n; j++)                     \
            x[j] = x[j] * r.scale.high;                 \
        give_rows(r.to, r.out, n, x, other);            \
    }                                                   \
    BOTH(c2r_##n, whole_##n)

#define EACH_FEW(X) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9)
#define EACH_REAL(X) EACH_FEW(X) X(10) X(11) X(12) X(13) X(14) X(15) X(16)

EACH_FEW(NUMBERS)
EACH_REAL(R2C)
EACH_REAL(C2R)

/* By direction, and whether they compare. */
#define ROW(n) \
    [n] = {{forward_##n, same_forward_##n}, {inverse_##n, same_inverse_##n}},
#define REAL_ROW(kind, n) \
    [n] = {{kind##_##n, same_##kind##_##n}, {kind##_##n, same_##kind##_##n}},
#define R2C_ROW(n) REAL_ROW(r2c, n)
#define C2R_ROW(n) REAL_ROW(c2r, n)

static few_fn *const few[][MOST + 1][2][2] = {
    [STFI_CPU_COMPLEX] = {EACH_FEW(ROW)},
    [STFI_CPU_REAL_IN] = {EACH_REAL(R2C_ROW)},
    [STFI_CPU_REAL_OUT] = {EACH_REAL(C2R_ROW)},
};

/* The reals of a row of a side, number 0 or 1. */
static int64_t reals_of(const stfi_cpu_compact *c, int side)
{
    if (c->form == STFI_CPU_COMPLEX)
        return 2 * c->n;
    return (c->form == STFI_CPU_REAL_IN) == (side == 0) ? c->n
                                                        : c->n / 2 * 2 + 2;
}

/* Copies `count` rows; packed ones at once, by stores that loads of vectors need not wait
 * for. */
static void copy_rows(const stored *from, int64_t in, stored *to, int64_t out,
                      int64_t reals, int64_t count)
{
    if (in == reals && out == reals) {
        memcpy(to, from, (size_t)(count * reals) * sizeof *to);
        return;
    }
    for (int64_t r = 0; r < count; r++)
        for (int64_t i = 0; i < reals; i++)
            to[r * out + i] = from[r * in + i];
}

/* Multiplies rows by what one real cannot hold. */
static void scale_rows(const rows *r, int64_t reals, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        for (int64_t j = 0; j < reals; j++) {
            stored *at = r->to + i * r->out + j;
            *at = v_times((V){*at}, r->scale)[0];
        }
}

/* The rows behind `done` others, `left` of them, and zeros behind these. */
static const stored *fill_rest(rows r, int64_t done, int64_t left, int64_t in,
                               stored *from)
{
    copy_rows(r.from + done * r.in, r.in, from, in, in, left);
    memset(from + left * in, 0, (size_t)((W - left) * in) * sizeof *from);
    return from;
}

/* Transforms `left` rows behind `done` others, less than a group. */
static void run_rest(few_fn *fn, rows r, int64_t done, int64_t left, int64_t in,
                     int64_t out)
{
    stored from[W * ROOM], to[W * ROOM];

    fn((rows){fill_rest(r, done, left, in, from), to, in, out, r.scale, 0}, 1);
    copy_rows(to, out, r.to + done * r.out, r.out, out, left);
}

/* Compares them; what is behind them are the results of zeros, which are zeros of any
 * sign. */
static int compare_rest(few_fn *const *fn, rows r, int64_t done, int64_t left,
                        int64_t in, int64_t out)
{
    stored from[W * ROOM], to[W * ROOM];
    const stored *filled = fill_rest(r, done, left, in, from);

    fn[0]((rows){filled, to, in, out, r.scale, 0}, 1);
    copy_rows(r.to + done * r.out, r.out, to, out, out, left);
    return fn[1]((rows){filled, to, in, out, r.scale, 0}, 1);
}

static rows rows_of(const stfi_cpu_compact *c, const stfi_cpu_compact_run *run)
{
    return (rows){
        (const stored *)run->src + run->begin * c->src_step,
        (stored *)run->dst + run->begin * c->dst_step,
        c->src_step,
        c->dst_step,
        factor_from(run->scale),
        run->ahead,
    };
}

static void run_few(const stfi_cpu_compact *c, const stfi_cpu_compact_run *run)
{
    const int64_t in = reals_of(c, 0), out = reals_of(c, 1);
    const int64_t count = run->end - run->begin, left = count % W;
    few_fn *const fn = few[c->form][c->n][run->inverse != 0][0];
    const rows all = rows_of(c, run);
    rows r = all;

    if (r.scale.low != 0)
        r.scale = factor_from(1);
    fn(r, count / W);
    if (left > 0)
        run_rest(fn, r, count - left, left, in, out);
    if (all.scale.low != 0)
        scale_rows(&all, out, count);
}

static int is_same_few(const stfi_cpu_compact *c,
                       const stfi_cpu_compact_run *run)
{
    const int64_t count = run->end - run->begin, left = count % W;
    few_fn *const *fn = few[c->form][c->n][run->inverse != 0];
    const rows r = rows_of(c, run);

    return !fn[1](r, count / W)
           && (left == 0
               || !compare_rest(fn, r, count - left, left, reals_of(c, 0),
                                reals_of(c, 1)));
}

/* The bits of a real as a number. */
#if STFI_REAL_BYTES == 4
typedef uint32_t word;
#else
typedef uint64_t word;
#endif
typedef word word_vector __attribute__((vector_size(WORDS * 8)));

/* Adds up the bits of reals that follow each other: those of two parts add up to those of
 * the whole. */
INLINE word bits_of_line(const stored *at, int64_t reals)
{
    enum { SUMS = 4 };
    word_vector part[SUMS] = {{0}};
    word all = 0;
    int64_t i = 0;

    for (; i + SUMS * W <= reals; i += SUMS * W)
        for (int k = 0; k < SUMS; k++)
            part[k] += (word_vector)load_stored(at + i + k * W, STFI_REAL_ID);
    for (; i < reals; i++) {
        word one;
        memcpy(&one, at + i, sizeof one);
        all += one;
    }
    for (int k = 0; k < STFI_LANES; k++)
        all += (part[0][k] + part[1][k]) + (part[2][k] + part[3][k]);
    return all;
}

/* The same of a row among gaps, which is too short for vectors. */
INLINE word bits_of_row(const stored *at, int64_t reals)
{
    word all = 0, one;

    for (int64_t i = 0; i < reals; i++) {
        memcpy(&one, at + i, sizeof one);
        all += one;
    }
    return all;
}

/* In the upper bits, where sums of sums lose what those of words lose. */
static uint64_t bits_of_few(const stfi_cpu_compact *c,
                            const stfi_cpu_compact_run *run, int side,
                            int has_gaps)
{
    const int64_t reals = reals_of(c, side), count = run->end - run->begin;
    const rows r = rows_of(c, run);
    const stored *at = side ? r.to : r.from;
    const int64_t step = side ? r.out : r.in;
    word all = 0;

    if (step == reals || !has_gaps)
        all = bits_of_line(at, count * step - (side ? 0 : step - reals));
    else
        for (int64_t l = 0; l < count; l++)
            all += bits_of_row(at + l * step, reals);
    return (uint64_t)all << (64 - 8 * sizeof all);
}
#endif

#define FEW STFI_ISA_NAME(stfi_cpu_few_)

extern const stfi_cpu_compact_kernels FEW;
const stfi_cpu_compact_kernels FEW = {
    {STFI_ISA_TEXT, STFI_REAL_ID, STFI_LANES},
#if STFI_LANES > 1
    run_few,
    is_same_few,
    bits_of_few,
#else
    NULL,
    NULL,
    NULL,
#endif
};

#endif

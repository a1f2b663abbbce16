/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Rows of few reals and their half spectra, in one precision and instruction set: a row
 * in each lane, all of it in registers, without what is conjugate to something else
 * (fft/real_butterfly.h). Memory is moved by 16 bytes of a row at a time, so that W rows
 * are transposed without shuffles across the quarters of a vector. */
#ifndef STFI_CPU_FEW_REALS_H
#define STFI_CPU_FEW_REALS_H

#include "backends/cpu/compact/cpu_compact.h"
#include "backends/cpu/fft/real_butterfly.h"
#include "backends/cpu/fft/scale.h"

#if STFI_LANES > 1

enum {
    QUARTERS = STFI_LANES / SQUARE,
    MOST = STFI_CPU_FEW_REALS,
    ROOM = MOST / 2 * 2 + 2 /* reals of the longest row */
};

/* A quarter of a vector of 64 bytes. */
typedef real Q __attribute__((vector_size(16), may_alias));
typedef real QU
    __attribute__((vector_size(16), aligned(STFI_REAL_BYTES), may_alias));

#define UP_2 0, 1
#define UP_4 UP_2, 2, 3
#define UP_8 UP_4, 4, 5, 6, 7
#define UP_16 UP_8, 8, 9, 10, 11, 12, 13, 14, 15

INLINE V joined(const Q *q)
{
#if STFI_LANES * STFI_REAL_BYTES == 16
    return q[0];
#elif STFI_LANES * STFI_REAL_BYTES == 32
    return SHUFFLE(q[0], q[1], STFI_CAT(UP_, STFI_LANES));
#elif STFI_REAL_BYTES == 4
    return SHUFFLE(SHUFFLE(q[0], q[1], UP_8), SHUFFLE(q[2], q[3], UP_8), UP_16);
#else
    return SHUFFLE(SHUFFLE(q[0], q[1], UP_4), SHUFFLE(q[2], q[3], UP_4), UP_8);
#endif
}

/* Quarter i of a vector. */
INLINE Q quarter(V v, int i)
{
    Q q;

    memcpy(&q, (const char *)&v + 16 * i, sizeof q);
    return q;
}

#if STFI_REAL_BYTES == 4
/* Two reals that are moved as one. */
typedef double two __attribute__((vector_size(16)));
typedef double two_in_memory
    __attribute__((aligned(STFI_REAL_BYTES), may_alias));
#endif

/* The first `reals` of a quarter. */
INLINE Q load_quarter(const stored *p, int reals)
{
#if STFI_REAL_BYTES == 4
    if (reals < SQUARE) {
        Q q = (Q)(two){*(const two_in_memory *)(const void *)p, 0};
        if (reals > 2)
            q[2] = p[2];
        return q;
    }
#endif
    (void)reals;
    return *(const QU *)p;
}

INLINE void store_quarter(stored *p, int reals, Q q)
{
#if STFI_REAL_BYTES == 4
    if (reals < SQUARE) {
        *(two_in_memory *)(void *)p = ((two)q)[0];
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
    for (int i = 0; i < SQUARE; i++) {
        Q q[QUARTERS];
        UNROLL
        for (int k = 0; k < QUARTERS; k++)
            q[k] = load_quarter(at + (k * SQUARE + i) * step + e, reals);
        v[i] = joined(q);
    }
    transpose_squares(v);
    UNROLL
    for (int i = 0; i < SQUARE && i < reals; i++)
        x[e + i] = v[i];
}

INLINE void give_square(stored *at, int64_t step, int e, int reals, const V *x)
{
    V v[W] = {{0}};

    UNROLL
    for (int i = 0; i < SQUARE && i < reals; i++)
        v[i] = x[e + i];
    transpose_squares(v);
    UNROLL
    for (int i = 0; i < SQUARE; i++) {
        UNROLL
        for (int k = 0; k < QUARTERS; k++)
            store_quarter(at + (k * SQUARE + i) * step + e, reals,
                          quarter(v[i], k));
    }
}

/* W rows of `reals`; the last square overlaps the one before. */
INLINE void take_rows(const stored *at, int64_t step, int reals, V *x)
{
    UNROLL
    for (int e = 0; e < reals; e += SQUARE)
        take_square(at, step,
                    e + SQUARE <= reals || reals < SQUARE ? e : reals - SQUARE,
                    reals, x);
}

INLINE void give_rows(stored *at, int64_t step, int reals, const V *x)
{
    UNROLL
    for (int e = 0; e < reals; e += SQUARE)
        give_square(at, step,
                    e + SQUARE <= reals || reals < SQUARE ? e : reals - SQUARE,
                    reals, x);
}

/* Rows of both sides, and by what results are multiplied. */
typedef struct rows {
    const stored *from;
    stored *to;
    int64_t in, out; /* reals from row to row */
    factor scale;
} rows;

/* Transforms groups of W rows. */
typedef void few_fn(rows r, int64_t groups);

#define FORWARD(n)                                            \
    static void forward_##n(rows r, int64_t groups)           \
    {                                                         \
        for (int64_t g = 0; g < groups; g++) {                \
            V x[n], parts[n / 2 * 2 + 2];                     \
            C y[n / 2 + 1];                                   \
            take_rows(r.from, r.in, n, x);                    \
            rf_##n(x, y);                                     \
            UNROLL                                            \
            for (int k = 0; k <= n / 2; k++) {                \
                parts[2 * k] = y[k].r * r.scale.high;         \
                parts[2 * k + 1] = y[k].i;                    \
                if (2 * k % n != 0)                           \
                    parts[2 * k + 1] = y[k].i * r.scale.high; \
            }                                                 \
            give_rows(r.to, r.out, n / 2 * 2 + 2, parts);     \
            r.from += W * r.in;                               \
            r.to += W * r.out;                                \
        }                                                     \
    }

#define BACK(n)                                             \
    static void back_##n(rows r, int64_t groups)            \
    {                                                       \
        for (int64_t g = 0; g < groups; g++) {              \
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
            give_rows(r.to, r.out, n, x);                   \
            r.from += W * r.in;                             \
            r.to += W * r.out;                              \
        }                                                   \
    }

#define EACH_LENGTH(X)                                                     \
    X(2)                                                                   \
    X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13) X(14) X(15) \
        X(16)

EACH_LENGTH(FORWARD)
EACH_LENGTH(BACK)

#define ROW(n) [n] = {forward_##n, back_##n},

static const struct {
    few_fn *forward, *back;
} few[MOST + 1] = {EACH_LENGTH(ROW)};

/* Copies `count` rows. */
static void copy_rows(const stored *from, int64_t in, stored *to, int64_t out,
                      int64_t reals, int64_t count)
{
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

static void run_few(const stfi_cpu_compact *c, const stfi_cpu_compact_run *run)
{
    const int back = c->form == STFI_CPU_REAL_OUT;
    const int64_t half = c->n / 2 * 2 + 2;
    const int64_t in = back ? half : c->n, out = back ? c->n : half;
    const int64_t count = run->end - run->begin, left = count % W;
    few_fn *const fn = back ? few[c->n].back : few[c->n].forward;
    const rows all = {
        (const stored *)run->src + run->begin * c->src_step,
        (stored *)run->dst + run->begin * c->dst_step,
        c->src_step,
        c->dst_step,
        factor_from(run->scale),
    };
    rows r = all;

    if (r.scale.low != 0)
        r.scale = factor_from(1);
    fn(r, count / W);
    if (left > 0) {
        stored from[W * ROOM] = {0}, to[W * ROOM];
        copy_rows(r.from + (count - left) * r.in, r.in, from, in, in, left);
        fn((rows){from, to, in, out, r.scale}, 1);
        copy_rows(to, out, r.to + (count - left) * r.out, r.out, out, left);
    }
    if (all.scale.low != 0)
        scale_rows(&all, out, count);
}
#endif

#define FEW STFI_ISA_NAME(stfi_cpu_few_reals_)

extern const stfi_cpu_compact_kernels FEW;
const stfi_cpu_compact_kernels FEW = {
    {STFI_ISA_TEXT, STFI_REAL_ID, STFI_LANES},
#if STFI_LANES > 1
    run_few,
#else
    NULL,
#endif
};

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The last step of a long R2C and the first of a long C2R, on rows in memory:
 * element k of a row meets element n - k. Vectors run along k here, for
 * there may be one row only. */
#ifndef STFI_CPU_PAIRS_H
#define STFI_CPU_PAIRS_H

#include "backends/cpu/tile.h"

/* X_k = E + w O and X_(n-k) = conj(E - w O) of the even and odd parts E, O of
 * Z_k = a and Z_(n-k) = b. */
INLINE void separate_pair(C *a, C *b, C w)
{
    C even = c_scale((C){a->r + b->r, a->i - b->i}, (real)0.5);
    C odd = c_mul(c_scale((C){a->i + b->i, b->r - a->r}, (real)0.5), w);

    *a = c_add(even, odd);
    *b = (C){even.r - odd.r, odd.i - even.i};
}

/* The reverse, twice as large: Z_k = E + i O and Z_(n-k) = conj(E) + i
 * conj(O) from X_k = a and X_(n-k) = b. */
INLINE void join_pair(C *a, C *b, C w)
{
    C even = {a->r + b->r, a->i - b->i};
    C odd = c_mul((C){a->r - b->r, a->i + b->i}, (C){w.r, -w.i});

    *a = (C){even.r - odd.i, even.i + odd.r};
    *b = (C){even.r + odd.i, odd.r - even.i};
}

#if STFI_LANES > 1
#define BACK_2 1, 0
#define BACK_4 3, 2, 1, 0
#define BACK_8 7, 6, 5, 4, 3, 2, 1, 0
#define BACK_16 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0

INLINE C c_reverse(C a)
{
    return (C){SHUFFLE(a.r, a.r, STFI_CAT(BACK_, STFI_LANES)),
               SHUFFLE(a.i, a.i, STFI_CAT(BACK_, STFI_LANES))};
}
#else
INLINE C c_reverse(C a) { return a; }
#endif

typedef void (*pair_fn)(C *, C *, C);

/* One row's share, pairs [k, end) with 0 < k: where elements are neighbours
 * and at least W pairs are left, W pairs at a time. */
INLINE void pair_loop(const tile *t, int l, int64_t k, int64_t end,
                      pair_fn fn)
{
    const stfi_cpu_pass *cp = t->cp;
    int64_t n = cp->p.signal, se = cp->load_es, de = cp->store_es;
    const real *src = t->src[l], *w = cp->separate;
    real *dst = t->dst[l];
    V scale = (V){0} + (cp->p.scaled ? (real)t->run->scale : (real)1);

    /* The two ends of a vector must not meet: k + W - 1 < n - k - W + 1. */
    for (; se == 2 && de == 2 && k + W <= end && 2 * (k + W) <= n; k += W) {
        int64_t m = n - k - (W - 1);
        C a, b, root;
        load_complex(src + 2 * k, &a.r, &a.i);
        load_complex(src + 2 * m, &b.r, &b.i);
        load_complex(w + 2 * k, &root.r, &root.i);
        b = c_reverse(b);
        fn(&a, &b, root);
        b = c_reverse(b);
        store_complex(dst + 2 * k, a.r * scale, a.i * scale);
        store_complex(dst + 2 * m, b.r * scale, b.i * scale);
    }
    for (; k < end; k++) {
        const real *p = src + k * se, *q = src + (n - k) * se;
        real *u = dst + k * de, *v = dst + (n - k) * de;
        C a = c_set(p[0], p[1]), b = c_set(q[0], q[1]);
        real out[2 * ELEM] __attribute__((aligned(64)));
        fn(&a, &b, c_set(w[2 * k], w[2 * k + 1]));
        c_store(out, 0, W, (C){a.r * scale, a.i * scale});
        c_store(out + ELEM, 0, W, (C){b.r * scale, b.i * scale});
        v[0] = out[ELEM];
        v[1] = out[ELEM + W];
        u[0] = out[0];
        u[1] = out[W];
    }
}

/* Pairs [*begin, *end) of lane l, pair 0 apart. */
static void pair_range(const tile *t, int l, int64_t *begin, int64_t *end)
{
    int64_t last = t->cp->p.signal / 2 + 1;

    *begin = t->src_index[l] > 0 ? t->src_index[l] : 1;
    *end = t->src_index[l] + t->cp->p.n;
    *end = *end < last ? *end : last;
}

static real pair_scale(const tile *t)
{
    return t->cp->p.scaled ? (real)t->run->scale : (real)1;
}

static void untangle_row(const tile *t, int l)
{
    int64_t begin, end;

    if (t->src_index[l] == 0) {
        real re = t->src[l][0], im = t->src[l][1], s = pair_scale(t);
        real *last = t->dst[l] + t->cp->p.signal * t->cp->store_es;
        t->dst[l][0] = (re + im) * s;
        t->dst[l][1] = 0;
        last[0] = (re - im) * s;
        last[1] = 0;
    }
    pair_range(t, l, &begin, &end);
    pair_loop(t, l, begin, end, separate_pair);
}

/* The imaginary parts of elements 0 and n do not count. */
static void tangle_row(const tile *t, int l)
{
    int64_t begin, end;

    if (t->src_index[l] == 0) {
        real s = pair_scale(t), first = t->src[l][0];
        real last = t->src[l][t->cp->p.signal * t->cp->load_es];
        t->dst[l][0] = (first + last) * s;
        t->dst[l][1] = (first - last) * s;
    }
    pair_range(t, l, &begin, &end);
    pair_loop(t, l, begin, end, join_pair);
}

#endif

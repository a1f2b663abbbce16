/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The last step of a long R2C and the first of a long C2R, on rows in memory:
 * each result depends on elements k and n - k of a row. Vectors run along k
 * here and not across lanes, since there may be only one row. */
#ifndef STFI_FFT_PAIRS_H
#define STFI_FFT_PAIRS_H

#include "backends/cpu/protect/strike.h"

/* X_k = E + w O and X_(n-k) = conj(E - w O) of the even and odd parts E, O of
 * Z_k = a and Z_(n-k) = b. */
INLINE void separate_pair(C *a, C *b, C w)
{
    C even = c_scale((C){a->r + b->r, a->i - b->i}, (real)0.5);
    C odd = c_mul(c_scale((C){a->i + b->i, b->r - a->r}, (real)0.5), w);

    *a = c_add(even, odd);
    *b = (C){even.r - odd.r, odd.i - even.i};
}

/* The reverse of separate_pair(), with results twice as large:
 * Z_k = E + i O and Z_(n-k) = conj(E) + i conj(O) from X_k = a and
 * X_(n-k) = b. */
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
INLINE C c_reverse(C a)
{
    return a;
}
#endif

typedef void (*pair_fn)(C *, C *, C);

/* The results of pairs k, k + 1, ... of a row: elements k, k + 1, ... in a and
 * n - k, n - k - 1, ... in b; b is in ascending order if W pairs are
 * computed. */
typedef struct pairs {
    C a, b;
} pairs;

/* Lets faults strike `count` loaded elements of lane l, from element k on. */
static void strike_pairs(const tile *t, int l, int64_t k, int count, C *a)
{
    real values[2][W] __attribute__((aligned(64)));
    const stfi_cpu_watch *watch = t->run->watch;

    store(values[0], a->r);
    store(values[1], a->i);
    for (int i = 0; i < watch->faults; i++) {
        const stfi_cpu_fault *f = &watch->fault[i];
        int64_t at = f->element + t->src_index[l] - k;
        if (is_hit(t, f) && f->lane == t->lane + l && at >= 0 && at < count)
            strike_value(f, &values[f->component][at]);
    }
    *a = (C){load(values[0]), load(values[1])};
}

/* Computes the W pairs k .. k + W - 1 if `wide` is 1, else pair k alone, which
 * then fills all elements of the vectors. */
INLINE void pair_calc(const tile *t, int l, int64_t k, int wide, int struck,
                      pair_fn fn, pairs *out)
{
    const stfi_cpu_pass *cp = t->cp;
    int64_t n = cp->p.signal, se = cp->load_es, m = n - k - (W - 1);
    const stored *src = t->src[l];
    const real *w = (const real *)cp->separate + 2 * k;
    V scale = (V){0} + (cp->p.scaled ? (real)t->run->scale : (real)1);
    C a, b, root;

    if (wide) {
        load_complex(src + 2 * k, &a.r, &a.i);
        load_complex(src + 2 * m, &b.r, &b.i);
        load_table(w, &root.r, &root.i);
        b = c_reverse(b);
    } else {
        const stored *p = src + k * se, *q = src + (n - k) * se;
        a = c_set((real)p[0], (real)p[1]);
        b = c_set((real)q[0], (real)q[1]);
        root = c_set(w[0], w[1]);
    }
    if (struck)
        strike_pairs(t, l, k, wide ? W : 1, &a);
    fn(&a, &b, root);
    if (wide)
        b = c_reverse(b);
    out->a = (C){a.r * scale, a.i * scale};
    out->b = (C){b.r * scale, b.i * scale};
}

/* Functions that are not inlined, so that a check's two computations are both
 * made, and by the same code. */
typedef void (*pair_call)(const tile *, int, int64_t, int, int, pairs *);

static __attribute__((noinline)) void
separate_call(const tile *t, int l, int64_t k, int wide, int struck, pairs *out)
{
    pair_calc(t, l, k, wide, struck, separate_pair, out);
}

static __attribute__((noinline)) void
join_call(const tile *t, int l, int64_t k, int wide, int struck, pairs *out)
{
    pair_calc(t, l, k, wide, struck, join_pair, out);
}

/* Computes elements 0 and n, whose results are the sum and the difference of
 * two reals: the parts of element 0 or, in TANGLE, the real parts of elements 0
 * and n. */
static __attribute__((noinline)) void
ends_call(const tile *t, int l, int64_t k, int wide, int struck, pairs *out)
{
    const stfi_cpu_pass *cp = t->cp;
    int tangle = cp->p.op == STFI_OP_TANGLE;
    real scale = cp->p.scaled ? (real)t->run->scale : (real)1;
    const stored *src = t->src[l];
    C a = c_set((real)src[0],
                (real)(tangle ? src[cp->p.signal * cp->load_es] : src[1]));

    (void)wide;
    if (struck)
        strike_pairs(t, l, k, 1, &a);
    out->a.r = (a.r + a.i) * scale;
    out->a.i = (a.r - a.i) * scale;
    out->b = out->a;
}

static int is_same(V a, V b)
{
    for (int l = 0; l < W; l++) {
        real x = lane_of(&a, l), y = lane_of(&b, l);
        if (!(x == y || (x != x && y != y)))
            return 0;
    }
    return 1;
}

/* Computes pairs twice and returns 1 if the results are the same. The assembly
 * keeps the compiler from dropping the second computation. */
static int pair_twice(const tile *t, int l, int64_t k, int wide, pair_call call,
                      pairs *out)
{
    pairs second;

    call(t, l, k, wide, t->struck, out);
    __asm__ volatile("" : : "r"(out) : "memory");
    call(t, l, k, wide, 0, &second);
    return is_same(out->a.r, second.a.r) && is_same(out->a.i, second.a.i)
           && is_same(out->b.r, second.b.r) && is_same(out->b.i, second.b.i);
}

/* Computes pairs twice, again if the results differ and the check corrects. The
 * probe keeps the gravest outcome of the row. */
static void pair_checked(const tile *t, int l, int64_t k, int wide,
                         pair_call call, pairs *out)
{
    enum { ATTEMPTS = 3 };
    probe *b = t->probe;
    int correct = b != NULL && t->cp->p.check.correct;
    stfi_ft_outcome found;
    int alike;

    if (b == NULL) { /* There are faults but no check. */
        call(t, l, k, wide, t->struck, out);
        return;
    }
    alike = pair_twice(t, l, k, wide, call, out);
    if (alike)
        return;
    for (int i = 1; i <= ATTEMPTS && correct && !alike; i++) {
        b->attempt = i;
        alike = pair_twice(t, l, k, wide, call, out);
    }
    b->attempt = 0;
    found = stfi_ft_conclude_twice(
        correct ? STFI_FT_REPEAT : STFI_FT_REPORT_ONLY, alike);
    if (stfi_ft_is_graver(found, b->found))
        b->found = found;
}

/* Computes pairs [k, end) of a row, 0 < k: W pairs at a time if elements are
 * neighbours and at least W pairs are left. If `call` is not NULL, it is used
 * instead of `fn`, with checks or faults. */
INLINE void pair_loop(const tile *t, int l, int64_t k, int64_t end, pair_fn fn,
                      pair_call call)
{
    const stfi_cpu_pass *cp = t->cp;
    int64_t n = cp->p.signal, de = cp->store_es;
    stored *dst = t->dst[l];
    pairs x;

    /* The two ends of a vector must not meet: k + W - 1 < n - k - W + 1. */
    for (; cp->load_es == 2 && de == 2 && k + W <= end && 2 * (k + W) <= n;
         k += W) {
        if (call != NULL)
            pair_checked(t, l, k, 1, call, &x);
        else
            pair_calc(t, l, k, 1, 0, fn, &x);
        store_complex(dst + 2 * k, x.a.r, x.a.i);
        store_complex(dst + 2 * (n - k - (W - 1)), x.b.r, x.b.i);
    }
    for (; k < end; k++) {
        stored *u = dst + k * de, *v = dst + (n - k) * de;
        if (call != NULL)
            pair_checked(t, l, k, 0, call, &x);
        else
            pair_calc(t, l, k, 0, 0, fn, &x);
        v[0] = (stored)lane_of(&x.b.r, 0);
        v[1] = (stored)lane_of(&x.b.i, 0);
        u[0] = (stored)lane_of(&x.a.r, 0);
        u[1] = (stored)lane_of(&x.a.i, 0);
    }
}

/* The pairs [*begin, *end) of lane l, without pair 0. */
static void pair_range(const tile *t, int l, int64_t *begin, int64_t *end)
{
    int64_t last = t->cp->p.signal / 2 + 1;

    *begin = t->src_index[l] > 0 ? t->src_index[l] : 1;
    *end = t->src_index[l] + t->cp->p.n;
    *end = *end < last ? *end : last;
}

/* Computes pair 0, if lane l has it. The imaginary parts of elements 0 and n of
 * a spectrum are ignored at the load and 0 at the store. */
static void pair_ends(const tile *t, int l)
{
    const stfi_cpu_pass *cp = t->cp;
    stored *dst = t->dst[l], *last = dst + cp->p.signal * cp->store_es;
    pairs x;

    if (t->src_index[l] != 0)
        return;
    if (t->probe != NULL || t->struck)
        pair_checked(t, l, 0, 0, ends_call, &x);
    else
        ends_call(t, l, 0, 0, 0, &x);
    dst[0] = (stored)lane_of(&x.a.r, 0);
    dst[1] = (stored)lane_of(&x.a.i, 0);
    if (cp->p.op == STFI_OP_TANGLE)
        return;
    last[0] = dst[1];
    last[1] = dst[1] = 0;
}

static void pair_row(const tile *t, int l)
{
    int separate = t->cp->p.op == STFI_OP_UNTANGLE;
    int64_t begin, end;

    pair_ends(t, l);
    pair_range(t, l, &begin, &end);
    if (t->probe != NULL || t->struck)
        pair_loop(t, l, begin, end, NULL, separate ? separate_call : join_call);
    else if (separate)
        pair_loop(t, l, begin, end, separate_pair, NULL);
    else
        pair_loop(t, l, begin, end, join_pair, NULL);
}

/* Computes UNTANGLE or TANGLE row by row and stores the results at once. */
static void make_pairs(tile *t)
{
    probe *b = t->probe;

    for (int l = 0; l < t->count; l++) {
        if (b != NULL)
            b->found = STFI_FT_CHECKED;
        pair_row(t, l);
        if (b != NULL && b->found != STFI_FT_CHECKED)
            stfi_cpu_note(t->run->watch, &t->cp->p, t->lane + l, b->found,
                          INFINITY, 1);
    }
    t->stored = 1;
}

#endif

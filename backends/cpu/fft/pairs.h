/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The last step of a long R2C and the first of a long C2R, on rows in memory:
 * each result depends on elements k and n - k of a row. Vectors run along k
 * here and not across lanes, since there may be only one row. */
#ifndef STFI_FFT_PAIRS_H
#define STFI_FFT_PAIRS_H

#include "backends/cpu/protect/memory_sums.h"
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
        int64_t at = f->element + t->work.in.index[l] - k;
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
    const port *in = &t->work.in;
    const real *w = (const real *)cp->separate + 2 * k;
    factor scale = factor_of(t);
    C a, b, root;

    if (wide) {
        load_complex(component(in, l, 2 * k), in->format, &a.r, &a.i);
        load_complex(component(in, l, 2 * m), in->format, &b.r, &b.i);
        load_table(w, &root.r, &root.i);
        b = c_reverse(b);
    } else {
        int64_t p = k * se, q = (n - k) * se;
        a = c_set(get_component(in, l, p), get_component(in, l, p + 1));
        b = c_set(get_component(in, l, q), get_component(in, l, q + 1));
        root = c_set(w[0], w[1]);
    }
    if (struck)
        strike_pairs(t, l, k, wide ? W : 1, &a);
    fn(&a, &b, root);
    if (wide)
        b = c_reverse(b);
    out->a = c_times(a, scale);
    out->b = c_times(b, scale);
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
    factor scale = factor_of(t);
    const port *in = &t->work.in;
    C a = c_set(get_component(in, l, 0),
                get_component(in, l, tangle ? cp->p.signal * cp->load_es : 1));

    (void)wide;
    if (struck)
        strike_pairs(t, l, k, 1, &a);
    out->a = c_times((C){a.r + a.i, a.r - a.i}, scale);
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

#if STFI_LANES > 1
typedef uint64_t patterns
    __attribute__((vector_size(STFI_LANES * STFI_REAL_BYTES), may_alias));

/* 1 if two results have the same bits. */
INLINE int are_identical(const pairs *x, const pairs *y)
{
    patterns differ = ((patterns)x->a.r ^ (patterns)y->a.r)
                      | ((patterns)x->a.i ^ (patterns)y->a.i)
                      | ((patterns)x->b.r ^ (patterns)y->b.r)
                      | ((patterns)x->b.i ^ (patterns)y->b.i);
    uint64_t any = 0;

    UNROLL
    for (size_t i = 0; i < sizeof differ / sizeof any; i++)
        any |= differ[i];
    return any == 0;
}
#else
INLINE int are_identical(const pairs *x, const pairs *y)
{
    return x->a.r == y->a.r && x->a.i == y->a.i && x->b.r == y->b.r
           && x->b.i == y->b.i;
}
#endif

/* Zeros of either sign are the same, and so are NaNs. */
static int are_same(const pairs *x, const pairs *y)
{
    if (are_identical(x, y))
        return 1;
    return is_same(x->a.r, y->a.r) && is_same(x->a.i, y->a.i)
           && is_same(x->b.r, y->b.r) && is_same(x->b.i, y->b.i);
}

/* Where a check is in a row: its lane, the next pair, and the end of its pairs;
 * `single` keeps pairs from being computed W at a time. It is read from memory at
 * each use: so a register that is damaged spoils one use of a number, which a
 * comparison notices, and not all of them alike. */
typedef struct pair_walk {
    volatile int lane, single;
    volatile int64_t at, end, done;
} pair_walk;

/* 1 if pairs are computed W at a time: elements are neighbours, at least W pairs
 * are left, and the two ends of a vector do not meet,
 * k + W - 1 < n - k - W + 1. */
static int can_be_wide(const stfi_cpu_pass *cp, int64_t k, int64_t end)
{
    return cp->load_es == 2 && cp->store_es == 2 && k + W <= end
           && 2 * (k + W) <= cp->p.signal;
}

static int walk_is_wide(const tile *t, const pair_walk *w)
{
    return !w->single && can_be_wide(t->cp, w->at, w->end);
}

/* Computes pairs twice, as out[0] and out[1], and returns 1 if the results are
 * the same. */
static int pair_twice(const tile *t, const pair_walk *w, pair_call call,
                      pairs *out)
{
    call(t, w->lane, w->at, walk_is_wide(t, w), t->struck, &out[0]);
    READ_AGAIN();
    call(t, w->lane, w->at, walk_is_wide(t, w), 0, &out[1]);
    return are_same(&out[0], &out[1]);
}

/* Notes what was found of two results that differed, in which the last two were
 * alike or not; the probe keeps the gravest outcome of the row. */
static void pair_found(const tile *t, int alike)
{
    probe *b = t->probe;
    stfi_ft_outcome found = stfi_ft_conclude_twice(
        t->cp->p.check.correct ? STFI_FT_REPEAT : STFI_FT_REPORT_ONLY, alike);

    if (stfi_ft_is_graver(found, b->found))
        b->found = found;
}

enum { PAIR_ATTEMPTS = 3 };

/* Computes pairs twice, again if the results differ and the check corrects;
 * out[0] is to be stored, and out[1] is the other result, if there is a check. */
static void pair_checked(const tile *t, const pair_walk *w, pair_call call,
                         pairs *out)
{
    probe *b = t->probe;
    int correct = b != NULL && t->cp->p.check.correct, alike;

    if (b == NULL) { /* There are faults but no check. */
        call(t, w->lane, w->at, walk_is_wide(t, w), t->struck, out);
        out[1] = out[0];
        return;
    }
    alike = pair_twice(t, w, call, out);
    if (alike)
        return;
    for (int i = 1; i <= PAIR_ATTEMPTS && correct && !alike; i++) {
        b->attempt = i;
        alike = pair_twice(t, w, call, out);
    }
    b->attempt = 0;
    if (!alike) /* what was found first stays, and is what has to be stored */
        out[1] = out[0];
    pair_found(t, alike);
}

/* Where pairs are stored: W of them from p upwards and from q upwards if `wide`
 * is 1, else one at each. */
typedef struct pair_place {
    stored *p, *q;
    int wide, format;
} pair_place;

static pair_place place_of_pair(const tile *t, int l, int64_t k, int wide)
{
    const stfi_cpu_pass *cp = t->cp;
    const port *out = &t->work.out;
    int64_t last = cp->p.signal - k, de = cp->store_es;

    return (pair_place){component(out, l, k * de),
                        component(out, l, (last - (wide ? W - 1 : 0)) * de),
                        wide, out->format};
}

static pair_place place_of_walk(const tile *t, const pair_walk *w)
{
    return place_of_pair(t, w->lane, w->at, walk_is_wide(t, w));
}

/* Elements 0 and n; where a side has no element n, element 0 twice. */
static pair_place place_of_ends(const tile *t, const pair_walk *w)
{
    pair_place to = place_of_pair(t, w->lane, 0, 0);

    if (t->cp->p.op == STFI_OP_TANGLE)
        to.q = to.p;
    return to;
}

typedef pair_place pair_place_fn(const tile *t, const pair_walk *w);

/* One complex element, of which all lanes of the vectors are the same. */
static void put_pair(stored *p, int format, const C *x)
{
    put_stored(p, format, lane_of(&x->r, 0));
    put_stored(stored_at(p, format, 1), format, lane_of(&x->i, 0));
}

static C get_pair(const stored *p, int format)
{
    return c_set(get_stored(p, format),
                 get_stored(stored_at(p, format, 1), format));
}

static void pair_store(const pair_place *to, const pairs *x)
{
    if (to->wide) {
        store_complex(to->p, to->format, x->a.r, x->a.i);
        store_complex(to->q, to->format, x->b.r, x->b.i);
        return;
    }
    put_pair(to->q, to->format, &x->b);
    put_pair(to->p, to->format, &x->a);
}

/* 1 if memory has the result x. In the middle of a row both places are one, and
 * have the first part of the result. */
static int pair_is_stored(const pair_place *to, const pairs *result)
{
    const pairs rounded = {{as_stored(result->a.r, to->format),
                            as_stored(result->a.i, to->format)},
                           {as_stored(result->b.r, to->format),
                            as_stored(result->b.i, to->format)}};
    const pairs *x = &rounded;
    pairs y;

    if (to->wide) {
        load_complex(to->p, to->format, &y.a.r, &y.a.i);
        load_complex(to->q, to->format, &y.b.r, &y.b.i);
        return are_same(&y, x);
    }
    y.a = get_pair(to->p, to->format);
    y.b = to->p == to->q ? c_set(lane_of(&x->b.r, 0), lane_of(&x->b.i, 0))
                         : get_pair(to->q, to->format);
    return is_same(c_set(lane_of(&x->a.r, 0), 0).r, y.a.r)
           && is_same(c_set(lane_of(&x->a.i, 0), 0).r, y.a.i)
           && is_same(c_set(lane_of(&x->b.r, 0), 0).r, y.b.r)
           && is_same(c_set(lane_of(&x->b.i, 0), 0).r, y.b.i);
}

/* Stores out[0], and compares what is in memory then with out[1]; each at a place
 * found anew. */
static void pair_store_checked(const tile *t, const pair_walk *w,
                               pair_place_fn *find, const pairs *out)
{
    int correct = t->cp->p.check.correct, alike;
    pair_place to = find(t, w);

    pair_store(&to, &out[0]);
    if (t->probe == NULL)
        return;
    READ_AGAIN();
    to = find(t, w);
    alike = pair_is_stored(&to, &out[1]);
    if (alike)
        return;
    for (int i = 1; i <= PAIR_ATTEMPTS && correct && !alike; i++) {
        to = find(t, w);
        pair_store(&to, &out[1]);
        READ_AGAIN();
        to = find(t, w);
        alike = pair_is_stored(&to, &out[1]);
    }
    pair_found(t, alike);
}

/* Computes pairs [k, end) of a row, 0 < k: W at a time as long as it can. */
INLINE void pair_loop(const tile *t, int l, int64_t k, int64_t end, pair_fn fn)
{
    int step;

    for (; k < end; k += step) {
        int wide = can_be_wide(t->cp, k, end);
        pair_place to = place_of_pair(t, l, k, wide);
        pairs x;

        step = wide ? W : 1;
        pair_calc(t, l, k, wide, 0, fn, &x);
        pair_store(&to, &x);
    }
}

/* The same with checks or faults, from w->at to w->end. */
static void pair_loop_checked(const tile *t, pair_walk *w, pair_call call)
{
    while (w->at < w->end) {
        pairs x[2];
        int wide;

        pair_checked(t, w, call, x);
        pair_store_checked(t, w, place_of_walk, x);
        wide = walk_is_wide(t, w);
        w->done += walk_is_wide(t, w) ? W : 1;
        w->at += wide ? W : 1;
    }
}

/* The pairs [*begin, *end) of lane l, without pair 0. */
static void pair_range(const tile *t, int l, int64_t *begin, int64_t *end)
{
    int64_t last = t->cp->p.signal / 2 + 1;

    *begin = t->work.in.index[l] > 0 ? t->work.in.index[l] : 1;
    *end = t->work.in.index[l] + t->cp->p.n;
    *end = *end < last ? *end : last;
}

/* Computes pair 0, if lane l has it. The imaginary parts of elements 0 and n of
 * a spectrum are ignored at the load and 0 at the store. */
static void pair_ends(const tile *t, int l)
{
    pair_walk w = {.lane = l, .single = 1, .end = 1};
    V zero = {0};
    pairs two[2];

    if (t->work.in.index[l] != 0)
        return;
    pair_checked(t, &w, ends_call, two);
    for (int i = 0; i < 2 && t->cp->p.op != STFI_OP_TANGLE; i++) {
        two[i].b = (C){two[i].a.i, zero};
        two[i].a.i = zero;
    }
    pair_store_checked(t, &w, place_of_ends, two);
}

/* Computes all pairs but pair 0 of a row with checks or faults; again from where
 * a fault ended the loop early. Pairs that were left out cannot be computed once
 * the data may have been replaced. */
static void pair_row_checked(const tile *t, int l, pair_call call)
{
    pair_walk w = {.lane = l};
    int64_t begin, end;

    pair_range(t, l, &begin, &end);
    w.at = begin;
    do {
        w.end = end;
        pair_loop_checked(t, &w, call);
        pair_range(t, w.lane, &begin, &end);
    } while (w.at < end);
    if (t->probe != NULL && w.at - begin != w.done)
        pair_found(t, 0);
}

static void pair_row(const tile *t, int l)
{
    int separate = t->cp->p.op == STFI_OP_UNTANGLE;
    int64_t begin, end;

    pair_ends(t, l);
    pair_range(t, l, &begin, &end);
    if (t->probe != NULL || t->struck)
        pair_row_checked(t, l, separate ? separate_call : join_call);
    else if (separate)
        pair_loop(t, l, begin, end, separate_pair);
    else
        pair_loop(t, l, begin, end, join_pair);
}

/* Notes what was found of a row that was not right at once. A result that had to
 * be stored again may have been stored elsewhere before (run_tiles_checked()). */
static void note_row(const tile *t, int l)
{
    probe *b = t->probe;

    b->repaired |= b->found == STFI_FT_RECOMPUTED;
    b->lost |= b->found == STFI_FT_UNCORRECTABLE;
    stfi_cpu_note(t->run->watch, &t->cp->p, t->lane + l, b->found, INFINITY, 1);
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
            note_row(t, l);
    }
    t->stored = 1;
}

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The separating and joining step of long real to real transforms: pairs.h, with
 * one side in WORK1 and the other the reals of a signal, in their order and with
 * their turn. A checked pass computes and stores each result twice, and compares
 * what is in memory then. */
#ifndef STFI_FFT_HC_PAIRS_H
#define STFI_FFT_HC_PAIRS_H

#include "backends/cpu/fft/pairs.h"

/* Computes pair k of a row: elements k and n - k, or both ends for k = 0. */
static __attribute__((noinline)) void pair_placed(const tile *t, int l,
                                                  int64_t k, int struck)
{
    const stfi_cpu_pass *cp = t->cp;
    const port *in = &t->work.in, *out = &t->work.out;
    int tangle = cp->p.op == STFI_OP_TANGLE;
    int64_t n = cp->p.signal;
    const real *w = (const real *)cp->separate + 2 * k;
    factor scale = factor_of(t);
    real re[2], im[2];
    C a, b;

    for (int i = 0; i < (k == 0 && !tangle ? 1 : 2); i++)
        read_any(in, l, i == 0 ? k : n - k, &re[i], &im[i]);
    if (k == 0 && tangle)
        im[0] = re[1];
    if (struck) {
        a = c_set(re[0], im[0]);
        strike_pairs(t, l, k, 1, &a);
        re[0] = lane_of(&a.r, 0);
        im[0] = lane_of(&a.i, 0);
    }
    if (k == 0) {
        a = c_set(re[0] + im[0], tangle ? re[0] - im[0] : 0);
        b = c_set(re[0] - im[0], 0);
    } else {
        a = c_set(re[0], im[0]);
        b = c_set(re[1], im[1]);
        (tangle ? join_pair : separate_pair)(&a, &b, c_set(w[0], w[1]));
    }
    a = c_times(a, scale);
    b = c_times(b, scale);
    if (k != 0 || !tangle)
        store_any(out, l, n - k, lane_of(&b.r, 0), lane_of(&b.i, 0));
    store_any(out, l, k, lane_of(&a.r, 0), lane_of(&a.i, 0));
}

/* The address of places [at, at + W) of a row, and whether they lie in memory in
 * the reverse order. */
INLINE stored *row_places(const port *p, int l, int64_t at)
{
    return component(p, l, p->side->reversed ? p->side->span - W - at : at);
}

INLINE V backwards(V v)
{
    return c_reverse((C){v, v}).r;
}

INLINE V read_places(const port *p, int l, int64_t at)
{
    V v = load_stored(row_places(p, l, at), p->format);

    return p->side->reversed ? backwards(v) : v;
}

INLINE void write_places(const port *p, int l, int64_t at, V v)
{
    store_stored(row_places(p, l, at), p->format,
                 p->side->reversed ? backwards(v) : v);
}

/* Multiplies elements k, k + 1, .. (a) and n - k, n - k - 1, .. (b) by their
 * roots, if the side has some. */
INLINE void turn_pairs(const port *p, int64_t n, int64_t k, C *a, C *b)
{
    C t, u;

    if (p->side->turn != STFI_TURN_QUARTER)
        return;
    load_table(p->turn + 2 * k, &t.r, &t.i);
    load_table(p->turn + 2 * (n - k - (W - 1)), &u.r, &u.i);
    *a = c_mul(*a, t);
    *b = c_mul(*b, c_reverse(u));
    a->i = -a->i;
    b->i = -b->i;
}

/* Stores elements k, k + 1, .. and n - k, n - k - 1, .. of a spectrum. */
INLINE void store_pairs(const port *p, int l, int64_t n, int64_t k, C a, C b)
{
    int64_t back = n - k - (W - 1);
    stfi_turn turn = p->side->turn;

    turn_pairs(p, n, k, &a, &b);
    if (turn == STFI_TURN_CAS) {
        a = (C){a.r - a.i, a.r + a.i};
        b = (C){b.r - b.i, b.r + b.i};
    } else if (turn == STFI_TURN_QUARTER) {
        a = c_scale(a, (real)2);
        b = c_scale(b, (real)2);
    }
    if (p->side->form == STFI_FORM_REAL) {
        int odd = turn == STFI_TURN_IMAG;
        write_places(p, l, k - odd, odd ? -a.i : a.r);
        write_places(p, l, back - odd, backwards(odd ? -b.i : b.r));
        return;
    }
    write_places(p, l, k, a.r);
    write_places(p, l, n + back, backwards(a.i));
    write_places(p, l, back, backwards(b.r));
    write_places(p, l, n + k, b.i);
}

/* Computes pairs k .. k + W - 1, 0 < k. Not inlined, so that compilers that fuse
 * operations across expressions make the same results with and without checks. */
static __attribute__((noinline)) void pairs_placed(const tile *t, int l,
                                                   int64_t k, int struck)
{
    const stfi_cpu_pass *cp = t->cp;
    const port *in = &t->work.in, *out = &t->work.out;
    int64_t n = cp->p.signal, back = n - k - (W - 1);
    factor scale = factor_of(t);
    C a, b, w;

    load_table((const real *)cp->separate + 2 * k, &w.r, &w.i);
    if (cp->p.op == STFI_OP_UNTANGLE) {
        load_complex(component(in, l, 2 * k), in->format, &a.r, &a.i);
        load_complex(component(in, l, 2 * back), in->format, &b.r, &b.i);
        if (struck)
            strike_pairs(t, l, k, W, &a);
        b = c_reverse(b);
        separate_pair(&a, &b, w);
        store_pairs(out, l, n, k, c_times(a, scale), c_times(b, scale));
        return;
    }
    a = (C){read_places(in, l, k), backwards(read_places(in, l, n + back))};
    b = (C){backwards(read_places(in, l, back)), read_places(in, l, n + k)};
    if (struck)
        strike_pairs(t, l, k, W, &a);
    turn_pairs(in, n, k, &a, &b);
    join_pair(&a, &b, w);
    a = c_times(a, scale);
    b = c_times(c_reverse(b), scale);
    store_complex(component(out, l, 2 * k), out->format, a.r, a.i);
    store_complex(component(out, l, 2 * back), out->format, b.r, b.i);
}

/* 1 if the reals of a row are neighbours, in an order of which stores and loads
 * are runs. */
static int has_runs(const tile *t)
{
    int tangle = t->cp->p.op == STFI_OP_TANGLE;
    const port *real_side = tangle ? &t->work.in : &t->work.out;
    const port *other = tangle ? &t->work.out : &t->work.in;

    return W > 1 && real_side->es == 1 && other->es == 2
           && !real_side->side->alternate;
}

/* What is in memory of the results of one pair, or of W. */
typedef struct kept_pairs {
    V v[4];
} kept_pairs;

/* Where the vectors of W results lie: those of reals in the order of
 * store_pairs(). *count_p gets their number. */
static void vector_places(const tile *t, int l, int64_t k, stored **at,
                          int *count_p)
{
    const port *out = &t->work.out;
    int64_t n = t->cp->p.signal, back = n - k - (W - 1);
    int odd = out->side->turn == STFI_TURN_IMAG;

    *count_p = 4;
    if (out->side->order == STFI_ORDER_NONE) {
        at[0] = component(out, l, 2 * k);
        at[1] = component(out, l, 2 * k + W);
        at[2] = component(out, l, 2 * back);
        at[3] = component(out, l, 2 * back + W);
        return;
    }
    at[0] = row_places(out, l, k - odd);
    at[1] = row_places(out, l, back - odd);
    if (out->side->form == STFI_FORM_REAL) {
        *count_p = 2;
        return;
    }
    at[2] = row_places(out, l, n + back);
    at[3] = row_places(out, l, n + k);
}

/* Reads the results of pair k, or of W pairs, as they are stored. */
static kept_pairs read_kept(const tile *t, int l, int64_t k, int wide)
{
    const port *out = &t->work.out;
    int64_t n = t->cp->p.signal;
    kept_pairs x = {{(V){0}}};
    stored *at[4];
    int count;

    if (wide) {
        vector_places(t, l, k, at, &count);
        for (int i = 0; i < count; i++)
            x.v[i] = load_stored(at[i], out->format);
        return x;
    }
    for (int i = 0; i < 2; i++) {
        int64_t e =
            i == 0 || (k == 0 && t->cp->p.op == STFI_OP_TANGLE) ? k : n - k;
        real re, im;
        if (out->side->order != STFI_ORDER_NONE) {
            read_parts(out, l, e, &re, &im);
        } else {
            re = get_component(out, l, e * out->es);
            im = get_component(out, l, e * out->es + 1);
        }
        x.v[2 * i] = c_set(re, 0).r;
        x.v[2 * i + 1] = c_set(im, 0).r;
    }
    return x;
}

static int is_kept_same(const kept_pairs *x, const kept_pairs *y)
{
    int same = 1;

    for (int i = 0; i < 4; i++)
        same &= is_same(x->v[i], y->v[i]);
    return same;
}

/* 1 if pairs are computed W at a time: as long as the two ends of a vector do not
 * meet. */
static int is_wide_placed(const tile *t, int64_t k, int64_t end)
{
    return has_runs(t) && k + W <= end && 2 * (k + W) <= t->cp->p.signal;
}

static int walk_is_wide_placed(const tile *t, const pair_walk *w)
{
    return !w->single && is_wide_placed(t, w->at, w->end);
}

static void call_placed(const tile *t, const pair_walk *w, int struck)
{
    (walk_is_wide_placed(t, w) ? pairs_placed : pair_placed)(t, w->lane, w->at,
                                                             struck);
}

/* Computes and stores pairs twice; returns 1 if memory has the same results
 * both times. */
static int store_twice(const tile *t, const pair_walk *w)
{
    kept_pairs x, y;

    call_placed(t, w, t->struck);
    READ_AGAIN();
    x = read_kept(t, w->lane, w->at, walk_is_wide_placed(t, w));
    call_placed(t, w, 0);
    READ_AGAIN();
    y = read_kept(t, w->lane, w->at, walk_is_wide_placed(t, w));
    return is_kept_same(&x, &y);
}

/* Computes pair k, or W pairs, with checks or faults. Results that differ each
 * time stay as they were first. */
static void pairs_checked(const tile *t, const pair_walk *w)
{
    probe *b = t->probe;
    int alike;

    if (b == NULL) {
        call_placed(t, w, t->struck);
        return;
    }
    alike = store_twice(t, w);
    if (alike)
        return;
    for (int i = 1; i <= PAIR_ATTEMPTS && t->cp->p.check.correct && !alike;
         i++) {
        b->attempt = i;
        alike = store_twice(t, w);
    }
    if (!alike)
        call_placed(t, w, t->struck);
    b->attempt = 0;
    pair_found(t, alike);
}

/* Computes pairs [k, end) of a row, 0 < k. */
static void placed_loop(const tile *t, int l, int64_t k, int64_t end)
{
    for (; is_wide_placed(t, k, end); k += W)
        pairs_placed(t, l, k, 0);
    for (; k < end; k++)
        pair_placed(t, l, k, 0);
}

/* The same with checks or faults, from w->at to w->end. */
static void placed_loop_checked(const tile *t, pair_walk *w)
{
    while (w->at < w->end) {
        int wide;

        pairs_checked(t, w);
        wide = walk_is_wide_placed(t, w);
        w->done += walk_is_wide_placed(t, w) ? W : 1;
        w->at += wide ? W : 1;
    }
}

/* As pair_row_checked(). */
static void row_placed_checked(const tile *t, int l)
{
    pair_walk w = {.lane = l};
    int64_t begin, end;

    pair_range(t, l, &begin, &end);
    w.at = begin;
    do {
        w.end = end;
        placed_loop_checked(t, &w);
        pair_range(t, w.lane, &begin, &end);
    } while (w.at < end);
    if (t->probe != NULL && w.at - begin != w.done)
        pair_found(t, 0);
}

static void row_placed(const tile *t, int l)
{
    const pair_walk first = {.lane = l, .single = 1, .end = 1};
    int64_t begin, end;

    pair_range(t, l, &begin, &end);
    if (begin == 1)
        pairs_checked(t, &first);
    if (t->probe != NULL || t->struck)
        row_placed_checked(t, l);
    else
        placed_loop(t, l, begin, end);
}

/* 1 for UNTANGLE or TANGLE of which one side has an order. */
static int is_placed_pairs(const stfi_pass *p)
{
    return stfi_op_is_pairs(p->op)
           && (p->load.order != STFI_ORDER_NONE
               || p->store.order != STFI_ORDER_NONE);
}

/* Computes such a pass row by row and stores the results at once. */
static void make_placed_pairs(tile *t)
{
    probe *b = t->probe;

    for (int l = 0; l < t->count; l++) {
        if (b != NULL)
            b->found = STFI_FT_CHECKED;
        row_placed(t, l);
        if (b != NULL && b->found != STFI_FT_CHECKED)
            note_row(t, l);
    }
    t->stored = 1;
}

#endif

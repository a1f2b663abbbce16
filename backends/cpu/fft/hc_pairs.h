/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The separating and joining step of long real to real transforms: pairs.h, with
 * one side in WORK1 and the other the reals of a signal, in their order and with
 * their turn. These passes have no checks. */
#ifndef STFI_FFT_HC_PAIRS_H
#define STFI_FFT_HC_PAIRS_H

#include "backends/cpu/fft/pairs.h"

/* Computes pair k of a row: elements k and n - k, or both ends for k = 0. */
static void pair_placed(const tile *t, int l, int64_t k)
{
    const stfi_cpu_pass *cp = t->cp;
    const port *in = &t->work.in, *out = &t->work.out;
    int tangle = cp->p.op == STFI_OP_TANGLE;
    int64_t n = cp->p.signal;
    const real *w = (const real *)cp->separate + 2 * k;
    real scale = cp->p.scaled ? (real)t->run->scale : (real)1, re[2], im[2];
    C a, b;

    for (int i = 0; i < (k == 0 && !tangle ? 1 : 2); i++)
        read_any(in, l, i == 0 ? k : n - k, &re[i], &im[i]);
    if (k == 0) {
        im[0] = tangle ? re[1] : im[0];
        a = c_set(re[0] + im[0], tangle ? re[0] - im[0] : 0);
        b = c_set(re[0] - im[0], 0);
    } else {
        a = c_set(re[0], im[0]);
        b = c_set(re[1], im[1]);
        (tangle ? join_pair : separate_pair)(&a, &b, c_set(w[0], w[1]));
    }
    if (k != 0 || !tangle)
        store_any(out, l, n - k, lane_of(&b.r, 0) * scale,
                  lane_of(&b.i, 0) * scale);
    store_any(out, l, k, lane_of(&a.r, 0) * scale, lane_of(&a.i, 0) * scale);
}

/* The address of places [at, at + W) of a row, and whether they lie in memory in
 * the reverse order. */
INLINE stored *row_places(const port *p, int l, int64_t at)
{
    return p->at[l] + (p->side->reversed ? p->side->span - W - at : at);
}

INLINE V backwards(V v)
{
    return c_reverse((C){v, v}).r;
}

INLINE V read_places(const port *p, int l, int64_t at)
{
    V v = load_stored(row_places(p, l, at));

    return p->side->reversed ? backwards(v) : v;
}

INLINE void write_places(const port *p, int l, int64_t at, V v)
{
    store_stored(row_places(p, l, at), p->side->reversed ? backwards(v) : v);
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

/* Computes pairs k .. k + W - 1, 0 < k. */
INLINE void pairs_placed(const tile *t, int l, int64_t k)
{
    const stfi_cpu_pass *cp = t->cp;
    const port *in = &t->work.in, *out = &t->work.out;
    int64_t n = cp->p.signal, back = n - k - (W - 1);
    real scale = cp->p.scaled ? (real)t->run->scale : (real)1;
    C a, b, w;

    load_table((const real *)cp->separate + 2 * k, &w.r, &w.i);
    if (cp->p.op == STFI_OP_UNTANGLE) {
        load_complex(in->at[l] + 2 * k, &a.r, &a.i);
        load_complex(in->at[l] + 2 * back, &b.r, &b.i);
        b = c_reverse(b);
        separate_pair(&a, &b, w);
        store_pairs(out, l, n, k, c_scale(a, scale), c_scale(b, scale));
        return;
    }
    a = (C){read_places(in, l, k), backwards(read_places(in, l, n + back))};
    b = (C){backwards(read_places(in, l, back)), read_places(in, l, n + k)};
    turn_pairs(in, n, k, &a, &b);
    join_pair(&a, &b, w);
    b = c_reverse(b);
    store_complex(out->at[l] + 2 * k, a.r * scale, a.i * scale);
    store_complex(out->at[l] + 2 * back, b.r * scale, b.i * scale);
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

static void row_placed(const tile *t, int l)
{
    int64_t begin, end, n = t->cp->p.signal, k;
    int runs = has_runs(t);

    pair_range(t, l, &begin, &end);
    if (begin == 1)
        pair_placed(t, l, 0);
    /* The two ends of a vector must not meet. */
    for (k = begin; runs && k + W <= end && 2 * (k + W) <= n; k += W)
        pairs_placed(t, l, k);
    for (; k < end; k++)
        pair_placed(t, l, k);
}

/* Computes UNTANGLE or TANGLE of which one side has an order, and returns 1;
 * returns 0 for others. */
static int make_placed_pairs(tile *t)
{
    if (!stfi_op_is_pairs(t->cp->p.op)
        || (t->work.in.side->order == STFI_ORDER_NONE
            && t->work.out.side->order == STFI_ORDER_NONE))
        return 0;
    for (int l = 0; l < t->count; l++)
        row_placed(t, l);
    t->stored = 1;
    return 1;
}

#endif

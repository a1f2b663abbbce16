/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Elements of sides that have an order, for W lanes at once: passes of several
 * levels, whose lanes are neighbours in the signal. The places of such lanes
 * rise or fall by a constant but at a few turning points of the order, which
 * are left to placed.h. */
#ifndef STFI_FFT_PLACED_LANES_H
#define STFI_FFT_PLACED_LANES_H

#include "backends/cpu/fft/placed.h"

/* Where W reals lie: at `first` and then every `step` reals. */
typedef struct place_run {
    int64_t first, step;
    real sign;
} place_run;

/* Finds the run of reals m, m + by, ..; returns 0 if they are not one. Three of
 * them decide, since an order has two directions at most within W reals. */
static int find_run(const stfi_side *side, int64_t m, int64_t by, place_run *r)
{
    stfi_place a = stfi_place_of(side, m), b = stfi_place_of(side, m + by);
    stfi_place c = stfi_place_of(side, m + (W - 1) * by);

    r->first = a.at;
    r->step = b.at - a.at;
    r->sign = (real)a.sign;
    return a.sign != 0 && a.sign == b.sign && a.sign == c.sign
           && c.at - a.at == (W - 1) * r->step
           && !(side->alternate && r->step % 2 != 0);
}

/* 1 if lanes of the side may be runs at element e: they are neighbours, none is
 * beyond the limit, and the order is not too wild. *i_p gets the index of the
 * first. */
static int may_run(const port *p, int64_t e, int64_t *i_p)
{
    const stfi_side *side = p->side;

    *i_p = p->index[0] + e * side->index.elem;
    return index_step(p->index, p->count) == 1
           && side->order != STFI_ORDER_EIGHTH_BACK && side->span >= 8 * W
           && (side->limit == 0 || *i_p + W <= side->limit);
}

INLINE V read_run(const port *p, const place_run *r)
{
    real v[W] __attribute__((aligned(64)));

    for (int l = 0; l < W; l++)
        v[l] = get_component(p, l, (r->first + l * r->step) * p->es);
    return load(v) * r->sign;
}

INLINE void write_run(const port *p, const place_run *r, V x)
{
    real v[W] __attribute__((aligned(64)));

    store(v, x * r->sign);
    for (int l = 0; l < W; l++)
        put_component(p, l, (r->first + l * r->step) * p->es, v[l]);
}

/* Roots i, i + by, .. of the turn. */
INLINE C turn_run(const port *p, int64_t i, int64_t by)
{
    real re[W] __attribute__((aligned(64)));
    real im[W] __attribute__((aligned(64)));

    for (int l = 0; l < W; l++) {
        re[l] = p->turn[2 * (i + l * by)];
        im[l] = p->turn[2 * (i + l * by) + 1];
    }
    return (C){load(re), load(im)};
}

/* Finds the runs of both parts of elements i .. i + W - 1, of which none is its
 * own mirror image. *far_p is 1 if they are conjugates of those in memory. */
static int find_parts(const stfi_side *side, int64_t i, place_run *re,
                      place_run *im, int *far_p)
{
    int64_t full = side->full;

    *far_p = 0;
    if (side->form == STFI_FORM_PAIRS)
        return find_run(side, 2 * i, 2, re) && find_run(side, 2 * i + 1, 2, im);
    if (side->form == STFI_FORM_REAL)
        return find_run(side, i, 1, re);
    *far_p = 2 * i > full;
    if (i == 0 || (!*far_p && 2 * (i + W - 1) >= full))
        return 0;
    return *far_p
               ? find_run(side, full - i, -1, re) && find_run(side, i, 1, im)
               : find_run(side, i, 1, re) && find_run(side, full - i, -1, im);
}

/* 1 if turn_run_back() undoes the side's turn. */
static int may_turn_back(const stfi_side *side)
{
    return side->turn == STFI_TURN_NONE || side->turn == STFI_TURN_QUARTER
           || side->turn == STFI_TURN_FOUR || side->turn == STFI_TURN_CAS;
}

/* Undoes the turn of elements i, i + 1, .. as turn_back() does. */
static C turn_run_back(const port *p, int64_t i, C v)
{
    const real half = (real)0.5;

    if (p->side->turn == STFI_TURN_NONE)
        return v;
    if (p->side->turn == STFI_TURN_CAS)
        return (C){(v.r + v.i) * half, (v.i - v.r) * half};
    v = c_mul(v, turn_run(p, i, 1));
    return (C){v.r * half, v.i * -half};
}

/* Reads element e of all lanes and returns 1, or returns 0. */
static int read_placed_lanes(const port *p, int64_t e, real *dst)
{
    const stfi_side *side = p->side;
    place_run re, im;
    int64_t i;
    int far;
    C v = c_set(0, 0);

    if (!may_run(p, e, &i) || !find_parts(side, i, &re, &im, &far))
        return 0;
    if (p->out && (far || !may_turn_back(side)))
        return 0;
    v.r = read_run(p, &re);
    if (side->form != STFI_FORM_REAL)
        v.i = read_run(p, &im);
    if (p->out) {
        v = turn_run_back(p, i, v);
    } else if (side->turn == STFI_TURN_FOUR) {
        v = c_mul(v, turn_run(p, i, 1));
    } else if (side->turn == STFI_TURN_QUARTER) {
        v = c_mul(v, far ? turn_run(p, side->full - i, -1) : turn_run(p, i, 1));
        v.i = -v.i;
    }
    v.i = far ? -v.i : v.i;
    if (is_doubled(p))
        v = c_add(v, v);
    c_store(dst, 0, W, v);
    return 1;
}

/* Stores element e of all lanes and returns 1, or returns 0. */
static int store_placed_lanes(const port *p, int64_t e, const real *src)
{
    const stfi_side *side = p->side;
    place_run re, im;
    int64_t i;
    int far;
    C v = c_load(src, 0, W);

    if (!may_run(p, e, &i) || !find_parts(side, i, &re, &im, &far) || far)
        return 0;
    switch (side->turn) {
    case STFI_TURN_CAS: v = (C){v.r - v.i, v.r + v.i}; break;
    case STFI_TURN_QUARTER:
    case STFI_TURN_FOUR:
        v = c_mul(v, turn_run(p, i, 1));
        v = (C){v.r * (real)2, v.i * (real)-2};
        break;
    case STFI_TURN_NONE: break;
    default: return 0;
    }
    write_run(p, &re, v.r);
    if (side->form != STFI_FORM_REAL)
        write_run(p, &im, v.i);
    return 1;
}

#endif

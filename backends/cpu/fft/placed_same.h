/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Elements of reals for W lanes at once that have the same index: lanes that hold
 * whole axes, in passes that real_rows.h does not take, such as convolutions.
 * What does not depend on the lane is found once for all of them. */
#ifndef STFI_FFT_PLACED_SAME_H
#define STFI_FFT_PLACED_SAME_H

#include "backends/cpu/fft/placed.h"

/* 1 if elements of the side are to be read and stored here. */
static int is_same_index(const port *p)
{
    return p->whole && p->side->rows == 0
           && (p->side->order != STFI_ORDER_NONE
               || p->side->form == STFI_FORM_REAL);
}

INLINE V gather_from(const port *p, int64_t offset)
{
    real v[W] __attribute__((aligned(64)));

    for (int l = 0; l < W; l++)
        v[l] = get_component(p, l, offset);
    return load(v);
}

INLINE void scatter_to(const port *p, int64_t offset, V x)
{
    real v[W] __attribute__((aligned(64)));

    store(v, x);
    for (int l = 0; l < p->count; l++)
        put_component(p, l, offset, v[l]);
}

/* Read and store real m of all lanes. */
static V get_reals(const port *p, int64_t m)
{
    stfi_place at = stfi_place_of(p->side, m);

    if (at.sign == 0)
        return (V){0};
    return gather_from(p, at.at * p->es) * (real)at.sign;
}

static void put_reals(const port *p, int64_t m, V x)
{
    stfi_place at = stfi_place_of(p->side, m);

    if (at.sign != 0)
        scatter_to(p, at.at * p->es, x * (real)at.sign);
}

static C turned(const port *p, int64_t i, C v)
{
    return c_mul1(v, p->turn[2 * i], p->turn[2 * i + 1]);
}

/* As read_half_complex(). */
static C half_complex(const port *p, int64_t i)
{
    int64_t full = p->side->full, near = 2 * i > full ? full - i : i;
    int own = near == 0 || 2 * near == full;
    C v = {get_reals(p, near), (V){0}};

    if (!own)
        v.i = get_reals(p, full - near);
    if (p->side->turn == STFI_TURN_QUARTER && 2 * near == full) {
        v.r = v.r * (2 * p->turn[2 * near]);
    } else if (p->side->turn == STFI_TURN_QUARTER && !own) {
        v = turned(p, near, v);
        v.i = -v.i;
    }
    if (is_doubled(p) && !own)
        v = c_add(v, v);
    return near != i ? (C){v.r, -v.i} : v;
}

/* Reads element e of all lanes and returns 1, or returns 0. */
static int read_same(const port *p, int64_t e, real *dst)
{
    const stfi_side *side = p->side;
    int64_t i = (p->indexed ? p->index[0] : 0) + e * side->index.elem;
    C v = c_set(0, 0);

    if (!is_same_index(p) || (p->out && side->turn != STFI_TURN_NONE))
        return 0;
    if (side->limit > 0 && i >= side->limit) {
        c_store(dst, 0, W, v);
        return 1;
    }
    if (side->order == STFI_ORDER_NONE)
        v.r = gather_from(p, element_offset(p, e));
    else if (side->form == STFI_FORM_HC)
        v = half_complex(p, i);
    else if (side->form == STFI_FORM_REAL)
        v.r = get_reals(p, i);
    else
        v = (C){get_reals(p, 2 * i), get_reals(p, 2 * i + 1)};
    if (side->turn == STFI_TURN_FOUR)
        v = turned(p, i, v);
    c_store(dst, 0, W, v);
    return 1;
}

/* As turn_out(). */
static C turn_same(const port *p, int64_t i, C v)
{
    switch (p->side->turn) {
    case STFI_TURN_CAS: return (C){v.r - v.i, v.r + v.i};
    case STFI_TURN_EIGHTH:
        return c_times((C){v.r - v.i, v.r + v.i}, turn_factor(p->side));
    case STFI_TURN_QUARTER:
    case STFI_TURN_FOUR:
        v = turned(p, i, v);
        return (C){v.r * (real)2, v.i * (real)-2};
    case STFI_TURN_IMAG: return (C){-v.i, v.i};
    default: return v;
    }
}

/* Stores element e of all lanes and returns 1, or returns 0. */
static int store_same(const port *p, int64_t e, const real *src)
{
    const stfi_side *side = p->side;
    int64_t i = (p->indexed ? p->index[0] : 0) + e * side->index.elem;
    int own = side->form == STFI_FORM_HC && (i == 0 || 2 * i == side->full);
    C v = c_load(src, 0, W);

    if (!is_same_index(p))
        return 0;
    if (side->limit > 0 && i >= side->limit)
        return 1;
    if (side->order == STFI_ORDER_NONE) {
        scatter_to(p, element_offset(p, e), v.r);
        return 1;
    }
    v = turn_same(p, i, own ? (C){v.r, (V){0}} : v);
    if (side->form == STFI_FORM_PAIRS) {
        put_reals(p, 2 * i, v.r);
        put_reals(p, 2 * i + 1, v.i);
        return 1;
    }
    put_reals(p, i, v.r);
    if (side->form == STFI_FORM_HC && !own)
        put_reals(p, side->full - i, v.i);
    return 1;
}

#endif

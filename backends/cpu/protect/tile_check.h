/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Residuals of data that are multiplied by twiddles or chirps. The check covers
 * the product with the factor w: at the load, (row w) x is summed instead of
 * row (w x), and at the store (e conj w) y instead of e (y / w), so that a
 * wrong product changes the residual. The check computes the factors again;
 * the products themselves equal those of unchecked passes to the last bit. */
#ifndef STFI_PROTECT_TILE_CHECK_H
#define STFI_PROTECT_TILE_CHECK_H

#include "backends/cpu/fft/tile.h"

/* The index in the signal of element 0 of each lane, for this side. */
static const int64_t *index_of(const tile *t, const stfi_side *side)
{
    return side == &t->cp->p.load ? t->src_index : t->dst_index;
}

/* The chirp of element e, where some lanes are beyond the limit. Those lanes
 * hold zeros or are not stored, so they may take any entry of the table. */
static C chirp_edge(const tile *t, const stfi_side *side, int64_t e)
{
    const int64_t *index = index_of(t, side);
    int64_t within[W];

    for (int l = 0; l < W; l++) {
        within[l] = index[l] + e * side->index.elem;
        if (within[l] >= side->limit)
            within[l] = 0;
    }
    return table_lanes(t->cp->chirp, within, W, 0);
}

/* The four part sums (sums.h) and the sum of squares of up to BLOCK terms; then
 * they are added to `sums`. */
typedef struct parts {
    V part[4], power;
    int terms;
} parts;

INLINE void parts_move(parts *p, sums *s)
{
    sums_add(s, p->part, p->power);
    memset(p, 0, sizeof *p);
}

/* Adds element e, stored at d, with weight times factor w. `ro` is the half
 * that is the real part where w is multiplied; the transform may have the
 * halves exchanged, which conjugates w. */
INLINE void weigh_factor(const tile *t, int loaded, parts *p, C w, int ro,
                         int64_t e, const real *d)
{
    probe *k = t->probe;
    C x = c_load(d, 0, W);
    const sum *weight = (loaded ? k->row : k->e) + 2 * e;

    if (loaded != (ro == k->ro))
        w.i = -w.i;
    add_product(p->part, x, c_mul1(w, weight[0], weight[1]));
    if (loaded)
        p->power = add_power(p->power, x);
    if (++p->terms == BLOCK)
        parts_move(p, loaded ? &k->in : &k->out);
}

/* Adds elements [e0, e0 + count) to the sum. At the load, they are not yet
 * multiplied by their twiddles; at the store, they already are. */
static void weigh_twiddled(const tile *t, int64_t e0, int64_t count,
                           const real *data, const uint32_t *pos)
{
    int64_t fine = t->cp->fine, e = e0, end = e0 + count;
    int loaded = t->cp->p.twiddle.on_load;
    int ro = t->cp->p.twiddle.conjugate ? t->io : t->ro;
    parts p = {.part = {(V){0}}};

    while (e < end) {
        C c = c_load(t->coarse + e / fine * ELEM, 0, W);
        for (int64_t f = e % fine; f < fine && e < end; f++, e++) {
            int64_t at = pos != NULL ? (int64_t)pos[e - e0] : e - e0;
            C w = c_mul(c, c_load(t->fine + f * ELEM, 0, W));
            weigh_factor(t, loaded, &p, w, ro, e, data + at * ELEM);
        }
    }
    parts_move(&p, loaded ? &t->probe->in : &t->probe->out);
}

/* As weigh_twiddled(), for the chirp of a side and elements from e0 on: the
 * first `all` are below the limit in every lane, and those from e0 + `none` on
 * in no lane, so they are left out. */
static void weigh_chirped(const tile *t, const stfi_side *side, int64_t e0,
                          int64_t all, int64_t none, const real *data,
                          const uint32_t *pos)
{
    int loaded = side == &t->cp->p.load;
    const int64_t *index = index_of(t, side);
    int step = index_step(index, t->count);
    parts p = {.part = {(V){0}}};

    for (int64_t i = 0; i < none; i++) {
        int64_t at = pos != NULL ? (int64_t)pos[i] : i;
        C w = i < all ? table_at(t->cp->chirp, index, t->count, step,
                                 (e0 + i) * side->index.elem)
                      : chirp_edge(t, side, e0 + i);
        weigh_factor(t, loaded, &p, w, t->ro, e0 + i, data + at * ELEM);
    }
    parts_move(&p, loaded ? &t->probe->in : &t->probe->out);
}

#endif

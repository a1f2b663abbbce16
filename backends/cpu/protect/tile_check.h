/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Residuals of data that are multiplied by twiddles or chirps. The check covers
 * the product with the factor w: at the load, (row w) x is summed instead of
 * row (w x), and at the store (e conj w) y instead of e (y / w), so that a
 * wrong product changes the residual. The check reads the factors again and
 * computes them again; the products themselves equal those of unchecked passes
 * to the last bit. */
#ifndef STFI_PROTECT_TILE_CHECK_H
#define STFI_PROTECT_TILE_CHECK_H

#include "backends/cpu/fft/tile_read.h"

/* The chirp of element e, where some lanes are beyond the limit. Those lanes
 * hold zeros or are not stored, so they may take any entry of the table. */
static C chirp_edge(const tile *t, const port *p, int64_t e)
{
    int64_t within[W];

    for (int l = 0; l < W; l++) {
        within[l] = p->index[l] + e * p->side->index.elem;
        if (within[l] >= p->side->limit)
            within[l] = 0;
    }
    return table_lanes(t->cp->chirp, within, W, 0);
}

/* The four part sums (sums.h) of up to BLOCK terms; then they are added to
 * `sums`. */
typedef struct parts {
    V part[4];
    int terms;
} parts;

INLINE void parts_move(parts *p, sums *s)
{
    sums_add(s, p->part, (V){0});
    memset(p, 0, sizeof *p);
}

/* Adds element e, stored at d, with weight times factor w. `ro` is the half
 * that is the real part where w is multiplied; the transform may have the
 * halves exchanged, which conjugates w. */
INLINE void weigh_factor(const tile *t, int loaded, parts *p, C w, int ro,
                         int64_t e, const real *d)
{
    probe *k = t->probe;
    const sum *weight = (loaded ? k->row : k->e) + 2 * e;

    if (loaded != (ro == k->ro))
        w.i = -w.i;
    add_product(p->part, c_load(d, 0, W), c_mul1(w, weight[0], weight[1]));
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
    const site *s = &t->seen;
    parts p = {.part = {(V){0}}};

    while (e < end) {
        C c = c_load(s->coarse + e / fine * ELEM, 0, W);
        for (int64_t f = e % fine; f < fine && e < end; f++, e++) {
            int64_t at = pos != NULL ? (int64_t)pos[e - e0] : e - e0;
            C w = c_mul(c, c_load(s->fine + f * ELEM, 0, W));
            weigh_factor(t, loaded, &p, w, ro, e, data + at * ELEM);
        }
    }
    parts_move(&p, loaded ? &t->probe->in : &t->probe->out);
}

/* As weigh_twiddled(), for the chirp of a side. Elements that are beyond the
 * limit in all lanes are zero at the load; at the store they have no chirp. */
static void weigh_chirped(const tile *t, int loaded, int64_t e0, int64_t count,
                          const real *data, const uint32_t *pos)
{
    const port *at = loaded ? &t->seen.in : &t->seen.out;
    int step = index_step(at->index, at->count);
    int64_t all, none;
    parts p = {.part = {(V){0}}};

    limit_range(at, e0, count, &all, &none);
    for (int64_t i = 0; i < none; i++) {
        C w = i < all ? table_at(t->cp->chirp, at->index, at->count, step,
                                 (e0 + i) * at->side->index.elem)
                      : chirp_edge(t, at, e0 + i);
        weigh_factor(t, loaded, &p, w, t->ro, e0 + i,
                     data + (pos != NULL ? (int64_t)pos[i] : i) * ELEM);
    }
    parts_move(&p, loaded ? &t->probe->in : &t->probe->out);
    if (!loaded && none < count)
        probe_store(t->probe, e0 + none, count - none,
                    data_from(data, pos, none), pos_from(pos, none));
}

/* Adds elements [e0, e0 + count) of a side to its sum, as they are in memory:
 * before the load's factors, or after the store's. */
static void weigh_side(const tile *t, int loaded, int64_t e0, int64_t count,
                       const real *data, const uint32_t *pos)
{
    const stfi_side *side = loaded ? &t->cp->p.load : &t->cp->p.store;

    if (has_twiddle(&t->cp->p, side))
        weigh_twiddled(t, e0, count, data, pos);
    else if (side->chirp > 0)
        weigh_chirped(t, loaded, e0, count, data, pos);
    else
        (loaded ? probe_load : probe_store)(t->probe, e0, count, data, pos);
}

#endif

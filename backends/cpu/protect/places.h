/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Checks of real to real transforms whose tiles hold whole axes: sums over the
 * reals as they lie in memory, with weights of their own (cpu_places.h). */
#ifndef STFI_PROTECT_PLACES_H
#define STFI_PROTECT_PLACES_H

#include "backends/cpu/protect/finish.h"

/* 1 if the lanes are W neighbours in memory. */
static int are_columns(const port *p)
{
    if (p->count < W)
        return 0;
    for (int l = 1; l < W; l++)
        if (p->at[l] != component(p, 0, l))
            return 0;
    return 1;
}

/* 1 if the lanes are rows of reals without gaps. */
static int are_rows(const port *p)
{
    return W > 1 && p->es == 1 && p->side->span >= W;
}

/* Reads the real at place r of each lane, one by one. */
static V gather(const port *p, int64_t r)
{
    real v[W] __attribute__((aligned(64)));

    for (int l = 0; l < W; l++)
        v[l] = get_component(p, l, r * p->es);
    return load(v);
}

INLINE V get_place(const real *data, const uint32_t *map, int64_t r,
                   factor scale)
{
    uint32_t code = map[r];

    if ((code & 1) != 0)
        scale = (factor){-scale.high, -scale.low};
    return v_times(load(data + (code >> 1) * W), scale);
}

/* Where sums take their reals from: lanes that are neighbours in memory, other
 * lanes, or the tile, before it is stored. */
typedef enum reals { REALS_COLUMNS, REALS_GATHERED, REALS_TILE } reals;

/* How many chains take turns in a sum over reals, and how long each may be: the
 * signals are real, so all of a residual's rounding errors lie in one component,
 * and a longer chain would show in the residual (threshold.h). */
enum { REAL_CHAINS = 4, REAL_CHAIN = 8 };

/* Adds the reals at places [r, span) of each lane. */
INLINE void weigh_reals(const tile *t, const port *p, sums *s, const sum *w,
                        int64_t r, reals from)
{
    const uint32_t *map = t->cp->store_map;
    factor scale = factor_of(t);

    for (int64_t end; r < p->side->span; r = end) {
        V re[REAL_CHAINS] = {(V){0}}, im[REAL_CHAINS] = {(V){0}}, part[4];
        end = r + (int64_t)REAL_CHAINS * REAL_CHAIN;
        if (end > p->side->span)
            end = p->side->span;
        for (int64_t i = r; i < end; i++) {
            V x = from == REALS_COLUMNS    ? load_components(p, 0, i * p->es)
                  : from == REALS_GATHERED ? gather(p, i)
                                           : get_place(t->data, map, i, scale);
            int c = (int)(i - r) % REAL_CHAINS;
            re[c] = re[c] + x * w[2 * i];
            im[c] = im[c] + x * w[2 * i + 1];
        }
        part[0] = re[0] + re[1];
        part[1] = re[2] + re[3];
        part[2] = im[0] + im[1];
        part[3] = im[2] + im[3];
        sums_add(s, part, (V){0});
    }
}

/* Adds all reals of a side, as they are in memory. */
static void weigh_places(const tile *t, const port *p, sums *s, const sum *w)
{
    int64_t r = 0;

    if (are_columns(p)) {
        weigh_reals(t, p, s, w, 0, REALS_COLUMNS);
        return;
    }
#if STFI_LANES > 1
    if (are_rows(p))
        r = 2 * rows_pairs(p, s->rows, w, 0, p->side->span / 2);
#endif
    weigh_reals(t, p, s, w, r, REALS_GATHERED);
}

/* Sums up what a tile with an order loads, from memory. */
static void weigh_loaded_places(const tile *t)
{
    if (t->probe != NULL)
        weigh_places(t, &t->seen.in, &t->probe->in, t->cp->load_weights);
}

/* Returns the sum over the results, as stored, or as they would be; the
 * scale has not been applied to the tile yet. */
static C weigh_stored_places(const tile *t, int in_memory)
{
    probe *k = t->probe;
    const stfi_cpu_pass *cp = t->cp;
    C rest = c_set(0, 0);

    if (cp->rest_count > 0) {
        weigh(&k->out, FOLD_PAIRS, cp->rest, t->data + cp->rest_first * ELEM,
              NULL, cp->rest_count, 0);
        rest = c_times(sums_take(&k->out, FOLD_PAIRS, 0), factor_of(t));
    }
    if (in_memory)
        weigh_places(t, &t->seen.out, &k->out, k->e);
    else
        weigh_reals(t, &t->seen.out, &k->out, k->e, 0, REALS_TILE);
    return c_add(rest, sums_take(&k->out, FOLD_PAIRS, 0));
}

/* Adds the tile's elements, as loaded, to the norm. */
static void measure_elements(const tile *t)
{
    if (t->probe == NULL)
        return;
    probe_power(t->probe, t->data, NULL, t->cp->p.n);
    probe_measure(t->probe, t->data, NULL, t->cp->p.n, 1);
}

/* The same of elements 0 .. n of half a spectrum that has not been turned: those
 * at both ends, of which the tile has the real parts, count once, the others
 * twice. With roots, element n is the square root of 2 times what was loaded. */
static void measure_spectrum(const tile *t)
{
    probe *k = t->probe;
    int64_t n = t->cp->p.n;
    V first, last, power;

    if (k == NULL)
        return;
    store(t->data + W, (V){0});
    store(t->data + n * ELEM + W, (V){0});
    first = add_power((V){0}, c_load(t->data, 0, W));
    last = add_power((V){0}, c_load(t->data + n * ELEM, 0, W));
    power = first;
    probe_measure(k, t->data, NULL, 1, 1);
    for (int64_t i = 1; i < n; i++) {
        V own = add_power((V){0}, c_load(t->data + i * ELEM, 0, W));
        power = power + own * (real)2;
    }
    probe_measure(k, t->data + ELEM, NULL, n - 1, 2);
    if (t->cp->p.load.turn == STFI_TURN_QUARTER)
        last = last * (real)2;
    probe_measure(k, t->data + n * ELEM, NULL, 1,
                  t->cp->p.load.turn == STFI_TURN_QUARTER ? 2 : 1);
    k->in.power = power + last;
}

#endif

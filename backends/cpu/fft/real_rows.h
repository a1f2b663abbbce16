/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Real to real transforms in one tile. Memory is read and written in its own
 * order, a vector of one real of W lanes at a time, and maps (cpu_maps.h) say
 * which part of which element that is. Unlike complex lanes, lanes of reals that
 * are neighbours in memory need no shuffles, and rows of reals are transposed as
 * rows of complex elements are. */
#ifndef STFI_FFT_REAL_ROWS_H
#define STFI_FFT_REAL_ROWS_H

#include "backends/cpu/fft/cpu_maps.h"
#include "backends/cpu/fft/hc_pairs.h"
#include "backends/cpu/fft/real_ops.h"
#include "backends/cpu/protect/places.h"

INLINE void put_mapped(real *data, uint32_t code, V v)
{
    store(data + (code >> 1) * W, (code & 1) != 0 ? -v : v);
}

/* Writes the vector of the real at place r to where the map says; `twice` is 1
 * if it may have two places. */
INLINE void put_place(real *data, const uint32_t *map, int64_t span, int64_t r,
                      int twice, V v)
{
    put_mapped(data, map[r], v);
    if (twice && map[span + r] != STFI_CPU_NOWHERE)
        put_mapped(data, map[span + r], v);
}

static void scatter(const port *p, int64_t r, V v)
{
    for (int l = 0; l < p->count; l++)
        put_component(p, l, r * p->es, lane_of(&v, l));
}

/* 1 if the lanes are rows of less than W reals, one behind the other, but of so
 * many that it pays to transpose W: measured for W = 8 and 16. */
static int are_short_rows(const port *p)
{
    int64_t span = p->side->span;

    if (W < 16 || p->es != 1 || span >= W || 2 * span <= W || p->count < W)
        return 0;
    for (int l = 1; l < W; l++)
        if (p->at[l] != component(p, 0, l * span))
            return 0;
    return 1;
}

/* Reads such rows, and writes them. Whole vectors go through memory: what is
 * read of the next rows is not used, and the next rows are written over what is
 * written there. */
INLINE void read_short(const port *p, V *v)
{
    real rows[W * W] __attribute__((aligned(64)));
    int64_t span = p->side->span;

    for (int64_t i = 0; i < span; i++)
        store(rows + i * W, load_components(p, 0, i * W));
    store(rows + span * W, (V){0});
    UNROLL
    for (int l = 0; l < W; l++)
        v[l] = loadu(rows + l * span);
#if STFI_LANES > 1
    transpose(v);
#endif
}

INLINE void write_short(const port *p, V *v)
{
    real rows[W * W] __attribute__((aligned(64)));
    int64_t span = p->side->span;

#if STFI_LANES > 1
    transpose(v);
#endif
    UNROLL
    for (int l = 0; l < W; l++)
        *(VU *)(rows + l * span) = v[l];
    for (int64_t i = 0; i < span; i++)
        store_stored(component(p, 0, i * W), p->format, load(rows + i * W));
}

INLINE void read_mapped(const tile *t, int twice)
{
    const port *p = &t->work.in;
    const uint32_t *map = t->cp->load_map;
    int64_t span = p->side->span;

    if (are_columns(p)) {
        for (int64_t r = 0; r < span; r++)
            put_place(t->data, map, span, r, twice,
                      load_components(p, 0, r * p->es));
        return;
    }
    if (are_rows(p)) {
        for (int64_t r = 0; r < span; r += W) {
            int64_t at = square_at(r, W, span);
            V v[W];
            read_block(p, at, v);
            UNROLL
            for (int i = 0; i < W; i++)
                put_place(t->data, map, span, at + i, twice, v[i]);
        }
        return;
    }
    if (are_short_rows(p)) {
        V v[W];
        read_short(p, v);
        UNROLL
        for (int i = 0; i < W; i++)
            if (i < span)
                put_place(t->data, map, span, i, twice, v[i]);
        return;
    }
    for (int64_t r = 0; r < span; r++)
        put_place(t->data, map, span, r, twice, gather(p, r));
}

static void write_mapped(const tile *t)
{
    const port *p = &t->work.out;
    const uint32_t *map = t->cp->store_map;
    int64_t span = p->side->span;
    factor scale = factor_of(t);
    V none = {0};

    if (are_columns(p)) {
        for (int64_t r = 0; r < span; r++)
            store_stored(component(p, 0, r * p->es), p->format,
                         get_place(t->data, map, r, scale));
        return;
    }
    if (are_rows(p)) {
        for (int64_t r = 0; r < span; r += W) {
            int64_t at = square_at(r, W, span);
            V v[W];
            UNROLL
            for (int i = 0; i < W; i++)
                v[i] = get_place(t->data, map, at + i, scale);
            write_block(p, at, v);
        }
        return;
    }
    if (are_short_rows(p)) {
        V v[W];
        UNROLL
        for (int i = 0; i < W; i++)
            v[i] = none;
        UNROLL
        for (int i = 0; i < W; i++)
            if (i < span)
                v[i] = get_place(t->data, map, i, scale);
        write_short(p, v);
        return;
    }
    for (int64_t r = 0; r < span; r++)
        scatter(p, r, get_place(t->data, map, r, scale));
}

/* 1 if reals of the side may have two places in a tile. */
INLINE int has_images(const stfi_side *side)
{
    return side->order == STFI_ORDER_EVEN || side->order == STFI_ORDER_ODD;
}

/* Clears what the load's map does not write. */
INLINE void clear_rest(const tile *t)
{
    const stfi_side *side = &t->cp->p.load;
    int64_t n = t->cp->p.n;
    V none = {0};

    if (side->order == STFI_ORDER_ODD) {
        /* Reals 0 and n of the extension are zero. */
        store(t->data, none);
        store(place(t->data, t->cp->pos, n / 2) + (n % 2 != 0 ? W : 0), none);
    }
    for (int64_t e = 0; e < n && side->form == STFI_FORM_REAL; e++)
        store(t->data + e * ELEM + W, none);
}

/* Loads the tile, in pos order, without the turn. Its elements are summed up and
 * measured here, unless they are half a spectrum. */
static void load_straight(const tile *t)
{
    const stfi_side *side = &t->cp->p.load;
    int64_t n = t->cp->p.n;

    if (side->order == STFI_ORDER_NONE) {
        weigh_source(t, 0, n);
        load_segment(t, 0, n, t->data, t->cp->pos);
        return;
    }
    weigh_loaded_places(t);
    read_mapped(t, has_images(side));
    clear_rest(t);
    if (side->form != STFI_FORM_HC)
        measure_elements(t);
}

/* Makes the residual of a tile that is in natural order and turned, and stores
 * it as soon as it may be. */
static void finish_straight(tile *t)
{
    probe *k = t->probe;

    if (t->cp->store_map == NULL) {
        finish(t, t->cp->p.n, NULL);
        return;
    }
    if (k == NULL)
        return;
    k->results = t->cp->p.n;
    k->pos = NULL;
    k->weigh = weigh_stored_places;
    k->left = factor_of(t).high;
    t->stored = !k->late;
    if (t->stored)
        write_mapped(t);
    close_residual(t, weigh_stored_places(t, t->stored));
}

static void put_straight(tile *t)
{
    if (t->cp->store_map != NULL)
        write_mapped(t);
    else
        put_segment(t, 0, t->cp->p.n, t->data, NULL);
}

/* Stores the tile, which is in natural order and turned, or leaves it to the
 * verdict. */
static void store_straight(tile *t)
{
    if (t->probe != NULL || t->guard != NULL) {
        finish_straight(t);
        return;
    }
    if (t->cp->store_map == NULL)
        modify_segment(t, 0, t->cp->p.n, t->data, NULL);
    put_straight(t);
    t->stored = 1;
}

/* Runs the stages of a tile in pos order. */
static void transform_straight(const tile *t)
{
    strike(t, 0, 0, t->cp->p.n, t->data, t->cp->pos);
    run_stages(t, 0, 0, t->cp->p.nstages, t->ro, t->io);
    strike_results(t);
}

#define HALF_ROOT ((real)0.70710678118654752440084436210484903928L)

/* As separate_pair(), for DCT2: with X = E + w O and t = exp(-pi i k/(4n)), the
 * results are conj(2 t X) of elements k and n - k. t w = t^5, and the root of
 * n - k is e^(-pi i/4) / t, so that two products, by t and t^5, suffice. */
INLINE void separate_quarter_pair(C *a, C *b, const real *t)
{
    C p = c_mul1((C){a->r + b->r, a->i - b->i}, t[0], t[1]);
    C q = c_mul1((C){a->i + b->i, b->r - a->r}, t[2], t[3]);
    C s = c_add(p, q), d = c_sub(p, q);

    *b = (C){(d.r - d.i) * HALF_ROOT, (d.r + d.i) * HALF_ROOT};
    *a = (C){s.r, -s.i};
}

static void separate_quarter(const tile *t)
{
    int64_t n = t->cp->p.n;
    const real *w = t->cp->turn;
    C z = c_load(t->data, 0, W);

    store(t->data, (z.r + z.i) * (real)2);
    store(t->data + n * ELEM, (z.r - z.i) * ROOT2);
    for (int64_t k = 1; 2 * k <= n; k++) {
        real *low = t->data + k * ELEM, *high = t->data + (n - k) * ELEM;
        C a = c_load(low, 0, W), b = c_load(high, 0, W);
        separate_quarter_pair(&a, &b, w + 4 * k);
        c_store(high, 0, W, b);
        c_store(low, 0, W, a);
    }
}

/* The reverse of separate_quarter_pair() but for a factor. */
INLINE void join_quarter_pair(C *a, C *b, const real *t)
{
    C c = {(b->r + b->i) * HALF_ROOT, (b->i - b->r) * HALF_ROOT};
    C even = c_mul1((C){a->r + c.r, c.i - a->i}, t[0], -t[1]);
    C odd = c_mul1((C){a->r - c.r, -a->i - c.i}, t[2], -t[3]);

    *b = (C){even.r + odd.i, odd.r - even.i};
    *a = (C){even.r - odd.i, even.i + odd.r};
}

/* In pos order, for DCT3. */
static void join_quarter(const tile *t)
{
    const uint32_t *pos = t->cp->pos;
    int64_t n = t->cp->p.n;
    const real *w = t->cp->turn;
    V a0 = load(t->data), an = load(t->data + n * ELEM) * ROOT2;

    c_store(t->data, 0, W, (C){a0 + an, a0 - an});
    for (int64_t k = 1; 2 * k <= n; k++) {
        real *low = place(t->data, pos, k);
        real *high = place(t->data, pos, n - k);
        C a = c_load(low, 0, W), b = c_load(high, 0, W);
        join_quarter_pair(&a, &b, w + 4 * k);
        c_store(high, 0, W, b);
        c_store(low, 0, W, a);
    }
}

/* Turns elements [1, end) of a spectrum by 1 + i, and multiplies all by f. */
static void turn_cas(const tile *t, int64_t end, factor f)
{
    store(t->data, v_times(load(t->data), f));
    for (int64_t k = 1; k < end; k++) {
        real *d = t->data + k * ELEM;
        C z = c_load(d, 0, W);
        c_store(d, 0, W, c_times((C){z.r - z.i, z.r + z.i}, f));
    }
}

/* Makes conj(2 w z) of elements [0, count), in natural order. */
static void turn_roots(const tile *t, const real *w, int64_t count)
{
    for (int64_t k = 0; k < count; k++) {
        real *d = t->data + k * ELEM;
        C z = c_mul1(c_load(d, 0, W), 2 * w[2 * k], 2 * w[2 * k + 1]);
        c_store(d, 0, W, (C){z.r, -z.i});
    }
}

/* Turns the first half of a spectrum of an odd number n of elements, in pos
 * order, and makes the other half. */
static void complete_spectrum(const tile *t)
{
    const stfi_pass *p = &t->cp->p;
    const uint32_t *pos = t->cp->pos;
    const real *w = t->cp->turn;
    V none = {0};

    store(t->data + W, none);
    for (int64_t k = 1; 2 * k < p->n; k++) {
        real *low = place(t->data, pos, k);
        C z = c_load(low, 0, W);
        if (p->load.turn == STFI_TURN_QUARTER) {
            z = c_mul1(z, w[2 * k], w[2 * k + 1]);
            z.i = -z.i;
            c_store(low, 0, W, z);
        }
        c_store(place(t->data, pos, p->n - k), 0, W, (C){z.r, -z.i});
    }
}

/* Multiplies the elements, in pos order, by the roots of DCT4's load. */
static void turn_four(const tile *t)
{
    const real *w = t->cp->turn;

    for (int64_t k = 0; k < t->cp->p.n; k++) {
        real *d = place(t->data, t->cp->pos, k);
        c_store(d, 0, W, c_mul1(c_load(d, 0, W), w[2 * k], w[2 * k + 1]));
    }
}

/* Makes what the transform takes of a tile that is loaded. */
static void enter_straight(const tile *t)
{
    const stfi_pass *p = &t->cp->p;

    if (p->op == STFI_OP_C2R && p->load.turn == STFI_TURN_QUARTER)
        join_quarter(t);
    else if (p->op == STFI_OP_C2R)
        join(t);
    else if (p->load.form == STFI_FORM_HC)
        complete_spectrum(t);
}

/* Makes the results of what the transform has left, but for the scale. */
static void leave_straight(const tile *t)
{
    const stfi_pass *p = &t->cp->p;
    const int64_t n = p->op == STFI_OP_R2C ? p->n : p->n / 2 + 1;

    if (p->op == STFI_OP_R2C && p->store.turn == STFI_TURN_QUARTER) {
        separate_quarter(t);
        return;
    }
    if (p->op == STFI_OP_R2C)
        separate(t);
    switch (p->store.turn) {
    case STFI_TURN_FOUR: turn_roots(t, t->work.out.turn, p->n); break;
    case STFI_TURN_QUARTER: turn_roots(t, t->cp->turn, n); break;
    case STFI_TURN_CAS:
    case STFI_TURN_EIGHTH:
        if (is_one_root(&p->store))
            scale_one(t, t->data);
        else
            turn_cas(t, n, turn_factor(&p->store));
        break;
    default: break;
    }
}

/* Computes a tile of a pass that holds whole axes of a real to real
 * transform. */
static void make_straight(tile *t)
{
    const stfi_pass *p = &t->cp->p;

    load_straight(t);
    if (p->op == STFI_OP_C2R)
        measure_spectrum(t);
    enter_straight(t);
    if (p->op == STFI_OP_FFT && p->load.form == STFI_FORM_HC)
        measure_elements(t);
    if (p->load.turn == STFI_TURN_FOUR)
        turn_four(t);
    transform_straight(t);
    leave_straight(t);
    store_straight(t);
}

#undef HALF_ROOT

#endif

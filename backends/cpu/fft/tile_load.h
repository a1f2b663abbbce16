/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Loading segments of consecutive elements into a tile, with the load's
 * modifiers. */
#ifndef STFI_FFT_TILE_LOAD_H
#define STFI_FFT_TILE_LOAD_H

#include "backends/cpu/protect/tile_check.h"

/* Loads one element of one lane, with regard to form and limit. */
static void load_component(const tile *t, int l, int64_t e, real *re, real *im)
{
    const stfi_cpu_pass *cp = t->cp;
    const stfi_side *side = &cp->p.load;
    const stored *src =
        t->src[l] + element_offset(side, cp->load_es, cp->load_bs, e);
    int64_t first = t->indexed ? t->src_index[l] : 0;
    int64_t index = first + e * side->index.elem;

    *re = *im = 0;
    if ((side->limit > 0 && index >= side->limit)
        || (side->rows > 0 && first >= side->rows))
        return;
    if (side->form == STFI_FORM_HALF && index > side->full / 2) {
        /* It is the conjugate of the mirrored element. */
        int64_t mirrored = side->full - index;
        src += (mirrored - index) * (cp->load_es / side->index.elem);
        *re = (real)src[0];
        *im = -(real)src[1];
        return;
    }
    *re = (real)src[0];
    if (side->form != STFI_FORM_REAL)
        *im = (real)src[cp->load_im];
    if (side->form == STFI_FORM_HALF && (index == 0 || 2 * index == side->full))
        *im = 0;
}

static void load_scatter(const tile *t, int64_t e, real *dst)
{
    for (int l = 0; l < t->count; l++)
        load_component(t, l, e, dst + l, dst + W + l);
    for (int l = t->count; l < W; l++) {
        dst[l] = dst[0];
        dst[W + l] = dst[W];
    }
}

#if STFI_LANES > 1
/* Reads W/2 elements of W rows at once, a square of W by W reals; `swap`
 * exchanges real and imaginary parts. */
INLINE void read_square(const tile *t, int64_t e, int swap, C *x)
{
    V v[W];
    UNROLL
    for (int l = 0; l < W; l++) {
        v[l] = load_stored(t->src[l] + 2 * e);
        __builtin_prefetch(t->src[l] + 2 * e + t->src_ahead, 0, 2);
    }
    transpose(v);
    UNROLL
    for (int i = 0; i < W / 2; i++)
        x[i] = swap ? (C){v[2 * i + 1], v[2 * i]} : (C){v[2 * i], v[2 * i + 1]};
}

static void load_rows(const tile *t, int64_t e, real *dst, const uint32_t *pos,
                      int64_t at)
{
    C x[W / 2];

    read_square(t, e, 0, x);
    UNROLL
    for (int i = 0; i < W / 2; i++)
        c_store(place(dst, pos, at + i), 0, W, x[i]);
}

/* As load_rows(), and adds the elements to the sums of chain c. */
INLINE void load_weighed_rows(const tile *t, int64_t e, real *dst,
                              const uint32_t *pos, int64_t at, chain *c,
                              const sum *w, int pairs)
{
    C x[W / 2];

    read_square(t, e, 0, x);
    UNROLL
    for (int i = 0; i < W / 2; i++) {
        c_store(place(dst, pos, at + i), 0, W, x[i]);
        chain_add(&c[i % 2], x[i], w + i * (pairs ? 4 : 2), pairs, 1);
    }
}
#endif

INLINE C load_element(const tile *t, int64_t e, real *d)
{
    const stored *s = t->src[0] + e * t->cp->load_es;
    C x;

    load_complex(s, &x.r, &x.i);
    prefetch_neighbour(s, 0);
    c_store(d, 0, W, x);
    return x;
}

/* Loads elements [e0, e0 + count), which are all below the limit. Element
 * e0 + i goes to place i, or to pos[i] if pos is not NULL. */
static void load_plain(const tile *t, int64_t e0, int64_t count, real *dst,
                       const uint32_t *pos)
{
    int64_t i = 0;

    if (t->load == ACCESS_LANES) {
        for (; i < count; i++)
            load_element(t, e0 + i, place(dst, pos, i));
        return;
    }
#if STFI_LANES > 1
    if (t->load == ACCESS_ROWS && count >= W / 2) {
        for (; i + W / 2 <= count; i += W / 2)
            load_rows(t, e0 + i, dst, pos, i);
        if (i < count) /* the last square overlaps the one before */
            load_rows(t, e0 + count - W / 2, dst, pos, count - W / 2);
        return;
    }
#endif
    for (; i < count; i++)
        load_scatter(t, e0 + i, place(dst, pos, i));
}

/* Loads and weighs the elements from e0 + i on, which are too few for a step of
 * load_weighed_loop(). */
static void load_rest(const tile *t, int64_t e0, int64_t i, int64_t count,
                      real *dst, const uint32_t *pos)
{
    int64_t from = i;

    if (t->load == ACCESS_ROWS && count >= W / 2)
        from = count - W / 2; /* a square that overlaps the one before */
    load_plain(t, e0 + from, count - from, data_from(dst, pos, from),
               pos_from(pos, from));
    probe_load(t->probe, e0 + i, count - i, data_from(dst, pos, i),
               pos_from(pos, i));
}

/* As load_plain(), and adds the elements to the probe's sum. */
INLINE void load_weighed_loop(const tile *t, int64_t e0, int64_t count,
                              real *dst, const uint32_t *pos, int pairs)
{
    const int step = pairs ? 4 : 2;
    probe *k = t->probe;
    const sum *w = k->row + e0 * step;
    chain c[2] = {{.part = {(V){0}}}, {.part = {(V){0}}}};
    int64_t i = 0;

    if (t->load == ACCESS_LANES)
        for (; i + 1 < count; i += 2) {
            C x = load_element(t, e0 + i, place(dst, pos, i));
            C y = load_element(t, e0 + i + 1, place(dst, pos, i + 1));
            chain_add(&c[0], x, w + i * step, pairs, 1);
            chain_add(&c[1], y, w + (i + 1) * step, pairs, 1);
            if ((i + 2) % BLOCK == 0)
                chains_move(c, &k->in);
        }
#if STFI_LANES > 1
    if (t->load == ACCESS_ROWS)
        for (; i + W / 2 <= count; i += W / 2) {
            load_weighed_rows(t, e0 + i, dst, pos, i, c, w + i * step, pairs);
            if ((i + W / 2) % BLOCK == 0)
                chains_move(c, &k->in);
        }
#endif
    chains_move(c, &k->in);
    if (i < count)
        load_rest(t, e0, i, count, dst, pos);
}

static void load_weighed(const tile *t, int64_t e0, int64_t count, real *dst,
                         const uint32_t *pos)
{
    if (t->probe->row_fold == FOLD_PAIRS)
        load_weighed_loop(t, e0, count, dst, pos, 1);
    else
        load_weighed_loop(t, e0, count, dst, pos, 0);
}

/* Multiplies elements [e0, e0 + count) by the chirp of a side. In all lanes
 * they are below the limit. */
static void apply_chirp(const tile *t, const stfi_side *side, int64_t e0,
                        int64_t count, real *data, const uint32_t *pos)
{
    const int64_t *index = index_of(t, side);
    int step = index_step(index, t->count);

    for (int64_t i = 0; i < count; i++) {
        real *d = place(data, pos, i);
        C w = table_at(t->cp->chirp, index, t->count, step,
                       (e0 + i) * side->index.elem);
        c_store(d, t->ro, t->io, c_mul(c_load(d, t->ro, t->io), w));
    }
}

/* As apply_chirp(), for one element that is beyond the limit in some lanes. */
static void apply_chirp_edge(const tile *t, const stfi_side *side, int64_t e,
                             real *d)
{
    c_store(d, t->ro, t->io,
            c_mul(c_load(d, t->ro, t->io), chirp_edge(t, side, e)));
}

/* Multiplies elements [e0, e0 + count) by the twiddles of the lanes' rows.
 * Element e0 + i lies at place i, or at pos[i]. */
static void apply_twiddle(const tile *t, int64_t e0, int64_t count, real *dst,
                          const uint32_t *pos)
{
    int64_t fine = t->cp->fine;
    /* To multiply by the conjugate is to exchange the parts of the element,
     * multiply, and exchange them again. */
    int flip = t->cp->p.twiddle.conjugate;
    int ro = flip ? t->io : t->ro, io = flip ? t->ro : t->io;
    int64_t e = e0, end = e0 + count;

    while (e < end) {
        const real *block = t->coarse + e / fine * ELEM;
        int64_t f = e % fine;
        C c = c_load(block, 0, W);
        for (; f < fine && e < end; f++, e++) {
            real *d = place(dst, pos, e - e0);
            C w = c_mul(c, c_load(t->fine + f * ELEM, 0, W));
            c_store(d, ro, io, c_mul(c_load(d, ro, io), w));
        }
    }
}

/* Adds loaded elements to the norm, in deep attempts only. */
static void measure_loaded(const tile *t, int64_t count, const real *data,
                           const uint32_t *pos)
{
    if (t->probe != NULL && !t->probe->manual)
        probe_measure(t->probe, data, pos, count, 1);
}

/* Loads a segment of a side with a limit; elements beyond the limit are zero.
 * The side's chirp is multiplied, too. */
static void load_limited(const tile *t, int64_t e0, int64_t count, real *dst,
                         const uint32_t *pos)
{
    const stfi_side *side = &t->cp->p.load;
    int64_t all, none, i;

    limit_range(side, t->src_index, t->count, e0, count, &all, &none);
    if (all > 0)
        load_plain(t, e0, all, dst, pos);
    for (i = all; i < none; i++)
        load_scatter(t, e0 + i, place(dst, pos, i));
    for (; i < count; i++)
        memset(place(dst, pos, i), 0, ELEM * sizeof(real));
    measure_loaded(t, count, dst, pos);
    if (side->chirp == 0)
        return;
    if (t->probe != NULL && !has_twiddle(&t->cp->p, side))
        weigh_chirped(t, side, e0, all, none, dst, pos);
    if (all > 0)
        apply_chirp(t, side, e0, all, dst, pos);
    for (i = all; i < none; i++)
        apply_chirp_edge(t, side, e0 + i, place(dst, pos, i));
}

/* Loads elements [e0, e0 + count) of a checked pass, with all modifiers. */
static void load_checked(const tile *t, int64_t e0, int64_t count, real *dst,
                         const uint32_t *pos)
{
    const stfi_side *side = &t->cp->p.load;
    int weighed = !t->probe->manual && !has_factor(&t->cp->p, side);

    if (side->limit > 0) {
        load_limited(t, e0, count, dst, pos);
    } else {
        (weighed ? load_weighed : load_plain)(t, e0, count, dst, pos);
        measure_loaded(t, count, dst, pos);
    }
    if (weighed && side->limit > 0)
        probe_load(t->probe, e0, count, dst, pos);
    if (!has_twiddle(&t->cp->p, side))
        return;
    weigh_twiddled(t, e0, count, dst, pos);
    apply_twiddle(t, e0, count, dst, pos);
}

INLINE void load_segment(const tile *t, int64_t e0, int64_t count, real *dst,
                         const uint32_t *pos)
{
    if (t->probe != NULL) {
        load_checked(t, e0, count, dst, pos);
        return;
    }
    if (t->cp->p.load.limit > 0)
        load_limited(t, e0, count, dst, pos);
    else
        load_plain(t, e0, count, dst, pos);
    if (t->cp->p.twiddle.order > 0 && t->cp->p.twiddle.on_load)
        apply_twiddle(t, e0, count, dst, pos);
}

/* Loads the twiddles of the lanes' rows from a table of `count` entries a row.
 * This uses the functions that load arrays, and so it needs `stored` and `real`
 * to be the same type. */
static void load_table_rows(const tile *t, const real *table, int64_t count,
                            real *dst)
{
    tile rows;

    rows.cp = t->cp;
    rows.probe = NULL;
    rows.count = t->count;
    rows.src_ahead = 0;
    rows.load = W > 1 && count >= W / 2 ? ACCESS_ROWS : ACCESS_SCATTER;
    for (int l = 0; l < W; l++)
        rows.src[l] = table + t->row[l] * count * 2;
    if (rows.load == ACCESS_ROWS) {
        load_plain(&rows, 0, count, dst, NULL);
        return;
    }
    for (int64_t e = 0; e < count; e++)
        for (int l = 0; l < W; l++) {
            dst[e * ELEM + l] = rows.src[l][2 * e];
            dst[e * ELEM + W + l] = rows.src[l][2 * e + 1];
        }
}

static void load_twiddles(const tile *t)
{
    const stfi_cpu_pass *cp = t->cp;

    if (cp->p.twiddle.order == 0)
        return;
    load_table_rows(t, cp->tw_fine, cp->fine, t->fine);
    load_table_rows(t, cp->tw_coarse, (cp->p.signal + cp->fine - 1) / cp->fine,
                    t->coarse);
}

/* Goes to the next tile of a walk: at most W lanes from `lane` on, all before
 * `end`. */
static void tile_next(tile *t, walk *at, int64_t lane, int64_t end)
{
    tile_place(t, at, end - lane < W ? (int)(end - lane) : W);
    load_twiddles(t);
    t->lane = lane;
}

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Storing segments of consecutive elements of a tile, with the store's
 * modifiers. */
#ifndef STFI_FFT_TILE_STORE_H
#define STFI_FFT_TILE_STORE_H

#include "backends/cpu/fft/tile_load.h"

/* Stores element `index` of a half spectrum at d. The lane begins with element
 * `first`. Elements beyond the middle are stored as the conjugate of their
 * mirror image. */
static void store_half(const tile *t, int64_t first, int64_t index, stored *d,
                       real re, real im)
{
    const stfi_side *side = &t->cp->p.store;
    int far = 2 * index > side->full;

    if (far && (first == 0 || 2 * first == side->index.elem))
        return; /* the lane has the mirrored element too */
    if (far)
        d += (side->full - 2 * index) * (t->cp->store_es / side->index.elem);
    d[0] = (stored)re;
    d[1] = (stored)(index == 0 || 2 * index == side->full ? 0 : far ? -im : im);
}

static void store_scatter(const tile *t, int64_t e, const real *s)
{
    const stfi_cpu_pass *cp = t->cp;
    const stfi_side *side = &cp->p.store;

    for (int l = 0; l < t->count; l++) {
        stored *d =
            t->dst[l] + element_offset(side, cp->store_es, cp->store_bs, e);
        int64_t first = t->indexed ? t->dst_index[l] : 0;
        int64_t index = first + e * side->index.elem;
        if ((side->limit > 0 && index >= side->limit)
            || (side->rows > 0 && first >= side->rows))
            continue;
        if (side->form == STFI_FORM_HALF) {
            store_half(t, first, index, d, s[l], s[W + l]);
            continue;
        }
        d[0] = (stored)s[l];
        if (side->form != STFI_FORM_REAL)
            d[cp->store_im] = (stored)s[W + l];
    }
}

#if STFI_LANES > 1
INLINE void transpose_back(const C *x, int swap, V *v)
{
    UNROLL
    for (int i = 0; i < W / 2; i++) {
        v[2 * i] = swap ? x[i].i : x[i].r;
        v[2 * i + 1] = swap ? x[i].r : x[i].i;
    }
    transpose(v);
}

/* The reverse of read_square(), for a tile with all W lanes in use. */
INLINE void write_square(const tile *t, int64_t e, int swap, const C *x)
{
    V v[W];

    transpose_back(x, swap, v);
    UNROLL
    for (int l = 0; l < W; l++) {
        store_stored(t->dst[l] + 2 * e, v[l]);
        __builtin_prefetch(t->dst[l] + 2 * e + t->dst_ahead, 1, 2);
    }
}

/* As write_square(), for the lanes in use only. v[] stays in registers only if
 * its indices are constants, so the rows go through memory. */
static void write_some(const tile *t, int64_t e, const C *x)
{
    stored rows[W * W] __attribute__((aligned(64)));
    V v[W];

    transpose_back(x, 0, v);
    UNROLL
    for (int l = 0; l < W; l++)
        store_row(rows + l * W, v[l]);
    for (int l = 0; l < t->count; l++)
        memcpy(t->dst[l] + 2 * e, rows + l * W, W * sizeof(stored));
}

INLINE void store_square(const tile *t, int64_t e, const C *x)
{
    if (t->count == W)
        write_square(t, e, 0, x);
    else
        write_some(t, e, x);
}

INLINE void take_square(const real *src, const uint32_t *pos, int64_t at, C *x)
{
    UNROLL
    for (int i = 0; i < W / 2; i++)
        x[i] = element_at(src, pos, at + i);
}

static void store_rows(const tile *t, int64_t e, const real *src,
                       const uint32_t *pos, int64_t at)
{
    C x[W / 2];

    take_square(src, pos, at, x);
    store_square(t, e, x);
}

/* As store_rows(), and adds the elements to the sums of chain c. */
INLINE void store_weighed_rows(const tile *t, int64_t e, const real *src,
                               const uint32_t *pos, int64_t at, chain *c,
                               const sum *w)
{
    C x[W / 2];

    take_square(src, pos, at, x);
    UNROLL
    for (int i = 0; i < W / 2; i++)
        chain_add(&c[i % 2], x[i], w + 2 * i, 0, 0);
    store_square(t, e, x);
}
#endif

INLINE void store_element(const tile *t, int64_t e, C x)
{
    stored *d = t->dst[0] + e * t->cp->store_es;

    store_complex(d, x.r, x.i);
    prefetch_neighbour(d, 1);
}

static void store_plain(const tile *t, int64_t e0, int64_t count, real *src,
                        const uint32_t *pos)
{
    int64_t i = 0;

    if (t->store == ACCESS_LANES) {
        for (; i < count; i++)
            store_element(t, e0 + i, element_at(src, pos, i));
        return;
    }
#if STFI_LANES > 1
    if (t->store == ACCESS_ROWS && count >= W / 2) {
        for (; i + W / 2 <= count; i += W / 2)
            store_rows(t, e0 + i, src, pos, i);
        if (i < count)
            store_rows(t, e0 + count - W / 2, src, pos, count - W / 2);
        return;
    }
#endif
    for (; i < count; i++)
        store_scatter(t, e0 + i, place(src, pos, i));
}

/* Stores and weighs the elements from e0 + i on, which are too few for a step
 * of store_weighed(). */
static void store_rest(const tile *t, int64_t e0, int64_t i, int64_t count,
                       real *src, const uint32_t *pos)
{
    int64_t from = i;

    if (t->store == ACCESS_ROWS && count >= W / 2)
        from = count - W / 2;
    store_plain(t, e0 + from, count - from, data_from(src, pos, from),
                pos_from(pos, from));
    probe_store(t->probe, e0 + i, count - i, data_from(src, pos, i),
                pos_from(pos, i));
}

/* As store_plain(), and adds the elements to the probe's sum. Only for complex
 * results that may be stored before the verdict. */
static void store_weighed(const tile *t, int64_t e0, int64_t count, real *src,
                          const uint32_t *pos)
{
    probe *k = t->probe;
    const sum *w = k->e + e0 * 2;
    chain c[2] = {{.part = {(V){0}}}, {.part = {(V){0}}}};
    int64_t i = 0;

    if (t->store == ACCESS_LANES)
        for (; i + 1 < count; i += 2) {
            C x = element_at(src, pos, i), y = element_at(src, pos, i + 1);
            store_element(t, e0 + i, x);
            store_element(t, e0 + i + 1, y);
            chain_add(&c[0], x, w + 2 * i, 0, 0);
            chain_add(&c[1], y, w + 2 * i + 2, 0, 0);
            if ((i + 2) % BLOCK == 0)
                chains_move(c, &k->out);
        }
#if STFI_LANES > 1
    if (t->store == ACCESS_ROWS)
        for (; i + W / 2 <= count; i += W / 2) {
            store_weighed_rows(t, e0 + i, src, pos, i, c, w + 2 * i);
            if ((i + W / 2) % BLOCK == 0)
                chains_move(c, &k->out);
        }
#endif
    chains_move(c, &k->out);
    if (i < count)
        store_rest(t, e0, i, count, src, pos);
}

static void apply_scale(const tile *t, int64_t count, real *src,
                        const uint32_t *pos)
{
    real scale = (real)t->run->scale;

    for (int64_t i = 0; i < count; i++) {
        real *s = place(src, pos, i);
        c_store(s, 0, W, c_scale(c_load(s, 0, W), scale));
    }
}

/* Multiplies a segment by the store's chirp and weighs it; a part of it may be
 * beyond the limit. */
static void chirp_limited(const tile *t, int64_t e0, int64_t count, real *src,
                          const uint32_t *pos)
{
    const stfi_side *side = &t->cp->p.store;
    int64_t all, none;

    limit_range(side, t->dst_index, t->count, e0, count, &all, &none);
    if (all > 0)
        apply_chirp(t, side, e0, all, src, pos);
    for (int64_t i = all; i < none; i++)
        apply_chirp_edge(t, side, e0 + i, place(src, pos, i));
    if (t->probe == NULL || has_twiddle(&t->cp->p, side))
        return;
    weigh_chirped(t, side, e0, all, none, src, pos);
    if (none < count)
        probe_store(t->probe, e0 + none, count - none,
                    data_from(src, pos, none), pos_from(pos, none));
}

/* Applies the store's modifiers to elements [e0, e0 + count) in the tile. Those
 * that are multiplied by twiddles or chirps are weighed here, too. */
static void modify_segment(const tile *t, int64_t e0, int64_t count, real *src,
                           const uint32_t *pos)
{
    const stfi_side *side = &t->cp->p.store;
    int twiddle = has_twiddle(&t->cp->p, side);

    if (twiddle)
        apply_twiddle(t, e0, count, src, pos);
    if (twiddle && t->probe != NULL)
        weigh_twiddled(t, e0, count, src, pos);
    if (t->cp->p.scaled && t->run->scale != 1.0)
        apply_scale(t, count, src, pos);
    if (side->limit > 0 && side->chirp > 0)
        chirp_limited(t, e0, count, src, pos);
}

/* As modify_segment(), and adds the results to the probe's sum if no factor
 * was multiplied to them. */
static void finish_segment(const tile *t, int64_t e0, int64_t count, real *src,
                           const uint32_t *pos)
{
    modify_segment(t, e0, count, src, pos);
    if (t->probe != NULL && !has_factor(&t->cp->p, &t->cp->p.store))
        probe_store(t->probe, e0, count, src, pos);
}

/* Stores finished elements [e0, e0 + count). */
static void put_segment(const tile *t, int64_t e0, int64_t count, real *src,
                        const uint32_t *pos)
{
    const stfi_side *side = &t->cp->p.store;
    int64_t all, none;

    if (side->limit == 0) {
        store_plain(t, e0, count, src, pos);
        return;
    }
    limit_range(side, t->dst_index, t->count, e0, count, &all, &none);
    if (all > 0)
        store_plain(t, e0, all, src, pos);
    for (int64_t i = all; i < none; i++)
        store_scatter(t, e0 + i, place(src, pos, i));
}

/* Modifies and stores elements [e0, e0 + count) of a pass without checks. */
INLINE void store_segment(const tile *t, int64_t e0, int64_t count, real *src,
                          const uint32_t *pos)
{
    const stfi_pass *p = &t->cp->p;

    if (p->twiddle.order > 0 && !p->twiddle.on_load)
        apply_twiddle(t, e0, count, src, pos);
    if (p->scaled && t->run->scale != 1.0)
        apply_scale(t, count, src, pos);
    if (p->store.limit == 0) {
        store_plain(t, e0, count, src, pos);
        return;
    }
    if (p->store.chirp > 0)
        chirp_limited(t, e0, count, src, pos);
    put_segment(t, e0, count, src, pos);
}

/* Finishes and stores elements [e0, e0 + count) of a checked pass whose results
 * are complex and may be stored before the verdict. */
static void finish_and_put(const tile *t, int64_t e0, int64_t count, real *src,
                           const uint32_t *pos)
{
    const stfi_side *side = &t->cp->p.store;

    if (has_factor(&t->cp->p, side) || side->limit > 0) {
        finish_segment(t, e0, count, src, pos);
        put_segment(t, e0, count, src, pos);
        return;
    }
    modify_segment(t, e0, count, src, pos);
    store_weighed(t, e0, count, src, pos);
}

#endif

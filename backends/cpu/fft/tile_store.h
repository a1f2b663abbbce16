/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Storing segments of consecutive elements of a tile, with the store's
 * modifiers. */
#ifndef STFI_FFT_TILE_STORE_H
#define STFI_FFT_TILE_STORE_H

#include "backends/cpu/fft/tile_load.h"

/* Stores element `index` of a half spectrum at component `at` of lane l, which
 * begins with element `first`. Elements beyond the middle are stored as the
 * conjugate of their mirror image. */
static void store_half(const port *p, int l, int64_t index, int64_t at, real re,
                       real im)
{
    const stfi_side *side = p->side;
    int64_t first = p->indexed ? p->index[l] : 0;
    int far = 2 * index > side->full;

    if (far && (first == 0 || 2 * first == side->index.elem))
        return; /* the lane has the mirrored element too */
    if (far)
        at += (side->full - 2 * index) * (p->es / side->index.elem);
    put_component(p, l, at, re);
    put_component(p, l, at + 1,
                  index == 0 || 2 * index == side->full ? 0
                  : far                                 ? -im
                                                        : im);
}

static void store_scatter(const port *p, int64_t e, const real *s)
{
    const stfi_side *side = p->side;

    if (store_same(p, e, s)
        || (side->order != STFI_ORDER_NONE && store_placed_lanes(p, e, s)))
        return;
    for (int l = 0; l < p->count; l++) {
        int64_t at = element_offset(p, e);
        int64_t first = p->indexed ? p->index[l] : 0;
        int64_t index = first + e * side->index.elem;
        if ((side->limit > 0 && index >= side->limit)
            || (side->rows > 0 && first >= side->rows))
            continue;
        if (side->order != STFI_ORDER_NONE) {
            store_placed(p, l, index, s[l], s[W + l]);
            continue;
        }
        if (side->form == STFI_FORM_HALF) {
            store_half(p, l, index, at, s[l], s[W + l]);
            continue;
        }
        put_component(p, l, at, s[l]);
        if (side->form != STFI_FORM_REAL)
            put_component(p, l, at + p->im, s[W + l]);
    }
}

/* The same where is_regular() is 1 and the element is below the limit. */
INLINE void store_regular(const port *p, int64_t e, const real *s)
{
#ifdef STFI_HAS_NUMBERS
    if (p->im == 1 && p->count == W) {
        write_numbers(p, e * p->es, c_load(s, 0, W));
        return;
    }
#endif
    for (int l = 0; l < p->count; l++) {
        put_component(p, l, e * p->es, s[l]);
        put_component(p, l, e * p->es + p->im, s[W + l]);
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
INLINE void write_square(const port *p, int format, int64_t e, int swap,
                         const C *x)
{
    V v[W];

    transpose_back(x, swap, v);
    UNROLL
    for (int l = 0; l < W; l++) {
        stored *to = stored_at(p->at[l], format, 2 * e);
        store_stored(to, format, v[l]);
        __builtin_prefetch(stored_at(to, format, p->ahead), 1, 2);
    }
}

/* As write_square(), for the lanes in use only. v[] stays in registers only if
 * its indices are constants, so the rows go through memory. */
static void write_some(const port *p, int64_t e, const C *x)
{
    stored rows[W * W * STORED_UNITS] __attribute__((aligned(64)));
    const int format = p->format;
    V v[W];

    transpose_back(x, 0, v);
    BY_FORMAT(format, UNROLL for (int l = 0; l < W; l++)
                          store_stored(stored_at(rows, AS, l * W), AS, v[l]));
    for (int l = 0; l < p->count; l++)
        memcpy(component(p, l, 2 * e), stored_at(rows, format, l * W),
               W * (size_t)stored_bytes(format));
}

INLINE void store_square(const port *p, int64_t e, const C *x)
{
    if (p->count == W)
        BY_FORMAT(p->format, write_square(p, AS, e, 0, x));
    else
        write_some(p, e, x);
}

INLINE void take_square(const real *src, const uint32_t *pos, int64_t at, C *x)
{
    UNROLL
    for (int i = 0; i < W / 2; i++)
        x[i] = element_at(src, pos, at + i);
}

static void store_rows(const port *p, int64_t e, const real *src,
                       const uint32_t *pos, int64_t at)
{
    C x[W / 2];

    take_square(src, pos, at, x);
    store_square(p, e, x);
}
#endif

INLINE void store_element(const port *p, int64_t e, C x)
{
    stored *d = component(p, 0, e * p->es);

    store_complex(d, p->format, x.r, x.i);
    prefetch_columns(stored_at(d, p->format, p->beside), p->format, 1);
}

static void store_plain(const port *p, int64_t e0, int64_t count,
                        const real *src, const uint32_t *pos)
{
    int64_t i = 0;

    if (p->access == ACCESS_LANES) {
        for (; i < count; i++)
            store_element(p, e0 + i, element_at(src, pos, i));
        return;
    }
#if STFI_LANES > 1
    if (p->access == ACCESS_ROWS && count >= W / 2) {
        for (; i < count; i += W / 2) {
            const int64_t at = square_at(i, W / 2, count);
            store_rows(p, e0 + at, src, pos, at);
        }
        return;
    }
    if (p->access == ACCESS_REALS && count >= W) {
        for (; i < count; i += W) {
            const int64_t at = square_at(i, W, count);
            write_real_square(p, e0 + at, src, pos, at);
        }
        return;
    }
#endif
    if (is_regular(p->side))
        for (; i < count; i++)
            store_regular(p, e0 + i, value_at(src, pos, i));
    for (; i < count; i++)
        store_scatter(p, e0 + i, value_at(src, pos, i));
}

static void apply_scale(const tile *t, int64_t count, real *src,
                        const uint32_t *pos)
{
    factor scale = factor_of(t);

    for (int64_t i = 0; i < count; i++) {
        real *s = place(src, pos, i);
        c_store(s, 0, W, c_times(c_load(s, 0, W), scale));
    }
}

/* Applies the store's modifiers to elements [e0, e0 + count) in the tile. */
static void modify_segment(const tile *t, int64_t e0, int64_t count, real *src,
                           const uint32_t *pos)
{
    const port *p = &t->work.out;

    if (has_twiddle(&t->cp->p, p->side))
        apply_twiddle(t, e0, count, src, pos);
    if (is_one_root(p->side))
        scale_one(t, place(src, pos, 0));
    else if (t->cp->p.scaled && t->run->scale != 1.0)
        apply_scale(t, count, src, pos);
    if (p->side->chirp > 0)
        apply_chirp_limited(t, p, e0, count, src, pos);
}

/* As put_segment(), for a side with a limit. */
static void put_limited(const tile *t, int64_t e0, int64_t count,
                        const real *src, const uint32_t *pos)
{
    const port *p = &t->work.out;
    int64_t all, none;

    limit_range(p, e0, count, &all, &none);
    if (all > 0)
        store_plain(p, e0, all, src, pos);
    for (int64_t i = all; i < none; i++)
        store_scatter(p, e0 + i, value_at(src, pos, i));
}

/* Stores finished elements [e0, e0 + count). */
INLINE void put_segment(const tile *t, int64_t e0, int64_t count,
                        const real *src, const uint32_t *pos)
{
    if (t->cp->p.store.limit > 0)
        put_limited(t, e0, count, src, pos);
    else
        store_plain(&t->work.out, e0, count, src, pos);
}

/* Modifies and stores elements [e0, e0 + count) of a pass without checks. */
INLINE void store_segment(const tile *t, int64_t e0, int64_t count, real *src,
                          const uint32_t *pos)
{
    modify_segment(t, e0, count, src, pos);
    put_segment(t, e0, count, src, pos);
}

#endif

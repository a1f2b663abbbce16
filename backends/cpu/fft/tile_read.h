/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Reading consecutive elements of one side of a tile's lanes from memory, as they
 * are, and tables of the lanes' rows. */
#ifndef STFI_FFT_TILE_READ_H
#define STFI_FFT_TILE_READ_H

#include "backends/cpu/fft/lane_numbers.h"
#include "backends/cpu/fft/placed_lanes.h"
#include "backends/cpu/fft/placed_same.h"
#include "backends/cpu/fft/real_squares.h"

/* Reads element e of lane l, with regard to form and limit. */
static void read_component(const port *p, int l, int64_t e, real *re, real *im)
{
    const stfi_side *side = p->side;
    int64_t at = element_offset(p, e);
    int64_t first = p->indexed ? p->index[l] : 0;
    int64_t index = first + e * side->index.elem;

    *re = *im = 0;
    if ((side->limit > 0 && index >= side->limit)
        || (side->rows > 0 && first >= side->rows))
        return;
    if (side->order != STFI_ORDER_NONE) {
        read_placed(p, l, index, re, im);
        return;
    }
    if (side->form == STFI_FORM_HALF && index > side->full / 2) {
        /* It is the conjugate of the mirrored element. */
        int64_t mirrored = side->full - index;
        at += (mirrored - index) * (p->es / side->index.elem);
        *re = get_component(p, l, at);
        *im = -get_component(p, l, at + 1);
        return;
    }
    *re = get_component(p, l, at);
    if (side->form != STFI_FORM_REAL)
        *im = get_component(p, l, at + p->im);
    if (side->form != STFI_FORM_HALF)
        return;
    if (index == 0 || 2 * index == side->full) {
        *im = 0;
    } else if (is_doubled(p)) {
        *re += *re;
        *im += *im;
    }
}

static void read_scatter(const port *p, int64_t e, real *dst)
{
    if (read_same(p, e, dst)
        || (p->side->order != STFI_ORDER_NONE && read_placed_lanes(p, e, dst)))
        return;
    for (int l = 0; l < p->count; l++)
        read_component(p, l, e, dst + l, dst + W + l);
    for (int l = p->count; l < W; l++) {
        dst[l] = dst[0];
        dst[W + l] = dst[W];
    }
}

/* 1 if the elements of a side are complex numbers at equal distances, so that
 * those below the limit need no questions. */
static int is_regular(const stfi_side *side)
{
    return (side->form == STFI_FORM_COMPLEX || side->form == STFI_FORM_PAIRS)
           && side->block == 0 && side->rows == 0
           && side->order == STFI_ORDER_NONE;
}

/* The same as read_scatter() where is_regular() is 1. Lanes that are not in use
 * repeat lane 0. */
INLINE void read_regular(const port *p, int64_t e, real *dst)
{
#ifdef STFI_HAS_NUMBERS
    if (p->im == 1) {
        c_store(dst, 0, W, read_numbers(p, e * p->es));
        return;
    }
#endif
    for (int l = 0; l < W; l++) {
        dst[l] = get_component(p, l, e * p->es);
        dst[W + l] = get_component(p, l, e * p->es + p->im);
    }
}

#if STFI_LANES > 1
/* Reads W/2 elements of W rows at once, a square of W by W reals; `swap`
 * exchanges real and imaginary parts. */
INLINE void read_square(const port *p, int format, int64_t e, int swap, C *x)
{
    V v[W];
    UNROLL
    for (int l = 0; l < W; l++) {
        const stored *from = stored_at(p->at[l], format, 2 * e);
        v[l] = load_stored(from, format);
        __builtin_prefetch(stored_at(from, format, p->ahead), 0, 2);
    }
    transpose(v);
    UNROLL
    for (int i = 0; i < W / 2; i++)
        x[i] = swap ? (C){v[2 * i + 1], v[2 * i]} : (C){v[2 * i], v[2 * i + 1]};
}

static void read_rows(const port *p, int64_t e, real *dst, const uint32_t *pos,
                      int64_t at)
{
    C x[W / 2];

    BY_FORMAT(p->format, read_square(p, AS, e, 0, x));
    UNROLL
    for (int i = 0; i < W / 2; i++)
        c_store(place(dst, pos, at + i), 0, W, x[i]);
}

/* Reads elements [e0, e0 + count) of half spectra, which are all up to the middle, or
 * if `mirrored` is 1 all beyond it; they go to places `at` and up. */
static void read_half_side(const port *p, int64_t e0, int64_t count,
                           int mirrored, real *dst, const uint32_t *pos,
                           int64_t at)
{
    for (int64_t i = 0; i < count && count < W / 2; i++)
        read_scatter(p, e0 + i, place(dst, pos, at + i));
    for (int64_t i = 0; i < count && count >= W / 2; i += W / 2) {
        const int64_t from = square_at(i, W / 2, count);
        read_half_square(p, e0 + from, mirrored, dst, pos, at + from);
    }
}

static void read_half(const port *p, int64_t e0, int64_t count, real *dst,
                      const uint32_t *pos)
{
    const int64_t full = p->side->full, left = full / 2 + 1 - e0;
    const int64_t direct = left < 0 ? 0 : left < count ? left : count;

    read_half_side(p, e0, direct, 0, dst, pos, 0);
    read_half_side(p, e0 + direct, count - direct, 1, dst, pos, direct);
    /* The imaginary parts at both ends are ignored. */
    if (e0 == 0 && count > 0)
        store(place(dst, pos, 0) + W, (V){0});
    if (full % 2 == 0 && left > 0 && left <= count)
        store(place(dst, pos, left - 1) + W, (V){0});
}
#endif

INLINE void read_element(const port *p, int64_t e, real *d)
{
    const stored *s = component(p, 0, e * p->es);
    C x;

    load_complex(s, p->format, &x.r, &x.i);
    prefetch_columns(stored_at(s, p->format, p->beside), p->format, 0);
    c_store(d, 0, W, x);
}

/* Reads elements [e0, e0 + count), which are all below the limit. Element
 * e0 + i goes to place i, or to pos[i] if pos is not NULL. */
static void read_plain(const port *p, int64_t e0, int64_t count, real *dst,
                       const uint32_t *pos)
{
    int64_t i = 0;

    if (p->access == ACCESS_LANES) {
        for (; i < count; i++)
            read_element(p, e0 + i, place(dst, pos, i));
        return;
    }
#if STFI_LANES > 1
    if (p->access == ACCESS_ROWS && count >= W / 2) {
        for (; i < count; i += W / 2) {
            const int64_t at = square_at(i, W / 2, count);
            read_rows(p, e0 + at, dst, pos, at);
        }
        return;
    }
    if (p->access == ACCESS_REALS && count >= W) {
        for (; i < count; i += W) {
            const int64_t at = square_at(i, W, count);
            read_real_square(p, e0 + at, dst, pos, at);
        }
        return;
    }
    if (p->access == ACCESS_HALF) {
        read_half(p, e0, count, dst, pos);
        return;
    }
#endif
    if (is_regular(p->side))
        for (; i < count; i++)
            read_regular(p, e0 + i, place(dst, pos, i));
    for (; i < count; i++)
        read_scatter(p, e0 + i, place(dst, pos, i));
}

/* Reads elements [e0, e0 + count) of a side that may have a limit; elements
 * beyond it are zero. */
static void read_limited(const port *p, int64_t e0, int64_t count, real *dst,
                         const uint32_t *pos)
{
    int64_t all = count, none = count, i;

    if (p->side->limit > 0)
        limit_range(p, e0, count, &all, &none);
    if (all > 0)
        read_plain(p, e0, all, dst, pos);
    for (i = all; i < none; i++)
        read_scatter(p, e0 + i, place(dst, pos, i));
    for (; i < count; i++)
        memset(place(dst, pos, i), 0, ELEM * sizeof(real));
}

/* Reads the twiddles of the lanes' rows from a table of `count` entries a row, by
 * the functions that read arrays: those of the table's format. */
static void read_table_rows(const site *s, const real *table, int64_t count,
                            real *dst)
{
    port rows = {.format = STFI_REAL_ID,
                 .access =
                     W > 1 && count >= W / 2 ? ACCESS_ROWS : ACCESS_SCATTER};

    for (int l = 0; l < W; l++)
        rows.at[l] =
            stored_at((const void *)table, rows.format, s->row[l] * count * 2);
    if (rows.access == ACCESS_ROWS) {
        read_plain(&rows, 0, count, dst, NULL);
        return;
    }
    for (int64_t e = 0; e < count; e++)
        for (int l = 0; l < W; l++) {
            dst[e * ELEM + l] = get_component(&rows, l, 2 * e);
            dst[e * ELEM + W + l] = get_component(&rows, l, 2 * e + 1);
        }
}

static void read_twiddles(const stfi_cpu_pass *cp, const site *s)
{
    if (cp->p.twiddle.order == 0)
        return;
    read_table_rows(s, cp->tw_fine, cp->fine, s->fine);
    read_table_rows(s, cp->tw_coarse, (cp->p.signal + cp->fine - 1) / cp->fine,
                    s->coarse);
}

#endif

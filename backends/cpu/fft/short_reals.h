/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Rows of few reals in passes without checks: the steps of real_rows.h for one
 * tile after another along a loop, because for a few reals it takes longer to
 * find a tile's place, and what it needs, than to compute it. The arithmetic is
 * the same, so that checks do not change a result. */
#ifndef STFI_FFT_SHORT_REALS_H
#define STFI_FFT_SHORT_REALS_H

#include "backends/cpu/fft/real_rows.h"

/* Where rows of both sides lie, and how far apart. */
typedef struct rows_at {
    const stored *src;
    stored *dst;
    int64_t in, out;
} rows_at;

/* Halves would need three copies of each function, for what memory may hold. */
#if STFI_LANES > 1 && !defined STFI_HALF
#define HOLDS_REALS 1
#else
#define HOLDS_REALS 0
#endif

#if HOLDS_REALS
#define RADIX 2
#define PAIRS 1
#include "backends/cpu/fft/held_reals.h"
#define RADIX 3
#define PAIRS 1
#include "backends/cpu/fft/held_reals.h"
#define RADIX 4
#define PAIRS 1
#include "backends/cpu/fft/held_reals.h"
#define RADIX 5
#define PAIRS 1
#include "backends/cpu/fft/held_reals.h"
#define RADIX 6
#define PAIRS 1
#include "backends/cpu/fft/held_reals.h"
#define RADIX 7
#define PAIRS 1
#include "backends/cpu/fft/held_reals.h"
#define RADIX 5
#define PAIRS 0
#include "backends/cpu/fft/held_reals.h"
#define RADIX 7
#define PAIRS 0
#include "backends/cpu/fft/held_reals.h"
#define RADIX 15
#define PAIRS 0
#include "backends/cpu/fft/held_reals.h"
#endif

typedef void (*held_fn)(const tile *, rows_at, int64_t);

/* The functions that hold rows in registers, by the reals of a row. There is none of
 * 9: half of the results are not needed, and without these a compiler makes other
 * products and sums of the last radix one instruction than in a tile, which rounds
 * otherwise than what protected plans compute. */
static const struct {
    held_fn r2hc, hc2r, dct2, dct3;
} held[16] = {
#if HOLDS_REALS
#define EVEN(n, r)                                                  \
    [n] = {held_r2hc_##r##_1, held_hc2r_##r##_1, held_dct2_##r##_1, \
           held_dct3_##r##_1}
#define ODD(n) [n] = {held_r2hc_##n##_0, held_hc2r_##n##_0, NULL, NULL}
    EVEN(4, 2),  EVEN(6, 3), EVEN(8, 4), EVEN(10, 5), EVEN(12, 6),
    EVEN(14, 7), ODD(5),     ODD(7),     ODD(15),
#undef ODD
#undef EVEN
#else
    {NULL, NULL, NULL, NULL},
#endif
};

/* Returns the function for the rows of a pass, or NULL. */
static held_fn find_held(const tile *t)
{
    const stfi_side *in = &t->cp->p.load, *out = &t->cp->p.store;
    const int back = in->form == STFI_FORM_HC;
    const stfi_side *real_side = back ? out : in, *spectrum = back ? in : out;
    const int folded = real_side->order == STFI_ORDER_FOLD;
    const int quarter = spectrum->turn == STFI_TURN_QUARTER;

    if (real_side->span >= 16 || spectrum->form != STFI_FORM_HC
        || spectrum->order != STFI_ORDER_PLAIN || folded != quarter
        || (!folded && real_side->order != STFI_ORDER_PLAIN)
        || (!quarter && spectrum->turn != STFI_TURN_NONE)
        || real_side->alternate || real_side->reversed || spectrum->reversed
        || (t->ro != 0) != back)
        return NULL;
    if (back)
        return folded ? held[real_side->span].dct3 : held[real_side->span].hc2r;
    return folded ? held[real_side->span].dct2 : held[real_side->span].r2hc;
}

/* 1 if the side is rows of at least W reals, of which maps tell the places. */
static int has_short_rows(const port *p, const uint32_t *map)
{
    return map != NULL && are_rows(p);
}

/* 1 if tiles along the first loop of a pass may be computed here. */
static int suits_short_reals(const tile *t)
{
    const stfi_cpu_pass *cp = t->cp;

    return cp->straight && cp->p.nstages == 1 && is_special(cp->p.radix[0])
           && has_short_rows(&t->work.in, cp->load_map)
           && has_short_rows(&t->work.out, cp->store_map);
}

/* Reads W rows at a distance of `step` reals. */
INLINE void read_short_rows(const tile *t, const stored *src, int64_t step,
                            int twice)
{
    const port *p = &t->work.in;
    const int64_t span = p->side->span;

    for (int64_t r = 0; r < span; r += W) {
        int64_t at = square_at(r, W, span);
        V v[W];
        UNROLL
        for (int l = 0; l < W; l++)
            v[l] = load_stored(stored_at(src, p->format, l * step + at),
                               p->format);
#if STFI_LANES > 1
        transpose(v);
#endif
        UNROLL
        for (int i = 0; i < W; i++)
            put_place(t->data, t->cp->load_map, span, at + i, twice, v[i]);
    }
}

INLINE void write_short_rows(const tile *t, stored *dst, int64_t step,
                             factor scale)
{
    const port *p = &t->work.out;
    const int64_t span = p->side->span;

    for (int64_t r = 0; r < span; r += W) {
        int64_t at = square_at(r, W, span);
        V v[W];
        UNROLL
        for (int i = 0; i < W; i++)
            v[i] = get_place(t->data, t->cp->store_map, at + i, scale);
#if STFI_LANES > 1
        transpose(v);
#endif
        UNROLL
        for (int l = 0; l < W; l++)
            store_stored(stored_at(dst, p->format, l * step + at), p->format,
                         v[l]);
    }
}

/* Computes tiles by way of the tile. */
static void run_mapped(const tile *t, rows_at at, int64_t tiles)
{
    const stfi_cpu_pass *cp = t->cp;
    const int twice = has_images(&cp->p.load), r = cp->p.radix[0];
    const factor scale = factor_of(t);

    for (int64_t i = 0; i < tiles; i++) {
        read_short_rows(t, at.src, at.in, twice);
        clear_rest(t);
        enter_straight(t);
        if (cp->p.load.turn == STFI_TURN_FOUR)
            turn_four(t);
        stages[r].first(t->data, r, 1, 1, t->data, NULL, t->ro, t->io);
        leave_straight(t);
        write_short_rows(t, at.dst, at.out, scale);
        at.src = stored_at(at.src, t->work.in.format, at.in * W);
        at.dst = stored_at(at.dst, t->work.out.format, at.out * W);
    }
}

/* Returns what computes tiles of the pass along its first loop, or NULL. */
static held_fn find_short_reals(const tile *t)
{
    const held_fn fn = suits_short_reals(t) ? find_held(t) : NULL;

    return fn != NULL || !suits_short_reals(t) ? fn : run_mapped;
}

/* Computes the tiles of W rows, at most `lanes`, that follow along the first
 * loop. Returns how many lanes these are; the walk is behind them then. */
static int64_t run_short_reals(const tile *t, held_fn fn, walk *w,
                               int64_t lanes)
{
    const stfi_cpu_pass *cp = t->cp;
    const int64_t left = w->n[0] - w->at[0];
    const int64_t tiles = (left < lanes ? left : lanes) / W;
    const rows_at at = {
        stored_at(t->run->src, t->work.in.format, w->src),
        stored_at(t->run->dst, t->work.out.format, w->dst),
        cp->load_ls[0],
        cp->store_ls[0],
    };

    fn(t, at, tiles);
    walk_shift(w, cp, 0, tiles * W);
    if (tiles > 0 && w->at[0] == w->n[0]) {
        walk_shift(w, cp, 0, -1);
        walk_next(w, cp);
    }
    return tiles * W;
}

#endif

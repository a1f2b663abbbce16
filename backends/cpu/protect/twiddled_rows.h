/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Weighted sums along rows in memory whose elements have twiddles. Element e of
 * row q has the weight w[e] t, where t is the product of a coarse twiddle,
 * which `fine` neighbours share, and a fine one. So the sum over these
 * neighbours is made with w[e] times the fine twiddle, and multiplied by the
 * coarse one. Both tables are short and read along their rows. */
#ifndef STFI_PROTECT_TWIDDLED_ROWS_H
#define STFI_PROTECT_TWIDDLED_ROWS_H

#include "backends/cpu/protect/row_weighing.h"

#if STFI_LANES > 1
/* The twiddles of the tile's rows. */
typedef struct row_twiddles {
    const real *fine[W], *coarse[W];
    int64_t per_coarse;
} row_twiddles;

static row_twiddles row_twiddles_of(const tile *t)
{
    const stfi_cpu_pass *cp = t->cp;
    int64_t coarse = (cp->p.signal + cp->fine - 1) / cp->fine;
    row_twiddles tw = {.per_coarse = cp->fine};

    for (int l = 0; l < W; l++) {
        tw.fine[l] = (const real *)cp->tw_fine + 2 * cp->fine * t->seen.row[l];
        tw.coarse[l] =
            (const real *)cp->tw_coarse + 2 * coarse * t->seen.row[l];
    }
    return tw;
}

/* The parts of the weights of vector v, as factors of (re, im) pairs of twiddles
 * and of the same pairs with their parts exchanged. */
INLINE void twiddled_weights(const sum *w, int64_t v, weights kind,
                             int conjugate, V *re, V *im)
{
    const V minus = {STFI_CAT(SIGNS_, STFI_LANES)};

    row_weights(w, v, kind, re, im);
    if (conjugate)
        *re = *re * minus;
    else
        *im = *im * -minus;
}

/* w t for a vector of fine twiddles. */
INLINE V twiddled_own(V t, V re, V im, weights kind)
{
    return kind == WEIGHTS_REAL ? t * re : t * re + swapped(t) * im;
}

/* (a, b) times a complex number in each pair. */
INLINE V times_pair(V x, real re, real im)
{
    const V minus = {STFI_CAT(SIGNS_, STFI_LANES)};

    return x * re - swapped(x) * (minus * im);
}

/* Adds elements [e, e + count), which share their coarse twiddles, of rows
 * l, l + 1, .. to the terms of each. w is the weight of element e. */
INLINE void weigh_coarse(const port *p, const row_twiddles *tw, int l,
                         int64_t e, int64_t count, const sum *w, weights kind,
                         int conjugate, int swap, V *terms)
{
    V straight[ROWS_AT_ONCE], crossed[ROWS_AT_ONCE];

    UNROLL
    for (int q = 0; q < ROWS_AT_ONCE; q++)
        straight[q] = crossed[q] = (V){0};
    for (int64_t v = 0; v < count / (W / 2); v++) {
        int64_t at = 2 * (e % tw->per_coarse) + W * v;
        V re, im;
        twiddled_weights(w, v, kind, conjugate, &re, &im);
        UNROLL
        for (int q = 0; q < ROWS_AT_ONCE; q++) {
            V own = twiddled_own(loadu(tw->fine[l + q] + at), re, im, kind);
            V x = load_components(p, l + q, 2 * e + W * v);
            straight[q] = straight[q] + x * own;
            crossed[q] = crossed[q] + x * swapped(own);
        }
    }
    UNROLL
    for (int q = 0; q < ROWS_AT_ONCE; q++) {
        const real *c = tw->coarse[l + q] + 2 * (e / tw->per_coarse);
        V both =
            row_terms(straight[q], crossed[q], WEIGHTS_OWN, FOLD_COMPLEX, swap);
        terms[q] += times_pair(both, c[0], conjugate ? -c[1] : c[1]);
    }
}

/* Adds the terms of rows l, l + 1, .. to the sums; those of joint rows are added up
 * with the signs of joint_vector(). */
INLINE void add_row_terms(row_sums *r, int l, const V *terms)
{
    const int step = r->joint ? JOINED : 1, start = r->granules % BLOCK == 0;
    V *part = r->part[0][0];

    for (int q = 0; q < ROWS_AT_ONCE; q += step) {
        V both = terms[q];
        for (int k = 1; k < step; k++)
            both = k % 2 ? both - terms[q + k] : both + terms[q + k];
        if (!start)
            both += part[(l + q) / step];
        part[(l + q) / step] = both;
    }
}

/* Sums up elements [e0, e0 + count) of W rows, as far as they fill whole vectors;
 * returns their number. */
INLINE int64_t weigh_row_twiddles(const port *p, row_sums *r,
                                  const row_twiddles *tw, const sum *w,
                                  int64_t e0, int64_t count, weights kind,
                                  int conjugate, int swap)
{
    int64_t end = e0 + count / (W / 2) * (W / 2);

    r->kind = WEIGHTS_TERMS;
    for (int l = 0; l < W; l += ROWS_AT_ONCE) {
        V terms[ROWS_AT_ONCE];
        memset(terms, 0, sizeof terms);
        for (int64_t e = e0, size; e < end; e += size) {
            size = tw->per_coarse - e % tw->per_coarse;
            size = size < end - e ? size : end - e;
            weigh_coarse(p, tw, l, e, size, w + 2 * e, kind, conjugate, swap,
                         terms);
        }
        add_row_terms(r, l, terms);
    }
    r->granules++;
    rows_carry(r);
    return end - e0;
}

/* 1 if a side has rows with twiddles that these functions add up: vectors do not
 * cross the ends of neighbours that share a coarse twiddle. */
static int has_twiddled_rows(const tile *t, const port *p)
{
    const stfi_pass *pass = &t->cp->p;

    return p->access == ACCESS_ROWS && has_twiddle(pass, p->side)
           && p->side->chirp == 0 && t->cp->fine % (W / 2) == 0;
}

/* Sums up elements [e0, e0 + count) of such a side, as far as they fill whole
 * vectors; returns their number. They begin at a whole vector. */
static int64_t weigh_twiddled_rows(const tile *t, int loaded, int64_t e0,
                                   int64_t count)
{
    probe *k = t->probe;
    const port *p = loaded ? &t->seen.in : &t->seen.out;
    row_sums *r = loaded ? k->in.rows : k->out.rows;
    const row_twiddles tw = row_twiddles_of(t);
    const sum *w = loaded ? k->row : k->e;
    int ro = t->cp->p.twiddle.conjugate ? t->io : t->ro;
    int conjugate = loaded != (ro == k->ro), swap = k->ro != 0;

    if (loaded ? k->real_row : k->real_e)
        return weigh_row_twiddles(p, r, &tw, w, e0, count, WEIGHTS_REAL,
                                  conjugate, swap);
    return weigh_row_twiddles(p, r, &tw, w, e0, count, WEIGHTS_COMPLEX,
                              conjugate, swap);
}
#endif

#endif

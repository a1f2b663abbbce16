/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Sums over what lies in memory: the input of a tile as it is before it is
 * loaded, and the output as it was stored. They are made by reads of their own,
 * at addresses of their own (`seen`), so that a fault between memory and the
 * tile shows in the residual as one within the tile does. Where elements are
 * neighbours in memory they are summed as they lie there, as (re, im) pairs, and
 * not transposed. */
#ifndef STFI_PROTECT_MEMORY_SUMS_H
#define STFI_PROTECT_MEMORY_SUMS_H

#include "backends/cpu/protect/signature.h"
#include "backends/cpu/protect/twiddled_rows.h"

/* Elements that are read at a time where they have to be transposed. */
enum { AGAIN = 16 };

/* Keeps the compiler from using values that were read from memory before, or
 * that were written there. */
#define READ_AGAIN() __asm__ volatile("" : : : "memory")

/* Elements of columns are far apart. Of those whose distance is a multiple of FAR
 * bytes a cache holds only some: so they are loaded as soon as they are summed
 * up, and summed up as soon as they are stored, SUMMED_AT_ONCE at a time. */
enum { FAR = 1024, SUMMED_AT_ONCE = 2 * BLOCK };

static int is_summed_apart(const tile *t, const port *p)
{
    return p->access != ACCESS_LANES
           || p->es * stored_bytes(p->format) % FAR != 0
           || has_factor(&t->cp->p, p->side);
}

#if STFI_LANES > 1
/* Sums of lanes that are neighbours, as they lie in memory: of w.r x and w.i x
 * for the first W reals x of an element and for the last W. */
typedef struct lane_sums {
    V re[2], im[2];
} lane_sums;

INLINE void weigh_lane(lane_sums *s, const port *p, int64_t x, const sum *w,
                       weights kind)
{
    UNROLL
    for (int i = 0; i < 2; i++) {
        V part = load_components(p, 0, x + i * W);
        s->re[i] = s->re[i] + part * w[0];
        if (kind != WEIGHTS_REAL)
            s->im[i] = s->im[i] + part * w[1];
    }
}

/* Sums up elements [e0, e0 + count) of lanes that are neighbours, in two sums
 * that take turns. */
INLINE void weigh_lanes(const port *p, sums *s, const sum *w, int64_t e0,
                        int64_t count, weights kind)
{
    for (int64_t i = 0, end; i < count; i = end) {
        lane_sums x = {{{0}}, {{0}}}, y = x;
        V part[4];
        end = count - i < BLOCK ? count : i + BLOCK;
        for (; i + 1 < end; i += 2) {
            weigh_lane(&x, p, (e0 + i) * p->es, w + 2 * i, kind);
            weigh_lane(&y, p, (e0 + i + 1) * p->es, w + 2 * i + 2, kind);
        }
        if (i < end)
            weigh_lane(&x, p, (e0 + i) * p->es, w + 2 * i, kind);
        UNROLL
        for (int h = 0; h < 2; h++) {
            x.re[h] += y.re[h];
            x.im[h] += y.im[h];
        }
        part[0] = evens(x.re[0], x.re[1]);
        part[3] = odds(x.re[0], x.re[1]);
        part[2] = evens(x.im[0], x.im[1]);
        part[1] = odds(x.im[0], x.im[1]);
        sums_add(s, part, (V){0});
    }
}

static int64_t rows_complex(const port *p, row_sums *r, const sum *w,
                            int64_t e0, int64_t count)
{
    return weigh_rows(p, r, w, e0, count, WEIGHTS_COMPLEX);
}

static int64_t rows_real(const port *p, row_sums *r, const sum *w, int64_t e0,
                         int64_t count)
{
    return weigh_rows(p, r, w, e0, count, WEIGHTS_REAL);
}

static int64_t rows_pairs(const port *p, row_sums *r, const sum *w, int64_t e0,
                          int64_t count)
{
    return weigh_rows(p, r, w, e0, count, WEIGHTS_PAIRS);
}

static int64_t lanes_complex(const port *p, sums *s, const sum *w, int64_t e0,
                             int64_t count)
{
    weigh_lanes(p, s, w, e0, count, WEIGHTS_COMPLEX);
    return count;
}

static int64_t lanes_real(const port *p, sums *s, const sum *w, int64_t e0,
                          int64_t count)
{
    weigh_lanes(p, s, w, e0, count, WEIGHTS_REAL);
    return count;
}

/* The functions for each kind of weights; they return how many elements they
 * have summed up. */
static const struct {
    int64_t (*rows)(const port *, row_sums *, const sum *, int64_t, int64_t);
    int64_t (*lanes)(const port *, sums *, const sum *, int64_t, int64_t);
} weigh_some[] = {
    [WEIGHTS_COMPLEX] = {rows_complex, lanes_complex},
    [WEIGHTS_PAIRS] = {rows_pairs, NULL},
    [WEIGHTS_REAL] = {rows_real, lanes_real},
};
#endif

/* The parts of a result that are in memory: bit 0 for the real part, bit 1 for
 * the imaginary one. See store_scatter(). */
static int stored_parts(const port *p, int l, int64_t e)
{
    const stfi_side *side = p->side;
    int64_t first = p->indexed ? p->index[l] : 0;
    int64_t index = first + e * side->index.elem;

    if ((side->limit > 0 && index >= side->limit)
        || (side->rows > 0 && first >= side->rows))
        return 0;
    if (side->form == STFI_FORM_REAL)
        return side->turn == STFI_TURN_IMAG ? 2 : 1;
    if (side->form == STFI_FORM_HC)
        return index == 0 || 2 * index == side->full ? 1 : 3;
    if (side->form != STFI_FORM_HALF)
        return 3;
    if (2 * index > side->full && (first == 0 || 2 * first == side->index.elem))
        return 0;
    return index == 0 || 2 * index == side->full ? 1 : 3;
}

/* Takes what is not stored of `count` results from e on from the tile, where
 * they lie at data or pos. */
static void take_unstored(const port *p, int64_t e, int64_t count,
                          const real *data, const uint32_t *pos, real *again)
{
    for (int64_t i = 0; i < count; i++) {
        const real *from = value_at(data, pos, i);
        for (int l = 0; l < W; l++) {
            int stays = stored_parts(p, l, e + i);
            if (!(stays & 1))
                again[i * ELEM + l] = from[l];
            if (!(stays & 2))
                again[i * ELEM + W + l] = from[W + l];
        }
    }
}

/* Sums up elements [e0 + i, e0 + count) of a side, which are read into scratch
 * as the tile is loaded. `data` and `pos` are the results in the tile, or NULL
 * if all of them are stored. */
static void weigh_again(const tile *t, int loaded, int64_t e0, int64_t i,
                        int64_t count, const real *data, const uint32_t *pos)
{
    const port *p = loaded ? &t->seen.in : &t->seen.out;

    while (i < count) {
        int64_t size = count - i < AGAIN ? count - i : AGAIN;
        int64_t from = size < W / 2 && count >= W / 2 ? size - W / 2 : 0;
        read_limited(p, e0 + i + from, size - from, t->again, NULL);
        if (data != NULL)
            take_unstored(p, e0 + i, size, data_from(data, pos, i),
                          pos_from(pos, i), t->again - from * ELEM);
        weigh_side(t, loaded, e0 + i, size, t->again - from * ELEM, NULL);
        i += size;
    }
}

/* The kind of weights of the load or of the results. */
static weights kind_of(const probe *k, int loaded)
{
    if ((loaded ? k->row_fold : k->e_fold) == FOLD_PAIRS)
        return WEIGHTS_PAIRS;
    return (loaded ? k->real_row : k->real_e) ? WEIGHTS_REAL : WEIGHTS_COMPLEX;
}

/* Sums up elements [e0, e0 + count) of a side without factors or limits. */
static void weigh_plain(const tile *t, int loaded, int64_t e0, int64_t count)
{
    int64_t i = 0;
#if STFI_LANES > 1
    const port *p = loaded ? &t->seen.in : &t->seen.out;
    probe *k = t->probe;
    weights kind = kind_of(k, loaded);
    sums *s = loaded ? &k->in : &k->out;
    const sum *w =
        (loaded ? k->row : k->e) + e0 * (kind == WEIGHTS_PAIRS ? 4 : 2);

    if (p->access == ACCESS_ROWS)
        i = weigh_some[kind].rows(p, s->rows, w, e0, count);
    else if (p->access == ACCESS_LANES && kind != WEIGHTS_PAIRS)
        i = weigh_some[kind].lanes(p, s, w, e0, count);
#endif
    weigh_again(t, loaded, e0, i, count, NULL, NULL);
}

/* Sums up elements [e0, e0 + count) of lanes that are neighbours, with their
 * twiddles. The weight of element e is w[e] t[e], and t[e] a product of a coarse
 * and a fine twiddle: so w[e] x[e] is multiplied by the fine one, and sums over
 * these by the coarse one. `turned` conjugates t. If the parts of x are
 * exchanged, the sum is i conj s, where s is made with conj w and conj t. */
INLINE void weigh_twiddled_lanes(const tile *t, int loaded, int64_t e0,
                                 int64_t count, int turned, weights kind)
{
    probe *k = t->probe;
    const site *s = &t->seen;
    const port *p = loaded ? &s->in : &s->out;
    const sum *w = loaded ? k->row : k->e;
    const real sign = k->ro != 0 ? -1 : 1;
    int64_t fine = t->cp->fine, e = e0, end = e0 + count;

    while (e < end) {
        C total, c = c_load(s->coarse + e / fine * ELEM, 0, W);
        V part[4] = {(V){0}};
        for (int64_t f = e % fine; f < fine && e < end; f++, e++) {
            C x, y = c_load(s->fine + f * ELEM, 0, W);
            load_complex(component(p, 0, e * p->es), p->format, &x.r, &x.i);
            if (kind == WEIGHTS_REAL)
                x = c_scale(x, w[2 * e]);
            else
                x = c_mul1(x, w[2 * e], sign * w[2 * e + 1]);
            add_product(part, x, y);
        }
        if (turned) {
            part[1] = -part[1];
            part[2] = -part[2];
            c.i = -c.i;
        }
        total = c_mul((C){part[0] - part[1], part[2] + part[3]}, c);
        memset(part, 0, sizeof part);
        part[0] = total.r;
        part[k->ro != 0 ? 3 : 2] = total.i;
        sums_add(loaded ? &k->in : &k->out, part, (V){0});
    }
}

/* As weigh_twiddled_lanes(), for the chirp of elements that are all below the
 * limit. In the table, the chirps of the lanes are neighbours, too. */
INLINE void weigh_chirped_lanes(const tile *t, int loaded, int64_t e0,
                                int64_t count, int turned, weights kind)
{
    probe *k = t->probe;
    const port *p = loaded ? &t->seen.in : &t->seen.out;
    const sum *w = loaded ? k->row : k->e;
    const real *chirp = t->cp->chirp;
    const real sign = turned ? -1 : 1;

    for (int64_t e = e0, end = e0 + count, stop; e < end; e = stop) {
        V part[4] = {(V){0}};
        stop = end - e < BLOCK ? end : e + BLOCK;
        for (; e < stop; e++) {
            C x, y;
            load_complex(component(p, 0, e * p->es), p->format, &x.r, &x.i);
            load_table(chirp + 2 * (p->index[0] + e * p->side->index.elem),
                       &y.r, &y.i);
            if (kind == WEIGHTS_REAL)
                y = (C){y.r * w[2 * e], y.i * (sign * w[2 * e])};
            else
                y = c_mul1((C){y.r, y.i * sign}, w[2 * e], w[2 * e + 1]);
            add_product(part, x, y);
        }
        sums_add(loaded ? &k->in : &k->out, part, (V){0});
    }
}

/* Sums up elements of a side with a chirp. Of the results that are not stored,
 * which are beyond the limit, those in the tile count; they have no chirp. */
static void weigh_chirps(const tile *t, int loaded, int64_t e0, int64_t count,
                         const real *data, const uint32_t *pos)
{
    const port *p = loaded ? &t->seen.in : &t->seen.out;
    int turned = loaded != (t->ro == t->probe->ro);
    int real_weights = kind_of(t->probe, loaded) == WEIGHTS_REAL;
    int64_t all, none;

    limit_range(p, e0, count, &all, &none);
    if (p->access != ACCESS_LANES || index_step(p->index, p->count) != 1)
        weigh_again(t, loaded, e0, 0, all, NULL, NULL);
    else if (real_weights && turned)
        weigh_chirped_lanes(t, loaded, e0, all, 1, WEIGHTS_REAL);
    else if (real_weights)
        weigh_chirped_lanes(t, loaded, e0, all, 0, WEIGHTS_REAL);
    else if (turned)
        weigh_chirped_lanes(t, loaded, e0, all, 1, WEIGHTS_COMPLEX);
    else
        weigh_chirped_lanes(t, loaded, e0, all, 0, WEIGHTS_COMPLEX);
    if (all < none)
        weigh_again(t, loaded, e0 + all, 0, none - all,
                    data != NULL ? data_from(data, pos, all) : NULL,
                    pos_from(pos, all));
    if (!loaded && none < count)
        probe_store(t->probe, e0 + none, count - none,
                    data_from(data, pos, none), pos_from(pos, none));
}

/* 1 if the sums over memory read the tables of twiddles themselves, those of all
 * elements. */
static int reads_twiddles(const tile *t)
{
#if STFI_LANES > 1
    const stfi_cpu_pass *cp = t->cp;
    const port *p = cp->p.twiddle.on_load ? &t->seen.in : &t->seen.out;

    return has_twiddled_rows(t, p) && cp->p.signal % (W / 2) == 0;
#else
    (void)t;
    return 0;
#endif
}

/* Sums up elements [e0, e0 + count) of a side with factors that are not lanes
 * with twiddles. */
static void weigh_other_factors(const tile *t, int loaded, int64_t e0,
                                int64_t count)
{
    int64_t i = 0;
#if STFI_LANES > 1
    if (has_twiddled_rows(t, loaded ? &t->seen.in : &t->seen.out))
        i = weigh_twiddled_rows(t, loaded, e0, count);
#endif
    weigh_again(t, loaded, e0, i, count, NULL, NULL);
}

/* Sums up elements [e0, e0 + count) of a side with factors. */
static void weigh_factors(const tile *t, int loaded, int64_t e0, int64_t count)
{
    const port *p = loaded ? &t->seen.in : &t->seen.out;
    int ro = t->cp->p.twiddle.conjugate ? t->io : t->ro;
    int turned = (loaded != (ro == t->probe->ro)) != (t->probe->ro != 0);
    int real_weights = kind_of(t->probe, loaded) == WEIGHTS_REAL;

    if (!has_twiddle(&t->cp->p, p->side) || p->access != ACCESS_LANES)
        weigh_other_factors(t, loaded, e0, count);
    else if (real_weights && turned)
        weigh_twiddled_lanes(t, loaded, e0, count, 1, WEIGHTS_REAL);
    else if (real_weights)
        weigh_twiddled_lanes(t, loaded, e0, count, 0, WEIGHTS_REAL);
    else if (turned)
        weigh_twiddled_lanes(t, loaded, e0, count, 1, WEIGHTS_COMPLEX);
    else
        weigh_twiddled_lanes(t, loaded, e0, count, 0, WEIGHTS_COMPLEX);
}

/* 1 if both parts of all elements of a side are in memory. */
static int is_all_stored(const stfi_side *side)
{
    return side->limit == 0 && side->rows == 0 && side->form != STFI_FORM_REAL
           && side->form != STFI_FORM_HALF && side->form != STFI_FORM_HC;
}

/* 1 if they are, without factors. */
static int is_plain(const tile *t, const stfi_side *side)
{
    return is_all_stored(side) && !has_factor(&t->cp->p, side);
}

/* 1 if what weigh_chirps() knows is all that there is to a side. */
static int has_chirp_alone(const stfi_pass *p, const stfi_side *side)
{
    return side->chirp > 0 && !has_twiddle(p, side) && side->rows == 0
           && side->form == STFI_FORM_COMPLEX;
}

/* Sums up elements [e0, e0 + count) of the input. An operation that weighs what
 * it loads by its own code, or a pass without a check, does nothing here. */
static void weigh_source(const tile *t, int64_t e0, int64_t count)
{
    if (t->probe == NULL || t->probe->manual)
        return;
    tally(t, 1, e0, count);
    if (is_plain(t, &t->cp->p.load))
        weigh_plain(t, 1, e0, count);
    else if (is_all_stored(&t->cp->p.load))
        weigh_factors(t, 1, e0, count);
    else if (has_chirp_alone(&t->cp->p, &t->cp->p.load))
        weigh_chirps(t, 1, e0, count, NULL, NULL);
    else
        weigh_again(t, 1, e0, 0, count, NULL, NULL);
}

/* Sums up elements [e0, e0 + count) of the output. In the tile they are at data
 * or pos. */
static void weigh_stored(const tile *t, int64_t e0, int64_t count,
                         const real *data, const uint32_t *pos)
{
    const stfi_side *side = &t->cp->p.store;

    tally(t, 0, e0, count);
    if (is_plain(t, side))
        weigh_plain(t, 0, e0, count);
    else if (is_all_stored(side))
        weigh_factors(t, 0, e0, count);
    else if (has_chirp_alone(&t->cp->p, side))
        weigh_chirps(t, 0, e0, count, data, pos);
    else
        weigh_again(t, 0, e0, 0, count, data, pos);
}

#endif

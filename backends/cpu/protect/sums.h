/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Weighted sums over the elements of a tile, a sum for each lane: one half of
 * a residual. Terms are added in blocks of 16, blocks by sixteens, so that
 * the sums' own rounding stays below that of the transform; two chains at a
 * time, so that they do not wait for each other. */
#ifndef STFI_PROTECT_SUMS_H
#define STFI_PROTECT_SUMS_H

#include "backends/cpu/fft/butterfly.h"
#include "ft/instrument.h"

enum { BLOCK = 16 };

/* The rows of a joint sum, which are judged together at first, and the number of
 * such sums of a tile. The residual of more rows would be so much noisier than
 * that of one row that a fault in one could hide in it. */
enum { JOINED = W < 4 ? W : 4, JOINTS = W / JOINED };

/* Sums of p0 x.r, p1 x.i, p2 x.r and p3 x.i over values x with weights p, and
 * the sum of |x|^2. sums_take() combines the four to a complex sum. Level 0 of
 * `part` holds up to 16 blocks, levels 1 and 2 what was carried from there. */
typedef struct sums {
    V part[3][4];
    V power;
    int blocks;
    struct row_sums *rows; /* sums along rows, or NULL */
} sums;

/* Kinds of weights of values in memory: a complex one for each complex value, a
 * complex one for each real, a real one for each complex value, or a complex one
 * for each complex value of each row. TERMS: sums are complex terms already. */
typedef enum weights {
    WEIGHTS_COMPLEX,
    WEIGHTS_PAIRS,
    WEIGHTS_REAL,
    WEIGHTS_OWN,
    WEIGHTS_TERMS
} weights;

/* Sums of values that lie in memory as (re, im) pairs, one row after the other:
 * of each row, vectors of w.r x and of w.i x, where w.r and w.i are the weights'
 * parts for each real of the vector x; of rows with weights of their own, vectors
 * of w x and of w' x, where w' has its parts exchanged. Level 0 of `part` has up
 * to 16 granules, level 1 what was carried from there. */
typedef struct row_sums {
    V part[2][2][W];
    int granules;
    int joint; /* only part[][][0..JOINTS): rows are added up before */
    weights kind;
} row_sums;

/* How weights are laid out and how the four sums make a complex one.
 * COMPLEX: x has one complex weight w: p = w.r, w.i, w.i, w.r.
 * PAIRS:   x.r and x.i are two reals with weights w0 and w1 of their own:
 *          p = w0.r, w1.r, w0.i, w1.i.
 * TWO:     as COMPLEX, but x.r belongs to one real signal and x.i to another,
 *          whose sum is multiplied by STFI_FT_SECOND (ft/instrument.h). */
typedef enum fold { FOLD_COMPLEX, FOLD_PAIRS, FOLD_TWO } fold;

/* Adds the parts of a level to the next level and clears them. */
INLINE void sums_carry(sums *s, int level)
{
    UNROLL
    for (int i = 0; i < 4; i++) {
        s->part[level + 1][i] += s->part[level][i];
        s->part[level][i] = (V){0};
    }
}

INLINE void sums_add(sums *s, const V *part, V power)
{
    UNROLL
    for (int i = 0; i < 4; i++)
        s->part[0][i] += part[i];
    s->power += power;
    if (++s->blocks % BLOCK == 0)
        sums_carry(s, 0);
    if (s->blocks % (BLOCK * BLOCK) == 0)
        sums_carry(s, 1);
}

/* Adds a term whose weight is the same in all lanes. */
INLINE void add_term(V *part, C x, const sum *w, int pairs)
{
    part[0] = part[0] + x.r * w[0];
    part[1] = part[1] + x.i * w[pairs ? 2 : 1];
    part[2] = part[2] + x.r * w[1];
    part[3] = part[3] + x.i * w[pairs ? 3 : 0];
}

/* Adds a term whose complex weight differs from lane to lane. */
INLINE void add_product(V *part, C x, C w)
{
    part[0] = part[0] + x.r * w.r;
    part[1] = part[1] + x.i * w.i;
    part[2] = part[2] + x.r * w.i;
    part[3] = part[3] + x.i * w.r;
}

INLINE V add_power(V power, C x)
{
    power = power + x.r * x.r;
    return power + x.i * x.i;
}

/* Sums whose terms are added one after the other. Two chains take turns, so
 * that an addition need not wait for the one before. */
typedef struct chain {
    V part[4], power;
} chain;

INLINE void chain_add(chain *c, C x, const sum *w, int pairs, int power)
{
    add_term(c->part, x, w, pairs);
    if (power)
        c->power = add_power(c->power, x);
}

INLINE void chains_move(chain *c, sums *s)
{
    UNROLL
    for (int i = 0; i < 4; i++)
        c[0].part[i] += c[1].part[i];
    sums_add(s, c[0].part, c[0].power + c[1].power);
    UNROLL
    for (int j = 0; j < 2; j++) {
        UNROLL
        for (int i = 0; i < 4; i++)
            c[j].part[i] = (V){0};
        c[j].power = (V){0};
    }
}

INLINE C element_at(const real *data, const uint32_t *pos, int64_t i)
{
    return c_load(data + (pos != NULL ? (int64_t)pos[i] : i) * ELEM, 0, W);
}

INLINE void weigh_loop(sums *s, const sum *w, const real *data,
                       const uint32_t *pos, int64_t count, int pairs, int power)
{
    const int step = pairs ? 4 : 2;
    chain c[2] = {{.part = {(V){0}}}, {.part = {(V){0}}}};

    for (int64_t i = 0; i < count;) {
        int64_t end = count - i < BLOCK ? count : i + BLOCK;
        for (; i + 1 < end; i += 2, w += 2 * step) {
            C x = element_at(data, pos, i);
            C y = element_at(data, pos, i + 1);
            chain_add(&c[0], x, w, pairs, power);
            chain_add(&c[1], y, w + step, pairs, power);
        }
        if (i < end) {
            chain_add(&c[0], element_at(data, pos, i), w, pairs, power);
            i++;
            w += step;
        }
        chains_move(c, s);
    }
}

/* Adds `count` elements of a tile to the sums; element i lies at place i, or at
 * pos[i] if pos is not NULL. If `power` is 1, |x|^2 is summed, too. */
static void weigh(sums *s, fold f, const sum *w, const real *data,
                  const uint32_t *pos, int64_t count, int power)
{
    if (f == FOLD_PAIRS && power)
        weigh_loop(s, w, data, pos, count, 1, 1);
    else if (f == FOLD_PAIRS)
        weigh_loop(s, w, data, pos, count, 1, 0);
    else if (power)
        weigh_loop(s, w, data, pos, count, 0, 1);
    else
        weigh_loop(s, w, data, pos, count, 0, 0);
}

#if STFI_LANES > 1
#define SIGNS_2 1, -1
#define SIGNS_4 SIGNS_2, SIGNS_2
#define SIGNS_8 SIGNS_4, SIGNS_4
#define SIGNS_16 SIGNS_8, SIGNS_8

/* Lanes with the signs with which joint rows are added up. */
INLINE C c_alternate(C a)
{
    const V sign = {STFI_CAT(SIGNS_, STFI_LANES)};

    return (C){a.r * sign, a.i * sign};
}

/* Combines the sums of w.r x and of w.i x along a row to complex terms, as
 * sums_take() combines the four sums. */
INLINE V row_terms(V re, V im, weights kind, fold f, int swap)
{
    if (f == FOLD_PAIRS)
        return blended(re + swapped(re), im + swapped(im));
    if (kind == WEIGHTS_TERMS)
        return re;
    if (kind == WEIGHTS_REAL)
        return swap ? swapped(re) : re;
    if (kind == WEIGHTS_OWN)
        return swap ? blended(swapped(im) - im, re + swapped(re))
                    : blended(re - swapped(re), im + swapped(im));
    if (swap)
        re = swapped(re);
    else
        im = swapped(im);
    return blended(re - im, re + im);
}

/* The complex terms of sums number l, which are left as they are. */
INLINE V row_sum(const row_sums *r, int l, fold f, int swap)
{
    int low = r->granules % BLOCK > 0;
    V re = r->part[!low][0][l], im = {0};
    const int has_im = r->kind != WEIGHTS_REAL && r->kind != WEIGHTS_TERMS;

    if (has_im)
        im = r->part[!low][1][l];
    if (low && r->granules >= BLOCK) {
        re += r->part[1][0][l];
        if (has_im)
            im += r->part[1][1][l];
    }
    return row_terms(re, im, r->kind, f, swap);
}

#if STFI_LANES == 16
#define LOWER_16 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23
#define UPPER_16 8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31
#endif

/* The complex terms of joint sums, as they lie, spread over the lanes that these
 * belong to. */
INLINE C joint_lanes(const V *terms)
{
    V first = terms[0], second = {0};

#if STFI_LANES == 16
    first =
        SHUFFLE(first, terms[1], LOWER_16) + SHUFFLE(first, terms[1], UPPER_16);
    second = SHUFFLE(terms[2], terms[3], LOWER_16)
             + SHUFFLE(terms[2], terms[3], UPPER_16);
#else
    if (JOINTS > 1)
        second = terms[JOINTS - 1];
#endif
    return (C){evens(first, second), odds(first, second)};
}

/* Returns the complex sums along the rows, and clears them. Those of joint rows
 * are spread over the lanes. */
static C rows_take(row_sums *r, fold f, int swap)
{
    V terms[W];
    C total = c_set(0, 0);

    if (r->joint) {
        for (int g = 0; g < JOINTS; g++)
            terms[g] = row_sum(r, g, f, swap);
        r->granules = 0;
        return joint_lanes(terms);
    }
    UNROLL
    for (int l = 0; l < W; l++)
        terms[l] = row_sum(r, l, f, swap);
    r->granules = 0;
    transpose(terms);
    UNROLL
    for (int i = 0; i < W; i += 2) {
        total.r += terms[i];
        total.i += terms[i + 1];
    }
    return total;
}
#else
INLINE C c_alternate(C a)
{
    return a;
}

static C rows_take(row_sums *r, fold f, int swap)
{
    (void)r;
    (void)f;
    (void)swap;
    return (C){0, 0};
}
#endif

/* The complex sum that four sums make. */
INLINE C sums_fold(const V *a, fold f, int swap)
{
    const real cr = (real)STFI_FT_SECOND_RE, ci = (real)STFI_FT_SECOND_IM;

    if (f == FOLD_PAIRS)
        return (C){a[0] + a[1], a[2] + a[3]};
    if (f == FOLD_TWO)
        return (C){a[0] + (a[3] * cr - a[1] * ci),
                   a[2] + (a[1] * cr + a[3] * ci)};
    return swap ? (C){a[3] - a[2], a[1] + a[0]} : (C){a[0] - a[1], a[2] + a[3]};
}

/* Returns the complex sum that the four sums and those along rows make, and
 * clears them. If `swap` is 1, the parts of x are exchanged (FOLD_COMPLEX
 * only). */
INLINE C sums_take(sums *s, fold f, int swap)
{
    C total = c_set(0, 0), along;
    V a[4];

    s->power = (V){0};
    if (s->blocks > 0) {
        memcpy(a, s->part[0], sizeof a);
        memset(s->part[0], 0, sizeof a);
        if (s->blocks >= BLOCK) {
            UNROLL
            for (int i = 0; i < 4; i++)
                a[i] = s->part[2][i] + (s->part[1][i] + a[i]);
            memset(s->part[1], 0, 2 * sizeof a);
        }
        s->blocks = 0;
        total = sums_fold(a, f, swap);
        if (s->rows != NULL && s->rows->joint)
            total = c_alternate(total);
    }
    if (s->rows == NULL || s->rows->granules == 0)
        return total;
    along = rows_take(s->rows, f, swap);
    return c_add(total, along);
}

#endif

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

/* Sums of p0 x.r, p1 x.i, p2 x.r and p3 x.i over values x with weights p, and
 * the sum of |x|^2. sums_take() combines the four to a complex sum. Level 0 of
 * `part` holds up to 16 blocks, levels 1 and 2 what was carried from there. */
typedef struct sums {
    V part[3][4];
    V power;
    int blocks;
} sums;

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

/* Returns the complex sum that the four sums make, and clears them. If `swap`
 * is 1, the parts of x are exchanged (FOLD_COMPLEX only). */
INLINE C sums_take(sums *s, fold f, int swap)
{
    const real cr = (real)STFI_FT_SECOND_RE, ci = (real)STFI_FT_SECOND_IM;
    V a[4];

    memcpy(a, s->part[0], sizeof a);
    memset(s->part[0], 0, sizeof a);
    if (s->blocks >= BLOCK) {
        UNROLL
        for (int i = 0; i < 4; i++)
            a[i] = s->part[2][i] + (s->part[1][i] + a[i]);
        memset(s->part[1], 0, 2 * sizeof a);
    }
    s->power = (V){0};
    s->blocks = 0;
    if (f == FOLD_PAIRS)
        return (C){a[0] + a[1], a[2] + a[3]};
    if (f == FOLD_TWO)
        return (C){a[0] + (a[3] * cr - a[1] * ci),
                   a[2] + (a[1] * cr + a[3] * ci)};
    return swap ? (C){a[3] - a[2], a[1] + a[0]} : (C){a[0] - a[1], a[2] + a[3]};
}

#endif

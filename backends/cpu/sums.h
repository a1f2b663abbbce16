/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Weighted sums over the elements of a tile, a sum for each lane: one half of
 * a residual. Terms are added in blocks of 16, blocks by sixteens, so that
 * the sums' own rounding stays below that of the transform; two chains at a
 * time, so that they do not wait for each other. */
#ifndef STFI_CPU_SUMS_H
#define STFI_CPU_SUMS_H

#include "backends/cpu/butterfly.h"
#include "ft/instrument.h"

enum { BLOCK = 16 };

/* Sums of products of weights p and values x: by p0 x.r, p1 x.i, p2 x.r,
 * p3 x.i, to be put together at the end; and of |x|^2. */
typedef struct sums {
    V low[4], high[4];
    V power;
    int blocks;
} sums;

/* How weights are laid out and how the four sums make a complex one.
 * COMPLEX: a weight w for x: p = w.r, w.i, w.i, w.r.
 * PAIRS:   a weight for each of x.r and x.i, which are reals: p = w0.r, w1.r,
 *          w0.i, w1.i.
 * TWO:     as COMPLEX, but x.r and x.i are of two real signals. */
typedef enum fold { FOLD_COMPLEX, FOLD_PAIRS, FOLD_TWO } fold;

INLINE void sums_add(sums *s, const V *part, V power)
{
UNROLL
    for (int i = 0; i < 4; i++)
        s->low[i] += part[i];
    s->power += power;
    if (++s->blocks % BLOCK != 0)
        return;
UNROLL
    for (int i = 0; i < 4; i++) {
        s->high[i] += s->low[i];
        s->low[i] = (V){0};
    }
}

/* One term with a weight the same for all lanes. */
INLINE void add_term(V *part, C x, const real *w, int pairs)
{
    part[0] = part[0] + x.r * w[0];
    part[1] = part[1] + x.i * w[pairs ? 2 : 1];
    part[2] = part[2] + x.r * w[1];
    part[3] = part[3] + x.i * w[pairs ? 3 : 0];
}

/* One term with a complex weight a lane. */
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

INLINE void join_parts(V *part, const V *other)
{
UNROLL
    for (int i = 0; i < 4; i++)
        part[i] += other[i];
}

INLINE void weigh_loop(sums *s, const real *w, const real *data,
                       const uint32_t *pos, int64_t count, int ro, int io,
                       int pairs, int power)
{
    const int step = pairs ? 4 : 2;

    for (int64_t i = 0; i < count;) {
        int64_t end = count - i < BLOCK ? count : i + BLOCK;
        V a[4] = {(V){0}}, b[4] = {(V){0}}, p = {0}, q = {0};
        for (; i + 1 < end; i += 2) {
            int64_t at = pos != NULL ? (int64_t)pos[i] : i;
            int64_t next = pos != NULL ? (int64_t)pos[i + 1] : i + 1;
            C x = c_load(data + at * ELEM, ro, io);
            C y = c_load(data + next * ELEM, ro, io);
            add_term(a, x, w + i * step, pairs);
            add_term(b, y, w + (i + 1) * step, pairs);
            if (power) {
                p = add_power(p, x);
                q = add_power(q, y);
            }
        }
        if (i < end) {
            int64_t at = pos != NULL ? (int64_t)pos[i] : i;
            C x = c_load(data + at * ELEM, ro, io);
            add_term(a, x, w + i * step, pairs);
            if (power)
                p = add_power(p, x);
            i++;
        }
        join_parts(a, b);
        sums_add(s, a, p + q);
    }
}

/* Adds `count` elements of a tile, element i at place i or pos[i]. */
static void weigh(sums *s, fold f, const real *w, const real *data,
                  const uint32_t *pos, int64_t count, int ro, int io,
                  int power)
{
    if (f == FOLD_PAIRS && power)
        weigh_loop(s, w, data, pos, count, ro, io, 1, 1);
    else if (f == FOLD_PAIRS)
        weigh_loop(s, w, data, pos, count, ro, io, 1, 0);
    else if (power)
        weigh_loop(s, w, data, pos, count, ro, io, 0, 1);
    else
        weigh_loop(s, w, data, pos, count, ro, io, 0, 0);
}

/* The complex sum of the four; they are 0 then. */
INLINE C sums_take(sums *s, fold f)
{
    const real cr = (real)STFI_FT_SECOND_RE, ci = (real)STFI_FT_SECOND_IM;
    V a[4];

UNROLL
    for (int i = 0; i < 4; i++)
        a[i] = s->high[i] + s->low[i];
    memset(s, 0, sizeof *s);
    if (f == FOLD_PAIRS)
        return (C){a[0] + a[1], a[2] + a[3]};
    if (f == FOLD_TWO)
        return (C){a[0] + (a[3] * cr - a[1] * ci),
                   a[2] + (a[1] * cr + a[3] * ci)};
    return (C){a[0] - a[1], a[2] + a[3]};
}

#endif

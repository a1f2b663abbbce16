/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Weighted sums along rows that lie in memory, as (re, im) pairs and not
 * transposed: of each row, and of joint rows. */
#ifndef STFI_PROTECT_ROW_WEIGHING_H
#define STFI_PROTECT_ROW_WEIGHING_H

#include "backends/cpu/protect/tile_check.h"

/* Elements of a row that are summed in registers, BLOCK vectors, before the sums
 * are added to those of row_sums. */
enum { GRANULE = BLOCK * W / 2 };

#if STFI_LANES > 1
/* The number of rows that share the loads of weights; their sums fit into the
 * registers. */
enum { ROWS_AT_ONCE = W >= 16 ? 8 : W >= 4 ? 4 : W };

#define TWICE_4_RE 0, 0, 2, 2
#define TWICE_4_IM 1, 1, 3, 3
#define TWICE_2_RE 0, 0
#define TWICE_2_IM 1, 1
#define TWICE_8_RE TWICE_4_RE, 4, 4, 6, 6
#define TWICE_8_IM TWICE_4_IM, 5, 5, 7, 7
#define TWICE_16_RE TWICE_8_RE, 8, 8, 10, 10, 12, 12, 14, 14
#define TWICE_16_IM TWICE_8_IM, 9, 9, 11, 11, 13, 13, 15, 15
#define TWICE(part) STFI_CAT(STFI_CAT(STFI_CAT(TWICE_, STFI_LANES), _), part)

/* The weights' parts for each real of vector v of a row. */
INLINE void row_weights(const sum *w, int64_t v, weights kind, V *re, V *im)
{
    if (kind == WEIGHTS_PAIRS) {
        load_table(w + 2 * W * v, re, im);
    } else {
        V both = loadu(w + W * v);
        *re = SHUFFLE(both, both, TWICE(RE));
        *im = SHUFFLE(both, both, TWICE(IM));
    }
}

/* Adds `vectors` vectors of rows l, l + 1, ... to the sums a and b, or starts
 * these. */
INLINE void weigh_some_rows(const port *p, int l, int64_t e0, int64_t vectors,
                            const sum *w, weights kind, int start, V *a, V *b)
{
    V re[ROWS_AT_ONCE], im[ROWS_AT_ONCE];

    UNROLL
    for (int q = 0; q < ROWS_AT_ONCE; q++)
        re[q] = im[q] = (V){0};
    for (int64_t v = 0; v < vectors; v++) {
        V wr, wi;
        row_weights(w, v, kind, &wr, &wi);
        UNROLL
        for (int q = 0; q < ROWS_AT_ONCE; q++) {
            V x = load_components(p, l + q, 2 * e0 + W * v);
            re[q] = re[q] + x * wr;
            if (kind != WEIGHTS_REAL)
                im[q] = im[q] + x * wi;
        }
    }
    UNROLL
    for (int q = 0; q < ROWS_AT_ONCE; q++) {
        if (!start) {
            re[q] = a[l + q] + re[q];
            if (kind != WEIGHTS_REAL)
                im[q] = b[l + q] + im[q];
        }
        a[l + q] = re[q];
        if (kind != WEIGHTS_REAL)
            b[l + q] = im[q];
    }
}

/* The sum of a vector of each of the rows l, l + 1, ... of a joint sum, every
 * second one subtracted: so rows that are alike do not add up their rounding
 * errors. */
INLINE V joint_vector(const port *p, int l, int64_t at)
{
    V x[JOINED];

    UNROLL
    for (int q = 0; q < JOINED; q += 2)
        x[q / 2] =
            load_components(p, l + q, at) - load_components(p, l + q + 1, at);
    UNROLL
    for (int half = JOINED / 4; half > 0; half /= 2)
        UNROLL
    for (int q = 0; q < half; q++)
        x[q] = x[q] + x[q + half];
    return x[0];
}

/* Adds `vectors` vectors of joint rows to the sums a and b, or starts these. */
INLINE void weigh_joint_rows(const port *p, int64_t e0, int64_t vectors,
                             const sum *w, weights kind, int start, V *a, V *b)
{
    V re[JOINTS], im[JOINTS];

    UNROLL
    for (int g = 0; g < JOINTS; g++)
        re[g] = im[g] = (V){0};
    for (int64_t v = 0; v < vectors; v++) {
        V wr, wi;
        row_weights(w, v, kind, &wr, &wi);
        UNROLL
        for (int g = 0; g < JOINTS; g++) {
            V x = joint_vector(p, g * JOINED, 2 * e0 + W * v);
            re[g] = re[g] + x * wr;
            if (kind != WEIGHTS_REAL)
                im[g] = im[g] + x * wi;
        }
    }
    UNROLL
    for (int g = 0; g < JOINTS; g++) {
        if (!start) {
            re[g] = a[g] + re[g];
            if (kind != WEIGHTS_REAL)
                im[g] = b[g] + im[g];
        }
        a[g] = re[g];
        if (kind != WEIGHTS_REAL)
            b[g] = im[g];
    }
}

/* After every 16 granules, level 0 goes to level 1. */
static void rows_carry(row_sums *r)
{
    if (r->granules % BLOCK != 0)
        return;
    if (r->granules == BLOCK) {
        memcpy(r->part[1], r->part[0], sizeof r->part[1]);
        return;
    }
    for (int i = 0; i < 2; i++)
        for (int l = 0; l < W; l++)
            r->part[1][i][l] += r->part[0][i][l];
}

/* Adds `vectors` vectors of W rows, from element e0 on, whose weights begin at w,
 * to level 0. */
INLINE void weigh_granule(const port *p, row_sums *r, const sum *w, int64_t e0,
                          int64_t vectors, weights kind)
{
    int start = r->granules % BLOCK == 0;
    V *a = r->part[0][0], *b = r->part[0][1];

    if (r->joint) {
        weigh_joint_rows(p, e0, vectors, w, kind, start, a, b);
        return;
    }
    for (int l = 0; l < W; l += ROWS_AT_ONCE)
        weigh_some_rows(p, l, e0, vectors, w, kind, start, a, b);
}

/* Sums up elements [e0, e0 + count) of W rows, as far as they fill whole
 * vectors; returns their number. */
INLINE int64_t weigh_granules(const port *p, row_sums *r, const sum *w,
                              int64_t e0, int64_t count, weights kind)
{
    int64_t i = 0;

    r->kind = kind;
    while (i + W / 2 <= count) {
        int64_t size =
            count - i < GRANULE ? (count - i) / (W / 2) * (W / 2) : GRANULE;
        weigh_granule(p, r, w + i * (kind == WEIGHTS_PAIRS ? 4 : 2), e0 + i,
                      size / (W / 2), kind);
        r->granules++;
        rows_carry(r);
        i += size;
    }
    return i;
}

/* Copies the weights of the last vector of rows, which end at `end`, with 0 for
 * all but `rest` elements. */
INLINE void copy_tail(const sum *end, int64_t rest, weights kind, sum *tail)
{
    const int step = kind == WEIGHTS_PAIRS ? 2 : 1;

    memset(tail, 0, (size_t)(step * W) * sizeof *tail);
    for (int64_t i = 1; i <= 2 * step * rest; i++)
        tail[step * W - i] = end[-i];
}

/* Sums up elements [e0, e0 + count) of W rows and returns their number. Where
 * they are no whole number of vectors, the last one begins earlier. If it would
 * begin before the row, it is left out. */
INLINE int64_t weigh_rows(const port *p, row_sums *r, const sum *w, int64_t e0,
                          int64_t count, weights kind)
{
    int64_t i = weigh_granules(p, r, w, e0, count, kind);

    if (i < count && e0 + count >= W / 2) {
        sum tail[2 * W];
        copy_tail(w + count * (kind == WEIGHTS_PAIRS ? 4 : 2), count - i, kind,
                  tail);
        i = count;
        weigh_granules(p, r, tail, e0 + count - W / 2, W / 2, kind);
    }
    return i;
}
#endif

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Checks as a whole of many short rows: W at a time, each with a residual of its own
 * in a lane of its own, so that norms, residuals and verdicts are vertical. What the
 * rows of a vector add up to costs less than the sums of joint rows and what these
 * need beside them, and no row is judged by the norm of another one. */
#ifndef STFI_PROTECT_ROW_LANES_H
#define STFI_PROTECT_ROW_LANES_H

#include "backends/cpu/protect/whole_row.h"

/* Sums over W rows, in lane l those of row l: the terms of the rows, as they are
 * stored. */
enum { RE = 0, IM = 1, POWER = 2, LANE_TERMS = 3 * W };

/* How the rows of a side lie in vectors, constants. */
typedef struct row_width {
    int reals;   /* of a row that a vector has some of, else 0 */
    int vectors; /* whole vectors of a row, if few; FEW_ROW + 1: any number */
    int rest;    /* 1 if there is something behind these */
} row_width;

enum { FEW_ROW = STFI_CPU_WHOLE_SHORT };

typedef __typeof__((V){0} < (V){0}) lane_mask;

typedef uint64_t words __attribute__((vector_size(STFI_LANES * STFI_REAL_BYTES),
                                      aligned(STFI_REAL_BYTES), may_alias));

/* The products of a vector of a row with its weights, and its squares; or what is
 * added to these. Of a vector that overlaps the one before, `ones` are 0 where it
 * does. */
INLINE void add_row_vector(const stfi_cpu_whole_side *s, V x, int64_t i,
                           const real *ones, int first, manner m, partial *p)
{
    const V a = x * loadu((const real *)s->plane[0] + i);

    p->re = first ? (V)a : (V)(p->re + a);
    if (m.form == STFI_CPU_WHOLE_PLANES) {
        const V b = x * loadu((const real *)s->plane[1] + i);
        p->im = first ? (V)b : (V)(p->im + b);
    }
    if (m.power) {
        const V y = ones != NULL ? (V)(x * loadu(ones)) : x;
        p->power = first ? (V)(y * y) : (V)(p->power + y * y);
    }
}

/* Sums up a row of any length. Not inlined: there are W of them in a group. */
static __attribute__((noinline)) void sum_long_row(const stfi_cpu_whole_side *s,
                                                   const stored *at, manner m,
                                                   partial *p)
{
    V square[1] = {{0}};

    if (m.power) {
        BY_PLANES(s->form,
                  *p = sum_rows(s, at, s->vectors, 1, SQUARED(FORM), square));
        p->power = square[0];
    } else {
        BY_PLANES(s->form,
                  *p = sum_rows(s, at, s->vectors, 1, SUMMED(FORM), NULL));
    }
}

/* Sums up row r of a group. A row of less than a vector is read with some reals of its
 * neighbours, whose weights are 0: with the next in the first half of the group, so
 * that nothing before the group is read, else with the one before. */
INLINE partial sum_row(const stfi_cpu_whole_side *s, const stored *at, int r,
                       row_width w, manner m)
{
    const real *ones = s->ones;
    partial p;

    if (w.vectors > FEW_ROW) {
        sum_long_row(s, at, m, &p);
        return p;
    }
    if (w.vectors == 0 && r < W / 2) {
        add_row_vector(s, load_stored(at, STFI_REAL_ID), W, ones + W, 1, m, &p);
        return p;
    }
    UNROLL
    for (int v = 0; v < w.vectors; v++)
        add_row_vector(s, load_stored(at + W * v, STFI_REAL_ID), W * v, NULL,
                       v == 0, m, &p);
    if (w.rest)
        add_row_vector(s, load_stored(at + s->reals - W, STFI_REAL_ID),
                       W * w.vectors, ones, w.vectors == 0, m, &p);
    return p;
}

/* Sums up W rows; where there are only `rows`, the others are the first. */
INLINE partial sum_each(const stfi_cpu_whole_side *s, const stored *at,
                        int64_t rows, row_width w, manner m)
{
    V even[W / SQUARE], odd[W / SQUARE], power[W / SQUARE];

    UNROLL
    for (int b = 0; b < W / SQUARE; b++) {
        V re[SQUARE], im[SQUARE], squares[SQUARE];
        UNROLL
        for (int q = 0; q < SQUARE; q++) {
            const int r = b * SQUARE + q;
            const partial p =
                sum_row(s, at + (r < rows ? r : 0) * s->step, r, w, m);
            re[q] = p.re;
            im[q] = p.im;
            squares[q] = p.power;
        }
        if (m.form == STFI_CPU_WHOLE_PAIRED) {
            square_pairs(re, &even[b], &odd[b]);
        } else {
            even[b] = square_totals(re);
            odd[b] = square_totals(im);
        }
        if (m.power)
            power[b] = square_totals(squares);
    }
    return (partial){quarter_totals(even), quarter_totals(odd),
                     m.power ? quarter_totals(power) : (V){0}};
}

/* ------------------------------------------------ several rows in a vector */

#define ORDER_2 0, 1
#define ORDER_4 0, 1, 2, 3
#define ORDER_8 0, 4, 1, 5, 2, 6, 3, 7
#define ORDER_16 0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15

/* The totals of a square whose vectors have a row in each quarter, by rows. */
INLINE V by_rows(V v)
{
    return SHUFFLE(v, v, STFI_CAT(ORDER_, STFI_LANES));
}

/* Sums of the even parts of rows of two reals, or of a quarter, and of the odd
 * ones. */
INLINE void stream_pairs(const V *v, row_width w, V *even, V *odd)
{
    if (w.reals == 2) {
        *even = SHUFFLE(v[0], v[1], STFI_CAT(EVEN_, STFI_LANES));
        *odd = SHUFFLE(v[0], v[1], STFI_CAT(ODD_, STFI_LANES));
        return;
    }
    square_pairs(v, even, odd);
    *even = by_rows(*even);
    *odd = by_rows(*odd);
}

INLINE V stream_totals(const V *v, row_width w)
{
    V even, odd;

    if (w.reals != 2)
        return by_rows(square_totals(v));
    stream_pairs(v, w, &even, &odd);
    return even + odd;
}

/* Sums up W rows that fill vectors: all of these have the same weights. */
INLINE partial sum_stream(const stfi_cpu_whole_side *s, const stored *at,
                          row_width w, manner m)
{
    V re[SQUARE > 2 ? SQUARE : 2], im[SQUARE > 2 ? SQUARE : 2],
        squares[SQUARE > 2 ? SQUARE : 2];
    partial p = {{0}, {0}, {0}}, all;

    UNROLL
    for (int v = 0; v < w.reals; v++) {
        add_row_vector(s, load_stored(at + W * v, STFI_REAL_ID), W, NULL, 1, m,
                       &p);
        re[v] = p.re;
        im[v] = p.im;
        squares[v] = p.power;
    }
    all.power = m.power ? stream_totals(squares, w) : (V){0};
    if (m.form == STFI_CPU_WHOLE_PAIRED) {
        stream_pairs(re, w, &all.re, &all.im);
    } else {
        all.re = stream_totals(re, w);
        all.im = stream_totals(im, w);
    }
    return all;
}

/* ------------------------------------------------------------------ groups */

/* Rows of less than a vector, at most W, and copies of the first in the place of the
 * others. */
typedef struct row_pad {
    stored x[W * W];
} row_pad;

static __attribute__((noinline)) const stored *
pad_rows(const stored *at, int64_t reals, int64_t rows, row_pad *pad)
{
    for (int64_t r = 0; r < W; r++)
        for (int64_t i = 0; i < reals; i++)
            pad->x[r * reals + i] = at[(r < rows ? r : 0) * reals + i];
    return pad->x;
}

/* Sums up a group of `rows` rows, at most W. */
INLINE partial sum_group(const stfi_cpu_whole_side *s, const stored *at,
                         int64_t rows, row_width w, manner m)
{
    const row_width any = {0, FEW_ROW + 1, 0};
    row_pad pad;

    if (w.vectors == 0 && rows < W)
        at = pad_rows(at, s->reals, rows, &pad);
    if (w.reals > 0)
        return sum_stream(s, at, w, m);
    if (w.vectors > 0 && rows < W)
        return sum_each(s, at, rows, any, m);
    return sum_each(s, at, W, w, m);
}

/* Brings the group of rows nearer that will be next, while the one at `at` is summed
 * up: that of the output before it is stored. What computes rows sees a piece of them
 * at a time, and cannot. */
INLINE void prefetch_group(const stfi_cpu_whole_side *s, const stored *at,
                           int output)
{
    const int64_t line = 64 / (int64_t)sizeof(stored);
    const stored *to = at + s->ahead;

    if (s->ahead == 0)
        return;
    for (int64_t i = 0; i < W * s->step; i += line) {
        if (output)
            __builtin_prefetch(to + i, 1, 2);
        else
            __builtin_prefetch(to + i, 0, 2);
    }
}

INLINE int64_t enter_lanes(const stfi_cpu_whole_side *in, const stored *src,
                           int64_t rows, stored *terms, row_width w, manner m,
                           uint64_t *bits)
{
    int64_t done = 0;
    words all = {0};

    for (; done < rows; terms += LANE_TERMS) {
        const int64_t count = rows - done < W ? rows - done : W;
        const stored *at = src + done * in->step;
        const partial p = sum_group(in, at, count, w, m);
        prefetch_group(in, at, 0);
        store_stored(terms + RE * W, STFI_REAL_ID, p.re);
        store_stored(terms + IM * W, STFI_REAL_ID, p.im);
        store_stored(terms + POWER * W, STFI_REAL_ID, p.power);
        UNROLL
        for (int i = 0; i < LANE_TERMS; i += W)
            all += *(const words *)(const void *)(terms + i);
        done += count;
        __asm__("" : "+r"(done)); /* counted as it is done */
    }
    for (size_t i = 0; i < sizeof all / sizeof *bits; i++)
        *bits += all[i];
    return done;
}

/* Looks at the rows of a group one by one, from number `first` of it on: returns the
 * number of the first that is not clean, or `rows`. */
static __attribute__((noinline)) int64_t
find_unclean(const real *squared, const real *power, int64_t first,
             int64_t rows, const stfi_cpu_whole_limit *limit, double *worst)
{
    for (; first < rows; first++) {
        const real d = squared[first], all = power[first];
        if (!(all > least_power && all < most_power
              && d <= (real)limit->most * all))
            return first;
        if (!(d <= (real)*worst * all))
            *worst = (double)d / (double)all;
    }
    return rows;
}

/* What residuals and their squares are compared with, in each lane. */
typedef struct lane_limit {
    V factor, most, worst;
} lane_limit;

/* The squares of the residuals of a group, by the sums over the output, and whether
 * they are clean and no new largest ratio. */
INLINE lane_mask look_at_group(const partial *p, const stored *group,
                               const lane_limit *limit, V *squared, V *power)
{
    const V zero = {0};
    const V re =
        p->re * limit->factor - load_stored(group + RE * W, STFI_REAL_ID);
    const V im =
        p->im * limit->factor - load_stored(group + IM * W, STFI_REAL_ID);

    *power = load_stored(group + POWER * W, STFI_REAL_ID);
    *squared = re * re + im * im;
    return (*power > zero + least_power) & (*power < zero + most_power)
           & (*squared <= limit->most * *power)
           & (*squared <= limit->worst * *power);
}

/* As judge_joints(). All rows are judged at once, as they are mostly clean; if one may
 * not be, once more to find it. */
INLINE int64_t judge_lanes(const stfi_cpu_whole_side *out, const stored *dst,
                           int64_t first, int64_t rows, const stored *terms,
                           row_width w, manner m,
                           const stfi_cpu_whole_limit *limit, double *worst)
{
    const V zero = {0};
    lane_mask usual = zero == zero;
    real each[2][W];
    int64_t at = first;

    for (int again = 0; again < 2; again++) {
        const lane_limit lanes = {zero + (real)limit->factor,
                                  zero + (real)limit->most,
                                  zero + (real)*worst};
        for (at = first; at < rows;) {
            const int64_t begin = at / W * W;
            const int64_t count = rows - begin < W ? rows - begin : W;
            const stored *group = dst + begin * out->step;
            const partial p = sum_group(out, group, count, w, m);
            V squared, power;
            usual &= look_at_group(&p, terms + begin / W * LANE_TERMS, &lanes,
                                   &squared, &power);
            prefetch_group(out, group, 1);
            if (again) {
                int64_t bad;
                store_stored(each[0], STFI_REAL_ID, squared);
                store_stored(each[1], STFI_REAL_ID, power);
                bad = find_unclean(each[0], each[1], at - begin, count, limit,
                                   worst);
                if (bad < count)
                    return begin + bad;
            }
            at = begin + count;
            __asm__("" : "+r"(at));
        }
        if (ALL(usual))
            break;
    }
    return at;
}

/* Executes statements in which WIDTH is the width of a side's rows, as a constant. */
#define WIDTH_IF(condition, reals, vectors, rest, ...)  \
    if (condition) {                                    \
        const row_width WIDTH = {reals, vectors, rest}; \
        __VA_ARGS__;                                    \
        break;                                          \
    }
#define BY_WIDTH(s, ...)                                                  \
    do {                                                                  \
        const int64_t few = 2 * (s)->vectors + ((s)->rest > 0);           \
        WIDTH_IF((s)->reals < W && (s)->reals == 2, 2, 0, 1, __VA_ARGS__) \
        WIDTH_IF((s)->reals < W && (s)->reals == SQUARE, SQUARE, 0, 1,    \
                 __VA_ARGS__)                                             \
        WIDTH_IF(few == 1, 0, 0, 1, __VA_ARGS__)                          \
        WIDTH_IF(few == 2, 0, 1, 0, __VA_ARGS__)                          \
        WIDTH_IF(few == 3, 0, 1, 1, __VA_ARGS__)                          \
        WIDTH_IF(few == 4, 0, 2, 0, __VA_ARGS__)                          \
        WIDTH_IF(few == 5, 0, 2, 1, __VA_ARGS__)                          \
        WIDTH_IF(few == 6, 0, 3, 0, __VA_ARGS__)                          \
        WIDTH_IF(few == 7, 0, 3, 1, __VA_ARGS__)                          \
        WIDTH_IF(few == 8, 0, 4, 0, __VA_ARGS__)                          \
        WIDTH_IF(few == 9, 0, 4, 1, __VA_ARGS__)                          \
        WIDTH_IF(1, 0, FEW_ROW + 1, 0, __VA_ARGS__)                       \
    } while (0)

#endif

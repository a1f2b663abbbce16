/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Sums over each of W short rows, in a lane of its own (row_lanes.h). What the rows of a
 * vector add up to takes more instructions than products and squares; so vectors have
 * parts of several rows where these are short. */
#ifndef STFI_PROTECT_ROW_PIECES_H
#define STFI_PROTECT_ROW_PIECES_H

#include "backends/cpu/protect/whole_row.h"
#include "backends/cpu/simd/quarters.h"

enum { FEW_ROW = STFI_CPU_WHOLE_SHORT };

/* How the sums of W rows are made. */
typedef enum row_way {
    BY_VECTORS, /* vectors of each row */
    BY_PIECES,  /* vectors of a piece of some rows, which may be anywhere */
    BY_STREAM,  /* vectors of several rows, which fill them */
    BY_UNITS    /* vectors of one real of each row, or of one pair of half of them,
                   which are picked out of rows that follow each other */
} row_way;

/* Constants. */
typedef struct row_width {
    row_way way;
    int reals; /* of a piece, of a row of a stream, of a unit */
    int count; /* of vectors, pieces or units of a row, if few; FEW_ROW + 1: any number */
    int rest;  /* 1 if there is something behind these; of pieces, if the last one overlaps
                  the one before */
} row_width;

/* 1 if rows are less than a vector. */
INLINE int is_part(row_width w)
{
    return w.way == BY_PIECES ? w.count * w.reals - w.rest < W
                              : w.way != BY_VECTORS;
}

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

/* Sums up a row of a vector or more. */
INLINE partial sum_row(const stfi_cpu_whole_side *s, const stored *at,
                       row_width w, manner m)
{
    partial p;

    if (w.count > FEW_ROW) {
        sum_long_row(s, at, m, &p);
        return p;
    }
    UNROLL
    for (int v = 0; v < w.count; v++)
        add_row_vector(s, load_stored(at + W * v, STFI_REAL_ID), W * v, NULL,
                       v == 0, m, &p);
    if (w.rest)
        add_row_vector(s, load_stored(at + s->reals - W, STFI_REAL_ID),
                       W * w.count, s->ones, 0, m, &p);
    return p;
}

/* The sums of rows by those of the vectors of a square, within quarters. */
INLINE void square_sums(const V *re, const V *im, manner m, V *even, V *odd)
{
    if (m.form == STFI_CPU_WHOLE_PAIRED) {
        square_pairs(re, even, odd);
    } else {
        *even = square_totals(re);
        *odd = square_totals(im);
    }
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
                sum_row(s, at + (r < rows ? r : 0) * s->step, w, m);
            re[q] = p.re;
            im[q] = p.im;
            squares[q] = p.power;
        }
        square_sums(re, im, m, &even[b], &odd[b]);
        if (m.power)
            power[b] = square_totals(squares);
    }
    return (partial){quarter_totals(even), quarter_totals(odd),
                     m.power ? quarter_totals(power) : (V){0}};
}

/* ------------------------------------------------------------------- pieces */

/* Two vectors of halves as one of quarters. */
INLINE V fold(V a, V b)
{
#if STFI_LANES * STFI_REAL_BYTES == 64
    return SHUFFLE(a, b, Q02) + SHUFFLE(a, b, Q13);
#else
    return a + b;
#endif
}

/* Pieces of the rows that vector i has, in the order of its quarters: rows i, i + SQUARE,
 * ..., of halves the first two of these or the others. */
INLINE V load_pieces(const stored *at, int64_t step, int i, int reals)
{
    const int row = i < SQUARE ? i : i + SQUARE;

    return reals > SQUARE ? load_halves(at + row * step, SQUARE * step)
                          : load_quarters(at, step, i, reals);
}

/* The sums over the pieces of vector i. */
INLINE partial sum_vector(const stfi_cpu_whole_side *s, const stored *at,
                          int64_t step, int i, row_width w, manner m)
{
    const int64_t weights = W * (s->vectors > 0 ? s->vectors + 1
                                                : STFI_CPU_WHOLE_UNITS);
    partial p;

    UNROLL
    for (int k = 0; k < w.count; k++) {
        const int last = w.rest && k == w.count - 1;
        const int64_t e = last ? s->reals - w.reals : k * w.reals;
        add_row_vector(s, load_pieces(at + e, step, i, w.reals),
                       weights + W * k,
                       last ? (const real *)s->ones + W : NULL, k == 0, m, &p);
    }
    return p;
}

/* Sums up W rows that are `step` reals apart. What is between them is not read. */
INLINE partial sum_pieces(const stfi_cpu_whole_side *s, const stored *at,
                          int64_t step, row_width w, manner m)
{
    V re[SQUARE], im[SQUARE], squares[SQUARE];
    partial all = {{0}, {0}, {0}};

    UNROLL
    for (int i = 0; i < SQUARE; i++) {
        partial p = sum_vector(s, at, step, i, w, m);
        if (w.reals > SQUARE) {
            const partial q = sum_vector(s, at, step, SQUARE + i, w, m);
            p.re = fold(p.re, q.re);
            if (m.form == STFI_CPU_WHOLE_PLANES)
                p.im = fold(p.im, q.im);
            if (m.power)
                p.power = fold(p.power, q.power);
        }
        re[i] = p.re;
        im[i] = p.im;
        squares[i] = p.power;
    }
    square_sums(re, im, m, &all.re, &all.im);
    if (m.power)
        all.power = square_totals(squares);
    return all;
}

/* ------------------------------------------------ several rows in a vector */

#define ORDER_2 0, 1
#if STFI_REAL_BYTES == 4
#define ORDER_4 0, 1, 2, 3
#define ORDER_8 0, 4, 1, 5, 2, 6, 3, 7
#else
#define ORDER_4 0, 2, 1, 3
#define ORDER_8 0, 2, 4, 6, 1, 3, 5, 7
#endif
#define ORDER_16 0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15

/* The totals of a square whose vectors have a row in each quarter, by rows. */
INLINE V by_rows(V v)
{
    return SHUFFLE(v, v, STFI_CAT(ORDER_, STFI_LANES));
}

/* Sums of the even parts of rows of two reals, or of a quarter, and of the odd
 * ones. */
INLINE void stream_pairs(const V *v, int reals, V *even, V *odd)
{
    if (reals == 2) {
        *even = SHUFFLE(v[0], v[1], STFI_CAT(EVEN_, STFI_LANES));
        *odd = SHUFFLE(v[0], v[1], STFI_CAT(ODD_, STFI_LANES));
        return;
    }
    square_pairs(v, even, odd);
    *even = by_rows(*even);
    *odd = by_rows(*odd);
}

INLINE V stream_totals(const V *v, int reals)
{
    V even, odd;

    if (reals != 2)
        return by_rows(square_totals(v));
    stream_pairs(v, reals, &even, &odd);
    return even + odd;
}

/* The sums of W rows by those of vectors that have several. */
INLINE partial stream_sums(const V *re, const V *im, const V *squares,
                           int reals, manner m)
{
    partial all = {{0}, {0}, {0}};

    if (m.form == STFI_CPU_WHOLE_PAIRED) {
        stream_pairs(re, reals, &all.re, &all.im);
    } else {
        all.re = stream_totals(re, reals);
        all.im = stream_totals(im, reals);
    }
    if (m.power)
        all.power = stream_totals(squares, reals);
    return all;
}

/* Sums up W rows that fill vectors: all of these have the same weights. */
INLINE partial sum_stream(const stfi_cpu_whole_side *s, const stored *at,
                          row_width w, manner m)
{
    V re[2 * SQUARE], im[2 * SQUARE], squares[2 * SQUARE];

    UNROLL
    for (int v = 0; v < w.reals; v++) {
        partial p = {{0}, {0}, {0}};
        add_row_vector(s, load_stored(at + W * v, STFI_REAL_ID), 0, NULL, 1, m,
                       &p);
        re[v] = p.re;
        im[v] = p.im;
        squares[v] = p.power;
    }
    if (w.reals > SQUARE) {
        UNROLL
        for (int v = 0; v < SQUARE; v++) {
            re[v] = fold(re[2 * v], re[2 * v + 1]);
            im[v] = fold(im[2 * v], im[2 * v + 1]);
            squares[v] = fold(squares[2 * v], squares[2 * v + 1]);
        }
    }
    return stream_sums(re, im, squares, w.reals, m);
}

#endif

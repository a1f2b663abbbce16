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
    BY_UNITS /* vectors of one real of each row, or of one pair of half of them,
                   which are picked out of rows that follow each other */
} row_way;

/* Constants. */
typedef struct row_width {
    row_way way;
    int reals; /* of a piece, of a unit */
    int count; /* of vectors, pieces or units of a row, if few; FEW_ROW + 1: any number */
    int rest; /* 1 if there is something behind these; of pieces, if the last one overlaps
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
    const int64_t weights =
        W * (s->vectors > 0 ? s->vectors + 1 : STFI_CPU_WHOLE_UNITS);
    partial p;

    UNROLL
    for (int k = 0; k < w.count; k++) {
        const int last = w.rest && k == w.count - 1;
        const int64_t e = last ? s->reals - w.reals : k * w.reals;
        add_row_vector(s, load_pieces(at + e, step, i, w.reals),
                       weights + W * k, last ? (const real *)s->ones + W : NULL,
                       k == 0, m, &p);
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

/* -------------------------------------------------------------------- units */

/* Where rows of m units of u reals, which follow each other, have unit j of row l / u:
 * lane l of the vector of this unit is that real of the rows. */
#define UNIT_AT(l, m, u, j) (((m) * ((l) / (u)) + (j)) * (u) + (l) % (u))

/* Picks these lanes out of vector number k of the rows and, k > 1, of those that have
 * been picked out of the ones before. */
#define PICK_1(l, m, u, j, k)                            \
    (UNIT_AT(l, m, u, j) / STFI_LANES == (k)             \
         ? STFI_LANES + UNIT_AT(l, m, u, j) % STFI_LANES \
     : (k) == 1 ? UNIT_AT(l, m, u, j) % STFI_LANES       \
                : (l))
#define PICK_2(l, ...) PICK_1(l, __VA_ARGS__), PICK_1((l) + 1, __VA_ARGS__)
#define PICK_4(l, ...) PICK_2(l, __VA_ARGS__), PICK_2((l) + 2, __VA_ARGS__)
#define PICK_8(l, ...) PICK_4(l, __VA_ARGS__), PICK_4((l) + 4, __VA_ARGS__)
#define PICK_16(l, ...) PICK_8(l, __VA_ARGS__), PICK_8((l) + 8, __VA_ARGS__)
#define PICK(a, b, ...) \
    SHUFFLE(a, b, STFI_CAT(PICK_, STFI_LANES)(0, __VA_ARGS__))

#define UNIT_OF_2(a, b, u, j) PICK(a, b, 2, u, j, 1)
#define UNIT_OF_3(v, u, j) \
    PICK(PICK((v)[0], (v)[1], 3, u, j, 1), (v)[2], 3, u, j, 2)
#define UNIT_OF_5(v, u, j)                                                \
    PICK(PICK(PICK(PICK((v)[0], (v)[1], 5, u, j, 1), (v)[2], 5, u, j, 2), \
              (v)[3], 5, u, j, 3),                                        \
         (v)[4], 5, u, j, 4)

/* The vectors of the units of rows of two of them, of three and of five. */
#define PICK_UNITS(u)                            \
    INLINE void pick_two_##u(V a, V b, V *x)     \
    {                                            \
        x[0] = UNIT_OF_2(a, b, u, 0);            \
        x[1] = UNIT_OF_2(a, b, u, 1);            \
    }                                            \
    INLINE void pick_three_##u(const V *v, V *x) \
    {                                            \
        x[0] = UNIT_OF_3(v, u, 0);               \
        x[1] = UNIT_OF_3(v, u, 1);               \
        x[2] = UNIT_OF_3(v, u, 2);               \
    }                                            \
    INLINE void pick_five_##u(const V *v, V *x)  \
    {                                            \
        x[0] = UNIT_OF_5(v, u, 0);               \
        x[1] = UNIT_OF_5(v, u, 1);               \
        x[2] = UNIT_OF_5(v, u, 2);               \
        x[3] = UNIT_OF_5(v, u, 3);               \
        x[4] = UNIT_OF_5(v, u, 4);               \
    }

PICK_UNITS(1)
PICK_UNITS(2)

/* Of four pairs: of two units of four reals, and of two pairs of each. */
INLINE void pick_four_2(const V *v, V *x)
{
    const V a = UNIT_OF_2(v[0], v[1], 4, 0), b = UNIT_OF_2(v[2], v[3], 4, 0);
    const V c = UNIT_OF_2(v[0], v[1], 4, 1), d = UNIT_OF_2(v[2], v[3], 4, 1);

    pick_two_2(a, b, x);
    pick_two_2(c, d, x + 2);
}

INLINE void pick_units(const V *v, row_width w, V *x)
{
    switch (w.count * 2 + (w.reals == 2)) {
    case 2 * 1 + 1: x[0] = v[0]; break;
    case 2 * 2 + 1: pick_two_2(v[0], v[1], x); break;
    case 2 * 3: pick_three_1(v, x); break;
    case 2 * 3 + 1: pick_three_2(v, x); break;
    case 2 * 4 + 1: pick_four_2(v, x); break;
    case 2 * 5: pick_five_1(v, x); break;
    case 2 * 5 + 1: pick_five_2(v, x); break;
    default: break;
    }
}

/* Sums up the rows of as many vectors as a row has units: of reals at even places, or of
 * all, in p[0], of those at odd ones, if they are units, in p[1]. */
INLINE void sum_units(const stfi_cpu_whole_side *s, const stored *at,
                      row_width w, manner m, partial *p)
{
    V v[STFI_CPU_WHOLE_UNITS], x[STFI_CPU_WHOLE_UNITS];
    const int apart = m.form == STFI_CPU_WHOLE_PAIRED && w.reals == 1;

    UNROLL
    for (int j = 0; j < w.count; j++)
        v[j] = load_stored(at + W * j, STFI_REAL_ID);
    pick_units(v, w, x);
    UNROLL
    for (int j = 0; j < w.count; j++)
        add_row_vector(s, x[j], W * j, NULL, j < 1 + apart, m,
                       &p[apart ? j % 2 : 0]);
}

/* Sums up W rows that follow each other. */
INLINE partial sum_packed(const stfi_cpu_whole_side *s, const stored *at,
                          row_width w, manner m)
{
    partial p[2] = {{{0}, {0}, {0}}, {{0}, {0}, {0}}};

    sum_units(s, at, w, m, &p[0]);
    if (w.reals == 1) {
        if (m.form == STFI_CPU_WHOLE_PAIRED)
            return (partial){p[0].re, p[1].re, p[0].power + p[1].power};
        return p[0];
    }
    sum_units(s, at + W * w.count, w, m, &p[1]);
    if (m.power)
        p[0].power = pair_totals(p[0].power, p[1].power);
    if (m.form == STFI_CPU_WHOLE_PAIRED)
        return (partial){evens(p[0].re, p[1].re), odds(p[0].re, p[1].re),
                         p[0].power};
    return (partial){pair_totals(p[0].re, p[1].re),
                     pair_totals(p[0].im, p[1].im), p[0].power};
}

#endif

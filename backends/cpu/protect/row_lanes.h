/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Checks as a whole of many short rows: W at a time, each with a residual of its own
 * in a lane of its own, so that norms, residuals and verdicts are vertical. What the
 * rows of a vector add up to costs less than the sums of joint rows and what these
 * need beside them, and no row is judged by the norm of another one. */
#ifndef STFI_PROTECT_ROW_LANES_H
#define STFI_PROTECT_ROW_LANES_H

#include "backends/cpu/protect/row_pieces.h"
#include "backends/cpu/simd/prefetch.h"

/* Sums over W rows, in lane l those of row l: the terms of the rows, as they are
 * stored. */
enum { RE = 0, IM = 1, POWER = 2, LANE_TERMS = 3 * W };

typedef __typeof__((V){0} < (V){0}) lane_mask;

/* ------------------------------------------------------------------ groups */

/* Rows of less than a vector, at most W, and copies of the first in the place of the
 * others. */
typedef struct row_pad {
    stored x[W * W];
} row_pad;

static __attribute__((noinline)) const stored *
pad_rows(const stored *at, int64_t reals, int64_t step, int64_t rows,
         row_pad *pad)
{
    for (int64_t r = 0; r < W; r++)
        for (int64_t i = 0; i < reals; i++)
            pad->x[r * reals + i] = at[(r < rows ? r : 0) * step + i];
    return pad->x;
}

/* Sums up a group of `rows` rows, at most W. */
INLINE partial sum_group(const stfi_cpu_whole_side *s, const stored *at,
                         int64_t rows, row_width w, manner m)
{
    const row_width any = {BY_VECTORS, 0, FEW_ROW + 1, 0};
    int64_t step = s->step;
    row_pad pad;

    if (rows < W && !is_part(w))
        return sum_each(s, at, rows, any, m);
    if (rows < W) {
        at = pad_rows(at, s->reals, step, rows, &pad);
        step = s->reals;
    }
    if (w.way == BY_PIECES)
        return sum_pieces(s, at, step, w, m);
    if (w.way == BY_UNITS)
        return sum_packed(s, at, w, m);
    return sum_each(s, at, W, w, m);
}

/* Brings the group of rows nearer that will be next, while the one at `at` is summed
 * up: that of the output before it is stored. What computes rows sees a piece of them
 * at a time, and cannot. */
INLINE void prefetch_group(const stfi_cpu_whole_side *s, const stored *at,
                           int output)
{
    if (s->ahead != 0)
        prefetch_lines(at + s->ahead, W * s->step, output);
}

INLINE stfi_cpu_whole_entered enter_lanes(const stfi_cpu_whole_side *in,
                                          const stored *src, int64_t rows,
                                          stored *terms, row_width w, manner m)
{
    int64_t done = 0;
    words all = {0};

    STAY(terms);
    for (; done < rows; terms += LANE_TERMS) {
        const int64_t count = rows - done < W ? rows - done : W;
        const stored *at = src + done * in->step;
        const partial p = sum_group(in, at, count, w, m);
        prefetch_group(in, at, 0);
        store_stored(terms + RE * W, STFI_REAL_ID, p.re);
        store_stored(terms + IM * W, STFI_REAL_ID, p.im);
        store_stored(terms + POWER * W, STFI_REAL_ID, p.power);
        add_words(&all, terms, LANE_TERMS);
        done += count;
        STAY(terms);
        STAY(done); /* counted as it is done */
    }
    return (stfi_cpu_whole_entered){done, terms, total_of_words(all)};
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

/* The residuals of a group, by the sums over the output: their squares, those of norms,
 * and which are exactly 0. */
typedef struct lane_look {
    V squared, power;
    lane_mask nothing;
} lane_look;

INLINE lane_look look_at_group(const partial *p, const stored *group,
                               const lane_limit *limit)
{
    const V zero = {0};
    const V re =
        p->re * limit->factor - load_stored(group + RE * W, STFI_REAL_ID);
    const V im =
        p->im * limit->factor - load_stored(group + IM * W, STFI_REAL_ID);

    return (lane_look){re * re + im * im,
                       load_stored(group + POWER * W, STFI_REAL_ID),
                       (re == zero) & (im == zero)};
}

/* Whether residuals are clean and no new largest ratio. */
INLINE lane_mask is_usual(const lane_look *l, const lane_limit *limit)
{
    const V zero = {0};

    return (l->power > zero + least_power) & (l->power < zero + most_power)
           & (l->squared <= limit->most * l->power)
           & (l->squared <= limit->worst * l->power);
}

/* The norms; those of zeros without a residual, which are common, count as 1. */
INLINE V norms_of(const lane_look *l)
{
    const V zero = {0}, one = zero + (real)1;

    return (V)((lane_mask)l->power
               | (l->nothing & (l->power == zero) & (lane_mask)one));
}

/* Judges rows [first, rows), which are few. Returns the number of the first that may not
 * be clean, or `rows`. All are judged at once, as they are mostly clean; if one may not
 * be, once more to find it. */
INLINE int64_t judge_some(const stfi_cpu_whole_side *out, const stored *dst,
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
            const lane_look look =
                look_at_group(&p, terms + begin / W * LANE_TERMS, &lanes);
            usual &= is_usual(&look, &lanes);
            prefetch_group(out, group, 1);
            if (again) {
                int64_t bad;
                store_stored(each[0], STFI_REAL_ID, look.squared);
                store_stored(each[1], STFI_REAL_ID, norms_of(&look));
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

/* As judge_joints(), several groups at a time: what is behind a row that is not clean is
 * judged again by the next call. */
INLINE int64_t judge_lanes(const stfi_cpu_whole_side *out, const stored *dst,
                           int64_t first, int64_t rows, const stored *terms,
                           row_width w, manner m,
                           const stfi_cpu_whole_limit *limit, double *worst)
{
    enum { SOME = 32 * W };

    while (first < rows) {
        const int64_t from = first / SOME * SOME;
        const int64_t end = rows - from < SOME ? rows : from + SOME;
        first = judge_some(out, dst, first, end, terms, w, m, limit, worst);
        if (first < end)
            break;
    }
    return first;
}

/* 1 if one instruction takes any lanes of two vectors. */
enum { ANY_LANES = STFI_LANES * STFI_REAL_BYTES == 64 };

/* Executes statements in which WIDTH is the width of a side's rows, as a constant. */
#define WIDTH_IF(condition, way, reals, count, rest, ...)  \
    if (condition) {                                       \
        const row_width WIDTH = {way, reals, count, rest}; \
        __VA_ARGS__;                                       \
        break;                                             \
    }
/* Rows of n units that follow each other; of less than a quarter; of less than a vector,
 * of up to n quarters; of up to n halves; of n vectors. */
#define UNITS_IF(s, u, n, suits, ...)                            \
    WIDTH_IF((suits) && (u) * (n) < W && (s)->reals == (u) * (n) \
                 && (s)->step == (u) * (n),                      \
             BY_UNITS, u, n, 0, __VA_ARGS__)
#define PART_IF(s, n, ...) \
    WIDTH_IF(SQUARE > (n) && (s)->reals == (n), BY_PIECES, n, 1, 0, __VA_ARGS__)
#define PIECES_IF(s, piece, n, within, ...)                                   \
    WIDTH_IF((within) && (s)->reals == (n) * (piece), BY_PIECES, piece, n, 0, \
             __VA_ARGS__)                                                     \
    WIDTH_IF((within) && (n) > 1 && (n) * (piece) > (s)->reals, BY_PIECES,    \
             piece, n, (n) > 1, __VA_ARGS__)
#define QUARTERS_IF(s, n, ...) \
    PIECES_IF(s, SQUARE, n, QUARTERS >= (n) && (s)->reals < W, __VA_ARGS__)
#define HALVES_IF(s, n, ...) PIECES_IF(s, W / 2, n, QUARTERS > 1, __VA_ARGS__)
#define VECTORS_IF(s, n, ...)                                                  \
    WIDTH_IF((QUARTERS == 1 || (n) > 2) && (s)->reals == (n)*W, BY_VECTORS, 0, \
             n, 0, __VA_ARGS__)                                                \
    WIDTH_IF((QUARTERS == 1 || (n) > 1) && (s)->vectors == (n), BY_VECTORS, 0, \
             n, 1, __VA_ARGS__)
#define BY_WIDTH(s, ...)                                                  \
    do {                                                                  \
        UNITS_IF(s, 2, 1, 1, __VA_ARGS__)                                 \
        UNITS_IF(s, 2, 2, 1, __VA_ARGS__)                                 \
        UNITS_IF(s, 2, 3, ANY_LANES, __VA_ARGS__)                         \
        UNITS_IF(s, 2, 4, ANY_LANES, __VA_ARGS__)                         \
        UNITS_IF(s, 2, 5, ANY_LANES, __VA_ARGS__)                         \
        UNITS_IF(s, 1, 3, 1, __VA_ARGS__)                                 \
        UNITS_IF(s, 1, 5, ANY_LANES, __VA_ARGS__)                         \
        PART_IF(s, 2, __VA_ARGS__)                                        \
        PART_IF(s, 3, __VA_ARGS__)                                        \
        QUARTERS_IF(s, 1, __VA_ARGS__)                                    \
        QUARTERS_IF(s, 2, __VA_ARGS__)                                    \
        QUARTERS_IF(s, 3, __VA_ARGS__)                                    \
        QUARTERS_IF(s, 4, __VA_ARGS__)                                    \
        WIDTH_IF(QUARTERS > 1 && (s)->reals == W, BY_PIECES, W / 2, 2, 0, \
                 __VA_ARGS__)                                             \
        HALVES_IF(s, 3, __VA_ARGS__)                                      \
        HALVES_IF(s, 4, __VA_ARGS__)                                      \
        VECTORS_IF(s, 1, __VA_ARGS__)                                     \
        VECTORS_IF(s, 2, __VA_ARGS__)                                     \
        VECTORS_IF(s, 3, __VA_ARGS__)                                     \
        VECTORS_IF(s, 4, __VA_ARGS__)                                     \
        WIDTH_IF(1, BY_VECTORS, 0, FEW_ROW + 1, 0, __VA_ARGS__)           \
    } while (0)

#endif

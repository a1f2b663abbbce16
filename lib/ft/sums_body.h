/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The sums of sums.h for one precision. Included once per precision, with
 *     REAL, REAL_MAX_EXP   type of the data and the weights
 *     LEAST_SQUARE, MOST_SQUARE   of which REAL holds the square safely
 *     ROW, MANY            how many elements rows->one and rows->many add up at
 *                          once
 *     WIDE, WIDE_MAX_EXP   type of the sums
 *     SUMMER               name of the row */
#include "base/team.h"
#include "ft/sums.h"

/* LEAF: how many terms are added one after the other, before sums are added
 * pairwise; long rows are divided at its multiples. SHARED: the least number of
 * elements that is worth a task for another thread. */
enum { LEAF = 32, SHARED = 1 << 16 };

typedef struct wide {
    WIDE re, im, power;
} wide;

static const REAL *weight_of(const stfi_ft_side *s, int axis, int64_t i)
{
    return (const REAL *)s->weight[axis]
           + 2 * (s->reversed ? s->period[axis] - i : i);
}

/* 1/2 for an element of a half spectrum that is its own mirror image. */
static WIDE share_of(const stfi_ft_side *s, int64_t i)
{
    return i == 0 || 2 * i == s->halved ? (WIDE)0.5 : 1;
}

/* Adds `count` elements of a half spectrum's last axis. */
static wide half_leaf(const stfi_ft_side *s, int64_t first, int64_t count,
                      const REAL *x, WIDE unit)
{
    int last = s->rank - 1;
    wide sum = {0, 0, 0};

    for (int64_t i = first; i < first + count; i++) {
        const REAL *at = x + i * s->stride[last];
        const REAL *w = weight_of(s, last, i);
        WIDE share = share_of(s, i);
        WIDE re = at[0] * unit;
        WIDE im = at[1] * unit;
        sum.power += 2 * share * (re * re + im * im);
        re *= share;
        im *= s->conjugate ? -share : share;
        sum.re += w[0] * re - w[1] * im;
        sum.im += w[0] * im + w[1] * re;
    }
    return sum;
}

/* Adds `count` elements of the last axis. The caller passes `parts` as a
 * constant, so that the compiler makes a loop for each. */
static inline wide whole_leaf(const stfi_ft_side *s, int64_t first,
                              int64_t count, const REAL *x, WIDE unit,
                              int parts)
{
    int last = s->rank - 1, step = s->reversed ? -2 : 2;
    const REAL *w = weight_of(s, last, first);
    WIDE re = 0, im = 0, power = 0;

    x += first * s->stride[last];
    for (; count > 0; count--, x += s->stride[last], w += step) {
        WIDE a = x[0] * unit, b = parts == 2 ? x[1] * unit : 0;
        power += parts == 2 ? a * a + b * b : a * a;
        re += parts == 2 ? w[0] * a - w[1] * b : w[0] * a;
        im += parts == 2 ? w[0] * b + w[1] * a : w[1] * a;
    }
    return (wide){re, im, power};
}

/* 1 if rows of the last axis lie in memory as `rows` add them up. */
static int has_rows(const stfi_ft_side *s)
{
    return s->rows != NULL && s->stride[s->rank - 1] == s->parts;
}

/* Takes away from the sums what element i of a half spectrum, which is its own
 * mirror image, has more than its share. `power` is that of half the
 * spectrum. */
static void share_edge(const stfi_ft_side *s, int64_t i, const REAL *x,
                       wide *sum)
{
    wide edge = half_leaf(s, i, 1, x, 1);

    sum->re -= edge.re;
    sum->im -= edge.im;
    sum->power -= edge.power;
}

/* Adds `count` adjacent elements of the last axis by vectors. */
static wide row_leaf(const stfi_ft_side *s, int64_t first, int64_t count,
                     const REAL *x)
{
    int form = (s->parts == 2 ? STFI_FT_ROW_COMPLEX : 0)
               | (s->reversed ? STFI_FT_ROW_BACKWARDS : 0)
               | (s->powerless ? 0 : STFI_FT_ROW_POWER);
    WIDE sign = s->conjugate ? -1 : 1;
    stfi_ft_products row;
    wide sum;

    s->rows->one[form](x + first * s->parts, weight_of(s, s->rank - 1, first),
                       count, &row);
    sum.re = row.rr - sign * row.ii;
    sum.im = sign * row.ri + row.ir;
    sum.power = s->halved > 0 ? 2 * (WIDE)row.power : row.power;
    if (s->halved > 0 && first == 0)
        share_edge(s, 0, x, &sum);
    if (s->halved > 0 && 2 * (first + count - 1) == s->halved)
        share_edge(s, first + count - 1, x, &sum);
    return sum;
}

static wide leaf(const stfi_ft_side *s, int64_t first, int64_t count,
                 const REAL *x, WIDE unit)
{
    if (has_rows(s))
        return row_leaf(s, first, count, x);
    if (s->halved > 0)
        return half_leaf(s, first, count, x, unit);
    return s->parts == 2 ? whole_leaf(s, first, count, x, unit, 2)
                         : whole_leaf(s, first, count, x, unit, 1);
}

static wide add(const stfi_ft_side *s, int axis, int64_t first, int64_t count,
                const REAL *x, WIDE unit);

/* Adds the two halves of a range. Threads of the team, if there is one, share a
 * long range; the order of additions stays the same. */
static wide add_halves(const stfi_ft_side *s, int axis, int64_t first,
                       int64_t count, const REAL *x, WIDE unit)
{
    int64_t low = count / 2;
    wide a, b;

    if (axis == s->rank - 1)
        low = (low + LEAF - 1) / LEAF * LEAF;
#ifdef _OPENMP
    if (count * s->below[axis] >= SHARED && stfi_team_is_running()) {
#pragma omp task shared(a)
        a = add(s, axis, first, low, x, unit);
        b = add(s, axis, first + low, count - low, x, unit);
#pragma omp taskwait
        return (wide){a.re + b.re, a.im + b.im, a.power + b.power};
    }
#endif
    a = add(s, axis, first, low, x, unit);
    b = add(s, axis, first + low, count - low, x, unit);
    return (wide){a.re + b.re, a.im + b.im, a.power + b.power};
}

/* Adds elements first .. first+count-1 of an axis; x points at element 0 of
 * that axis. */
static wide add(const stfi_ft_side *s, int axis, int64_t first, int64_t count,
                const REAL *x, WIDE unit)
{
    wide a, b;

    if (axis == s->rank - 1 && count <= (has_rows(s) ? ROW : LEAF))
        return leaf(s, first, count, x, unit);
    if (count > 1)
        return add_halves(s, axis, first, count, x, unit);
    a = add(s, axis + 1, 0, s->n[axis + 1], x + first * s->stride[axis], unit);
    {
        const REAL *w = weight_of(s, axis, first);
        b.re = w[0] * a.re - w[1] * a.im;
        b.im = w[0] * a.im + w[1] * a.re;
    }
    b.power = a.power;
    return b;
}

static stfi_ft_sum sum(const stfi_ft_side *s, const void *x, long double unit)
{
    wide a = add(s, 0, 0, s->n[0], x, (WIDE)unit);

    return (stfi_ft_sum){a.re, a.im, a.power};
}

static REAL peak_from(const stfi_ft_side *s, int axis, const REAL *x)
{
    REAL most = 0;

    for (int64_t i = 0; i < s->n[axis]; i++, x += s->stride[axis]) {
        if (axis < s->rank - 1) {
            REAL below = peak_from(s, axis + 1, x);
            most = below > most ? below : most;
            continue;
        }
        for (int c = 0; c < s->parts; c++) {
            REAL size = x[c] < 0 ? -x[c] : x[c];
            most = size > most ? size : most;
        }
    }
    return most;
}

/* The largest component in magnitude; NaNs are not seen. */
static long double peak(const stfi_ft_side *s, const void *x)
{
    return peak_from(s, 0, x);
}

const stfi_ft_summer SUMMER = {MANY,         WIDE_MAX_EXP >= 4 * REAL_MAX_EXP,
                               LEAST_SQUARE, MOST_SQUARE,
                               peak,         sum};

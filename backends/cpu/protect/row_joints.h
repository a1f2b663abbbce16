/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Checks as a whole of many rows that are not short: JOINED of them are weighed as one,
 * whose residual is compared with the thresholds of all. */
#ifndef STFI_PROTECT_ROW_JOINTS_H
#define STFI_PROTECT_ROW_JOINTS_H

#include "backends/cpu/protect/whole_row.h"

/* The terms of W rows: the sums of squares of each JOINED and the least of these,
 * at the lanes of the rows, then the pairs of each JOINED. */
enum { JOINTS = W / JOINED, ALL = 0, LEAST = 1, PAIRS = 2 };
enum { GROUP_TERMS = (JOINTS + PAIRS) * W };

INLINE V lesser(V a, V b)
{
    __typeof__(a < b) first = a < b;
    return (V)((first & (__typeof__(first))a)
               | (~first & (__typeof__(first))b));
}

/* Stores the totals and the least of the squares of rows. */
INLINE void store_squares(const V *squares, stored *terms)
{
    const V each = row_totals(squares);
    const V all = each + swapped(each), least = lesser(each, swapped(each));

    store_stored(terms + ALL * W, STFI_REAL_ID,
                 JOINED == 4 ? (V)(all + across(all)) : all);
    store_stored(terms + LEAST * W, STFI_REAL_ID, lesser(least, across(least)));
}

/* Sums up `rows` rows, at most JOINED, as one. */
INLINE partial sum_joint(const stfi_cpu_whole_side *s, const stored *at,
                         int64_t rows, manner m, V *squares)
{
    if (rows >= JOINED)
        return sum_any(s, at, JOINED, m, squares);
#if STFI_LANES >= 4
    if (rows == 3)
        return sum_any(s, at, 3, m, squares);
    if (rows == 2)
        return sum_any(s, at, 2, m, squares);
#endif
    return sum_any(s, at, 1, m, squares);
}

/* Sums up at most W rows of the input. Rows that are not there have the squares of
 * the first. */
INLINE void enter_group(const stfi_cpu_whole_side *in, const stored *src,
                        int64_t rows, stored *terms, manner m)
{
    V squares[W] = {{0}};

    UNROLL
    for (int j = 0; j < JOINTS; j++) {
        const int64_t first = (int64_t)j * JOINED;
        if (first >= rows) {
            for (int r = 0; r < JOINED; r++)
                squares[first + r] = squares[0];
            store_stored(terms + (j + PAIRS) * W, STFI_REAL_ID, (V){0});
            continue;
        }
        const partial p = sum_joint(in, src + first * in->step, rows - first, m,
                                    squares + first);
        for (int64_t r = rows; r < first + JOINED; r++)
            squares[r] = squares[0];
        store_stored(terms + (j + PAIRS) * W, STFI_REAL_ID,
                     pairs_of(&p, m.form));
    }
    store_squares(squares, terms);
}

/* Reads a number of each line of rows, in order, which hardware foresees: it does not
 * foresee that joint rows are read in turn. */
static void touch_rows(const stfi_cpu_whole_side *s, const stored *at,
                       int64_t rows)
{
    const int64_t line = 64 / (int64_t)sizeof(stored);

    for (int64_t r = 0; r < rows; r++)
        for (int64_t i = 0; i < s->reals; i += line)
            (void)*(const volatile stored *)(at + r * s->step + i);
}

INLINE stfi_cpu_whole_entered enter_groups(const stfi_cpu_whole_side *in,
                                           const stored *src, int64_t rows,
                                           stored *terms, manner m)
{
    int64_t done = 0;
    words all = {0};

    STAY(terms);
    if (in->in_order)
        touch_rows(in, src, rows);
    for (; done < rows; terms += GROUP_TERMS) {
        int64_t count = rows - done < W ? rows - done : W;
        enter_group(in, src + done * in->step, count, terms, m);
        add_words(&all, terms, GROUP_TERMS);
        done += count;
        STAY(terms);
        STAY(done); /* counted as it is done */
    }
    return (stfi_cpu_whole_entered){done, terms, total_of_words(all)};
}

/* The sum of four rows is noisier than one. It has to be below 1.5 times the limit
 * of the row with the least norm, or three quarters of that row's threshold, so
 * that a fault in any row shows as if the row were judged alone. */
static const real joint_slack = (real)2.25;

/* How much larger than the least square of a norm those of all rows may be: the sum of
 * rows that differ more rounds away what a fault changes in the least one (joint.h). */
static const real joint_spread = 32;

/* Judges a joint sum by its pairs d, and the squares of its rows. */
INLINE int is_joint_clean(V d, real all, real least,
                          const stfi_cpu_whole_limit *limit, double *worst)
{
    real squared;

    d = total_of_pairs(d);
    squared = pair_of(d * d);
    if (!(least > least_power && all < most_power && all <= joint_spread * least
          && squared <= (real)limit->most * joint_slack * least))
        return 0;
    if (!(squared <= (real)*worst * all))
        *worst = (double)squared / (double)all;
    return 1;
}

/* Judges rows from number `first` on. Returns the number of the first that may not
 * be clean, or `rows`. */
INLINE int64_t judge_joints(const stfi_cpu_whole_side *out, const stored *dst,
                            int64_t first, int64_t rows, const stored *terms,
                            manner m, const stfi_cpu_whole_limit *limit,
                            double *worst)
{
    while (first < rows) {
        const int64_t j = first / JOINED % JOINTS, left = rows - first;
        const stored *group = terms + first / W * GROUP_TERMS;
        const partial p =
            sum_joint(out, dst + first * out->step, left, m, NULL);
        const V d = pairs_of(&p, m.form) * (real)limit->factor
                    - load_stored(group + (j + PAIRS) * W, STFI_REAL_ID);
        if (!is_joint_clean(d, group[ALL * W + j * JOINED],
                            group[LEAST * W + j * JOINED], limit, worst))
            break;
        first += left < JOINED ? left : JOINED;
        __asm__("" : "+r"(first));
    }
    return first;
}

#endif

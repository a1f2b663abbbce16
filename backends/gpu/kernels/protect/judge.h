/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* What a residual says: relative to its threshold, and to that of other norms; and
 * how the ledger learns of it. */
#ifndef STFK_JUDGE_H
#define STFK_JUDGE_H

#include "fft/balance.h"
#include "protect/trial.h"

namespace stfk
{

/* Squared norms from `low` to `high` are exact enough: nothing in them has
 * overflowed or been lost to underflow. Otherwise the data are multiplied by
 * `up` or `down`, powers of two, when they are summed again. */
template <class T> struct range;
template <> struct range<float> {
    static constexpr float low = 0x1p-80f, high = 0x1p100f;
    static constexpr float up = 0x1p80f, down = 0x1p-76f;
};
template <> struct range<double> {
    static constexpr double low = 0x1p-800, high = 0x1p900;
    static constexpr double up = 0x1p600, down = 0x1p-700;
};

constexpr sum FAULTY_AT = STFK_FAULTY_AT;

STFK_DEVICE bool is_finite(sum_cx d)
{
    return is_finite(d.x) && is_finite(d.y);
}

STFK_DEVICE sum length_of(sum_cx z)
{
    sum x = magnitude(z.x), y = magnitude(z.y);
    sum most = x > y ? x : y, least = x > y ? y : x, q = least / most;

    return most > 0 ? most * square_root(1 + q * q) : most;
}

/* Keeps the largest finite residual. `square` is the square of a residual,
 * relative to the threshold. */
STFK_DEVICE void note_ratio(const work &a, float square)
{
    if (square - square == 0 && square > make_float(a->check.ledger->worst))
        atomic_max(&a->check.ledger->worst, bits_of(square));
}

/* Counts a fault whose residual is `ratio` times the threshold, and keeps it
 * as the event if its signal is the lowest so far. */
STFK_DEVICE void note_fault(const work &a, int lane, stfi_ft_outcome outcome,
                            sum ratio)
{
    const stfk_check &check = a->check;
    count_t signal = 0;

    walk(a, lane_number(a, lane), [&](int l, wide i) {
        if (l == check.batch_loop)
            signal =
                (count_t)(check.first_signal + (is_balanced() ? 2 * i : i));
    });
    count(a, STFI_FT_DETECTED);
    if (outcome != STFI_FT_DETECTED)
        count(a, outcome);
    if (STFK_GATED && outcome == STFI_FT_UNCORRECTABLE)
        ask_for_another(a);
    atomic_min(&check.ledger->first, (signal << 24)
                                         + ((count_t)check.pass << 16)
                                         + (bits_of((float)ratio) >> 16));
}

/* Residuals include the pass's scale, norms do not. Residuals times this
 * power of two have a scale between 1 and 2, for which slope, floor and
 * limits are given. */
STFK_DEVICE sum down_of(const work &a)
{
    return sizeof(sum) == 4 ? (sum)a->check.down_f : (sum)a->check.down;
}

/* Returns whether both signals of a balanced lane are below the normal numbers, by the
 * squared norm of the lane: one that is not has a norm near 1. */
STFK_DEVICE bool is_subnormal(sum s)
{
    return is_balanced() && s < (sum)0.0625;
}

/* Returns the threshold for values that are below the normal numbers, of data times
 * `unit`, for a lane with that squared norm. */
STFK_DEVICE sum floor_of(const work &a, sum s, sum unit)
{
    const sum up = is_subnormal(s) ? (sum)power_of(MOST - 1 - LEAST) : 1;

    return (sum)a->check.floor * up * unit;
}

/* Returns |d| / tau, tau being the threshold of a fault. `s` is the squared
 * norm of data times `unit`; d is still without this factor. */
STFK_DEVICE sum ratio_of(const work &a, sum_cx d, sum s, sum unit)
{
    const sum down = down_of(a);
    sum_cx u = {magnitude(d.x * down * unit), magnitude(d.y * down * unit)};
    sum most = u.x > u.y ? u.x : u.y, least = u.x > u.y ? u.y : u.x;
    sum q = most > 0 ? least / most : 0;
    sum tau =
        FAULTY_AT * (sum)a->check.slope * square_root(s) + floor_of(a, s, unit);

    if (!is_finite(d))
        return (sum)1 / (sum)0;
    if (most == 0)
        return 0;
    return most * square_root(1 + q * q) / tau;
}

/* Indices into the limits of a check, (K slope)^2. */
enum { SUSPECT_LIMIT, FAULTY_LIMIT };

STFK_DEVICE sum limit_of(const work &a, int which)
{
    return sizeof(sum) == 4 ? (sum)a->check.limit_f[which]
                            : (sum)a->check.limit[which];
}

/* Returns the square of the threshold that values below the range of normal
 * numbers need. Only halves have normal numbers whose squares are in range and
 * that are so small. */
STFK_DEVICE sum floor_square_of(const work &a)
{
    return sizeof(store_side::stored) == 2 ? (sum)a->check.floor_square : 0;
}

/* Keeps each residual above half of the threshold, where the largest one
 * matters. Of smaller ones, only those of one tile in SAMPLED are kept, so that other
 * tiles do not access the ledger; and none waits to see what the ledger has. */
enum { SAMPLED = 64 };

STFK_DEVICE bool is_sampled(const work &a)
{
    return a.first / L % SAMPLED == 0;
}

STFK_DEVICE void note_square(const work &a, sum square, sum limit)
{
    const bool large = 4 * square > limit;
    const bool sampled = 4 * square <= limit && is_sampled(a);
    float ratio;

    if (!large && !sampled)
        return;
    ratio = (float)(square / limit);
    if (sampled)
        atomic_max(&a->check.ledger->worst, bits_of(ratio));
    else
        note_ratio(a, ratio);
}

/* Returns the square of a residual, with a scale between 1 and 2. */
STFK_DEVICE sum square_of(const work &a, tally t)
{
    const sum down = down_of(a);
    const sum_cx d = {t.d.x * down, t.d.y * down};

    return d.x * d.x + d.y * d.y;
}

/* Returns the square from which on a residual is a fault, if it is a sum over `equal`
 * tiles, which may be equal. */
STFK_DEVICE sum faulty_square_of(const work &a, tally t, sum equal)
{
    return equal * limit_of(a, FAULTY_LIMIT) * t.s + equal * floor_square_of(a);
}

STFK_DEVICE bool is_in_range(tally t)
{
    return t.s >= range<sum>::low && t.s <= range<sum>::high
           && !is_subnormal(t.s);
}

/* Returns whether a residual is below half of the threshold, if its norm is in
 * range. */
STFK_DEVICE bool is_small(sum square, sum faulty)
{
    static_assert(2 * STFK_SUSPECT_AT >= STFK_FAULTY_AT,
                  "what is below half of the threshold is not suspect");
    return 4 * square <= faulty;
}

/* Returns the verdict of the kernel itself; in mode DETECT nothing is
 * suspicious. UNVERIFIABLE: the norm is out of range, and data have to be
 * multiplied by a unit first. Comparisons are negated, so that NaN is never CLEAN. */
STFK_DEVICE stfi_ft_verdict weigh(const work &a, tally t, sum equal = 1)
{
    const sum square = square_of(a, t), faulty = faulty_square_of(a, t, equal);
    const sum least = equal * floor_square_of(a);

    if (is_small(square, faulty) && is_in_range(t) && !is_sampled(a))
        return STFI_FT_CLEAN;
    if (t.s == 0 && t.d.x == 0 && t.d.y == 0)
        return STFI_FT_CLEAN;
    if (!is_in_range(t))
        return STFI_FT_UNVERIFIABLE;
    note_square(a, square, faulty);
    if (square
        <= limit_of(a, a->check.correct ? SUSPECT_LIMIT : FAULTY_LIMIT) * t.s
               + least)
        return STFI_FT_CLEAN;
    return a->check.correct ? STFI_FT_SUSPICIOUS : STFI_FT_FAULTY;
}

/* Judges a residual in the kernel itself. A fault, which is not to be
 * corrected, is reported here. */
STFK_APART stfi_ft_verdict look_closely(const stfk_args &args, lane_t first,
                                        int lane, tally t)
{
    const work a = {args, first};
    const stfi_ft_verdict found = weigh(a, t);

    if (found == STFI_FT_FAULTY)
        note_fault(a, lane, STFI_FT_DETECTED, ratio_of(a, t.d, t.s, 1));
    return found;
}

/* Keeps a small residual of a tile that is sampled. */
STFK_DEVICE void note_sampled(const work &a, sum square, sum faulty)
{
    if (is_sampled(a))
        atomic_max(&a->check.ledger->worst,
                   bits_of(quotient_about(square, faulty)));
}

/* Does the same as look_closely(). Most residuals are so small that no other question
 * matters, and the waves that judge keep all others waiting: so what the rest needs is
 * apart from the kernel, whose code is then in one piece. */
STFK_DEVICE stfi_ft_verdict look(const work &a, int lane, tally t)
{
    const sum square = square_of(a, t), faulty = faulty_square_of(a, t, 1);

    if (!(is_small(square, faulty) && is_in_range(t)))
        return look_closely(a.args, a.first, lane, t);
    note_sampled(a, square, faulty);
    return STFI_FT_CLEAN;
}

STFK_DEVICE bool asks_again(stfi_ft_verdict found)
{
    return found == STFI_FT_UNVERIFIABLE || found == STFI_FT_SUSPICIOUS;
}

enum { LAST_ATTEMPT = 3 };

} // namespace stfk

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The verdict on a tile. A block judges a tile's residuals before it stores
 * anything. If one is too large, the whole tile is computed again from its
 * input, which is still intact, and both residuals together tell what happened.
 * Source: [TurboFFT], section 4 (checks fused into the kernel); doc/abft.md. */
#ifndef STFK_VERDICT_H
#define STFK_VERDICT_H

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

constexpr real FAULTY_AT = STFK_FAULTY_AT;

STFK_DEVICE void count(const work &a, int what)
{
    atomic_add(&a->check.ledger->count[what], 1);
}

/* Counts, and marks that something was reported of this check of a lane. */
STFK_DEVICE void report(const work &a, suspect &was, int what)
{
    count(a, what);
    was.reported = 1;
}

STFK_DEVICE real length_of(cx z)
{
    real x = magnitude(z.x), y = magnitude(z.y);
    real most = x > y ? x : y, least = x > y ? y : x, q = least / most;

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
STFK_DEVICE void note_fault(const work &a, int lane, int outcome, real ratio)
{
    const stfk_check &check = a->check;
    count_t signal = 0;

    walk(a, lane_number(a, lane), [&](int l, wide i) {
        if (l == check.batch_loop)
            signal = (count_t)(check.first_signal + i);
    });
    count(a, STFK_DETECTED);
    if (outcome != STFK_DETECTED)
        count(a, outcome);
    atomic_min(&check.ledger->first, (signal << 24)
                                         + ((count_t)check.pass << 16)
                                         + (bits_of((float)ratio) >> 16));
}

/* Residuals include the pass's scale, norms do not. Residuals times this
 * power of two have a scale between 1 and 2, for which slope, floor and
 * limits are given. */
STFK_DEVICE real down_of(const work &a)
{
    return sizeof(real) == 4 ? (real)a->check.down_f : (real)a->check.down;
}

/* Returns |d| / tau, tau being the threshold of a fault. `s` is the squared
 * norm of data times `unit`; d is still without this factor. */
STFK_DEVICE real ratio_of(const work &a, cx d, real s, real unit)
{
    const real down = down_of(a);
    cx u = {magnitude(d.x * down * unit), magnitude(d.y * down * unit)};
    real most = u.x > u.y ? u.x : u.y, least = u.x > u.y ? u.y : u.x;
    real q = most > 0 ? least / most : 0;
    real tau = FAULTY_AT * (real)a->check.slope * square_root(s)
               + (real)a->check.floor * unit;

    if (!is_finite(d.x) || !is_finite(d.y))
        return (real)1 / (real)0;
    if (most == 0)
        return 0;
    return most * square_root(1 + q * q) / tau;
}

/* Indices into the limits of a check, (K slope)^2. */
enum { SUSPECT_LIMIT, FAULTY_LIMIT };

STFK_DEVICE real limit_of(const work &a, int which)
{
    return sizeof(real) == 4 ? (real)a->check.limit_f[which]
                             : (real)a->check.limit[which];
}

STFK_DEVICE void note_fault(const work &a, int lane, suspect &was, int outcome,
                            real ratio)
{
    note_fault(a, lane, outcome, ratio);
    was.reported = 1;
}

/* Keeps each residual above half of the threshold, where the largest one
 * matters. Of smaller ones, only those of one tile in SAMPLED are kept, so
 * that the other tiles do not access the ledger. */
enum { SAMPLED = 64 };

STFK_DEVICE void note_square(const work &a, real square, real limit)
{
    if (4 * square > limit || a.first / L % SAMPLED == 0)
        note_ratio(a, (float)(square / limit));
}

/* Says what a residual is: CLEAN, OUT_OF_RANGE, SUSPECT or REPORTED.
 * Comparisons are negated, so that NaN is never CLEAN. */
STFK_DEVICE int weigh(const work &a, tally t)
{
    const real down = down_of(a);
    cx d = {t.d.x * down, t.d.y * down};
    real square = d.x * d.x + d.y * d.y;

    if (t.s == 0 && t.d.x == 0 && t.d.y == 0)
        return CLEAN;
    if (!(t.s >= range<real>::low && t.s <= range<real>::high))
        return OUT_OF_RANGE;
    note_square(a, square, limit_of(a, FAULTY_LIMIT) * t.s);
    if (square
        <= limit_of(a, a->check.correct ? SUSPECT_LIMIT : FAULTY_LIMIT) * t.s)
        return CLEAN;
    return a->check.correct ? SUSPECT : REPORTED;
}

/* Judges a residual for the first time. A fault that is not to be corrected
 * is reported here. */
STFK_DEVICE int look(const work &a, int lane, tally t)
{
    int found = weigh(a, t);

    if (found == REPORTED)
        note_fault(a, lane, STFK_DETECTED, ratio_of(a, t.d, t.s, 1));
    return found;
}

STFK_DEVICE bool asks_again(int found)
{
    return found == OUT_OF_RANGE || found == SUSPECT;
}

enum { LAST_ATTEMPT = 3 };

STFK_DEVICE bool same_bits(cx a, cx b)
{
    return bits_of(a.x) == bits_of(b.x) && bits_of(a.y) == bits_of(b.y);
}

/* Reports a lane whose residual is the same in two attempts and too large. */
STFK_DEVICE void settle_same(const work &a, int lane, suspect &was, cx d,
                             real ratio)
{
    if (!a->check.correct)
        note_fault(a, lane, was, STFK_DETECTED, ratio);
    else if (!is_finite(d.x) || !is_finite(d.y))
        report(a, was, STFK_OVERFLOWED);
    else
        note_fault(a, lane, was, STFK_UNCORRECTABLE, ratio);
}

STFK_DEVICE real unit_for(real s)
{
    return s >= range<real>::low && s <= range<real>::high ? (real)1
           : s < range<real>::low                          ? range<real>::up
                                                           : range<real>::down;
}

/* The lane is right now. Reports whether it was a fault or only rounding
 * that the kernel itself found; `s` is the squared norm. */
STFK_DEVICE void settle_kernel(const work &a, int lane, suspect &was, real s)
{
    real ratio = ratio_of(a, was.kernel_d, s, was.unit);

    if (!asks_again(was.kernel_found))
        return;
    note_ratio(a, (float)(ratio * ratio));
    if (ratio > 1)
        note_fault(a, lane, was,
                   a->check.correct ? STFK_RECOMPUTED : STFK_DETECTED, ratio);
    else if (was.kernel_found == SUSPECT)
        report(a, was, STFK_RECHECKED);
    was.kernel_found = CLEAN;
}

/* Judges the first attempt apart from the kernel. Returns whether the tile
 * has to be computed once more. */
STFK_DEVICE bool look_apart(const trial &c, int lane, tally t, suspect &was)
{
    if (!(c.how & SUSPECTED))
        was.kernel_found = CLEAN;
    was.found = was.kernel_found == REPORTED ? REPORTED : look(c.a, lane, t);
    /* Where t.s is 0, the norm may be so small that its square underflowed.
     * This residual may be 0 even if the kernel's was not, so the norm is
     * measured in a larger unit before the kernel's residual is judged. */
    if (was.found == CLEAN && was.kernel_found == OUT_OF_RANGE && t.s == 0)
        was.found = OUT_OF_RANGE;
    was.reported |= was.found == REPORTED;
    was.d = t.d;
    was.ratio = 0;
    was.unit = was.found == OUT_OF_RANGE ? unit_for(t.s) : (real)1;
    if (was.found == CLEAN)
        settle_kernel(c.a, lane, was, t.s);
    return asks_again(was.found);
}

/* Judges a later attempt by check i. Returns whether the tile has to be
 * computed once more. Check 1 takes the norm of values that a fault may have
 * struck, which check 0 has detected; a unit that was made from such values
 * is determined anew. */
STFK_DEVICE bool look_again(const trial &c, int i, int lane, tally t,
                            suspect &was)
{
    const work &a = c.a;
    real ratio = ratio_of(a, t.d, t.s, was.unit);
    real earlier = ratio_of(a, was.d, t.s, was.unit);
    bool same = same_bits(t.d, was.d)
                || !(is_finite(t.d.x + t.d.y) || is_finite(was.d.x + was.d.y));

    if (was.found == REPORTED) {
        return false;
    } else if (was.found == CLEAN) {
        return look_apart(c, lane, t, was) && c.attempt < LAST_ATTEMPT;
    } else if (i > 0 && !same && was.unit != 1) {
        was.found = CLEAN;
        was.unit = 1;
        return c.attempt < LAST_ATTEMPT;
    } else if (!is_finite(t.s)) {
        if (i == 0)
            report(a, was, STFK_NON_FINITE);
    } else if (same && ratio > 1) {
        settle_same(a, lane, was, t.d, ratio);
    } else if (same && was.ratio > 1) {
        note_fault(a, lane, was,
                   a->check.correct ? STFK_RECOMPUTED : STFK_DETECTED,
                   was.ratio);
    } else if (same && was.kernel_found == CLEAN) {
        note_ratio(a, (float)(ratio * ratio));
        if (was.found == SUSPECT)
            report(a, was, STFK_RECHECKED);
    } else if (same) {
        settle_kernel(a, lane, was, t.s);
    } else if (ratio * FAULTY_AT <= (real)a->check.suspect_at) {
        note_ratio(a, (float)(earlier * earlier));
        note_fault(a, lane, was,
                   a->check.correct ? STFK_RECOMPUTED : STFK_DETECTED, earlier);
    } else if (c.attempt < LAST_ATTEMPT) {
        was.d = t.d;
        was.found = SUSPECT;
        was.ratio = earlier > was.ratio ? earlier : was.ratio;
        return true;
    } else {
        note_fault(a, lane, was, STFK_UNCORRECTABLE, ratio);
    }
    was.found = was.kernel_found = CLEAN;
    return false;
}

STFK_DEVICE bool any_of(bool one)
{
    return wave_alone && in_waves ? wave_any(one) : block_any(one);
}

STFK_DEVICE void all_wait()
{
    if (wave_alone && in_waves)
        wave_sync();
    else
        block_sync();
}

/* What a thread does when sums are added up: it is reducer `reducer` of lane
 * `lane`, and the first reducer of a lane judges it. Lanes of the last tile
 * that do not exist hold arbitrary values and are not judged. */
struct reducer_role {
    int lane, reducer;
    bool judges;
};

STFK_DEVICE reducer_role reducer_role_of(const work &a)
{
    member m = who<STORE_SUM_INTERLEAVE>();
    reducer_role b = {in_waves ? m.lane : (int)own_thread() / REDUCERS,
                      (int)own_thread() % REDUCERS, false};

    b.judges =
        (in_waves ? store_summing::speaks(m) : b.lane < L && b.reducer == 0)
        && (wide)lane_number(a, b.lane) < a->lanes;
    return b;
}

/* Returns the thread's part of the sum of check i. Where the same threads
 * hold a lane's sum of the load, check 0 includes that. */
template <class Sum> STFK_DEVICE Sum own_sum(Sum in, const Sum *out, int i)
{
    return same_hands && i == 0 ? in + out[0] : out[i];
}

/* Adds up what put_parts() left in shared memory. Only whole waves can do
 * exchanges; threads beyond the last lane therefore take part, with lane 0,
 * but nobody uses their totals. */
template <class Sum>
STFK_DEVICE void add_parts(int slot, const reducer_role &b, Sum *total)
{
    const int own = b.lane < L ? b.lane : 0;

    STFK_UNROLL
    for (int i = 0; i < CHECKS; i++)
        total[i] = store_summing::total<REDUCERS>(store_parts<Sum>(slot, i),
                                                  own, b.reducer);
    if (!same_hands)
        total[0] = total[0]
                   + load_summing::total<REDUCERS>(load_parts<Sum>(slot), own,
                                                   b.reducer);
}

/* Returns the sums of what is stored, which are complete. */
STFK_DEVICE void end_store_sums(trial &c, tally *out)
{
    STFK_UNROLL
    for (int i = 0; i < CHECKS; i++)
        out[i] = c.out[i].all();
}

template <class Sum>
STFK_DEVICE void put_parts(int slot, Sum in, const Sum *out)
{
    if (!same_hands && !put_early)
        load_summing::put(load_parts<Sum>(slot), in);
    STFK_UNROLL
    for (int i = 0; i < CHECKS; i++)
        store_summing::put(store_parts<Sum>(slot, i), own_sum(in, out, i));
}

/* Adds up the sums of all threads of each lane; its judge gets the total. */
template <class Sum>
STFK_DEVICE void add_all(int slot, const reducer_role &b, Sum in,
                         const Sum *out, Sum *total)
{
    if (in_waves) {
        STFK_UNROLL
        for (int i = 0; i < CHECKS; i++)
            total[i] = store_summing::in_wave(own_sum(in, out, i));
        return;
    }
    if (STFK_CHECK_SHARED)
        block_sync();
    put_parts(slot, in, out);
    block_sync();
    add_parts(slot, b, total);
}

/* Keeps what the kernel found, for the attempts apart from it. */
STFK_DEVICE void keep_suspects(const reducer_role &b, const int *found,
                               const tally *total)
{
    STFK_UNROLL
    for (int i = 0; i < CHECKS && b.judges; i++) {
        suspect_at(b.lane, i).kernel_d = total[i].d;
        suspect_at(b.lane, i).kernel_found = found[i];
    }
}

/* Returns whether the tile has to be computed again; every thread gets the
 * same answer. All sums are complete. */
STFK_DEVICE bool ask_again(trial &c)
{
    const work &a = c.a;
    const reducer_role b = reducer_role_of(a);
    tally out[CHECKS], total[CHECKS];
    bool bad = false;
    int found[CHECKS];

    end_store_sums(c, out);
    add_all(c.slot, b, c.in.all(), out, total);
    STFK_UNROLL
    for (int i = 0; i < CHECKS && b.judges; i++) {
        if (c.first)
            bad |= asks_again(found[i] = look(a, b.lane, total[i]));
        else if (c.attempt == 0)
            bad |= look_apart(c, b.lane, total[i], suspect_at(b.lane, i));
        else
            bad |= look_again(c, i, b.lane, total[i], suspect_at(b.lane, i));
    }
    if (!any_of(bad))
        return false;
    if (c.first)
        keep_suspects(b, found, total);
    all_wait();
    if (!c.first)
        c.once_more();
    return true;
}

STFK_DEVICE bool again(trial &c)
{
    if constexpr (checked)
        return ask_again(c);
    else
        return false;
}

/* The sums of a tile that was computed once, without a verdict. */
struct given {
    growing in, out[CHECKS];
};

/* Computes a tile until its verdict is final, or, with ONCE, one time
 * without a verdict. This function is not inlined: otherwise the kernel
 * would keep in registers what both have in common, and be five times as
 * long. A Tile has compute() and store(). */
template <class Tile>
STFK_APART void compute_apart(const stfk_args &args, lane_t first, int slot,
                              int how, given *sums)
{
    const work a = {args, first};
    trial c(a, slot, how);
    Tile tile;

    do
        tile.compute(c);
    while (!(TILES > 1 && (how & ONCE)) && again(c));
    tile.store(c);
    if (TILES > 1 && (how & ONCE)) {
        sums->in = c.in;
        STFK_UNROLL
        for (int i = 0; i < CHECKS; i++)
            sums->out[i] = c.out[i];
    }
}

/* Returns whether the launch has faults on purpose that are to strike. */
STFK_DEVICE bool has_faults(const work &a)
{
    return strikable && a->check.faults != 0;
}

/* Judges the first attempt at a tile, and stores it or computes it again. */
template <class Tile>
STFK_DEVICE void settle_tile(const work &a, trial &c, Tile &tile)
{
    if (again(c))
        compute_apart<Tile>(a.args, a.first, c.slot, SUSPECTED, nullptr);
    else
        tile.store(c);
}

/* Runs a tile that has a verdict of its own. */
template <class Tile> STFK_DEVICE void run_alone(const work &a)
{
    trial c(a, 0);
    Tile tile;

    if (has_faults(a)) {
        compute_apart<Tile>(a.args, a.first, 0, SUFFERS, nullptr);
        return;
    }
    tile.compute(c);
    settle_tile(a, c, tile);
}

} // namespace stfk

#endif

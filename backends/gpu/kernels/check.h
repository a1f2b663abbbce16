/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Checks of a tile while it is computed: each lane has a residual, and before
 * anything is stored the block knows whether one of them is too large. Then
 * the whole tile is computed again from its input, which is still there, and
 * both residuals tell what it was.
 *
 * What is summed: lib/ft/instrument.h. `near` and `far` threads of a wave add
 * up by exchanges; what is left goes through shared memory.
 * Source: paper 000, section 4 (checks fused into the kernel); doc/abft.md. */
#ifndef STFK_CHECK_H
#define STFK_CHECK_H

#include "memory.h"

namespace stfk {

constexpr bool checked = STFK_CHECK;
/* A spread convolution is checked on its way there, and on its way back. */
constexpr int CHECKS = STFK_CONV == CONV_SPREAD ? 2 : 1;
constexpr int LOAD_HAND = STFK_CHECK_LOAD_WEAVE;
constexpr int STORE_HAND = STFK_CHECK_STORE_WEAVE;
constexpr bool same_hands = LOAD_HAND == STORE_HAND;
/* No barrier of the block anywhere: each wave has its own lanes. */
constexpr bool wave_alone = STFK_WAVE_SYNC && !STFK_LOAD_STAGED
                            && !STFK_STORE_STAGED
                            && STFK_TWIDDLE == TWIDDLE_NONE;

/* Part of a residual, and of the square of a norm. */
struct tally {
    cx d;
    real s;
};

STFK_DEVICE tally operator+(tally a, tally b)
{
    return {a.d + b.d, a.s + b.s};
}

/* d += w z, with one rounding a product where the device can. */
STFK_DEVICE void add_product(tally &t, cx w, cx z)
{
    t.d.x += w.x * z.x;
    t.d.x -= w.y * z.y;
    t.d.y += w.x * z.y;
    t.d.y += w.y * z.x;
}

STFK_DEVICE void sub_product(tally &t, cx w, cx z)
{
    t.d.x -= w.x * z.x;
    t.d.x += w.y * z.y;
    t.d.y -= w.x * z.y;
    t.d.y -= w.y * z.x;
}

STFK_DEVICE void add_scaled(tally &t, cx w, real z)
{
    t.d.x += w.x * z;
    t.d.y += w.y * z;
}

STFK_DEVICE void add_square(tally &t, cx z, real unit)
{
    z = {z.x * unit, z.y * unit};
    t.s += z.x * z.x;
    t.s += z.y * z.y;
}

/* ------------------------------------------------------------- the vectors */

/* Of an inverse transform all is conjugate. */
STFK_DEVICE cx as_direction(cx w) { return STFK_INVERSE ? conj(w) : w; }

STFK_DEVICE cx e_at(const work &a, int k)
{
    unsigned both = load_word((const unsigned *)a->check.e + k);
    return {(real)make_float(both << 16),
            (real)make_float(both & 0xffff0000u)};
}

STFK_DEVICE cx row_at(const work &a, int j)
{
    return table_at(a->check.row, j);
}

/* ------------------------------------------------------------ one attempt */

/* What is known of a lane that was suspect. */
struct suspect {
    cx d[CHECKS];
    real unit[CHECKS];   /* what its data are multiplied by for the norm */
    int found[CHECKS];
};

enum { CLEAN, OUT_OF_RANGE, SUSPECT };

STFK_DEVICE suspect *suspects()
{
    return (suspect *)(shared_memory() + STFK_SUSPECTS_AT);
}

struct trial {
    const work &a;
    int attempt;
    tally in[CHECKS];   /* of whom the load has: negative sums, norms */
    tally out[CHECKS];  /* of whom the store has; alone, if hands are the same */

    STFK_MEMBER explicit trial(const work &w, int n = 0) : a(w), attempt(n)
    {
        begin();
    }
    STFK_MEMBER void begin()
    {
        STFK_UNROLL
        for (int c = 0; c < CHECKS; c++)
            in[c] = out[c] = tally{{0, 0}, 0};
    }
    STFK_MEMBER tally &load_sum() { return same_hands ? out[0] : in[0]; }
};

/* What data are multiplied by for the norm of check i: 1, or, if they are very
 * small or large, a power of two, which the first attempt has found. */
STFK_DEVICE real unit_of(const trial &c, int i, int lane)
{
    return c.attempt == 0 ? (real)1 : suspects()[lane].unit[i];
}

/* ----------------------------------------------------------------- faults */

STFK_DEVICE real struck(real v, const stfk_fault &f)
{
    typedef decltype(bits_of(v)) bits;

    return f.bit < 0 ? v + (real)f.magnitude
                     : from_bits(bits_of(v) ^ (bits)((bits)1 << f.bit));
}

/* Without a reference to a component, which would make it memory. */
STFK_DEVICE cx struck(cx v, const stfk_fault &f)
{
    return f.component ? cx{v.x, struck(v.y, f)} : cx{struck(v.x, f), v.y};
}

/* Registers that hold the inputs of a stage of radix R suffer what shall
 * befall that stage. */
template <int R>
STFK_DEVICE void strike_all(const trial &c, int stage, member m, cx *v)
{
    const stfk_check &check = c.a->check;

    for (wide q = 0; q < check.faults; q++) {
        const stfk_fault &f = check.fault[q];
        if (f.stage != stage || f.lane != (wide)lane_number(c.a, m.lane)
            || (c.attempt > 0 && !f.persistent && check.correct))
            continue;
        each_held<R>(m.t, [&](int i, int b, int j) {
            if (b + j * (N / R) == f.element)
                v[i] = struck(v[i], f);
        });
    }
}

template <int R, class Trial>
STFK_DEVICE void strike(const Trial &c, int stage, member m, cx *v)
{
    if (checked && c.a->check.faults != 0)
        strike_all<R>(c, stage, m, v);
}

/* ----------------------------------------------------------------- sums */

/* Sums over the threads of a lane. */
template <int weave> struct summing {
    static constexpr int near = STFK_SUM_NEAR(weave, wave_size);
    static constexpr int far = STFK_SUM_FAR(weave, L, T, wave_size);
    static constexpr int count = T / (near * far); /* that are left */

    STFK_MEMBER static tally exchanged(tally t, int mask)
    {
        return t + tally{{shuffle_xor(t.d.x, mask), shuffle_xor(t.d.y, mask)},
                         shuffle_xor(t.s, mask)};
    }
    STFK_MEMBER static tally in_wave(tally t)
    {
        STFK_UNROLL
        for (int m = 1; m < near; m *= 2)
            t = exchanged(t, m);
        STFK_UNROLL
        for (int m = 1; m < far; m *= 2)
            t = exchanged(t, m * weave * L);
        return t;
    }
    /* The thread speaks for those it was summed with; its number among those
     * that do. */
    STFK_MEMBER static bool speaks(member m)
    {
        return m.t % weave % near == 0 && m.t / weave % far == 0;
    }
    STFK_MEMBER static int number(member m)
    {
        return m.t % weave / near + m.t / weave / far * (weave / near);
    }
    STFK_MEMBER static void put(tally *part, tally t)
    {
        member m = who<weave>();
        t = in_wave(t);
        if (speaks(m))
            part[m.lane * count + number(m)] = t;
    }
    STFK_MEMBER static tally total(const tally *part, int lane)
    {
        tally t = part[lane * count];
        for (int i = 1; i < count; i++)
            t = t + part[lane * count + i];
        return t;
    }
};

typedef summing<LOAD_HAND> load_summing;
typedef summing<STORE_HAND> store_summing;

constexpr bool in_waves = same_hands && store_summing::count == 1;

/* Partial sums: of the loads, then of each check's stores. */
STFK_DEVICE tally *parts()
{
    return (tally *)(shared_memory() + STFK_CHECK_AT);
}

STFK_DEVICE tally *store_parts(int c)
{
    return parts() + (same_hands ? 0 : L * load_summing::count)
           + c * L * store_summing::count;
}

/* Once the load's sums are complete. Where they share the exchanges' memory,
 * they wait until those are done. */
STFK_DEVICE void put_load_sums(const trial &c)
{
    if (checked && !same_hands && !STFK_CHECK_SHARED)
        load_summing::put(parts(), c.in[0]);
}

/* ----------------------------------------------------------------- verdict */

/* In between, the squares of floats and doubles are exact enough. */
template <class T> struct range;
template <> struct range<float> {
    static constexpr float low = 0x1p-80f, high = 0x1p100f;
    static constexpr float up = 0x1p80f, down = 0x1p-76f;
};
template <> struct range<double> {
    static constexpr double low = 0x1p-800, high = 0x1p900;
    static constexpr double up = 0x1p600, down = 0x1p-700;
};

constexpr real SUSPECT_AT = 4, FAULTY_AT = 6; /* lib/ft/threshold.h */

STFK_DEVICE bool is_finite(real v) { return v - v == 0; }
STFK_DEVICE real magnitude(real v) { return v < 0 ? -v : v; }

STFK_DEVICE void count(const work &a, int what)
{
    atomic_add(&a->check.ledger->count[what], 1);
}

/* The largest residual, of those that are finite. */
STFK_DEVICE void note_ratio(const work &a, float square)
{
    if (square - square == 0 && square > make_float(a->check.ledger->worst))
        atomic_max(&a->check.ledger->worst, bits_of(square));
}

/* A fault of a residual so many times the threshold. */
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
    atomic_min(&check.ledger->first,
               (signal << 24) + ((count_t)check.pass << 16)
                   + (bits_of((float)ratio) >> 16));
}

/* |d| relative to the threshold, for data times `unit`. */
STFK_DEVICE real ratio_of(const work &a, cx d, real s, real unit)
{
    cx u = {magnitude(d.x * unit), magnitude(d.y * unit)};
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

/* The first look at a residual. Comparisons are negated: NaN is suspect. */
STFK_DEVICE int look(const work &a, int lane, tally t)
{
    const real slope = (real)a->check.slope;
    const real K = a->check.correct ? SUSPECT_AT : FAULTY_AT;
    real square = t.d.x * t.d.x + t.d.y * t.d.y;
    real unit = slope * slope * t.s;

    if (t.s == 0 && t.d.x == 0 && t.d.y == 0)
        return CLEAN;
    if (!(t.s >= range<real>::low && t.s <= range<real>::high))
        return OUT_OF_RANGE;
    if (square > unit * FAULTY_AT * FAULTY_AT
                     * (real)make_float(a->check.ledger->worst))
        note_ratio(a, (float)(square / (unit * FAULTY_AT * FAULTY_AT)));
    if (square <= K * K * unit)
        return CLEAN;
    if (a->check.correct)
        return SUSPECT;
    note_fault(a, lane, STFK_DETECTED, ratio_of(a, t.d, t.s, 1));
    return CLEAN;
}

enum { LAST_ATTEMPT = 3 };

STFK_DEVICE bool same_bits(cx a, cx b)
{
    return bits_of(a.x) == bits_of(b.x) && bits_of(a.y) == bits_of(b.y);
}

/* What a lane has that was computed again, with the same residual. */
STFK_DEVICE void settle_same(const work &a, int lane, int before, cx d,
                             real ratio)
{
    if (ratio <= 1) {
        if (before == SUSPECT)
            count(a, STFK_RECHECKED);
    } else if (!a->check.correct) {
        note_fault(a, lane, STFK_DETECTED, ratio);
    } else if (!is_finite(d.x) || !is_finite(d.y)) {
        count(a, STFK_OVERFLOWED);
    } else {
        note_fault(a, lane, STFK_UNCORRECTABLE, ratio);
    }
}

STFK_DEVICE real unit_for(real s)
{
    return s >= range<real>::low && s <= range<real>::high ? (real)1
           : s < range<real>::low ? range<real>::up : range<real>::down;
}

/* What to know of a lane when the tile is computed again. */
STFK_DEVICE void remember(suspect &one, int c, int found, tally t)
{
    one.d[c] = t.d;
    one.unit[c] = found == CLEAN ? (real)1 : unit_for(t.s);
    one.found[c] = found;
}

/* Later looks. 1: once more. */
STFK_DEVICE bool look_again(const work &a, int lane, int attempt, tally t,
                            int c)
{
    suspect &was = suspects()[lane];
    real ratio = ratio_of(a, t.d, t.s, was.unit[c]);
    real earlier = ratio_of(a, was.d[c], t.s, was.unit[c]);
    bool same = same_bits(t.d, was.d[c])
                || !(is_finite(t.d.x + t.d.y)
                     || is_finite(was.d[c].x + was.d[c].y));

    if (was.found[c] == CLEAN) {
        remember(was, c, look(a, lane, t), t);
        return was.found[c] != CLEAN && attempt < LAST_ATTEMPT;
    } else if (!is_finite(t.s)) {
        count(a, STFK_NON_FINITE);
    } else if (same) {
        note_ratio(a, (float)(ratio * ratio));
        settle_same(a, lane, was.found[c], t.d, ratio);
    } else if (ratio * FAULTY_AT <= SUSPECT_AT) {
        note_ratio(a, (float)(earlier * earlier));
        note_fault(a, lane, a->check.correct ? STFK_RECOMPUTED
                                             : STFK_DETECTED, earlier);
    } else if (attempt < LAST_ATTEMPT) {
        was.d[c] = t.d;
        was.found[c] = SUSPECT;
        return true;
    } else {
        note_fault(a, lane, STFK_UNCORRECTABLE, ratio);
    }
    was.found[c] = CLEAN;
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

/* Whether the tile is to be computed again; every thread gets the same
 * answer. All sums are complete. */
STFK_DEVICE bool ask_again(trial &c)
{
    const work &a = c.a;
    member m = who<STORE_HAND>();
    tally total[CHECKS];
    int lane = in_waves ? m.lane : (int)thread_index();
    bool judge = in_waves ? store_summing::speaks(m) : lane < L;
    int found[CHECKS];
    bool bad = false;

    if (STFK_CHECK_SHARED && !in_waves) {
        block_sync();
        if (!same_hands)
            load_summing::put(parts(), c.in[0]);
    }
    STFK_UNROLL
    for (int i = 0; i < CHECKS; i++)
        if (in_waves)
            total[i] = store_summing::in_wave(c.out[i]);
        else
            store_summing::put(store_parts(i), c.out[i]);
    if (!in_waves) {
        block_sync();
        STFK_UNROLL
        for (int i = 0; i < CHECKS && judge; i++)
            total[i] = store_summing::total(store_parts(i), lane);
        if (!same_hands && judge)
            total[0] = total[0] + load_summing::total(parts(), lane);
    }
    STFK_UNROLL
    for (int i = 0; i < CHECKS && judge; i++) {
        if (c.attempt == 0)
            bad |= (found[i] = look(a, lane, total[i])) != CLEAN;
        else
            bad |= look_again(a, lane, c.attempt, total[i], i);
    }
    if (!any_of(bad))
        return false;
    if (c.attempt == 0 && judge) {
        STFK_UNROLL
        for (int i = 0; i < CHECKS; i++)
            remember(suspects()[lane], i, found[i], total[i]);
    }
    all_wait();
    c.attempt++;
    c.begin();
    return true;
}

STFK_DEVICE bool again(trial &c)
{
    if constexpr (checked)
        return ask_again(c);
    else
        return false;
}

/* Computes a tile again until it is settled. Apart from the kernel, which
 * would otherwise keep in registers what both have in common. A Tile has
 * compute() and store(). */
template <class Tile>
STFK_APART void once_more(const stfk_args &args, lane_t first)
{
    const work a = {args, first};
    trial c(a, 1);
    Tile tile;

    do
        tile.compute(c);
    while (again(c));
    tile.store(c);
}

template <class Tile> STFK_DEVICE void run_tile(const work &a)
{
    trial c(a);
    Tile tile;

    tile.compute(c);
    if (again(c))
        once_more<Tile>(a.args, a.first);
    else
        tile.store(c);
}

/* One block tells how many residuals a launch has. */
STFK_DEVICE void count_checks(const work &a)
{
    if ((checked || STFK_TWICE) && block_index() == 0 && thread_index() == 0)
        atomic_add(&a->check.ledger->count[STFK_CHECKED],
                   (count_t)a->lanes * CHECKS);
}

} // namespace stfk

#endif

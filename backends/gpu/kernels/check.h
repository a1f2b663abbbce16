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
/* Faults strike there: in what is checked here, or from input to output. */
constexpr bool strikable = STFK_CHECK || STFK_GATED;
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

/* A thread's part while it grows. What rounds is adding to something large:
 * a few terms are summed up before they are added to the rest. Where loops are
 * unrolled the compiler knows `terms`. */
struct growing {
    enum { GROUP = 4 };
    cx d, few;
    int terms;
    real s;

    STFK_MEMBER growing() : d{0, 0}, few{0, 0}, terms(0), s(0) {}
    /* + w z */
    STFK_MEMBER void add(cx w, cx z)
    {
        few.x += w.x * z.x;
        few.x -= w.y * z.y;
        few.y += w.x * z.y;
        few.y += w.y * z.x;
        next();
    }
    /* - w z */
    STFK_MEMBER void sub(cx w, cx z)
    {
        few.x -= w.x * z.x;
        few.x += w.y * z.y;
        few.y -= w.x * z.y;
        few.y -= w.y * z.x;
        next();
    }
    STFK_MEMBER void add(cx w, real z)
    {
        few.x += w.x * z;
        few.y += w.y * z;
        next();
    }
    STFK_MEMBER void square(cx z, real unit)
    {
        z = {z.x * unit, z.y * unit};
        s += z.x * z.x;
        s += z.y * z.y;
    }
    STFK_MEMBER void next()
    {
        if (++terms % GROUP == 0)
            end();
    }
    STFK_MEMBER void end()
    {
        d = d + few;
        few = {0, 0};
        terms = 0;
    }
    STFK_MEMBER tally all()
    {
        if (terms > 0)
            end();
        return {d, s};
    }
};

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

/* What is known of a lane's check in a tile with a suspect: what the kernel
 * found, and what the last attempt apart from it did. Both compute the same,
 * but are compiled apart: only residuals of the latter are the same to the
 * bit when nothing is wrong. */
struct suspect {
    cx kernel_d, d;
    real unit;           /* what its data are multiplied by for the norm */
    int kernel_found, found;
};

/* TOLD: a fault that is only to be reported, and has been. */
enum { CLEAN, OUT_OF_RANGE, SUSPECT, TOLD };

STFK_DEVICE suspect *suspects()
{
    return (suspect *)(shared_memory() + STFK_SUSPECTS_AT);
}

STFK_DEVICE suspect &suspect_at(int lane, int i)
{
    return suspects()[lane * CHECKS + i];
}

/* `first`: what launches without faults begin with; all of it is known when
 * the kernel is compiled, so that it has no code for faults and attempts. */
struct trial {
    const work &a;
    bool first;
    bool suspected;      /* the kernel has found something */
    int attempt;
    growing in;          /* of what is loaded: its sum is negative */
    growing out[CHECKS]; /* of what is stored */

    STFK_MEMBER trial(const work &w, bool is_first, bool was_suspected = false)
        : a(w), first(is_first), suspected(was_suspected), attempt(0)
    {
    }
    STFK_MEMBER void once_more()
    {
        attempt++;
        in = growing();
        STFK_UNROLL
        for (int i = 0; i < CHECKS; i++)
            out[i] = growing();
    }
};

/* What data are multiplied by for the norm of check i: 1, or, if they are very
 * small or large, a power of two, which the first attempt has found. */
STFK_DEVICE real unit_of(const trial &c, int i, int lane)
{
    return c.attempt == 0 ? (real)1 : suspect_at(lane, i).unit;
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
            || (c.attempt > 0 && !f.persistent && check.correct)
            || (check.again && !f.persistent))
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
    if (strikable && !c.first && c.a->check.faults != 0)
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
    /* Of what was put; `clerks` neighbouring threads do a lane's, of which
     * each is to call this and gets the sum. */
    template <int clerks>
    STFK_MEMBER static tally total(const tally *part, int lane, int clerk)
    {
        tally t = {{0, 0}, 0};
        for (int i = clerk; i < count; i += clerks)
            t = t + part[lane * count + i];
        STFK_UNROLL
        for (int m = 1; m < clerks; m *= 2)
            t = exchanged_if(t, m);
        return t;
    }
    /* In a wave that is not full, with oneself where there is nobody. */
    STFK_MEMBER static tally exchanged_if(tally t, int mask)
    {
        int i = (int)thread_index(), from = (i ^ mask) < B ? i ^ mask : i;

        if (B % wave_size == 0)
            return exchanged(t, mask);
        return t + tally{{shuffle(t.d.x, from % wave_size),
                          shuffle(t.d.y, from % wave_size)},
                         shuffle(t.s, from % wave_size)};
    }
};

typedef summing<LOAD_HAND> load_summing;
typedef summing<STORE_HAND> store_summing;

constexpr bool in_waves = same_hands && store_summing::count == 1;

/* Neighbouring threads of a wave that add up a lane's partial sums: as many
 * as there are for each lane, and find two or more to add. */
STFK_CONST int clerks_for(int most)
{
    return most > wave_size ? clerks_for(wave_size)
           : (most & (most - 1)) != 0 ? clerks_for(most - (most & -most))
                                      : most;
}
constexpr int partial = load_summing::count > store_summing::count
                        ? load_summing::count : store_summing::count;
constexpr int CLERKS = clerks_for(partial / 2 < 1 ? 1
                                  : T < partial / 2 ? T : partial / 2);

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
STFK_DEVICE void put_load_sums(trial &c)
{
    if (checked && !same_hands && !STFK_CHECK_SHARED)
        load_summing::put(parts(), c.in.all());
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

constexpr real SUSPECT_AT = STFK_SUSPECT_AT, FAULTY_AT = STFK_FAULTY_AT;

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

/* Residuals have the pass's scale, norms do not: they meet at a scale between
 * 1 and 2, which is what slope, floor and limits are for. */
STFK_DEVICE real down_of(const work &a)
{
    return sizeof(real) == 4 ? (real)a->check.down_f : (real)a->check.down;
}

/* |d| relative to the threshold, for data times `unit`. */
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

/* (K slope)^2 */
enum { SUSPECT_LIMIT, FAULTY_LIMIT };

STFK_DEVICE real limit_of(const work &a, int which)
{
    return sizeof(real) == 4 ? (real)a->check.limit_f[which]
                             : (real)a->check.limit[which];
}

/* The largest residual of all is found where it matters, above half of the
 * threshold; below, one block in SAMPLED is asked. */
enum { SAMPLED = 64 };

STFK_DEVICE void note_square(const work &a, real square, real limit)
{
    if (4 * square > limit || block_index() % SAMPLED == 0)
        note_ratio(a, (float)(square / limit));
}

/* The first look at a residual. Comparisons are negated: NaN is suspect. */
STFK_DEVICE int look(const work &a, int lane, tally t)
{
    const real down = down_of(a);
    cx d = {t.d.x * down, t.d.y * down};
    real square = d.x * d.x + d.y * d.y;

    if (t.s == 0 && t.d.x == 0 && t.d.y == 0)
        return CLEAN;
    if (!(t.s >= range<real>::low && t.s <= range<real>::high))
        return OUT_OF_RANGE;
    note_square(a, square, limit_of(a, FAULTY_LIMIT) * t.s);
    if (square <= limit_of(a, a->check.correct ? SUSPECT_LIMIT
                                               : FAULTY_LIMIT) * t.s)
        return CLEAN;
    if (a->check.correct)
        return SUSPECT;
    note_fault(a, lane, STFK_DETECTED, ratio_of(a, t.d, t.s, 1));
    return TOLD;
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

/* A lane whose residual is too large whenever it is computed. */
STFK_DEVICE void settle_same(const work &a, int lane, cx d, real ratio)
{
    if (!a->check.correct)
        note_fault(a, lane, STFK_DETECTED, ratio);
    else if (!is_finite(d.x) || !is_finite(d.y))
        count(a, STFK_OVERFLOWED);
    else
        note_fault(a, lane, STFK_UNCORRECTABLE, ratio);
}

STFK_DEVICE real unit_for(real s)
{
    return s >= range<real>::low && s <= range<real>::high ? (real)1
           : s < range<real>::low ? range<real>::up : range<real>::down;
}

/* A lane is right now: was it, in the kernel? */
STFK_DEVICE void settle_kernel(const work &a, int lane, suspect &was, real s)
{
    real ratio = ratio_of(a, was.kernel_d, s, was.unit);

    if (!asks_again(was.kernel_found))
        return;
    note_ratio(a, (float)(ratio * ratio));
    if (ratio > 1)
        note_fault(a, lane, a->check.correct ? STFK_RECOMPUTED
                                             : STFK_DETECTED, ratio);
    else if (was.kernel_found == SUSPECT)
        count(a, STFK_RECHECKED);
    was.kernel_found = CLEAN;
}

/* The first attempt apart from the kernel. */
STFK_DEVICE bool look_apart(const trial &c, int lane, tally t, suspect &was)
{
    if (!c.suspected)
        was.kernel_found = CLEAN;
    was.found = was.kernel_found == TOLD ? TOLD : look(c.a, lane, t);
    was.d = t.d;
    was.unit = was.found == OUT_OF_RANGE ? unit_for(t.s) : (real)1;
    if (was.found == CLEAN)
        settle_kernel(c.a, lane, was, t.s);
    return asks_again(was.found);
}

/* Later ones, of check i. 1: once more. The norm of check 1 is that of values
 * that a fault may have struck, which check 0 has seen: it is measured anew. */
STFK_DEVICE bool look_again(const trial &c, int i, int lane, tally t,
                            suspect &was)
{
    const work &a = c.a;
    real ratio = ratio_of(a, t.d, t.s, was.unit);
    real earlier = ratio_of(a, was.d, t.s, was.unit);
    bool same = same_bits(t.d, was.d) || !(is_finite(t.d.x + t.d.y)
                                           || is_finite(was.d.x + was.d.y));

    if (was.found == TOLD) {
        return false;
    } else if (was.found == CLEAN) {
        return look_apart(c, lane, t, was) && c.attempt < LAST_ATTEMPT;
    } else if (i > 0 && !same && was.unit != 1) {
        was.found = CLEAN;
        was.unit = 1;
        return c.attempt < LAST_ATTEMPT;
    } else if (!is_finite(t.s)) {
        if (i == 0)
            count(a, STFK_NON_FINITE);
    } else if (same && ratio > 1) {
        settle_same(a, lane, t.d, ratio);
    } else if (same && was.kernel_found == CLEAN) {
        note_ratio(a, (float)(ratio * ratio));
        if (was.found == SUSPECT)
            count(a, STFK_RECHECKED);
    } else if (same) {
        settle_kernel(a, lane, was, t.s);
    } else if (ratio * FAULTY_AT <= SUSPECT_AT) {
        note_ratio(a, (float)(earlier * earlier));
        note_fault(a, lane, a->check.correct ? STFK_RECOMPUTED
                                             : STFK_DETECTED, earlier);
    } else if (c.attempt < LAST_ATTEMPT) {
        was.d = t.d;
        was.found = SUSPECT;
        return true;
    } else {
        note_fault(a, lane, STFK_UNCORRECTABLE, ratio);
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

/* What a thread has to give, with what it has of the load where that is of
 * the same lane. */
STFK_DEVICE tally own_sum(trial &c, int i)
{
    return same_hands && i == 0 ? c.in.all() + c.out[0].all()
                                : c.out[i].all();
}

/* Exchanges are for whole waves: those beyond the last lane take part in
 * them, and add up what is nobody's. */
STFK_DEVICE void add_parts(tally *total, int lane, int clerk)
{
    const int own = lane < L ? lane : 0;

    STFK_UNROLL
    for (int i = 0; i < CHECKS; i++)
        total[i] = store_summing::total<CLERKS>(store_parts(i), own, clerk);
    if (!same_hands)
        total[0] = total[0]
                   + load_summing::total<CLERKS>(parts(), own, clerk);
}

/* Whether the tile is to be computed again; every thread gets the same
 * answer. All sums are complete. */
STFK_DEVICE bool ask_again(trial &c)
{
    const work &a = c.a;
    member m = who<STORE_HAND>();
    tally total[CHECKS];
    int lane = in_waves ? m.lane : (int)thread_index() / CLERKS;
    int clerk = (int)thread_index() % CLERKS;
    /* Of the last tile, lanes that do not exist hold anything. */
    bool judge = (in_waves ? store_summing::speaks(m) : lane < L && clerk == 0)
                 && (wide)lane_number(a, lane) < a->lanes;
    bool bad = false;
    int found[CHECKS];

    if (STFK_CHECK_SHARED && !in_waves) {
        block_sync();
        if (!same_hands)
            load_summing::put(parts(), c.in.all());
    }
    STFK_UNROLL
    for (int i = 0; i < CHECKS; i++)
        if (in_waves)
            total[i] = store_summing::in_wave(own_sum(c, i));
        else
            store_summing::put(store_parts(i), own_sum(c, i));
    if (!in_waves) {
        block_sync();
        add_parts(total, lane, clerk);
    }
    STFK_UNROLL
    for (int i = 0; i < CHECKS && judge; i++) {
        if (c.first)
            bad |= asks_again(found[i] = look(a, lane, total[i]));
        else if (c.attempt == 0)
            bad |= look_apart(c, lane, total[i], suspect_at(lane, i));
        else
            bad |= look_again(c, i, lane, total[i], suspect_at(lane, i));
    }
    if (!any_of(bad))
        return false;
    STFK_UNROLL
    for (int i = 0; i < CHECKS && judge && c.first; i++) {
        suspect_at(lane, i).kernel_d = total[i].d;
        suspect_at(lane, i).kernel_found = found[i];
    }
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

/* Computes a tile until it is settled. Apart from the
 * kernel, which would otherwise keep in registers what both have in common,
 * and be five times as long. A Tile has compute() and store(). */
template <class Tile>
STFK_APART void compute_apart(const stfk_args &args, lane_t first,
                              bool suspected)
{
    const work a = {args, first};
    trial c(a, false, suspected);
    Tile tile;

    do
        tile.compute(c);
    while (again(c));
    tile.store(c);
}

/* The launch has faults to suffer. */
STFK_DEVICE bool has_faults(const work &a)
{
    return strikable && a->check.faults != 0;
}

/* The rest of a first attempt. */
template <class Tile>
STFK_DEVICE void settle_tile(const work &a, trial &c, Tile &tile)
{
    if (again(c))
        compute_apart<Tile>(a.args, a.first, true);
    else
        tile.store(c);
}

template <class Tile> STFK_DEVICE void run_tile(const work &a)
{
    trial c(a, true);
    Tile tile;

    if (has_faults(a)) {
        compute_apart<Tile>(a.args, a.first, false);
        return;
    }
    tile.compute(c);
    settle_tile(a, c, tile);
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

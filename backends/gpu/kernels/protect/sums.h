/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The sums of each lane's residual in a tile: how a thread makes its part, and
 * how the threads of a block add up these parts.
 *
 * Exchanges within a wave add up the parts of `near` and `far` threads; the
 * partial sums that are left go through shared memory. What is summed:
 * lib/ft/instrument.h.
 * Source: [TurboFFT], section 4 (checks fused into the kernel); doc/abft.md. */
#ifndef STFK_SUMS_H
#define STFK_SUMS_H

#include "fft/memory.h"

namespace stfk
{

constexpr bool checked = STFK_CHECK;
/* Faults on purpose strike in kernels that are checked, here or end to end. */
constexpr bool strikable = STFK_CHECK || STFK_GATED;
constexpr bool by_thread = checked && STFK_BY_THREAD;
constexpr bool by_lane = checked && !by_thread;
/* Residuals are made of what memory holds: from_memory.h. */
constexpr bool from_memory = checked && STFK_FROM_MEMORY;
/* Passes add to the signature of their launch: signature.h. */
constexpr bool is_signed = checked && STFK_SIGNED;
/* A spread convolution has a check of the transform and one of the inverse
 * transform. */
constexpr int CHECKS = STFK_CONV == CONV_SPREAD && !by_thread ? 2 : 1;
constexpr int LOAD_SUM_INTERLEAVE = STFK_LOAD_SUM_INTERLEAVE;
constexpr int STORE_SUM_INTERLEAVE = STFK_STORE_SUM_INTERLEAVE;
/* The same threads hold a lane's sums of the load and of the store. */
constexpr bool same_hands = LOAD_SUM_INTERLEAVE == STORE_SUM_INTERLEAVE;
/* TILES: the tiles that a block computes one after the other for one
 * verdict. MOMENTS: the number of sums over their residuals that it keeps,
 * or 0 if it keeps each tile's residual. */
constexpr int TILES = STFK_TRANSACTIONS;
constexpr int MOMENTS = STFK_MOMENTS;
constexpr bool grouped = checked && MOMENTS > 0;
/* Each wave has lanes of its own, so that there is no barrier of the block. */
constexpr bool wave_alone =
    STFK_WAVE_SYNC && !STFK_LOAD_STAGED && !STFK_STORE_STAGED
    && !STFK_LOAD_COPIED && !STFK_STORE_COPIED && STFK_TWIDDLE == TWIDDLE_NONE;

template <class T> STFK_DEVICE bool is_finite(T v)
{
    return v - v == 0;
}
template <class T> STFK_DEVICE T magnitude(T v)
{
    return v < 0 ? -v : v;
}

STFK_DEVICE sum scaled(sum v, sum factor)
{
    return v * factor;
}
STFK_DEVICE sum_cx scaled(sum_cx v, sum factor)
{
    return {v.x * factor, v.y * factor};
}

/* A part of a residual d, and of the square s of a norm. */
struct tally {
    sum_cx d;
    sum s;
};

STFK_DEVICE tally operator+(tally a, tally b)
{
    return {a.d + b.d, a.s + b.s};
}

/* A thread's part of the sums while it grows. Most of the rounding error
 * comes from additions to a large sum; so GROUP terms are summed up before
 * they are added to the rest. In unrolled loops the compiler knows `terms`. */
struct growing {
    enum { GROUP = 4 };
    sum_cx d, few;
    int terms;
    /* The squares of both components are added up apart, since each addition waits for
     * the one before. */
    sum s, second;

    STFK_MEMBER growing() : d{0, 0}, few{0, 0}, terms(0), s(0), second(0)
    {
    }
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
    STFK_MEMBER void add(cx z)
    {
        few.x += z.x;
        few.y += z.y;
        next();
    }
    STFK_MEMBER void add(cx w, real z)
    {
        few.x += w.x * z;
        few.y += w.y * z;
        next();
    }
    STFK_MEMBER void add(real w, cx z)
    {
        few.x += w * z.x;
        few.y += w * z.y;
        next();
    }
    STFK_MEMBER void sub(real w, cx z)
    {
        few.x -= w * z.x;
        few.y -= w * z.y;
        next();
    }
    STFK_MEMBER void sub(cx w, real z)
    {
        few.x -= w.x * z;
        few.y -= w.y * z;
        next();
    }
    STFK_MEMBER void sub(real w, real z)
    {
        few.x -= w * z;
        next();
    }
    STFK_MEMBER void square(real z, real unit)
    {
        z *= unit;
        s += z * z;
    }
    STFK_MEMBER void square(cx z, real unit)
    {
        z = {z.x * unit, z.y * unit};
        s += z.x * z.x;
        second += z.y * z.y;
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
        s += second;
        second = 0;
        return {d, s};
    }
};

/* ------------------------------------------------------- sums of a block */

/* Sums over a group of tiles j = 1, 2, ...: of j^p d_j for p < MOMENTS, and
 * of j^p s_j for p < SQUARES; lib/ft/group.h. */
constexpr int SQUARES = MOMENTS > 0 ? 2 * MOMENTS - 1 : 1;

struct moments {
    sum_cx d[MOMENTS > 0 ? MOMENTS : 1];
    sum s[SQUARES];

    STFK_MEMBER void add(int j, tally t)
    {
        sum weight = 1;
        STFK_UNROLL
        for (int p = 0; p < SQUARES; p++) {
            if (p < MOMENTS)
                d[p] = d[p] + sum_cx{weight * t.d.x, weight * t.d.y};
            s[p] += weight * t.s;
            weight *= (sum)j;
        }
    }
};

STFK_DEVICE moments operator+(moments a, moments b)
{
    STFK_UNROLL
    for (int p = 0; p < MOMENTS; p++)
        a.d[p] = a.d[p] + b.d[p];
    STFK_UNROLL
    for (int p = 0; p < SQUARES; p++)
        a.s[p] += b.s[p];
    return a;
}

/* Returns another thread's sums; `from` moves one number. */
template <class From> STFK_DEVICE tally moved(tally t, const From &from)
{
    return {{from(t.d.x), from(t.d.y)}, from(t.s)};
}

template <class From> STFK_DEVICE moments moved(moments t, const From &from)
{
    STFK_UNROLL
    for (int p = 0; p < MOMENTS; p++)
        t.d[p] = {from(t.d[p].x), from(t.d[p].y)};
    STFK_UNROLL
    for (int p = 0; p < SQUARES; p++)
        t.s[p] = from(t.s[p]);
    return t;
}

struct by_mask {
    int mask;
    STFK_MEMBER sum operator()(sum v) const
    {
        return shuffle_xor(v, mask);
    }
};

struct by_number {
    int from;
    STFK_MEMBER sum operator()(sum v) const
    {
        return shuffle(v, from % wave_size);
    }
};

/* Adds up sums over the threads of a lane. */
template <int interleave> struct summing {
    static constexpr int near = STFK_SUM_NEAR(interleave, STFK_SUM_TOGETHER);
    static constexpr int far =
        STFK_SUM_FAR(interleave, L, T, wave_size, STFK_SUM_TOGETHER);
    static constexpr int count =
        T / (near * far); /* partial sums that are left */

    template <class Sum> STFK_MEMBER static Sum in_wave(Sum t)
    {
        STFK_UNROLL
        for (int m = 1; m < near; m *= 2)
            t = t + moved(t, by_mask{m});
        STFK_UNROLL
        for (int m = 1; m < far; m *= 2)
            t = t + moved(t, by_mask{m * interleave * L});
        return t;
    }
    /* Of the threads whose sums a wave has added up, one puts their sum into
     * shared memory: speaks() says which one, and number() counts those of a
     * lane. */
    STFK_MEMBER static bool speaks(member m)
    {
        return remainder<interleave, T>(m.t) % near == 0
               && divided<interleave, T>(m.t) % far == 0;
    }
    STFK_MEMBER static int number(member m)
    {
        return (int)((unsigned)remainder<interleave, T>(m.t) / near
                     + (unsigned)divided<interleave, T>(m.t) / far
                           * (interleave / near));
    }
    template <class Sum> STFK_MEMBER static void put(Sum *part, Sum t)
    {
        member m = who<interleave>();
        t = in_wave(t);
        if (speaks(m))
            part[m.lane * count + number(m)] = t;
    }
    /* Returns the sum of parts from * reducers + reducer and so on, `many` of them.
     * Halves are added up apart, since a long chain of additions would round as
     * much as the transform does. */
    template <int reducers, int from, int many, class Sum>
    STFK_MEMBER static Sum add_up(const Sum *part, int reducer)
    {
        if constexpr (many > 1) {
            return add_up<reducers, from, many / 2>(part, reducer)
                   + add_up<reducers, from + many / 2, many - many / 2>(
                       part, reducer);
        } else {
            constexpr int i = from * reducers;
            if (i + reducers <= count || i + reducer < count)
                return part[i + reducer];
            return {};
        }
    }
    /* Returns the sum of what was put. `reducers` neighbouring threads add
     * up a lane's parts; each of them has to call this, and gets the sum. */
    template <int reducers, class Sum>
    STFK_MEMBER static Sum total(const Sum *part, int lane, int reducer)
    {
        constexpr int rounds = (count + reducers - 1) / reducers;
        Sum t = add_up<reducers, 0, rounds>(part + lane * count, reducer);

        STFK_UNROLL
        for (int m = 1; m < reducers; m *= 2)
            t = t + from_partner<reducers>(t, m);
        return t;
    }
    /* The last wave that adds up parts may not be full, and have threads beyond
     * the last reducer, which have no partner: they get their own sum. */
    template <int reducers, class Sum>
    STFK_MEMBER static Sum from_partner(Sum t, int mask)
    {
        constexpr int end =
            (L * reducers + wave_size - 1) / wave_size * wave_size;
        int i = (int)own_thread();

        if (end <= B || B % reducers == 0)
            return moved(t, by_mask{mask});
        return moved(t, by_number{(i ^ mask) < B ? i ^ mask : i});
    }
};

typedef summing<LOAD_SUM_INTERLEAVE> load_summing;
typedef summing<STORE_SUM_INTERLEAVE> store_summing;

constexpr bool in_waves = same_hands && store_summing::count == 1;

/* Waits for all threads that have a part of the same lanes. Where each wave has lanes of
 * its own, others may not be there: only waves that found something compute it again. */
STFK_DEVICE void all_wait()
{
    if (wave_alone && in_waves)
        wave_sync();
    else
        block_sync();
}

constexpr int partial = load_summing::count > store_summing::count
                            ? load_summing::count
                            : store_summing::count;

/* Returns about how many instructions the waves of a block take if r threads add up
 * a lane's partial sums: each wave that has such threads adds up parts, exchanges
 * sums, and makes a verdict. All others wait for the one that takes the longest, which
 * counts as much as some waves more. */
STFK_CONST int reducing_cost(int r)
{
    constexpr int verdict = 60, addition = 6, waiting = 3;
    int additions = (partial + r - 1) / r;

    for (int m = 1; m < r; m *= 2)
        additions++;
    return (waiting + (L * r + wave_size - 1) / wave_size)
           * (verdict + addition * additions);
}

/* REDUCERS neighbouring threads of a wave add up a lane's partial sums: the power
 * of two that costs the least. */
STFK_CONST int best_reducers()
{
    int best = 1;

    for (int r = 2; r <= T && r <= wave_size && 2 * r <= partial; r *= 2)
        if (reducing_cost(r) < reducing_cost(best))
            best = r;
    return best;
}
constexpr int REDUCERS = best_reducers();

/* A slot holds the partial sums of a tile's loads, then those of its stores
 * for each check. */
constexpr int LOAD_PARTS = same_hands ? 0 : L * load_summing::count;
constexpr int STORE_PARTS = L * store_summing::count;

template <class Sum> STFK_DEVICE Sum *load_parts(int slot)
{
    return (Sum *)(shared_memory() + STFK_CHECK_AT)
           + slot * (LOAD_PARTS + CHECKS * STORE_PARTS);
}

template <class Sum> STFK_DEVICE Sum *store_parts(int slot, int i)
{
    return load_parts<Sum>(slot) + LOAD_PARTS + i * STORE_PARTS;
}

/* The load's sums go to shared memory as soon as they are complete, unless
 * the exchanges still need that memory or the sums are added up over tiles. */
constexpr bool put_early =
    checked && !same_hands && !STFK_CHECK_SHARED && !grouped && !by_thread;

} // namespace stfk

#endif

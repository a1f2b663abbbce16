/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Checks of a tile while it is computed: the sums of each lane's residual,
 * what faults befall them in a trial, and how the threads of a block add them
 * up. What is made of them: verdict.h.
 *
 * What is summed: lib/ft/instrument.h. `near` and `far` threads of a wave add
 * up by exchanges; what is left goes through shared memory.
 * Source: [TurboFFT], section 4 (checks fused into the kernel); doc/abft.md. */
#ifndef STFK_CHECK_H
#define STFK_CHECK_H

#include "fft/memory.h"

namespace stfk
{

constexpr bool checked = STFK_CHECK;
/* Faults strike there: in what is checked here, or from input to output. */
constexpr bool strikable = STFK_CHECK || STFK_GATED;
/* A spread convolution is checked on its way there, and on its way back. */
constexpr bool by_thread = checked && STFK_BY_THREAD;
constexpr bool by_lane = checked && !by_thread;
constexpr int CHECKS = STFK_CONV == CONV_SPREAD && !by_thread ? 2 : 1;
constexpr int LOAD_SUM_INTERLEAVE = STFK_LOAD_SUM_INTERLEAVE;
constexpr int STORE_SUM_INTERLEAVE = STFK_STORE_SUM_INTERLEAVE;
constexpr bool same_hands = LOAD_SUM_INTERLEAVE == STORE_SUM_INTERLEAVE;
/* Tiles that a block does one after the other, for one verdict; and sums of
 * residuals that it keeps over them, or 0: those of each tile. */
constexpr int TILES = STFK_TRANSACTIONS;
constexpr int MOMENTS = STFK_MOMENTS;
constexpr bool grouped = checked && MOMENTS > 0;
/* No barrier of the block anywhere: each wave has its own lanes. */
constexpr bool wave_alone = STFK_WAVE_SYNC && !STFK_LOAD_STAGED
                            && !STFK_STORE_STAGED
                            && STFK_TWIDDLE == TWIDDLE_NONE;

STFK_DEVICE bool is_finite(real v)
{
    return v - v == 0;
}
STFK_DEVICE real magnitude(real v)
{
    return v < 0 ? -v : v;
}

STFK_DEVICE real scaled(real v, real factor)
{
    return v * factor;
}
STFK_DEVICE cx scaled(cx v, real factor)
{
    return {v.x * factor, v.y * factor};
}

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

    STFK_MEMBER growing() : d{0, 0}, few{0, 0}, terms(0), s(0)
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
        few = few + z;
        next();
    }
    STFK_MEMBER void add(cx w, real z)
    {
        few.x += w.x * z;
        few.y += w.y * z;
        next();
    }
    STFK_MEMBER void sub(real w, cx z)
    {
        few.x -= w * z.x;
        few.y -= w * z.y;
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
STFK_DEVICE cx as_direction(cx w)
{
    return STFK_INVERSE ? conj(w) : w;
}

STFK_DEVICE cx e_of(unsigned both)
{
    return {(real)make_float(both << 16), (real)make_float(both & 0xffff0000u)};
}

/* Where e has a code (lib/ft/weights/sign_pattern.h), that of register i of a store is
 * i^turns, times 1 + i if it is odd, and all are times the thread's own. */
constexpr bool coded = by_lane && STFK_SIGN_PATTERN;
constexpr int KEPT_E = coded ? T : N;

STFK_CONST int code_turns(int i)
{
    return (int)((STFK_SIGN_PATTERN_TURNS >> 2 * i) & 3);
}
STFK_CONST bool code_odd(int i)
{
    return (STFK_SIGN_PATTERN_ODD >> i & 1) != 0;
}

/* i^q z, or, of an inverse transform, the conjugate of i^q, times z. */
STFK_DEVICE cx turned(cx z, int q)
{
    const int turns = STFK_INVERSE ? (4 - q) % 4 : q;

    return turns == 0   ? z
           : turns == 1 ? cx{-z.y, z.x}
           : turns == 2 ? cx{-z.x, -z.y}
                        : cx{z.y, -z.x};
}

/* (1 + i) z, or (1 - i) z. */
STFK_DEVICE cx half_turned(cx z)
{
    return STFK_INVERSE ? cx{z.x + z.y, z.y - z.x} : cx{z.x - z.y, z.x + z.y};
}

/* An element of a transform's row: lib/ft/weights/sign_pattern.h. */
typedef either<STFK_REAL_ROW>::of<real, cx>::type weight;

STFK_DEVICE real as_direction(real w)
{
    return w;
}

STFK_DEVICE void load_weight(const void *table, wide i, real &w)
{
    w = load_table((const real *)table + i);
}

STFK_DEVICE void load_weight(const void *table, wide i, cx &w)
{
    w = table_at(table, i);
}

/* Where a block keeps the row and so many elements of e, if it does;
 * persistent.h. */
STFK_DEVICE weight *kept_row()
{
    return (weight *)(shared_memory() + STFK_VECTORS_AT);
}

STFK_DEVICE unsigned *kept_e()
{
    return (unsigned *)(kept_row() + N);
}

/* ------------------------------------------------------------ one attempt */

/* What is known of a lane's check in a tile with a suspect: what the kernel
 * found, and what the last attempt apart from it did. Both compute the same,
 * but are compiled apart: only residuals of the latter are the same to the
 * bit when nothing is wrong. */
struct suspect {
    cx kernel_d, d;
    real unit;  /* what its data are multiplied by for the norm */
    real ratio; /* largest of the attempts that came out otherwise
                            the next time, or 0 */
    int kernel_found, found;
    int reported; /* something was noted of it */
};

/* REPORTED: a fault that is only to be reported, and has been. */
enum { CLEAN, OUT_OF_RANGE, SUSPECT, REPORTED };

STFK_DEVICE suspect *suspects()
{
    return (suspect *)(shared_memory() + STFK_SUSPECTS_AT);
}

STFK_DEVICE suspect &suspect_at(int lane, int i)
{
    return suspects()[lane * CHECKS + i];
}

/* How a tile is computed apart from the kernel. */
enum {
    SUSPECTED = 1, /* the kernel has found something */
    SUFFERS = 2,   /* faults that strike once do so in the first attempt */
    ONCE = 4       /* one attempt, whatever comes of it */
};

/* `first`: what launches without faults begin with; all of it is known when
 * the kernel is compiled, so that it has no code for faults and attempts. */
struct trial {
    const work &a;
    bool first;
    int how;
    int slot; /* of the tile's sums in shared memory */
    int attempt;
    growing in;          /* of what is loaded: its sum is negative */
    growing out[CHECKS]; /* of what is stored */
    growing odd;         /* of that, what has an odd code */

    STFK_MEMBER trial(const work &w, int its_slot)
        : a(w), first(true), how(0), slot(its_slot), attempt(0)
    {
    }
    STFK_MEMBER trial(const work &w, int its_slot, int apart)
        : a(w), first(false), how(apart), slot(its_slot), attempt(0)
    {
    }
    STFK_MEMBER void once_more()
    {
        attempt++;
        in = growing();
        STFK_UNROLL
        for (int i = 0; i < CHECKS; i++)
            out[i] = growing();
        odd = growing();
    }
};

/* Attempts apart from the kernel read the vectors anew. */
STFK_DEVICE cx e_at(const trial &c, int k)
{
    return e_of(STFK_PERSISTENT && c.first
                    ? kept_e()[k]
                    : load_word((const unsigned *)c.a->check.e + k));
}

STFK_DEVICE cx row_at(const trial &c, int j)
{
    return table_at(c.a->check.row, j);
}

/* The same of a transform. */
STFK_DEVICE weight weight_at(const trial &c, int j)
{
    weight w;

    if (STFK_PERSISTENT && c.first)
        return kept_row()[j];
    load_weight(c.a->check.row, j, w);
    return w;
}

/* Vectors in the order of registers (host/tables.c): those of thread t, for
 * the elements that it holds. The row is real then, and e has no code. */
constexpr bool by_register = by_lane && STFK_ORDERED;
static_assert(!STFK_ORDERED || (STFK_REAL_ROW && !STFK_SIGN_PATTERN),
              "complex rows and codes are by element");

template <int per_quad> struct held_quads {
    enum {
        PER_QUAD = per_quad,
        QUADS = by_register ? (V + per_quad - 1) / per_quad : 1
    };
    words quad[QUADS];

    STFK_MEMBER held_quads(const void *table, int t)
    {
        STFK_UNROLL
        for (int q = 0; by_register && q < QUADS; q++)
            quad[q] = load_words((const words *)table + q * T + t);
    }
};

STFK_DEVICE void from_words(const words &q, int i, float &w)
{
    w = make_float(q.of[i]);
}

STFK_DEVICE void from_words(const words &q, int i, double &w)
{
    w = from_bits((count_t)q.of[2 * i + 1] << 32 | q.of[2 * i]);
}

/* Of the row, for the inputs of the first stage. */
struct row_held : held_quads<16 / (int)sizeof(real)> {
    STFK_MEMBER row_held(const trial &c, int t)
        : held_quads<PER_QUAD>(c.a->check.row, t)
    {
    }
    /* Of register i, which is element e. */
    STFK_MEMBER weight at(const trial &c, int i, int e) const
    {
        if constexpr (by_register) {
            real w;
            from_words(quad[i / PER_QUAD], i % PER_QUAD, w);
            return weight{w};
        } else {
            return weight_at(c, e);
        }
    }
};

/* A byte of e: there, floats and doubles have steps of 1/64. */
STFK_DEVICE void from_byte(unsigned word, int i, float &w)
{
    w = make_float(with_byte(bits_of(0x1p17f), word, i)) - (0x1p17f + 2);
}

STFK_DEVICE void from_byte(unsigned word, int i, double &w)
{
    w = from_bits(bits_of(0x1p46) | with_byte(0, word, i)) - (0x1p46 + 2);
}

/* Of e, for the results of the last one. */
struct e_held : held_quads<8> {
    STFK_MEMBER e_held(const trial &c, int t)
        : held_quads<PER_QUAD>(c.a->check.e, t)
    {
    }
    STFK_MEMBER cx at(const trial &c, int i, int e) const
    {
        if constexpr (by_register) {
            const unsigned word = quad[i / PER_QUAD].of[i % PER_QUAD / 2];
            cx w;
            from_byte(word, i % 2 * 2, w.x);
            from_byte(word, i % 2 * 2 + 1, w.y);
            return w;
        } else {
            return e_at(c, e);
        }
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
    /* What is to be reported only is to come out as it was. */
    const bool strikes_again =
        !check.correct || ((c.how & SUFFERS) && c.attempt == 0);

    for (wide q = 0; q < check.faults; q++) {
        const stfk_fault &f = check.fault[q];
        if (f.stage != stage || f.lane != (wide)lane_number(c.a, m.lane)
            || (!f.persistent && (check.again || !strikes_again)))
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

/* The same of the results of the last stage. Butterflies that are checked have
 * suffered theirs. */
template <int R>
STFK_DEVICE void strike_results(const trial &c, member m, cx *v)
{
    if (!by_thread)
        strike<R>(c, STFK_OP == OP_CONV ? 2 * S : S, m, v);
}

/* ----------------------------------------------------------------- sums */

/* Of a group of tiles j = 1, 2, ...: the sums of j^p d_j, and of j^p s_j, of
 * which there are twice as many less one; lib/ft/group.h. */
constexpr int SQUARES = MOMENTS > 0 ? 2 * MOMENTS - 1 : 1;

struct moments {
    cx d[MOMENTS > 0 ? MOMENTS : 1];
    real s[SQUARES];

    STFK_MEMBER void add(int j, tally t)
    {
        real weight = 1;
        STFK_UNROLL
        for (int p = 0; p < SQUARES; p++) {
            if (p < MOMENTS)
                d[p] = d[p] + cx{weight * t.d.x, weight * t.d.y};
            s[p] += weight * t.s;
            weight *= (real)j;
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

/* What a thread gets from the one that `from` tells, of each of its parts. */
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
    STFK_MEMBER real operator()(real v) const
    {
        return shuffle_xor(v, mask);
    }
};

struct by_number {
    int from;
    STFK_MEMBER real operator()(real v) const
    {
        return shuffle(v, from % wave_size);
    }
};

/* Sums over the threads of a lane. */
template <int interleave> struct summing {
    static constexpr int near = STFK_SUM_NEAR(interleave, wave_size);
    static constexpr int far = STFK_SUM_FAR(interleave, L, T, wave_size);
    static constexpr int count = T / (near * far); /* that are left */

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
    /* The thread speaks for those it was summed with; its number among those
     * that do. */
    STFK_MEMBER static bool speaks(member m)
    {
        return m.t % interleave % near == 0 && m.t / interleave % far == 0;
    }
    STFK_MEMBER static int number(member m)
    {
        return m.t % interleave / near
               + m.t / interleave / far * (interleave / near);
    }
    template <class Sum> STFK_MEMBER static void put(Sum *part, Sum t)
    {
        member m = who<interleave>();
        t = in_wave(t);
        if (speaks(m))
            part[m.lane * count + number(m)] = t;
    }
    /* Of what was put; `reducers` neighbouring threads do a lane's, of which
     * each is to call this and gets the sum. */
    template <int reducers, class Sum>
    STFK_MEMBER static Sum total(const Sum *part, int lane, int reducer)
    {
        Sum t = {};
        for (int i = reducer; i < count; i += reducers)
            t = t + part[lane * count + i];
        STFK_UNROLL
        for (int m = 1; m < reducers; m *= 2)
            t = t + moved_if(t, m);
        return t;
    }
    /* In a wave that is not full, with oneself where there is nobody. */
    template <class Sum> STFK_MEMBER static Sum moved_if(Sum t, int mask)
    {
        int i = (int)thread_index();

        if (B % wave_size == 0)
            return moved(t, by_mask{mask});
        return moved(t, by_number{(i ^ mask) < B ? i ^ mask : i});
    }
};

typedef summing<LOAD_SUM_INTERLEAVE> load_summing;
typedef summing<STORE_SUM_INTERLEAVE> store_summing;

constexpr bool in_waves = same_hands && store_summing::count == 1;

/* Neighbouring threads of a wave that add up a lane's partial sums: as many
 * as there are for each lane, and find two or more to add. */
STFK_CONST int reducers_for(int most)
{
    return most > wave_size           ? reducers_for(wave_size)
           : (most & (most - 1)) != 0 ? reducers_for(most - (most & -most))
                                      : most;
}
constexpr int partial = load_summing::count > store_summing::count
                            ? load_summing::count
                            : store_summing::count;
constexpr int REDUCERS = reducers_for(partial / 2 < 1   ? 1
                                      : T < partial / 2 ? T
                                                        : partial / 2);

/* Partial sums of a slot: of the loads, then of each check's stores. */
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

/* The load's sums are put away when they are complete, unless the exchanges
 * still need the memory, or they are to be added up over tiles. */
constexpr bool put_early =
    checked && !same_hands && !STFK_CHECK_SHARED && !grouped && !by_thread;

STFK_DEVICE void put_load_sums(trial &c)
{
    if (put_early)
        load_summing::put(load_parts<tally>(c.slot), c.in.all());
}

} // namespace stfk

#endif

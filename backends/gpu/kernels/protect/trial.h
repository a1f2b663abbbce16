/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The class that watches a protected tile (fft/watch.h). It adds what the
 * tile loads and stores to the sums of its residuals, and lets faults on
 * purpose strike. verdict.h judges the sums. */
#ifndef STFK_TRIAL_H
#define STFK_TRIAL_H

#include "fft/watch.h"
#include "protect/vectors.h"
#include "ft/outcome.h"

namespace stfk
{

/* --------------------------------------------------------------- suspects */

/* What is known of a lane's check in a tile that is computed again: what the
 * kernel found, and what attempts apart from it found. Both compute the same,
 * but are compiled separately and may round differently; so only attempts
 * apart from the kernel have residuals that are equal to the bit when nothing
 * is wrong, and their state alone is that of lib/ft/outcome.h. */
struct suspect {
    sum_cx kernel_d, d; /* the residuals of the kernel, of the last attempt */
    sum ratio;          /* of the first look that was not clean, else 0 */
    real unit;          /* the factor of its data in the norm */
    unsigned char kernel_found; /* stfi_ft_verdict */
    unsigned char reported;     /* 1: something was reported of it */
    stfi_ft_state state;
};

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
    ONCE = 4,      /* one attempt, without a verdict */
    SUMS_NOW = 8,  /* sums are made of what the points of fft/watch.h see, */
    LOADED_BEFORE = 16 /* but for its input, which was summed up before */
};

STFK_DEVICE void count(const work &a, stfi_ft_outcome what)
{
    atomic_add(&a->check.ledger->count[what], 1);
}

/* The block's only tile, computed anew. */
STFK_DEVICE work work_anew(const work &a)
{
    return {a.args, (lane_t)block_index_anew() * L};
}

/* Tells the end-to-end check what this pass could not repair, and asks for
 * another execution, unless this is one. */
STFK_DEVICE void ask_for_another(const work &a)
{
    stfk_gate *next = a->gate + 1;

    if (a->gate == 0)
        return;
    atomic_add(&next->failed, 1);
    if (!a->check.again)
        atomic_add(&next->wanted, 1);
}

/* Tells the end-to-end check of an input with Inf or NaN, whose bits may differ where the
 * numbers do not. What later passes find may be due to a tile that nobody computed. */
STFK_DEVICE void tell_non_finite(const work &a)
{
    if (STFK_SIGN_INPUT && a->gate != 0)
        atomic_add(&a->gate[1].non_finite, 1);
}

/* ------------------------------------------------------------ one attempt */

struct trial;
template <int R, int P> struct butterfly_checks; /* thread.h */

/* The weights of the row for the inputs of the first stage. A thread holds
 * them if their table is in the order of registers; otherwise at() reads
 * them. */
struct row_held : held_quads<16 / (int)sizeof(real)> {
    STFK_MEMBER row_held(const trial &c, int t);
    /* Returns the weight for register i, which holds element e. */
    STFK_MEMBER weight at(const trial &c, int i, int e) const;
};

/* The elements of the left vector e for the results of the last stage. */
struct e_held : held_quads<8> {
    STFK_MEMBER e_held(const trial &c, int t);
    STFK_MEMBER phase at(const trial &c, int i, int e) const;
};

/* One attempt at a tile. `first`: the kernel's own attempt in a launch
 * without faults on purpose. All of it is known when the kernel is compiled,
 * so that the kernel has no code for faults and further attempts. */
struct trial {
    const work &a;
    bool first;
    int how;
    int slot; /* the place of the tile's sums in shared memory */
    int attempt;
    growing in;          /* over what is loaded, with a negative sign */
    growing out[CHECKS]; /* over what is stored */
    growing odd;         /* the terms of the latter whose e is odd */
    real excess;         /* the sum of |t|^2 - 1 over the factors of a load */
    /* The tile's part of the launch's signature, and that of what is stored. */
    unsigned signature, stored_bits;
    unsigned before; /* the bits of its input, in a launch that overwrites it */

    STFK_MEMBER explicit trial(const work &w, int its_slot = 0)
        : a(w), first(true), how(0), slot(its_slot), attempt(0), excess(0),
          signature(0), stored_bits(0), before(0)
    {
    }
    STFK_MEMBER trial(const work &w, int its_slot, int apart)
        : a(w), first(false), how(apart), slot(its_slot), attempt(0), excess(0),
          signature(0), stored_bits(0), before(0)
    {
    }
    /* Returns whether sums are made of what the points below see: registers, or, when
     * a tile has been stored, what from_memory.h has read again. */
    STFK_MEMBER bool sums_now() const
    {
        return !from_memory || (how & SUMS_NOW) != 0;
    }
    /* Returns whether what these points see belongs to the launch's signature. */
    STFK_MEMBER bool signs() const
    {
        return is_signed && sums_now();
    }
    /* The same of the points of a load. */
    STFK_MEMBER bool sums_loads() const
    {
        return sums_now() && !(from_memory && (how & LOADED_BEFORE) != 0);
    }
    STFK_MEMBER bool signs_loads() const
    {
        return is_signed && sums_loads();
    }
    /* Lets these points sum up, or no longer. */
    STFK_MEMBER void sum_now(bool on)
    {
        how = on ? how | SUMS_NOW : how & ~SUMS_NOW;
    }
    STFK_MEMBER void once_more()
    {
        attempt++;
        in = growing();
        STFK_UNROLL
        for (int i = 0; i < CHECKS; i++)
            out[i] = growing();
        odd = growing();
        excess = 0;
        signature = stored_bits = 0;
    }

    /* The points of fft/watch.h. Rader's elements, which have an order of
     * their own, are summed up while they move to and from shared memory. */
    static constexpr bool lanes = by_lane && STFK_CONV != CONV_RADER;
    static constexpr bool one_lane = checked, butterflies = by_thread;
    static constexpr int load_interleave = LOAD_SUM_INTERLEAVE;
    static constexpr int store_interleave = STORE_SUM_INTERLEAVE;
    typedef row_held loading;
    typedef e_held storing;
    template <int R, int P>
    using stage =
        typename either<by_thread>::template of<butterfly_checks<R, P>,
                                                unwatched::stage<R, P>>::type;

    /* Results go past the first-level cache, which is left to the tables of
     * checks. */
    template <class To, class Value> STFK_MEMBER static void put(To *p, Value v)
    {
        if constexpr (checked)
            store_past(p, v);
        else
            store_global(p, v);
    }
    /* Faults of tests are those of these stages if they strike what is stored after
     * its last sum, or what was loaded before any sum is made of it, or turn what a
     * thread has loaded, or is about to store, for the wrong direction. */
    enum {
        STORED_STAGE = (STFK_OP == OP_CONV ? 2 : 1) * S + 1,
        LOADED_STAGE,
        LOAD_TURN,
        STORE_TURN
    };
    template <int R> STFK_MEMBER bool turns(int stage, member m) const;
    STFK_MEMBER void count_turn();
    template <int R> STFK_MEMBER void begin_load(member m, const cx *v);
    STFK_MEMBER void loaded(const row_held &row, int i, int e, const cx &v);
    STFK_MEMBER void loaded(const row_held &row, int i, int e, const cx &v,
                            const cx &t);
    STFK_MEMBER void end_load();
    template <int R> STFK_MEMBER void strike(int stage, member m, cx *v) const;
    template <int R> STFK_MEMBER void strike_inputs(member m, cx *v) const;
    template <int R> STFK_MEMBER void strike_results(member m, cx *v) const;
    template <int R> STFK_MEMBER void strike_columns(int stage, cx *v) const;
    STFK_MEMBER void multiplied(int e, cx p, cx v, cx product);
    template <int R>
    STFK_MEMBER void add_result(const e_held &es, int i, int e, cx v);
    STFK_MEMBER void end_results(member m);
    template <int R>
    STFK_MEMBER void stored_at(const e_held &es, int i, int e, cx v);
    template <int R>
    STFK_MEMBER void stored_at(const e_held &es, int i, int e, cx v, cx t);
    STFK_MEMBER void end_store(member m);
    template <class Go> STFK_MEMBER void loaded_swept(const cx *u);
    STFK_MEMBER void stored_swept(int e, const cx &u, const cx &t);
    STFK_MEMBER void loaded_balanced(bool bad);
    template <int op, int R>
    STFK_MEMBER void loaded_reals(member m, const cx *v);
    template <int op, int R>
    STFK_MEMBER void stored_reals(member m, const cx *v);
    template <class Go> STFK_MEMBER void loaded_halves(cx *x, const cx *y);
    template <class Go> STFK_MEMBER void strike_loaded(int k, cx *x) const;
    template <class Go> STFK_MEMBER void loaded_pair(int k, cx x, cx y);
    STFK_MEMBER void end_pairs();
    STFK_MEMBER void stored_pair(int k, cx *x);
    STFK_MEMBER void sum_pair(int k, const cx *x);
    STFK_MEMBER void strike_pair(int stage, int lane, int k, cx *x) const;
    template <class Go> STFK_MEMBER void loaded_two(const cx *x, const cx *y);
    STFK_MEMBER void stored_two(int k, const cx *x);
    STFK_MEMBER void stored_two(int k, const cx *x, const cx &t);
    STFK_MEMBER static pair_made make_pair(const work &a, wide k, cx x, cx y,
                                           int i);
};

/* Returns element k of e, by the address of element `from`; see table_place(). A
 * persistent block keeps the vectors in shared memory; attempts apart from the
 * kernel read them from their table again. */
STFK_DEVICE phase e_at(const trial &c, int k, int from = 0)
{
    stored_phase e;

    if (STFK_PERSISTENT && c.first)
        return e_of(kept_e()[k]);
    load_phase(c.a->check.e, from, k, e);
    return e_of(e);
}

STFK_DEVICE cx row_at(const trial &c, int j, int from = 0)
{
    return table_at(table_place<vec2<real>>(c.a->check.row, from, j), 0);
}

/* Returns element j of the row of a transform, which may be real. */
STFK_DEVICE weight weight_at(const trial &c, int j, int from)
{
    weight w;

    if (STFK_PERSISTENT && c.first)
        return kept_row()[j];
    load_weight(c.a->check.row, from, j, w);
    return w;
}

STFK_MEMBER row_held::row_held(const trial &c, int t)
    : held_quads<PER_QUAD>(c.a->check.row, t)
{
}

STFK_MEMBER weight row_held::at(const trial &c, int i, int e) const
{
    if constexpr (by_register) {
        real w;
        from_words(quad[i / PER_QUAD], i % PER_QUAD, w);
        return weight{w};
    } else {
        return weight_at(c, e, own);
    }
}

STFK_MEMBER e_held::e_held(const trial &c, int t)
    : held_quads<PER_QUAD>(c.a->check.e, t)
{
}

STFK_MEMBER phase e_held::at(const trial &c, int i, int e) const
{
    if constexpr (by_register) {
        const unsigned word = quad[i / PER_QUAD].of[i % PER_QUAD / 2];
        phase w;
        from_byte(word, i % 2 * 2, w);
        return w;
    } else {
        return e_at(c, e, own);
    }
}

/* Returns the factor of data in the norm of check i: 1, or, if they are very
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

/* No reference to a component is taken, which would force the value into
 * memory. */
STFK_DEVICE cx struck(cx v, const stfk_fault &f)
{
    return f.component ? cx{v.x, struck(v.y, f)} : cx{struck(v.x, f), v.y};
}

/* Calls use(f) for each fault f that strikes the inputs of a stage. */
template <class Use>
STFK_DEVICE void each_fault(const trial &c, int stage, const Use &use)
{
    const stfk_check &check = c.a->check;
    /* If faults are only reported, results keep them: they strike in each
     * attempt. */
    const bool strikes_again =
        !check.correct || ((c.how & SUFFERS) && c.attempt == 0);

    for (wide q = 0; q < check.faults; q++) {
        const stfk_fault &f = check.fault[q];
        if (f.stage == stage
            && (f.persistent || (!check.again && strikes_again)))
            use(f);
    }
}

/* Lets the faults that the launch has for a stage of radix R strike the
 * registers that hold its inputs. */
template <int R>
STFK_DEVICE void strike_all(const trial &c, int stage, member m, cx *v)
{
    each_fault(c, stage, [&](const stfk_fault &f) {
        if (f.lane == (wide)lane_number(c.a, m.lane))
            each_held<R>(m.t, [&](int i, int b, int j) {
                if (b + j * (N / R) == f.element)
                    v[i] = struck(v[i], f);
            });
    });
}

#if STFK_MATRIX
/* The same if the stage is computed on matrix units. */
template <int R>
STFK_DEVICE void strike_all_columns(const trial &c, int stage, cx *v)
{
    each_fault(c, stage, [&](const stfk_fault &f) {
        each_before<R>(seat(), [&](int i, int lane, const column_part<R> &p) {
            if (f.lane == (wide)lane_number(c.a, lane)
                && p.b + p.more + p.j * (N / R) == f.element)
                v[i] = struck(v[i], f);
        });
    });
}

template <int R> STFK_MEMBER void trial::strike_columns(int stage, cx *v) const
{
    if (strikable && !first && a->check.faults != 0)
        strike_all_columns<R>(*this, stage, v);
}
#endif

template <int R>
STFK_MEMBER void trial::strike(int stage, member m, cx *v) const
{
    if (strikable && !first && a->check.faults != 0)
        strike_all<R>(*this, stage, m, v);
}

template <int R> STFK_MEMBER void trial::strike_inputs(member m, cx *v) const
{
    if (is_signed)
        strike<R>(LOADED_STAGE, m, v);
}

/* A fault in the direction is one of the thread that holds its element. */
template <int R> STFK_MEMBER bool trial::turns(int stage, member m) const
{
    bool is_turned = a->inverse != 0;

    if (is_signed && !first && a->check.faults != 0)
        each_fault(*this, stage, [&](const stfk_fault &f) {
            each_held<R>(m.t, [&](int, int b, int j) {
                is_turned ^= b + j * (N / R) == f.element
                             && f.lane == (wide)lane_number(a, m.lane);
            });
        });
    return is_turned;
}

/* If butterflies are checked, faults in their results have struck in
 * run_stage(). */
template <int R> STFK_MEMBER void trial::strike_results(member m, cx *v) const
{
    if (!by_thread)
        strike<R>(STFK_OP == OP_CONV ? 2 * S : S, m, v);
}

} // namespace stfk

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The tile that a block is given, its two sides, and where a lane lies in device
 * memory. */
#ifndef STFK_LANE_H
#define STFK_LANE_H

#include "fft/transform.h"

namespace stfk
{

#if STFK_WIDE
typedef unsigned long long lane_t;
#else
typedef unsigned lane_t;
#endif

/* A tile to be done: the arguments, and its first lane. */
struct work {
    const stfk_args &args;
    lane_t first;
    STFK_MEMBER const stfk_args *operator->() const
    {
        return &args;
    }
};

/* Waits for the launch before this one, and lets the next one begin. */
STFK_DEVICE void take_turn(const stfk_args &args)
{
    if (STFK_GATED && args.leads == STFK_LEADS_AT_ONCE)
        let_next_begin();
    wait_for_previous();
    if (args.leads == STFK_LEADS_IN_TURN)
        let_next_begin();
}

/* Where all blocks come through take_inputs(), they take their turn there, when they
 * have found their tile and asked for tables. Others do so first. */
constexpr bool turns_late = !STFK_GATED && !STFK_AHEAD && !STFK_DIRECT
                            && !STFK_UNIT_ROWS && !STFK_PERSISTENT
                            && !STFK_FROM_MEMORY
                            && (STFK_OP == OP_FFT || STFK_OP == OP_CONV
                                || STFK_OP == OP_R2C || STFK_OP == OP_R2C_TWO);

/* The load of a pass, as config.h describes it. `across`: neighbouring lanes
 * are closer than neighbouring elements. `whole`: with an order, or with half a
 * spectrum in memory, element e has index e in the signal. */
struct load_side {
    typedef STFK_LOAD_STORED stored;
    static constexpr int form = STFK_LOAD_FORM;
    static constexpr bool unit = STFK_LOAD_UNIT; /* elements are neighbours */
    static constexpr bool adjoin = STFK_LOAD_ADJOIN; /* both components are */
    static constexpr bool across = STFK_LOAD_ACROSS;
    static constexpr int block = STFK_LOAD_BLOCK; /* 0: none */
    static constexpr bool limit = STFK_LOAD_LIMIT;
    static constexpr bool rows = STFK_LOAD_ROWS;
    static constexpr bool chirp = STFK_LOAD_CHIRP;
    static constexpr int order = STFK_LOAD_ORDER;
    static constexpr int turn = STFK_LOAD_TURN;
    static constexpr bool reversed = STFK_LOAD_REVERSED;
    static constexpr bool alternate = STFK_LOAD_ALTERNATE;
    static constexpr bool mirror = STFK_LOAD_MIRROR;
    static constexpr bool whole = STFK_LOAD_WHOLE;
    static constexpr bool copied = STFK_LOAD_COPIED;
    STFK_MEMBER static const stfk_side &of(const work &a)
    {
        return a->load;
    }
};

struct store_side {
    typedef STFK_STORE_STORED stored;
    static constexpr int form = STFK_STORE_FORM;
    static constexpr bool unit = STFK_STORE_UNIT;
    static constexpr bool adjoin = STFK_STORE_ADJOIN;
    static constexpr bool across = STFK_STORE_ACROSS;
    static constexpr int block = STFK_STORE_BLOCK;
    static constexpr bool limit = STFK_STORE_LIMIT;
    static constexpr bool rows = STFK_STORE_ROWS;
    static constexpr bool chirp = STFK_STORE_CHIRP;
    static constexpr int order = STFK_STORE_ORDER;
    static constexpr int turn = STFK_STORE_TURN;
    static constexpr bool reversed = STFK_STORE_REVERSED;
    static constexpr bool alternate = STFK_STORE_ALTERNATE;
    static constexpr bool mirror = STFK_STORE_MIRROR;
    static constexpr bool whole = STFK_STORE_WHOLE;
    static constexpr bool copied = STFK_STORE_COPIED;
    STFK_MEMBER static const stfk_side &of(const work &a)
    {
        return a->store;
    }
};

/* -------------------------------------------------------- finding a lane */

template <class Side> struct spot {
    typename Side::stored *p; /* element 0 of the lane */
    wide index;               /* the index of element 0 in the signal */
    bool there;               /* the lane exists, */
    bool both;                /* and has both of two signals */
};

/* Whether each element of a side with an order has one real of either of two signals,
 * or of a spectrum of either. */
template <class Side> STFK_CONST bool is_of_two()
{
    return (STFK_OP == OP_R2C_TWO || STFK_OP == OP_C2R_TWO) && !Side::mirror;
}

/* Returns where the second of both lies. */
template <class Side>
STFK_DEVICE spot<Side> second_signal(const stfk_side &side, spot<Side> s)
{
    s.p += side.im;
    return s;
}

STFK_DEVICE lane_t lane_number(const work &a, int lane)
{
    return a.first + (lane_t)lane;
}

/* Returns n divided by the length of loop l. The divisors in the arguments
 * are only for numbers of 32 bits. */
STFK_DEVICE lane_t quotient(const work &a, lane_t n, int l)
{
#if STFK_WIDE
    return n / (lane_t)a->loop_n[l];
#else
    return (mulhi(n, a->loop_div[l].mul) + n) >> a->loop_div[l].shift;
#endif
}

/* Calls use(l, i) for every loop l with the lane's index i in it. */
template <class Use>
STFK_DEVICE void walk(const work &a, lane_t lane, const Use &use)
{
    STFK_UNROLL
    for (int l = 0; l < STFK_NLOOPS; l++) {
        lane_t rest = l + 1 < STFK_NLOOPS ? quotient(a, lane, l) : 0;
        use(l, (wide)(l + 1 < STFK_NLOOPS ? lane - rest * (lane_t)a->loop_n[l]
                                          : lane));
        lane = rest;
    }
}

/* Returns p as one address of a side's elements, whose distances are known when the
 * kernel is compiled; see one_address(). The compiler has to know of a copy that it is
 * in shared memory. */
template <class Side>
STFK_DEVICE typename Side::stored *known_address(typename Side::stored *p)
{
    return Side::unit && !Side::copied ? one_address(p) : p;
}

template <class Side>
STFK_DEVICE spot<Side> locate_number(const work &a, lane_t number)
{
    const stfk_side &side = Side::of(a);
    wide offset = 0, index = 0;
    bool both = !STFK_ALONE || (wide)number < a->full_lanes;

    walk(a, number, [&](int l, wide i) {
        offset += i * side.loop[l];
        index += i * side.index[l];
        if (STFK_ODD_COLUMNS && l == 0)
            both = i + 1 < a->loop_n[0];
    });
    return {
        known_address<Side>((typename Side::stored *)side.base + offset), index,
        (wide)number < a->lanes && (!Side::rows || index < side.rows), both};
}

template <class Side> STFK_DEVICE spot<Side> locate(const work &a, int lane)
{
    return locate_number<Side>(a, lane_number(a, lane));
}

/* Returns a lane's number, and that of the last lane for those behind it, whose
 * results nobody stores or judges. */
STFK_DEVICE lane_t existing_lane(const work &a, int lane)
{
    const lane_t number = lane_number(a, lane), last = (lane_t)(a->lanes - 1);

    return number < last ? number : last;
}

/* Returns where a thread loads: lanes behind the last one take its elements. So no
 * condition stands before a load, for which the compiler would convert what other
 * loads bring before it issues the last of them. */
template <class Side>
STFK_DEVICE spot<Side> locate_existing(const work &a, int lane)
{
    spot<Side> s = locate_number<Side>(a, existing_lane(a, lane));

    if constexpr (!Side::rows)
        s.there = true;
    return s;
}

STFK_DEVICE spot<load_side> locate_load(const work &a, int lane)
{
    return locate_existing<load_side>(a, lane);
}

} // namespace stfk

#endif

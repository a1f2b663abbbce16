/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Which elements of a tile a thread moves to or from shared memory, in rounds, and how
 * it puts there what it has loaded. */
#ifndef STFK_SWEEPS_H
#define STFK_SWEEPS_H

#include "fft/tile.h"

namespace stfk
{

/* Returns thing i if it exists, or else the last one. What a thread loads in the last
 * round is loaded without a condition that way, if need be twice: the compiler puts a
 * load under a condition to where that is asked again, behind the first use of what
 * the rounds before have loaded, so that memory is waited for twice. */
STFK_DEVICE int nearest_in_round(int k, int threads, int count, int i)
{
    return is_in_round(k, threads, count, i) ? i : count - 1;
}

/* Says which element i < COUNT of which lane a thread moves in round q.
 * Neighbouring threads take neighbouring elements or, if `across`,
 * neighbouring lanes. */
template <class Side, int COUNT, bool across> struct sweep {
    static constexpr int all = L * COUNT;
    static constexpr int rounds = (all + B - 1) / B;
    /* How far apart a thread's elements are, or 0 if that differs. */
    static constexpr int step = L == 1 ? B : 0;
    /* Of Rader's algorithm, elements are swept twice, and quotients that are made
     * by a product would stay in registers from the first time to the second. */
    static constexpr int most = L == 1                    ? COUNT
                                : STFK_CONV == CONV_RADER ? 0x7fffffff
                                                          : rounds * B;
    STFK_MEMBER static int number(int q)
    {
        return (int)own_thread() + q * B;
    }
    STFK_MEMBER static bool has(int q)
    {
        return is_in_round(q, B, all, number(q));
    }
    STFK_MEMBER static int lane_of(int i)
    {
        return across ? remainder<L, most>(i) : divided<COUNT, most>(i);
    }
    STFK_MEMBER static int element_of(int i)
    {
        return across ? divided<L, most>(i) : remainder<COUNT, most>(i);
    }
    STFK_MEMBER static int lane(int q)
    {
        return lane_of(number(q));
    }
    STFK_MEMBER static int element(int q)
    {
        return element_of(number(q));
    }
    /* Of an element that exists in any round; see nearest_in_round(). */
    struct nearest {
        STFK_MEMBER static int lane(int q)
        {
            return lane_of(nearest_in_round(q, B, all, number(q)));
        }
        STFK_MEMBER static int element(int q)
        {
            return element_of(nearest_in_round(q, B, all, number(q)));
        }
    };
};

/* The same if a thread has to stay with one lane, so that it can sum up what
 * it moves. The threads of a lane are interleaved as who() says. */
template <int COUNT, int interleave> struct lane_sweep {
    static constexpr int rounds = (COUNT + T - 1) / T;
    static constexpr int step = T;
    STFK_MEMBER static int lane(int)
    {
        return who<interleave>().lane;
    }
    STFK_MEMBER static int element(int q)
    {
        return who<interleave>().t + q * T;
    }
    STFK_MEMBER static bool has(int q)
    {
        return is_in_round(q, T, COUNT, element(q));
    }
    struct nearest {
        STFK_MEMBER static int lane(int q)
        {
            return lane_sweep::lane(q);
        }
        STFK_MEMBER static int element(int q)
        {
            return nearest_in_round(q, T, COUNT, lane_sweep::element(q));
        }
    };
};

/* A thread has element k of Go in round q. Returns where it is in shared memory, and
 * where element N - k is. */
template <class Go> STFK_DEVICE int place_in_round(int q)
{
    if constexpr (Go::step > 0)
        return place_sum<false>(Go::lane(0), Go::element(0), q * Go::step);
    return place(Go::lane(q), Go::element(q));
}

template <class Go> STFK_DEVICE int mirror_in_round(int q)
{
    if constexpr (Go::step > 0)
        return place_sum<false>(Go::lane(0), N - Go::element(0), -q * Go::step);
    return place(Go::lane(q), N - Go::element(q));
}

/* Returns a or b without a branch: numbers, pairs, and packs of these. */
template <class T> STFK_DEVICE T chosen(bool first, T a, T b)
{
    return first ? a : b;
}

template <class E>
STFK_DEVICE vec2<E> chosen(bool first, const vec2<E> &a, const vec2<E> &b)
{
    return {chosen(first, a.x, b.x), chosen(first, a.y, b.y)};
}

STFK_DEVICE cx chosen(bool first, const cx &a, const cx &b)
{
    return {chosen(first, a.x, b.x), chosen(first, a.y, b.y)};
}

template <class Pack>
STFK_DEVICE Pack chosen_pack(bool first, const Pack &a, const Pack &b)
{
    Pack u;

    STFK_UNROLL
    for (int j = 0; j < u.count; j++)
        u.of[j] = chosen(first, a.of[j], b.of[j]);
    return u;
}

STFK_DEVICE cx chosen_pack(bool first, const cx &a, const cx &b)
{
    return chosen(first, a, b);
}

STFK_DEVICE real chosen_pack(bool first, real a, real b)
{
    return chosen(first, a, b);
}

/* Puts what a thread has loaded in round q with use(number, value). Without a
 * condition, as the load before: who has nothing in that round puts again what it had
 * in the round before. */
template <class Go, class Value, class Use>
STFK_DEVICE void put_in_round(int q, const Value *u, const Use &use)
{
    const bool has = Go::has(q);

    if (q > 0)
        use(chosen(has, Go::number(q), Go::number(q - 1)),
            chosen_pack(has, u[q], u[q - 1]));
    else if (has)
        use(Go::number(q), u[q]);
}

} // namespace stfk

#endif

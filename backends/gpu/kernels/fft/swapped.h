/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Pairs of reals in the orders FOLD and ENDS. Reals that lie side by side belong to
 * elements e and N - 1 - e there: in rows, reals 4e .. 4e+3 of FOLD are the first of
 * e and N - 1 - e, then the second of both in reverse, and reals 2e, 2e+1 of ENDS
 * are the first of e and the second of N - 1 - e. So are, in the columns of FOLD,
 * the reals 2m, 2m+1, where m is the number of the first real of e. Threads t and T -
 * 1 - t of a lane, which are neighbours in a wave but for other lanes, hold such
 * elements: each moves whole runs of reals, so that every sector of memory is moved
 * once, and they swap by shuffles what the other one needs. */
#ifndef STFK_SWAPPED_H
#define STFK_SWAPPED_H

#include "fft/memory.h"

namespace stfk
{

/* Before a stage of radix R, or after the last one, a thread of a lane holds the
 * elements t + s T, s < COUNT, in registers held(s). */
template <int R> struct stepped {
    static constexpr int COUNT = N / T;
    STFK_MEMBER static int held(int s)
    {
        return s % rounds(R) * R + s / rounds(R);
    }
};

/* Returns what the partner passes. */
STFK_DEVICE real partners(real v)
{
    return shuffle_xor(v, STFK_STORE_INTERLEAVE == 1 ? L : 1);
}
STFK_DEVICE cx partners(cx v)
{
    return {partners(v.x), partners(v.y)};
}

/* ------------------------------------------------------------ runs of reals */

/* A run of K reals in the order of a side, from an even place on. */
template <class Side, int K> struct reals {
    real of[K];
    /* Returns the place in memory of the i-th real, and whether the side
     * negates it. */
    STFK_MEMBER static int place(int i)
    {
        return Side::reversed ? K - 1 - i : i;
    }
    STFK_MEMBER static bool negates(int i)
    {
        return Side::alternate && place(i) % 2 != 0;
    }
};

/* Returns where element t's run begins; that of element t + s T is s step()
 * further. */
template <class Side, int K>
STFK_DEVICE typename Side::stored *first_run(const spot<Side> &s, int t)
{
    return s.p + (Side::reversed ? 2 * N - K - K * t : K * t);
}
template <class Side, int K> STFK_CONST int run_step()
{
    return Side::reversed ? -K * T : K * T;
}

template <class E> STFK_DEVICE void load_reals(const E *p, E (&v)[2])
{
    const vec2<E> u = load_global((const vec2<E> *)p);

    v[0] = u.x;
    v[1] = u.y;
}

/* Where four reals take two accesses, the second one finds its sector in the
 * first-level cache. */
template <class E> STFK_DEVICE void load_reals(const E *p, E (&v)[4])
{
    typedef vec2<E> two;

    if constexpr (sizeof(E) <= 4) {
        const vec2<two> u = load_global((const vec2<two> *)p);
        v[0] = u.x.x, v[1] = u.x.y, v[2] = u.y.x, v[3] = u.y.y;
    } else {
        const two a = load_near((const two *)p);
        const two b = load_near((const two *)(p + 2));
        v[0] = a.x, v[1] = a.y, v[2] = b.x, v[3] = b.y;
    }
}

template <class Side, int K, bool vector>
STFK_DEVICE void load_run(const typename Side::stored *p, reals<Side, K> &r)
{
    typename Side::stored v[K];

    if constexpr (vector)
        load_reals(p, v);
    STFK_UNROLL
    for (int i = 0; i < K; i++) {
        const int at = r.place(i);
        const real x = (real)(vector ? v[at] : load_near(p + at));
        r.of[i] = r.negates(i) ? -x : x;
    }
}

template <class Watch, class E>
STFK_DEVICE void store_reals(E *p, const E (&v)[2])
{
    Watch::put((vec2<E> *)p, vec2<E>{v[0], v[1]});
}

template <class Watch, class E>
STFK_DEVICE void store_reals(E *p, const E (&v)[4])
{
    typedef vec2<E> two;

    Watch::put((vec2<two> *)p, vec2<two>{{v[0], v[1]}, {v[2], v[3]}});
}

template <class Watch, class Side, int K, bool vector>
STFK_DEVICE void store_run(typename Side::stored *p, const reals<Side, K> &r)
{
    typedef typename Side::stored stored;
    stored v[K];

    STFK_UNROLL
    for (int i = 0; i < K; i++)
        v[r.place(i)] = (stored)(r.negates(i) ? -r.of[i] : r.of[i]);
    if constexpr (vector)
        store_reals<Watch>(p, v);
    STFK_UNROLL
    for (int i = 0; i < K && !vector; i++)
        Watch::put(p + i, v[i]);
}

/* --------------------------------------------------------------------- FOLD */

/* Says which runs of FOLD a thread moves: run i < RUNS is that of its element of
 * step i, and the partner of its element of step COUNT - 1 - i has it. Of an odd
 * number of steps, the run of the middle one is moved by the thread that is nearer
 * to the begin of the row. */
template <int R> struct folded : stepped<R> {
    static constexpr int COUNT = stepped<R>::COUNT, RUNS = (COUNT + 1) / 2;
    STFK_MEMBER static bool middle(int i)
    {
        return 2 * i + 1 == COUNT;
    }
    STFK_MEMBER static bool has(int i, int t)
    {
        return !middle(i) || t < T / 2;
    }
};

template <int R, bool vector>
STFK_DEVICE void load_folded(const spot<load_side> &s, int t, cx *v)
{
    typedef load_side Side;
    typedef folded<R> go;
    const auto *p = first_run<Side, 4>(s, t);
    reals<Side, 4> u[go::RUNS] = {};

    STFK_UNROLL
    for (int i = 0; i < go::RUNS; i++)
        if (s.there && go::has(i, t))
            load_run<Side, 4, vector>(p + i * run_step<Side, 4>(), u[i]);
    STFK_UNROLL
    for (int i = 0; i < go::RUNS; i++) {
        const cx near = {u[i].of[0], u[i].of[2]};
        const cx far = partners(cx{u[i].of[3], u[i].of[1]});
        v[go::held(go::COUNT - 1 - i)] = far;
        if (go::has(i, t))
            v[go::held(i)] = near;
    }
}

template <class Watch, int R, bool vector>
STFK_DEVICE void store_folded(const spot<store_side> &s, int t, const cx *v)
{
    typedef store_side Side;
    typedef folded<R> go;
    auto *p = first_run<Side, 4>(s, t);

    STFK_UNROLL
    for (int i = 0; i < go::RUNS; i++) {
        const cx near = v[go::held(i)];
        const cx far = partners(v[go::held(go::COUNT - 1 - i)]);
        if (s.there && go::has(i, t))
            store_run<Watch, Side, 4, vector>(
                p + i * run_step<Side, 4>(),
                reals<Side, 4>{{near.x, far.y, near.y, far.x}});
    }
}

/* ------------------------------------------------------------ pairs of reals */

/* Where the pairs of reals of a thread lie. In columns of the order FOLD, pairs of
 * the second half fall, and their first real is that of element N - 1 - e. */
template <class Side, int COUNT> struct pair_places {
    typedef typename Side::stored stored;
    stored *rise, *fall;
    wide step;
    STFK_MEMBER pair_places(const work &a, const spot<Side> &s, int t)
    {
        const stfk_side &side = Side::of(a);
        const wide first = Side::mirror ? s.index + t * side.index_elem : 0;

        step = Side::mirror ? 2 * T * side.index_elem : run_step<Side, 2>();
        rise = Side::mirror ? s.p + 2 * first : first_run<Side, 2>(s, t);
        fall = s.p + 2 * (side.full - 1 - first);
    }
    STFK_MEMBER static bool falls(int i)
    {
        return Side::mirror && i >= COUNT / 2;
    }
    STFK_MEMBER stored *at(int i) const
    {
        return falls(i) ? fall - i * step : rise + i * step;
    }
};

template <int R, bool vector>
STFK_DEVICE void load_pairs(const work &a, const spot<load_side> &s, int t,
                            cx *v)
{
    typedef load_side Side;
    typedef stepped<R> go;
    const pair_places<Side, go::COUNT> places(a, s, t);
    reals<Side, 2> u[go::COUNT] = {};

    STFK_UNROLL
    for (int i = 0; i < go::COUNT; i++)
        if (s.there)
            load_run<Side, 2, vector>(places.at(i), u[i]);
    STFK_UNROLL
    for (int i = 0; i < go::COUNT; i++) {
        const int far = go::COUNT - 1 - i;
        cx x = {u[i].of[places.falls(i) ? 1 : 0],
                partners(u[far].of[places.falls(far) ? 0 : 1])};
        if constexpr (Side::turn == TURN_FOUR && !is_turned_apart<Side>())
            x = x * turn_root(a, t + i * T);
        v[go::held(i)] = x;
    }
}

template <class Watch, int R, bool vector>
STFK_DEVICE void store_pairs(const work &a, const spot<store_side> &s, int t,
                             const cx *v)
{
    typedef store_side Side;
    typedef stepped<R> go;
    const pair_places<Side, go::COUNT> places(a, s, t);
    cx x[go::COUNT];

    STFK_UNROLL
    for (int i = 0; i < go::COUNT; i++)
        x[i] = turn_out<Side>(a, t + i * T, v[go::held(i)]);
    STFK_UNROLL
    for (int i = 0; i < go::COUNT; i++) {
        const real far = partners(x[go::COUNT - 1 - i].y);
        const reals<Side, 2> r = places.falls(i)
                                     ? reals<Side, 2>{{far, x[i].x}}
                                     : reals<Side, 2>{{x[i].x, far}};
        if (s.there)
            store_run<Watch, Side, 2, vector>(places.at(i), r);
    }
}

/* ---------------------------------------------------------------- both of them */

template <class Side> STFK_CONST bool has_quads()
{
    return Side::order == ORDER_FOLD && !Side::mirror;
}

template <int R>
STFK_DEVICE void load_swapped(const work &a, const spot<load_side> &s, member m,
                              cx *v)
{
    if constexpr (has_quads<load_side>()) {
        if (a->load.vector >= 2)
            load_folded<R, true>(s, m.t, v);
        else
            load_folded<R, false>(s, m.t, v);
    } else {
        if (a->load.vector != 0)
            load_pairs<R, true>(a, s, m.t, v);
        else
            load_pairs<R, false>(a, s, m.t, v);
    }
}

template <class Watch, int R>
STFK_DEVICE void store_swapped(const work &a, const spot<store_side> &s,
                               member m, const cx *v)
{
    if constexpr (has_quads<store_side>()) {
        if (a->store.vector >= 2)
            store_folded<Watch, R, true>(s, m.t, v);
        else
            store_folded<Watch, R, false>(s, m.t, v);
    } else {
        if (a->store.vector != 0)
            store_pairs<Watch, R, true>(a, s, m.t, v);
        else
            store_pairs<Watch, R, false>(a, s, m.t, v);
    }
}

} // namespace stfk

#endif

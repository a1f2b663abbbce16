/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* What a load and a store do to the elements that a thread holds: direction,
 * turn, chirp, twiddle and scale. The class that watches the pass sees an element
 * before a load multiplies it, and after a store has multiplied and scaled
 * it. */
#ifndef STFK_MODIFY_H
#define STFK_MODIFY_H

#include "fft/twiddles.h"
#include "fft/watch.h"

namespace stfk
{

/* Turns all elements that a thread holds for the run's direction; see
 * turn_direction(). `reals`: their second components are 0. */
template <int R, bool reals, class Watch>
STFK_DEVICE void turn_held(Watch &c, int stage, member m, cx *v)
{
    if (!c.template turns<R>(stage, m))
        return;
    STFK_UNROLL
    for (int i = 0; !reals && i < V; i++)
        v[i].y = -v[i].y;
    c.count_turn();
}

/* Applies what a load does. */
template <int R, class Watch>
STFK_DEVICE void finish_load(Watch &c, member m,
                             const typename Watch::loading &held,
                             const own_roots &base, cx *v)
{
    constexpr bool twiddle = STFK_TWIDDLE == TWIDDLE_LOAD;
    constexpr bool chirp = load_side::chirp;
    /* Rader's elements are turned when they go to shared memory. */
    constexpr bool turn =
        is_turned_apart<load_side>() && STFK_CONV != CONV_RADER;
    const auto s = turn ? locate<load_side>(c.a, m.lane) : spot<load_side>{};
    const auto multiply = [&](int i, int e, cx t) {
        if (turn)
            t = t * load_turn_at(c.a, s, e);
        c.loaded(held, i, e, v[i], t);
        v[i] = v[i] * t;
    };

    turn_held<R, loads_reals>(c, Watch::LOAD_TURN, m, v);
    c.template begin_load<R>(m, v);
    if constexpr (chirp)
        each_chirp<load_side, R>(c.a, m, multiply);
    if constexpr (twiddle)
        each_twiddle<R>(base, m, multiply);
    if constexpr (turn && !chirp && !twiddle)
        each_held<R>(m.t, [&](int i, int b, int j) {
            const int e = b + j * (N / R);
            const cx t = load_turn_at(c.a, s, e);
            c.loaded(held, i, e, v[i], t);
            v[i] = v[i] * t;
        });
    if constexpr (Watch::lanes && !chirp && !twiddle && !turn)
        each_held<R>(m.t, [&](int i, int b, int j) {
            c.loaded(held, i, b + j * (N / R), v[i]);
        });
    c.end_load();
}

/* Applies what a store does, in the reverse order, but the scale first: whether there
 * is one is one branch for all elements. Elements that are watched and have factors
 * are then done one by one. */
template <int R, class Watch>
STFK_DEVICE void begin_store(Watch &c, member m, const own_roots &base, cx *v)
{
    constexpr bool twiddle = STFK_TWIDDLE == TWIDDLE_STORE;
    constexpr bool chirp = store_side::chirp;
    constexpr bool turn = is_turned_apart<store_side>();
    constexpr bool one_by_one = Watch::lanes && (twiddle || chirp || turn);
    const typename Watch::storing held(c, m.t);
    const auto s = turn ? locate<store_side>(c.a, m.lane) : spot<store_side>{};
    const auto multiply = [&](int i, int e, cx t) {
        v[i] = v[i] * t;
        if (turn)
            t = t * store_turn_at(c.a, s, e, v[i]);
        if (one_by_one) {
            round_results<1>(v + i);
            c.template stored_at<R>(held, i, e, v[i], t);
        }
    };

    if constexpr (is_one_root)
        v[0].x = times_scale_and_root2(c.a, v[0].x);
    else
        apply_scale<V>(c.a, v);
    if constexpr (twiddle)
        each_twiddle<R>(base, m, multiply);
    if constexpr (chirp)
        each_chirp<store_side, R>(c.a, m, multiply);
    if constexpr (turn && !twiddle && !chirp)
        each_held<R>(m.t, [&](int i, int b, int j) {
            const int e = b + j * (N / R);
            const cx t = store_turn_at(c.a, s, e, v[i]);
            round_results<1>(v + i);
            c.template stored_at<R>(held, i, e, v[i], t);
        });
    if (!one_by_one)
        round_results<V>(v);
    if constexpr (Watch::lanes && !one_by_one)
        each_held<R>(m.t, [&](int i, int b, int j) {
            c.template stored_at<R>(held, i, b + j * (N / R), v[i]);
        });
    c.end_store(m);
    turn_held<R, false>(c, Watch::STORE_TURN, m, v);
}

} // namespace stfk

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* What a load and a store do to the elements that a thread holds: direction,
 * chirp, twiddle and scale, and, where the pass is protected, the two sums of
 * its residual. Factors are in these sums, so that a wrong product is seen:
 * the load sums up (row t) x, where x becomes t x, the store (e conj t) y of
 * the y that was multiplied by t. */
#ifndef STFK_MODIFY_H
#define STFK_MODIFY_H

#include "protect/check.h"

namespace stfk
{

/* Behind the signal of a padded convolution is nothing to be summed. */
STFK_DEVICE bool is_summed(int e)
{
    return STFK_CONV != CONV_BLUESTEIN || e < STFK_SIGNAL;
}

/* Calls use(i, e, t) for each element e that register i holds, with what it
 * is multiplied by. */
template <int R, bool twiddle, class Side, class Use>
STFK_DEVICE void each_factor(const work &a, member m, const Use &use)
{
    if constexpr (twiddle)
        each_twiddle<R>(a, m, use);
    else
        each_chirp<Side, R>(a, m, use);
}

/* |t| = 1; if not, the sum shall not be a number. */
STFK_DEVICE void expect_unit(growing &sum, cx t)
{
    constexpr real tolerance =
        sizeof(real) == 4 ? (real)0x1p-20 : (real)0x1p-48;
    real excess = t.x * t.x + t.y * t.y - 1;

    if (!(magnitude(excess) < tolerance))
        sum.d.x = excess / 0;
}

/* Once the load's sum is complete. */
STFK_DEVICE void end_load_sum(trial &c)
{
    const real scale = scale_of(c.a);

    c.in.all();
    if (STFK_SCALED)
        c.in.d = {c.in.d.x * scale, c.in.d.y * scale};
    put_load_sums(c);
}

template <int R> STFK_DEVICE void sum_squares(trial &c, member m, const cx *v)
{
    const real unit = unit_of(c, 0, m.lane);

    each_held<R>(m.t, [&](int i, int b, int j) {
        if (is_summed(b + j * (N / R)))
            c.in.square(v[i], unit);
    });
}

template <int R>
STFK_DEVICE void load_checked(trial &c, member m, const row_held &row, cx *v)
{
    constexpr bool twiddle = STFK_TWIDDLE == TWIDDLE_LOAD;

    sum_squares<R>(c, m, v);
    if constexpr (twiddle || load_side::chirp)
        each_factor<R, twiddle, load_side>(c.a, m, [&](int i, int e, cx t) {
            if (is_summed(e)) {
                c.in.sub(as_direction(row.at(c, i, e)) * t, v[i]);
                expect_unit(c.in, t);
            }
            v[i] = v[i] * t;
        });
    else
        each_held<R>(m.t, [&](int i, int b, int j) {
            int e = b + j * (N / R);
            if (is_summed(e))
                c.in.sub(as_direction(row.at(c, i, e)), v[i]);
        });
    end_load_sum(c);
}

/* What a load does. Rader's, in an order of its own, is summed elsewhere. */
template <int R>
STFK_DEVICE void finish_load(trial &c, member m, const row_held &row, cx *v)
{
    constexpr bool twiddle = STFK_TWIDDLE == TWIDDLE_LOAD;
    const auto multiply = [&](int i, int, cx t) { v[i] = v[i] * t; };

    turn_direction<V>(c.a, v);
    if constexpr (by_lane && STFK_CONV != CONV_RADER) {
        load_checked<R>(c, m, row, v);
    } else {
        if constexpr (load_side::chirp)
            each_chirp<load_side, R>(c.a, m, multiply);
        if constexpr (twiddle)
            each_twiddle<R>(c.a, m, multiply);
    }
}

/* Where in the code register i of a store is, and the sum that it is part
 * of. */
template <int R> STFK_CONST int code_place(int i)
{
    return i / R + i % R * (V / R);
}

template <int R> STFK_DEVICE growing &sum_for(trial &c, int i)
{
    return coded && code_odd(code_place<R>(i)) ? c.odd : c.out[CHECKS - 1];
}

/* Register i is element e; `t`: which was multiplied by t. */
template <int R>
STFK_DEVICE void sum_result(trial &c, const e_held &es, int i, int e, cx v,
                            cx t)
{
    if (coded)
        sum_for<R>(c, i).add(turned(conj(t), code_turns(code_place<R>(i))), v);
    else
        sum_for<R>(c, i).add(as_direction(es.at(c, i, e)) * conj(t), v);
}

template <int R>
STFK_DEVICE void sum_result(trial &c, const e_held &es, int i, int e, cx v)
{
    if (coded)
        sum_for<R>(c, i).add(turned(v, code_turns(code_place<R>(i))));
    else
        sum_for<R>(c, i).add(as_direction(es.at(c, i, e)), v);
}

/* Once a thread's sums are complete that its own factor is still to come to. */
STFK_DEVICE void end_code(trial &c, member m)
{
    growing &sum = c.out[CHECKS - 1];

    sum.all();
    sum.d = as_direction(e_at(c, m.t)) * (sum.d + half_turned(c.odd.all().d));
}

template <int R> STFK_DEVICE void store_checked(trial &c, member m, cx *v)
{
    constexpr bool twiddle = STFK_TWIDDLE == TWIDDLE_STORE;
    const e_held es(c, m.t);

    if constexpr (twiddle || store_side::chirp) {
        each_factor<R, twiddle, store_side>(c.a, m, [&](int i, int e, cx t) {
            v[i] = v[i] * t;
            apply_scale<1>(c.a, v + i);
            if (is_summed(e))
                sum_result<R>(c, es, i, e, v[i], t);
        });
    } else {
        apply_scale<V>(c.a, v);
        each_held<R>(m.t, [&](int i, int b, int j) {
            int e = b + j * (N / R);
            if (is_summed(e))
                sum_result<R>(c, es, i, e, v[i]);
        });
    }
    if constexpr (coded)
        end_code(c, m);
}

/* What a store does; the reverse. */
template <int R> STFK_DEVICE void begin_store(trial &c, member m, cx *v)
{
    constexpr bool twiddle = STFK_TWIDDLE == TWIDDLE_STORE;
    const auto multiply = [&](int i, int, cx t) { v[i] = v[i] * t; };

    if constexpr (by_lane) {
        store_checked<R>(c, m, v);
    } else {
        if constexpr (twiddle)
            each_twiddle<R>(c.a, m, multiply);
        if constexpr (store_side::chirp)
            each_chirp<store_side, R>(c.a, m, multiply);
        apply_scale<V>(c.a, v);
    }
    turn_direction<V>(c.a, v);
}

} // namespace stfk

#endif

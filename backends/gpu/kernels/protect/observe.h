/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* What a trial sums up in a complex pass. Factors t of modifiers are part of
 * both sums of a residual, so that a wrong product is detected: a load that
 * turns x into t x sums up (row t) x; a store that has multiplied by t sums
 * up (e conj t) y, y being the product. */
#ifndef STFK_OBSERVE_H
#define STFK_OBSERVE_H

#include "protect/trial.h"
#include "protect/words.h"

namespace stfk
{

/* ----------------------------------------------------------------- loads */

/* Returns whether element e is summed up: in a padded convolution, elements
 * behind the signal are not. */
STFK_DEVICE bool is_summed(int e)
{
    return STFK_CONV != CONV_BLUESTEIN || e < STFK_SIGNAL;
}

/* A factor t must have |t| = 1. The threads add up how far those of their elements are
 * off, since a comparison for each takes longer than its product. */
STFK_DEVICE void expect_unit(trial &c, cx t)
{
    c.excess += t.x * t.x + (t.y * t.y - 1);
}

/* Returns whether all factors had length 1. */
STFK_DEVICE bool had_units(const trial &c)
{
    constexpr real tolerance =
        V * (sizeof(real) == 4 ? (real)0x1p-20 : (real)0x1p-48);

    return magnitude(c.excess) < tolerance;
}

/* Completes the load's sum, which becomes infinite if a factor was wrong. A branch
 * here would keep the compiler from running the products of several elements side by
 * side. */
STFK_DEVICE void end_load_sum(trial &c)
{
    const real scale = scale_of(c.a);

    c.in.all();
    if (STFK_SCALED)
        c.in.d = {c.in.d.x * scale, c.in.d.y * scale};
    c.in.d.x = had_units(c) ? c.in.d.x : (sum)1 / (sum)0;
    c.in.d = {made_here(c.in.d.x), made_here(c.in.d.y)};
    c.in.s = made_here(c.in.s);
    if (put_early)
        load_summing::put(load_parts<tally>(c.slot), c.in.all());
}

/* The square of what was loaded. */
STFK_DEVICE void square_loaded(growing &sum, const cx &z, real unit)
{
    if constexpr (loads_reals)
        sum.square(z.x, unit);
    else
        sum.square(z, unit);
}

/* - w z, z being what was loaded. */
template <class Weight>
STFK_DEVICE void sub_loaded(growing &sum, Weight w, const cx &z)
{
    if constexpr (loads_reals)
        sum.sub(w, z.x);
    else
        sum.sub(w, z);
}

template <int R> STFK_DEVICE void sum_squares(trial &c, member m, const cx *v)
{
    const real unit = unit_of(c, 0, m.lane);

    each_held<R>(m.t, [&](int i, int b, int j) {
        if (is_summed(b + j * (N / R)))
            square_loaded(c.in, v[i], unit);
    });
}

/* The signature has how often the thread has turned its elements; see
 * sign_ends(). */
STFK_MEMBER void trial::count_turn()
{
    if (signs())
        signature++;
}

/* The bits of what a thread holds. */
template <int R> STFK_DEVICE unsigned words_of(member m, const cx *v)
{
    unsigned bits = 0;

    each_held<R>(m.t, [&](int i, int, int) { bits += word_of(v[i]); });
    return bits;
}

template <int R> STFK_MEMBER void trial::begin_load(member m, const cx *v)
{
    if constexpr (lanes)
        if (sums_loads())
            sum_squares<R>(*this, m, v);
    if constexpr (is_signed)
        if (signs_loads())
            signature -=
                is_lane(a, m.lane) ? a->load_factor * words_of<R>(m, v) : 0;
}

STFK_MEMBER void trial::loaded(const row_held &row, int i, int e, const cx &v)
{
    if (lanes && is_summed(e) && sums_loads())
        sub_loaded(in, as_direction(row.at(*this, i, e)), v);
}

STFK_MEMBER void trial::loaded(const row_held &row, int i, int e, const cx &v,
                               const cx &t)
{
    if (lanes && is_summed(e)) {
        sub_loaded(in, as_direction(row.at(*this, i, e)) * t, v);
        expect_unit(*this, t);
    }
}

STFK_MEMBER void trial::end_load()
{
    if (lanes && sums_loads())
        end_load_sum(*this);
}

STFK_DEVICE void sum_swept(trial &c, int lane, int e, int own, cx z)
{
    const cx w = as_direction(row_at(c, e, own));

    if constexpr (is_turned_apart<load_side>()) {
        const auto s = locate<load_side>(c.a, lane);
        const cx t = load_turn_at(c.a, s, e);
        sub_loaded(c.in, w * t, z);
        expect_unit(c, t);
    } else {
        sub_loaded(c.in, w, z);
    }
}

template <class Go> STFK_MEMBER void trial::loaded_swept(const cx *u)
{
    if constexpr (by_lane) {
        const real unit = unit_of(*this, 0, Go::lane(0));

        if (!sums_loads())
            return;
        STFK_UNROLL
        for (int q = 0; q < Go::rounds; q++) {
            cx z = u[q];
            if (!Go::has(q))
                continue;
            square_loaded(in, z, unit);
            turn_direction<1>(a, &z);
            sum_swept(*this, Go::lane(q), Go::element(q), Go::element(0), z);
        }
        end_load_sum(*this);
    }
}

/* ---------------------------------------------------------- convolutions */

/* In a spread convolution the residual of the transform, whose result is v,
 * is complete here, and that of the inverse transform of p v begins. */
STFK_MEMBER void trial::multiplied(int e, cx p, cx v, cx product)
{
    if constexpr (by_lane && STFK_CONV == CONV_SPREAD) {
        cx back = row_at(*this, e == 0 ? 0 : N - e);
        out[0].add(e_at(*this, e), v);
        out[1].sub(back * p, v);
        out[1].square(product,
                      unit_of(*this, 1, who<STORE_SUM_INTERLEAVE>().lane));
    }
}

/* ---------------------------------------------------------------- stores */

/* code_place() returns the place of register i of a store in the sign
 * pattern, and sum_for() the sum that it is part of. */
template <int R> STFK_CONST int code_place(int i)
{
    return i / R + i % R * (V / R);
}

template <int R> STFK_DEVICE growing &sum_for(trial &c, int i)
{
    return coded && code_odd(code_place<R>(i)) ? c.odd : c.out[CHECKS - 1];
}

/* Returns whether memory gets element e of a signed pass: of the spectra of reals, the
 * first half. */
STFK_DEVICE bool is_kept(int e)
{
    return !store_side::limit || e < STFK_SIGNAL / 2 + 1;
}

template <int R>
STFK_MEMBER void trial::stored_at(const e_held &es, int i, int e, cx v, cx t)
{
    if (!lanes || !is_summed(e))
        return;
    if (signs() && is_kept(e))
        stored_bits += word_of(v);
    if (coded)
        sum_for<R>(*this, i).add(turned(conj(t), code_turns(code_place<R>(i))),
                                 v);
    else
        sum_for<R>(*this, i).add(as_direction(es.at(*this, i, e)) * conj(t), v);
}

template <int R>
STFK_MEMBER void trial::stored_at(const e_held &es, int i, int e, cx v)
{
    if (signs() && is_kept(e))
        stored_bits += word_of(v);
    if (lanes && is_summed(e) && sums_now())
        add_result<R>(es, i, e, v);
}

template <int R>
STFK_MEMBER void trial::add_result(const e_held &es, int i, int e, cx v)
{
    if (coded)
        sum_for<R>(*this, i).add(turned(v, code_turns(code_place<R>(i))));
    else
        sum_for<R>(*this, i).add(as_direction(es.at(*this, i, e)), v);
}

STFK_MEMBER void trial::end_store(member m)
{
    if (sums_now())
        end_results(m);
    if (signs())
        signature += is_lane(a, m.lane) ? a->store_factor * stored_bits : 0;
}

/* With a sign pattern, the sums still lack the factor of e that is the
 * thread's own. */
STFK_MEMBER void trial::end_results(member m)
{
    if constexpr (coded) {
        growing &all = out[CHECKS - 1];

        all.all();
        all.d =
            as_direction(e_at(*this, m.t)) * (all.d + half_turned(odd.all().d));
    }
}

STFK_MEMBER void trial::stored_swept(int e, const cx &u, const cx &t)
{
    /* Of Rader's algorithm, a thread stores every T-th element. */
    const int own = STFK_CONV == CONV_RADER ? who<STORE_SUM_INTERLEAVE>().t : 0;

    if (by_lane && sums_now())
        out[0].add(as_direction(e_at(*this, e, own)) * conj(t), u);
}

} // namespace stfk

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Device memory: how the elements of a lane are read and written, and what
 * happens to them on the way (limits, chirps, twiddles, direction, scale). */
#ifndef STFK_MEMORY_H
#define STFK_MEMORY_H

#include "fft/fold.h"

namespace stfk
{

/* ------------------------------------------------------------- elements */

/* Returns the distance from element 0 of a lane to element e, in reals. */
template <class Side> STFK_DEVICE wide distance(const stfk_side &side, wide e)
{
    constexpr int step =
        Side::form == FORM_REAL || (Side::form == FORM_PAIRS && !Side::adjoin)
            ? 1
            : 2;
    constexpr int block = Side::block > 0 ? Side::block : 1;

    if (Side::block > 0)
        return e % block * (Side::unit ? step : side.elem)
               + e / block * side.far;
    return Side::unit ? e * step : e * side.elem;
}

/* Says where the elements own + more + j M, j = 0, 1, ..., of a lane are, of which a
 * compiler knows all but `own`. Next to each other, they have one address and known
 * distances from it. Otherwise they are equal distances apart, unless M is no multiple
 * of the block; then each distance is computed. */
template <class Side, int M> struct elements_from {
    static constexpr int block = Side::block > 0 ? Side::block : 1;
    static constexpr bool close = Side::unit && Side::block == 0;
    const stfk_side &side;
    typename Side::stored *p;
    int own;
    wide first, step;
    STFK_MEMBER elements_from(const stfk_side &of, const spot<Side> &s, int t,
                              int more = 0)
        : side(of), p(s.p), own(t + more), first(distance<Side>(of, own)),
          step(distance<Side>(of, M))
    {
        if (close) {
            p = known_address<Side>(p + distance<Side>(of, t));
            first = distance<Side>(of, more);
        }
    }
    STFK_MEMBER typename Side::stored *at(int j) const
    {
        return p
               + (M % block == 0 ? first + j * step
                                 : distance<Side>(side, own + j * M));
    }
};

/* Returns the distance from the first component of an element to the second,
 * in reals. */
template <class Side> STFK_DEVICE wide second(const stfk_side &side)
{
    return Side::form == FORM_PAIRS && !Side::adjoin ? side.im : 1;
}

/* 1: what the load finds in memory is real. The compiler knows then that second
 * components are 0, and makes nothing of them. */
constexpr bool loads_reals = load_side::form == FORM_REAL
                             && load_side::order == ORDER_NONE
                             && !load_side::mirror;

/* Where the second component is not there, it is 0. */
template <class E>
STFK_DEVICE vec2<E> fetch_pair(const E *p, wide im, bool vector,
                               bool both = true)
{
    if (vector && both)
        return load_global((const vec2<E> *)p);
    return {load_global(p), both ? load_global(p + im) : E()};
}

template <class E> STFK_DEVICE cx converted(vec2<E> u)
{
    return {(real)u.x, (real)u.y};
}

template <class E>
STFK_DEVICE cx load_pair(const E *p, wide im, bool vector, bool both = true)
{
    return converted(fetch_pair(p, im, vector, both));
}

/* The class that watches the pass (watch.h) decides how results are written
 * to memory. */
template <class Watch, class E>
STFK_DEVICE void store_pair(E *p, wide im, cx v, bool vector, bool both = true)
{
    if (vector && both) {
        Watch::put((vec2<E> *)p, element_pair<E, real>::of(v));
    } else {
        Watch::put(p, (E)v.x);
        if (both)
            Watch::put(p + im, (E)v.y);
    }
}

/* Returns what memory has of element x.e of a lane of half a spectrum, which is at p
 * or represented by its mirror image. With a limit, elements stand for both. */
template <class Side>
STFK_DEVICE vec2<typename Side::stored>
fetch_half(const stfk_side &side, const spot<Side> &s,
           const typename Side::stored *p, element x, bool vector)
{
    if (Side::limit)
        return fetch_pair(p, 1, vector);
    const fold f = fold_at<Side>(side, s, x);

    return fetch_pair(f.far ? p + to_mirror(side, s, p) : p, 1, vector);
}

/* Returns the element of which memory has u. */
template <class Side>
STFK_DEVICE cx unfolded(const stfk_side &side, const spot<Side> &s, element x,
                        vec2<typename Side::stored> u)
{
    const fold f = fold_at<Side>(side, s, x);
    cx v = converted(u);

    if (f.is_real)
        v.y = 0;
    if (Side::limit)
        return f.is_real ? v : v + v;
    return f.far ? conj(v) : v;
}

/* A lane that is its own mirror image leaves out the second half: it stores
 * the conjugates of these elements as its first half. */
template <class Watch, class Side>
STFK_DEVICE void store_half(const stfk_side &side, const spot<Side> &s,
                            typename Side::stored *p, element x, cx v,
                            bool vector)
{
    fold f = fold_at<Side>(side, s, x);

    if (f.far
        && (Side::whole || s.index == 0 || 2 * s.index == side.index_elem))
        return;
    if (f.is_real)
        v.y = 0;
    store_pair<Watch>(f.far ? p + to_mirror(side, s, p) : p, 1,
                      f.far ? conj(v) : v, vector);
}

/* Returns whether the side has element x.e of the lane. Lanes of a whole axis with
 * a limit have the first half of a spectrum: of most elements the compiler knows. `&`
 * asks both sides at once: of a question that depends on another one the compiler makes
 * a branch, and behind it a number that tells what came of it. */
template <class Side>
STFK_DEVICE bool is_there(const stfk_side &side, const spot<Side> &s, element x)
{
    constexpr int half = STFK_SIGNAL / 2 + 1;

    if constexpr (!Side::limit)
        return s.there;
    if constexpr (Side::whole)
        return x.low < half && s.there & (x.high < half || x.e < half);
    return s.there
           & ((place_t)s.index + (x.e - x.low) * (place_t)side.index_elem
              < (place_t)side.limit - x.low * (place_t)side.index_elem);
}

/* Returns how an element of a half-complex signal is represented. */
template <class Side>
STFK_DEVICE fold fold_of(const work &a, const spot<Side> &s, element x)
{
    if constexpr (!Side::whole)
        return fold_at<Side>(Side::of(a), s, x);
    return half_complex_fold<Side>(
        Side::of(a), placed_index<Side>(a, s, x.e, x.low, x.high));
}

/* Whether each element of a side is one or two numbers of memory as they are. */
template <class Side> STFK_CONST bool is_fetched()
{
    return Side::order == ORDER_NONE || Side::form == FORM_COMPLEX
           || Side::form == FORM_HC;
}

/* Whether rows that are not there fetch something too, which is of no use: the
 * places of half-complex elements take so many instructions that the compiler would
 * put each of them with its loads behind a branch, and these would wait for each
 * other. */
template <class Side> STFK_CONST bool is_always_fetched()
{
    return Side::form == FORM_HC && !Side::limit && !Side::copied;
}

/* Returns the index of a lane's first element, and that of the last row for rows
 * behind it. */
template <class Side>
STFK_DEVICE wide first_index(const stfk_side &side, const spot<Side> &s)
{
    if (Side::whole)
        return 0;
    return Side::rows && s.index >= side.rows ? side.rows - 1 : s.index;
}

/* Returns what memory has of element x.e of a lane, which is at p; 0 if there is
 * none. Threads fetch all their elements before they convert the first one: there
 * may be a condition before each load, and behind it the compiler would convert
 * halves before it issues the next load. */
template <class Side>
STFK_DEVICE vec2<typename Side::stored>
fetch_element(const work &a, const spot<Side> &s,
              const typename Side::stored *p, element x, bool vector)
{
    typedef typename Side::stored stored;
    const stfk_side &side = Side::of(a);

    if constexpr (is_always_fetched<Side>())
        return fetch_half_complex<Side>(side, s, first_index<Side>(side, s),
                                        x.e, fold_of<Side>(a, s, x));
    if (!is_there<Side>(side, s, x))
        return {stored(), stored()};
    if constexpr (Side::form == FORM_HC)
        return fetch_half_complex<Side>(side, s, first_index<Side>(side, s),
                                        x.e, fold_of<Side>(a, s, x));
    if constexpr (Side::order != ORDER_NONE)
        return fetch_pair(complex_at<Side>(side, s, x.e), 1, vector);
    if (Side::form == FORM_HALF)
        return fetch_half<Side>(side, s, p, x, vector);
    if (Side::form == FORM_REAL)
        return {load_global(p), stored()};
    return fetch_pair(p, second<Side>(side), vector, s.both);
}

/* Returns the element of which memory has u. */
template <class Side>
STFK_DEVICE cx fetched(const work &a, const spot<Side> &s, element x,
                       vec2<typename Side::stored> u)
{
    if (Side::form == FORM_HC && !is_there<Side>(Side::of(a), s, x))
        return {0, 0};
    if constexpr (Side::form == FORM_HC) {
        const fold f = fold_of<Side>(a, s, x);
        const cx v =
            half_complex<Side>(a, placed_index<Side>(a, s, x.e).m, f, u);

        return Side::limit && !f.is_real ? v + v : v;
    }
    if constexpr (Side::order == ORDER_NONE && Side::form == FORM_HALF)
        return unfolded<Side>(Side::of(a), s, x, u);
    return converted(u);
}

/* Loads element x.e of a lane, which is at p; returns 0 if there is none. */
template <class Side>
STFK_DEVICE cx load_element(const work &a, const spot<Side> &s,
                            const typename Side::stored *p, element x,
                            bool vector)
{
    if constexpr (is_fetched<Side>())
        return fetched<Side>(a, s, x, fetch_element<Side>(a, s, p, x, vector));
    if (!is_there<Side>(Side::of(a), s, x))
        return {0, 0};
    return load_placed<Side>(a, s,
                             placed_index<Side>(a, s, x.e, x.low, x.high));
}

template <class Watch, class Side>
STFK_DEVICE void store_element(const work &a, const spot<Side> &s,
                               typename Side::stored *p, element x, cx v,
                               bool vector)
{
    const stfk_side &side = Side::of(a);

    if (!is_there<Side>(side, s, x))
        return;
    if constexpr (Side::order != ORDER_NONE && Side::form == FORM_COMPLEX) {
        store_pair<Watch>(complex_at<Side>(side, s, x.e), 1, v, vector);
        return;
    }
    if constexpr (Side::order != ORDER_NONE) {
        store_placed<Watch, Side>(
            a, s, placed_index<Side>(a, s, x.e, x.low, x.high), v);
        return;
    }
    if (Side::form == FORM_HALF)
        store_half<Watch, Side>(side, s, p, x, v, vector);
    else if (Side::form == FORM_REAL)
        Watch::put(p, (typename Side::stored)v.x);
    else
        store_pair<Watch>(p, second<Side>(side), v, vector, s.both);
}

/* Calls use(i, e, w) with the chirp w of each element e that register i
 * holds, or 1 where the side has no such element. */
template <class Side, int R, class Use>
STFK_DEVICE void each_chirp(const work &a, member m, const Use &use)
{
    const stfk_side &side = Side::of(a);
    spot<Side> s = locate<Side>(a, m.lane);

    each_held<R>(m.t, [&](int i, int b, int j) {
        const element x = element_of<R>(b, j);
        cx w = {1, 0};
        if (is_there<Side>(side, s, x))
            w = table_at(a->chirp,
                         (place_t)s.index + x.e * (place_t)side.index_elem);
        use(i, x.e, w);
    });
}

/* Returns the factor by which the load turns element e of a lane, as the run's
 * direction makes it; 1 where the side has no such element. */
STFK_DEVICE cx load_turn_at(const work &a, const spot<load_side> &s, int e)
{
    cx t = {1, 0};

    if ((N <= STFK_SIGNAL || e < STFK_SIGNAL)
        && is_there<load_side>(a->load, s, e))
        t = load_turn<load_side>(a, placed_index<load_side>(a, s, e).m);
    return a->inverse ? conj(t) : t;
}

/* Turns element e of a lane, v, before the run's direction is applied to it, and
 * returns the factor of turn_apart(). */
STFK_DEVICE cx store_turn_at(const work &a, const spot<store_side> &s, int e,
                             cx &v)
{
    if ((N > STFK_SIGNAL && e >= STFK_SIGNAL)
        || !is_there<store_side>(a->store, s, e))
        return {1, 0};
    return turn_apart<store_side>(a, placed_index<store_side>(a, s, e).m,
                                  a->inverse != 0, v);
}

/* Applies the run's direction: an inverse transform is a forward one between
 * two conjugations. One branch for all elements costs less than one product
 * for each. */
template <int count> STFK_DEVICE void turn_direction(const work &a, cx *v)
{
    if (a->inverse == 0)
        return;
    STFK_UNROLL
    for (int i = 0; i < count; i++)
        v[i].y = -v[i].y;
}

STFK_DEVICE real scale_of(const work &a)
{
    return sizeof(real) == 4 ? (real)a->scale_f : (real)a->scale;
}

/* Returns x times the scale. Rounded to a float, the scale would have the same
 * error in all results, more than those of a few points may have. Where x is 0,
 * whose sign the sum of both parts may lose, or infinite, as both parts may be
 * with different signs, one part is enough. */
STFK_DEVICE real scaled_by(const work &a, real x)
{
    const real one = x * scale_of(a);

    if (sizeof(real) == 4 && a->scale_low != 0) {
        const real both = multiply_add(x, scale_of(a), x * (real)a->scale_low);
        return both == both && one != 0 ? both : one;
    }
    return one;
}

/* Returns x times the scale and the square root of 2, rounded once: in a transform of
 * one real, the error of each rounding counts in full. */
STFK_DEVICE real times_scale_and_root2(const work &a, real x)
{
    const real scale = STFK_SCALED ? scale_of(a) : (real)1;
    const real low =
        STFK_SCALED && sizeof(real) == 4 ? (real)a->scale_low : (real)0;
    const real y = x * scale;
    const real rest = multiply_add(x, scale, -y) + x * low;
    const real both = multiply_add(y, ROOT2, y * ROOT2_REST + rest * ROOT2);

    return both == both && y != 0 ? both : y * ROOT2;
}

template <int count> STFK_DEVICE void apply_scale(const work &a, cx *v)
{
    if (!STFK_SCALED || scale_of(a) == (real)1)
        return;
    STFK_UNROLL
    for (int i = 0; i < count; i++)
        v[i] = {scaled_by(a, v[i].x), scaled_by(a, v[i].y)};
}

/* Rounds results to what memory will hold, if a check sums them up after that:
 * so it covers the conversion. */
template <int count> STFK_DEVICE void round_results(cx *v)
{
    typedef store_side::stored half;
    constexpr bool summed = (STFK_CHECK && !STFK_BY_THREAD);

    if constexpr (summed && sizeof(half) < sizeof(real)) {
        STFK_UNROLL
        for (int i = 0; i < count; i++) {
            const vec2<half> u = element_pair<half, real>::of(v[i]);
            v[i] = {(real)u.x, (real)u.y};
        }
    }
}

/* ----------------------------------------------------------- whole tiles */

/* Calls use(i, p, x) for each input i of the first stage: element x, which is at
 * p. */
template <int R, class Use>
STFK_DEVICE void each_input(const work &a, const spot<load_side> &s, member m,
                            const Use &use)
{
    STFK_UNROLL
    for (int k = 0; k < rounds(R); k++) {
        int b = m.t + k * T;
        const elements_from<load_side, N / R> from(a->load, s, m.t, k * T);
        if (!is_in_round(k, T, N / R, b))
            continue;
        STFK_UNROLL
        for (int j = 0; j < R; j++)
            use(k * R + j, from.at(j), element_of<R>(b, j));
    }
}

STFK_DEVICE bool is_behind_signal(element x)
{
    return N > STFK_SIGNAL && x.e >= STFK_SIGNAL;
}

/* Loads the inputs of the first stage straight into registers. */
template <int R, bool vector>
STFK_DEVICE void load_inputs(const work &a, const spot<load_side> &s, member m,
                             cx *v)
{
    typedef load_side::stored stored;
    vec2<stored> u[V];

    if constexpr (fetches_ahead && is_fetched<load_side>()) {
        each_input<R>(a, s, m, [&](int i, const stored *p, element x) {
            u[i] = {stored(), stored()};
            if (!is_behind_signal(x))
                u[i] = fetch_element<load_side>(a, s, p, x, vector);
        });
        each_input<R>(a, s, m, [&](int i, const stored *, element x) {
            v[i] = is_behind_signal(x) ? cx{0, 0}
                                       : fetched<load_side>(a, s, x, u[i]);
        });
    } else {
        each_input<R>(a, s, m, [&](int i, const stored *p, element x) {
            v[i] = is_behind_signal(x)
                       ? cx{0, 0}
                       : load_element<load_side>(a, s, p, x, vector);
        });
    }
}

/* Stores the results of the last stage straight from registers. */
template <class Watch, int R, bool vector>
STFK_DEVICE void store_results(const work &a, const spot<store_side> &s,
                               member m, const cx *v)
{
    STFK_UNROLL
    for (int k = 0; k < rounds(R); k++) {
        int b = m.t + k * T;
        const elements_from<store_side, N / R> from(a->store, s, m.t, k * T);
        if (!is_in_round(k, T, N / R, b))
            continue;
        STFK_UNROLL
        for (int j = 0; j < R; j++) {
            int e = b + j * (N / R);
            if (N == STFK_SIGNAL || e < STFK_SIGNAL)
                store_element<Watch, store_side>(a, s, from.at(j),
                                                 element_of<R>(b, j),
                                                 v[k * R + j], vector);
        }
    }
}

} // namespace stfk

#endif

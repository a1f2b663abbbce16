/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Half-complex spectra of 2N reals in a tile: elements k and N - k, which meet
 * where spectra are separated or joined, are the reals k, N - k, N + k and 2N - k.
 * Places follow from two pointers, so that a row takes few instructions. Turns by
 * quarters are part of separating and joining. */
#ifndef STFK_HALF_COMPLEX_H
#define STFK_HALF_COMPLEX_H

#include "fft/memory.h"

namespace stfk
{

/* Whether a side has such spectra. */
template <class Side> STFK_CONST bool is_half_complex()
{
    return Side::form == FORM_HC && Side::order == ORDER_PLAIN && Side::whole
           && !Side::alternate;
}

/* Real k lies at rise, real N + k at rise + half; real N - k at fall + half, and
 * real 2N - k at fall + 2 half. */
template <class Side> struct four_places {
    typename Side::stored *rise, *fall;
    wide half;
};

/* Those of element k by the addresses for element `from`; see one_address(). */
template <class Side>
STFK_DEVICE four_places<Side> places_of(const stfk_side &side,
                                        const spot<Side> &s, int from, int k)
{
    const wide step =
        (Side::reversed ? -1 : 1) * (Side::unit ? (wide)1 : side.elem);
    auto *first = Side::reversed ? s.p - (2 * N - 1) * step : s.p;

    return {known_address<Side>(first + from * step) + (k - from) * step,
            known_address<Side>(first - from * step) - (k - from) * step,
            N * step};
}

/* Real i of a row of 2N: which element it is part of, and whether it is the imaginary
 * part. */
struct half_complex_real {
    int element;
    bool second;
    STFK_MEMBER explicit half_complex_real(int i)
        : element(i > N ? 2 * N - i : i), second(i > N)
    {
    }
};

/* Returns where it lies. */
template <class Side>
STFK_DEVICE typename Side::stored *real_of_row(const stfk_side &side,
                                               const spot<Side> &s, int i)
{
    return real_at<Side>(side, s, Side::reversed ? 2 * N - 1 - i : i);
}

/* Loads elements k and N - k as they are in memory. The imaginary parts of elements
 * 0 and N, which have none, are of no use. */
template <class Side>
STFK_DEVICE void load_four(const work &a, const spot<Side> &s, int from, int k,
                           cx &x, cx &y)
{
    const four_places<Side> at = places_of<Side>(Side::of(a), s, from, k);

    x = {(real)load_global(at.rise), 0};
    y = {(real)load_global(at.fall + at.half), 0};
    if (k != 0) {
        x.y = (real)load_global(at.fall + 2 * at.half);
        y.y = (real)load_global(at.rise + at.half);
    }
}

/* Stores elements k and N - k after their turns. If both are the same element, what
 * remains is the first of them. */
template <class Watch, class Side>
STFK_DEVICE void store_four(const work &a, const spot<Side> &s, int from, int k,
                            cx x, cx y)
{
    const four_places<Side> at = places_of<Side>(Side::of(a), s, from, k);

    Watch::put(at.fall + at.half, (typename Side::stored)y.x);
    if (k != 0)
        Watch::put(at.rise + at.half, (typename Side::stored)y.y);
    Watch::put(at.rise, (typename Side::stored)x.x);
    if (k != 0)
        Watch::put(at.fall + 2 * at.half, (typename Side::stored)x.y);
}

/* ------------------------------------------------------------------ quarters */

static_assert(!is_quarter<load_side>() || is_half_complex<load_side>(),
              "spectra are rows");
static_assert(!is_quarter<store_side>() || is_half_complex<store_side>(),
              "spectra are rows");

/* The roots t and t^5, t = exp(-2 pi i k/(8N)), of elements k and N - k: the root
 * of element N - k is conj(t) exp(-i pi/4), and the one that separates both is
 * t^4. */
struct root_pair {
    cx t, t5;
};

/* Element k by the address of element `from`; see one_address(). */
STFK_DEVICE root_pair quarter_roots(const work &a, int from, int k)
{
    typedef vec2<vec2<real>> both;
    const both *roots = (const both *)a->separate + STFK_QUARTER_ROOTS(N);
    const both w = load_table(by_address(roots, from, k));

    return {{w.x.x, w.x.y}, {w.y.x, w.y.y}};
}

/* Returns z exp(-i pi/4). */
STFK_DEVICE cx eighth_back(cx z)
{
    const real c = (real)0.70710678118654752440;

    return {(z.x + z.y) * c, (z.y - z.x) * c};
}

/* Separates Z_k = x and Z_(N-k) = y, and turns both. With P = 2 t E, Q = 2 t^5 O,
 * where E and O are the even and the odd part of Z, y_k - i y_(2N-k) is P + Q, and
 * the same of N - k is exp(-i pi/4) conj(P - Q). Elements 0 and N have one real
 * each.
 * Source: Makhoul, IEEE Trans. ASSP 28 (1980). */
STFK_DEVICE void separate_quarter(int k, cx &x, cx &y, root_pair r)
{
    const cx p = cx{x.x + y.x, x.y - y.y} * r.t;
    const cx q = cx{x.y + y.y, y.x - x.x} * r.t5;

    if (k == 0) {
        y = {times_root2(x.x - x.y), 0};
        x = {2 * (x.x + x.y), 0};
    } else {
        x = conj(p + q);
        y = conj(eighth_back(conj(p - q)));
    }
}

/* Reverses that, with results as join_pair() has them. */
STFK_DEVICE void join_quarter(int k, cx &x, cx &y, root_pair r)
{
    const cx near = conj(x), far = eighth_back(y);
    const cx even = (near + far) * conj(r.t), odd = (near - far) * conj(r.t5);

    if (k == 0) {
        const real last = times_root2(y.x);
        x = {x.x + last, x.x - last};
    } else {
        x = {even.x - odd.y, even.y + odd.x};
        y = {even.x + odd.y, odd.x - even.y};
    }
}

} // namespace stfk

#endif

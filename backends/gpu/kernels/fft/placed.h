/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Sides that have an order: the reals of real to real transforms, each at its
 * place and with the turn of its side.
 * Source: lib/fft/place.h, which says the same for the host; tests/simt compares
 * both with the definitions of the transforms. */
#ifndef STFK_PLACED_H
#define STFK_PLACED_H

#include "fft/lane.h"

namespace stfk
{

/* Numbers reals of an axis. */
#if STFK_LONG_AXIS
typedef wide place_t;
#else
typedef int place_t;
#endif

/* Where a real lies along its axis, and its sign; sign 0: it is zero, and has no
 * place. */
struct placed {
    place_t at;
    int sign;
};

/* x(2j+1) = x_j is even about 0 and odd about 2n; real m is x(n + 8m). */
STFK_DEVICE placed place_eighth(place_t n, place_t m)
{
    place_t v = n + 8 * m;
    int sign;

    v = v >= 8 * n ? v - 8 * n : v;
    v = v > 4 * n ? 8 * n - v : v;
    sign = v > 2 * n ? -1 : 1;
    v = v > 2 * n ? 4 * n - v : v;
    return {(v - 1) / 2, sign};
}

/* Result k, v = 2k + 1, is at m = v mod n if v mod 4 is 3, and at m = -v mod n
 * if v mod 4 is 1. */
STFK_DEVICE placed place_eighth_back(place_t n, place_t m)
{
    place_t v = m % 2 != 0 ? m : m + n;

    v = v % 4 == 3 ? v : 2 * n - v;
    return {(v - 1) / 2, v % 8 == 1 || v % 8 == 7 ? 1 : -1};
}

/* The extension of n reals to 2h reals, h = n - 1 or n + 1. */
template <bool odd> STFK_DEVICE placed place_mirror(place_t n, place_t m)
{
    const place_t h = odd ? n + 1 : n - 1;
    const bool far = m > h;
    const int sign = !odd ? 1 : m == 0 || m == h ? 0 : far ? -1 : 1;

    return {(far ? 2 * h - m : m) - (odd ? 1 : 0), sign};
}

/* Returns the place of real m of an axis of n reals. */
template <class Side> STFK_DEVICE placed place_real(place_t n, place_t m)
{
    placed p = {m, 1};

    if constexpr (Side::order == ORDER_FOLD)
        p.at = 2 * m < n ? 2 * m : 2 * n - 1 - 2 * m;
    if constexpr (Side::order == ORDER_ENDS)
        p.at = m % 2 == 0 ? m : n - m;
    if constexpr (Side::order == ORDER_EIGHTH)
        p = place_eighth(n, m);
    if constexpr (Side::order == ORDER_EIGHTH_BACK)
        p = place_eighth_back(n, m);
    if constexpr (Side::order == ORDER_EVEN)
        p = place_mirror<false>(n, m);
    if constexpr (Side::order == ORDER_ODD)
        p = place_mirror<true>(n, m);
    if (Side::reversed)
        p.at = n - 1 - p.at;
    if (Side::alternate && p.at % 2 != 0)
        p.sign = -p.sign;
    return p;
}

/* ------------------------------------------------------------ single reals */

template <class Side>
STFK_DEVICE typename Side::stored *real_at(const stfk_side &side,
                                           const spot<Side> &s, place_t at)
{
    return Side::unit ? s.p + at : s.p + at * side.elem;
}

/* Returns where complex element e of a lane lies. */
template <class Side>
STFK_DEVICE typename Side::stored *complex_at(const stfk_side &side,
                                              const spot<Side> &s, wide e)
{
    return s.p
           + place_real<Side>((place_t)side.full, (place_t)e).at * side.elem;
}

template <class Side>
STFK_DEVICE real load_real(const stfk_side &side, const spot<Side> &s,
                           place_t m)
{
    const placed p = place_real<Side>((place_t)side.full, m);
    real v;

    if (Side::order == ORDER_ODD && p.sign == 0)
        return 0;
    v = (real)load_global(real_at<Side>(side, s, p.at));
    return p.sign < 0 ? -v : v;
}

template <class Watch, class Side>
STFK_DEVICE void store_real(const stfk_side &side, const spot<Side> &s,
                            place_t m, real v)
{
    const placed p = place_real<Side>((place_t)side.full, m);

    if (Side::order == ORDER_ODD && p.sign == 0)
        return;
    Watch::put(real_at<Side>(side, s, p.at),
               (typename Side::stored)(p.sign < 0 ? -v : v));
}

/* ---------------------------------------------------------------- elements */

/* Returns root i of the turn. These roots follow those that separate spectra. */
STFK_DEVICE cx turn_root(const work &a, wide i)
{
    constexpr int before =
        STFK_OP == OP_R2C || STFK_OP == OP_C2R ? N / 2 + 1 : 0;

    return table_at(a->separate, before + i);
}

/* Passes that check lanes or pairs move elements as they are in memory, and turn
 * them apart from that, so that their sums see elements before a load turns them,
 * and after a store has done so. Then a load's turn is a factor: QUARTER has its
 * conjugate in memory, and the element in the middle, v = x, is v = x - ix there. */
constexpr bool turns_apart = (STFK_CHECK && !STFK_BY_THREAD) || STFK_TWICE;

template <class Side> STFK_CONST bool is_turned_apart()
{
    return turns_apart && Side::turn != TURN_NONE && Side::turn != TURN_IMAG;
}

/* Returns the factor by which a load turns element i. */
template <class Side> STFK_DEVICE cx load_turn(const work &a, place_t i)
{
    const place_t full = (place_t)Side::of(a).full;

    if (Side::turn == TURN_FOUR)
        return turn_root(a, i);
    return 2 * i > full ? turn_root(a, full - i) : conj(turn_root(a, i));
}

/* Loads element i of a half-complex signal of `full` reals: the real part of
 * element i is real i, its imaginary part is real full - i, and element full - i
 * is its conjugate. The turn of the element in the middle is real but for the
 * direction, and doubles it. */
template <class Side>
STFK_DEVICE cx load_half_complex(const work &a, const spot<Side> &s, place_t i)
{
    const stfk_side &side = Side::of(a);
    const place_t full = (place_t)side.full, near = 2 * i > full ? full - i : i;
    const bool middle = 2 * near == full;
    cx v = {load_real<Side>(side, s, near), 0};

    if (near != 0 && !middle)
        v.y = load_real<Side>(side, s, full - near);
    if (is_turned_apart<Side>() && middle)
        return {v.x, -v.x};
    if (is_turned_apart<Side>())
        return near != i ? v : conj(v);
    if constexpr (Side::turn == TURN_QUARTER) {
        v = conj(v * turn_root(a, near));
        if (middle)
            v = {2 * v.x, 0};
    }
    return near != i ? conj(v) : v;
}

/* Returns the number of the second real of the element of index i. */
template <class Side>
STFK_DEVICE place_t second_real(const stfk_side &side, const spot<Side> &s,
                                place_t i)
{
    return Side::mirror ? i + (place_t)side.im - 2 * (place_t)s.index
                        : 2 * i + 1;
}

/* Loads the element of index i. */
template <class Side>
STFK_DEVICE cx load_placed(const work &a, const spot<Side> &s, place_t i)
{
    const stfk_side &side = Side::of(a);

    if constexpr (Side::form == FORM_HC)
        return load_half_complex<Side>(a, s, i);
    if constexpr (Side::form == FORM_REAL && Side::turn == TURN_IMAG)
        return {0, load_real<Side>(side, s, i)};
    if constexpr (Side::form == FORM_REAL)
        return {load_real<Side>(side, s, i), 0};
    cx v = {load_real<Side>(side, s, Side::mirror ? i : 2 * i),
            load_real<Side>(side, s, second_real<Side>(side, s, i))};
    if constexpr (Side::turn == TURN_FOUR && !is_turned_apart<Side>())
        v = v * turn_root(a, i);
    return v;
}

/* Returns x sqrt(2), rounded once: in a transform of one real, an error of the
 * root would count in full. */
STFK_DEVICE real times_root2(real x)
{
    constexpr real root = (real)1.4142135623730950488;
    constexpr real rest = sizeof(real) == 4
                              ? (real)(1.4142135623730950488 - (double)root)
                              : (real)-9.6672933134529134511e-17;

    return multiply_add(x, root, x * rest);
}

/* Turns element i, v, before it is stored. Elements beyond the middle, whose
 * conjugates are stored, have conjugate factors, and so do all where the direction
 * `reverses` them after this. Of QUARTER and FOUR, the number 2 and a conjugation
 * are left. Returns t, so that the conjugate of t takes the turn
 * back. */
template <class Side>
STFK_DEVICE cx turn_apart(const work &a, place_t i, bool reverses, cx &v)
{
    constexpr bool half_complex = Side::form == FORM_HC;
    constexpr real part =
        (real)(Side::turn == TURN_EIGHTH ? 0.35355339059327376220 : 0.5);
    const place_t full = (place_t)Side::of(a).full;
    const bool far = half_complex && 2 * i > full, back = far != reverses;

    if (half_complex && (i == 0 || 2 * i == full))
        v.y = 0;
    if constexpr (Side::turn == TURN_QUARTER || Side::turn == TURN_FOUR) {
        cx w = turn_root(a, Side::turn == TURN_FOUR ? full / 2 + i
                            : far                   ? full - i
                                                    : i);
        w = back ? conj(w) : w;
        v = v * w;
        return w;
    }
    v = back ? cx{v.x + v.y, v.y - v.x} : cx{v.x - v.y, v.x + v.y};
    if (Side::turn == TURN_EIGHTH)
        v = {times_root2(v.x), times_root2(v.y)};
    return {part, back ? -part : part};
}

/* Turns element i on its way out. The roots of FOUR for stores follow those for
 * loads. */
template <class Side> STFK_DEVICE cx turn_out(const work &a, place_t i, cx v)
{
    if constexpr (is_turned_apart<Side>()) {
        return Side::turn == TURN_QUARTER || Side::turn == TURN_FOUR
                   ? cx{2 * v.x, -2 * v.y}
                   : v;
    } else if constexpr (Side::turn == TURN_QUARTER
                         || Side::turn == TURN_FOUR) {
        const place_t first =
            Side::turn == TURN_FOUR ? (place_t)Side::of(a).full / 2 : 0;
        v = v * turn_root(a, first + i);
        return {2 * v.x, -2 * v.y};
    }
    if constexpr (Side::turn == TURN_CAS)
        return {v.x - v.y, v.x + v.y};
    if constexpr (Side::turn == TURN_EIGHTH)
        return {times_root2(v.x - v.y), times_root2(v.x + v.y)};
    if constexpr (Side::turn == TURN_IMAG)
        return {-v.y, 0};
    return v;
}

/* Returns whether real i of the lane is the image of another one of the same
 * lane. */
template <class Side>
STFK_DEVICE bool is_image(const stfk_side &side, const spot<Side> &s, place_t i)
{
    constexpr int more = Side::order == ORDER_ODD ? 1 : -1;

    if constexpr ((Side::order != ORDER_EVEN && Side::order != ORDER_ODD)
                  || Side::form != FORM_REAL || Side::whole)
        return false;
    return i > (place_t)side.full + more
           && (s.index == 0 || 2 * s.index == side.index_elem);
}

/* Stores the element of index i. A row that is its own mirror image leaves out
 * the second half of its elements, as store_half() does. */
template <class Watch, class Side>
STFK_DEVICE void store_placed(const work &a, const spot<Side> &s, place_t i,
                              cx v)
{
    const stfk_side &side = Side::of(a);
    const place_t full = (place_t)side.full;
    const bool own = Side::form == FORM_HC && (i == 0 || 2 * i == full);

    if (is_image<Side>(side, s, i))
        return;
    if (Side::form == FORM_HC && Side::rows && 2 * i > full) {
        if (s.index == 0 || 2 * s.index == side.index_elem)
            return;
        i = full - i;
        v = conj(v);
    }
    if (own)
        v.y = 0;
    v = turn_out<Side>(a, i, v);
    if constexpr (Side::form == FORM_PAIRS) {
        store_real<Watch, Side>(side, s, Side::mirror ? i : 2 * i, v.x);
        store_real<Watch, Side>(side, s, second_real<Side>(side, s, i), v.y);
        return;
    }
    store_real<Watch, Side>(side, s, i, v.x);
    if (Side::form == FORM_HC && !own)
        store_real<Watch, Side>(side, s, full - i, v.y);
}

/* Returns the index in the signal of element e of a lane. */
template <class Side>
STFK_DEVICE place_t placed_index(const work &a, const spot<Side> &s, wide e)
{
    if constexpr (Side::whole)
        return (place_t)e;
    return (place_t)s.index + (place_t)e * (place_t)Side::of(a).index_elem;
}

} // namespace stfk

#endif

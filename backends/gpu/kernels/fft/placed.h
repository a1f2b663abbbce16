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

/* Number m, of which unrolled code knows that it is between low and high. With low
 * above high, nothing is known of it. */
struct ordinal {
    place_t m, low, high;
    STFK_MEMBER explicit ordinal(place_t n) : m(n), low(1), high(0)
    {
    }
    STFK_MEMBER ordinal(place_t n, place_t from, place_t to)
        : m(n), low(from), high(to)
    {
    }
    STFK_MEMBER bool is_known() const
    {
        return low <= high;
    }
    STFK_MEMBER ordinal plus(place_t c) const
    {
        return {m + c, low + c, high + c};
    }
    STFK_MEMBER ordinal times(place_t c) const
    {
        return {c * m, c * low, c * high};
    }
    STFK_MEMBER ordinal from(place_t c) const
    {
        return {c - m, c - high, c - low};
    }
    STFK_MEMBER bool exceeds(place_t c) const
    {
        return is_known() && (low > c || high <= c) ? low > c : m > c;
    }
    STFK_MEMBER bool is(place_t c) const
    {
        return is_known() && (low > c || high < c) ? false : m == c;
    }
};

/* Returns `above` if a number exceeds c, or else `below`. */
STFK_DEVICE ordinal chosen(ordinal x, place_t c, ordinal above, ordinal below)
{
    return x.is_known() && x.low > c     ? above
           : x.is_known() && x.high <= c ? below
                                         : ordinal(x.m > c ? above.m : below.m);
}

/* Where a real lies along its axis, and its sign; sign 0: it is zero, and has no
 * place. */
struct placed {
    place_t at;
    int sign;
};

/* x(2j+1) = x_j is even about 0 and odd about 2n; real m is x(n + 8m). */
STFK_DEVICE placed place_eighth(place_t n, ordinal m)
{
    ordinal v = m.times(8).plus(n);
    int sign;

    v = chosen(v, 8 * n - 1, v.plus(-8 * n), v);
    v = chosen(v, 4 * n, v.from(8 * n), v);
    sign = v.exceeds(2 * n) ? -1 : 1;
    v = chosen(v, 2 * n, v.from(4 * n), v);
    return {(v.m - 1) / 2, sign};
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
template <bool odd> STFK_DEVICE placed place_mirror(place_t n, ordinal m)
{
    const place_t h = odd ? n + 1 : n - 1;
    const int sign = !odd ? 1 : m.is(0) || m.is(h) ? 0 : m.exceeds(h) ? -1 : 1;

    return {chosen(m, h, m.from(2 * h), m).m - (odd ? 1 : 0), sign};
}

/* Returns the place of real m of an axis of n reals. */
template <class Side> STFK_DEVICE placed place_real(place_t n, ordinal m)
{
    placed p = {m.m, 1};

    if constexpr (Side::order == ORDER_FOLD)
        p.at = chosen(m, (n - 1) / 2, m.times(2).from(2 * n - 1), m.times(2)).m;
    if constexpr (Side::order == ORDER_ENDS)
        p.at = m.m % 2 == 0 ? m.m : n - m.m;
    if constexpr (Side::order == ORDER_EIGHTH)
        p = place_eighth(n, m);
    if constexpr (Side::order == ORDER_EIGHTH_BACK)
        p = place_eighth_back(n, m.m);
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

/* Returns how many reals an axis has of which a lane has all. */
template <class Side> STFK_CONST place_t whole_reals()
{
    constexpr bool two = (Side::form == FORM_PAIRS && !is_of_two<Side>())
                         || STFK_OP == OP_R2C || STFK_OP == OP_C2R;
    constexpr place_t n = two ? 2 * STFK_SIGNAL : STFK_SIGNAL;

    return Side::order == ORDER_EVEN  ? n / 2 + 1
           : Side::order == ORDER_ODD ? n / 2 - 1
                                      : n;
}

/* Returns how many reals the axis has; of a whole one the compiler knows it. */
template <class Side> STFK_DEVICE place_t axis_reals(const stfk_side &side)
{
    if constexpr (Side::whole)
        return whole_reals<Side>();
    return (place_t)side.full;
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
           + place_real<Side>((place_t)side.full, ordinal((place_t)e)).at
                 * side.elem;
}

template <class Side>
STFK_DEVICE typename Side::stored load_stored(const typename Side::stored *p)
{
    return Side::copied ? *p : load_global(p);
}

template <class Side>
STFK_DEVICE real load_real(const stfk_side &side, const spot<Side> &s,
                           ordinal m)
{
    const placed p = place_real<Side>(axis_reals<Side>(side), m);
    real v;

    if (Side::order == ORDER_ODD && p.sign == 0)
        return 0;
    v = (real)load_stored<Side>(real_at<Side>(side, s, p.at));
    return p.sign < 0 ? -v : v;
}

template <class Watch, class Side>
STFK_DEVICE void store_real(const stfk_side &side, const spot<Side> &s,
                            ordinal m, real v)
{
    const placed p = place_real<Side>(axis_reals<Side>(side), m);

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

/* Whether elements are turned by quarters while spectra are separated or joined
 * (half_complex.h). Sums have weights of what memory holds, which turns are a part
 * of. */
template <class Side> STFK_CONST bool is_quarter()
{
    return Side::turn == TURN_QUARTER
           && (STFK_OP == OP_R2C || STFK_OP == OP_C2R);
}

/* Other passes that check lanes or pairs move elements as they are in memory, and
 * turn them apart from that, so that their sums see elements before a load turns
 * them, and after a store has done so. Then a load's turn is a factor: QUARTER has
 * its conjugate in memory, and the element in the middle, v = x, is v = x - ix
 * there. */
constexpr bool turns_apart = (STFK_CHECK && !STFK_BY_THREAD) || STFK_TWICE;

template <class Side> STFK_CONST bool is_turned_apart()
{
    return turns_apart && Side::turn != TURN_NONE && Side::turn != TURN_IMAG
           && !is_quarter<Side>();
}

/* Returns the factor by which a load turns element i. */
template <class Side> STFK_DEVICE cx load_turn(const work &a, place_t i)
{
    const place_t full = axis_reals<Side>(Side::of(a));

    if (Side::turn == TURN_FOUR)
        return turn_root(a, i);
    return 2 * i > full ? turn_root(a, full - i) : conj(turn_root(a, i));
}

/* Only the first half of a spectrum of `full` elements is stored; the others
 * are conjugates of stored ones. This says how an element is represented. */
struct fold {
    bool far;     /* the conjugate of a stored element */
    bool is_real; /* its own conjugate: the imaginary part is zero */
};

/* Returns what memory has of element e of a lane, from index `first` of a
 * half-complex signal of `full` reals on: the real part of element i is real i, its
 * imaginary part is real full - i, and element full - i is its conjugate. Where
 * there is no imaginary part, it is the real one, which is of no use. */
template <class Side>
STFK_DEVICE vec2<typename Side::stored>
fetch_half_complex(const stfk_side &side, const spot<Side> &s, wide first,
                   wide e, fold f)
{
    typedef typename Side::stored stored;
    const wide full = (wide)axis_reals<Side>(side);
    const wide elem = (Side::reversed ? -1 : 1) * (Side::unit ? 1 : side.elem);
    const wide step = e * (Side::whole ? elem : side.index_elem * elem);
    const stored *p = Side::reversed ? s.p - (full - 1) * elem : s.p;
    const stored *rise = p + first * elem + step;
    const stored *fall = p + (full - first) * elem - step;
    const stored *one = f.far ? fall : rise, *other = f.far ? rise : fall;

    return {load_stored<Side>(one), load_stored<Side>(f.is_real ? one : other)};
}

/* Returns the element of index i, of which memory has u. The turn of the element in
 * the middle is real but for the direction, and doubles it. */
template <class Side>
STFK_DEVICE cx half_complex(const work &a, place_t i, fold f,
                            vec2<typename Side::stored> u)
{
    const place_t full = axis_reals<Side>(Side::of(a));
    const place_t near = f.far ? full - i : i;
    const bool middle = f.is_real && i != 0;
    cx v = {(real)u.x, (real)u.y};

    if (f.is_real)
        v.y = 0;
    if (place_real<Side>(full, ordinal(near)).sign < 0)
        v.x = -v.x;
    if (place_real<Side>(full, ordinal(full - near)).sign < 0)
        v.y = -v.y;
    if (is_turned_apart<Side>() && middle)
        return {v.x, -v.x};
    if (is_turned_apart<Side>())
        return f.far ? v : conj(v);
    if constexpr (Side::turn == TURN_QUARTER) {
        v = conj(v * turn_root(a, near));
        if (middle)
            v = {2 * v.x, 0};
    }
    return f.far ? conj(v) : v;
}

/* Returns how element i of a half-complex signal is represented. */
template <class Side>
STFK_DEVICE fold half_complex_fold(const stfk_side &side, ordinal i)
{
    const place_t full = axis_reals<Side>(side);

    return {i.times(2).exceeds(full), i.is(0) || i.times(2).is(full)};
}

/* Loads the element of index i. */
template <class Side>
STFK_DEVICE cx load_half_complex(const work &a, const spot<Side> &s, ordinal i)
{
    const stfk_side &side = Side::of(a);
    const fold f = half_complex_fold<Side>(side, i);

    return half_complex<Side>(a, i.m, f,
                              fetch_half_complex<Side>(side, s, i.m, 0, f));
}

/* Return the numbers of the reals of the element of index i. */
template <class Side> STFK_DEVICE ordinal first_real(ordinal i)
{
    return Side::mirror ? i : i.times(2);
}
template <class Side>
STFK_DEVICE ordinal second_real(const stfk_side &side, const spot<Side> &s,
                                ordinal i)
{
    return Side::mirror ? i.plus((place_t)side.im - 2 * (place_t)s.index)
                        : i.times(2).plus(1);
}

/* Loads the element of index i. */
template <class Side>
STFK_DEVICE cx load_placed(const work &a, const spot<Side> &s, ordinal i)
{
    const stfk_side &side = Side::of(a);

    if constexpr (Side::form == FORM_HC)
        return load_half_complex<Side>(a, s, i);
    if constexpr (Side::form == FORM_REAL && Side::turn == TURN_IMAG)
        return {0, load_real<Side>(side, s, i)};
    if constexpr (Side::form == FORM_REAL)
        return {load_real<Side>(side, s, i), 0};
    if constexpr (is_of_two<Side>())
        return {load_real<Side>(side, s, i),
                s.both ? load_real<Side>(side, second_signal(side, s), i) : 0};
    cx v = {load_real<Side>(side, s, first_real<Side>(i)),
            load_real<Side>(side, s, second_real<Side>(side, s, i))};
    if constexpr (Side::turn == TURN_FOUR && !is_turned_apart<Side>())
        v = v * turn_root(a, i.m);
    return v;
}

/* The square root of 2, and what it is short of. */
constexpr real ROOT2 = (real)1.4142135623730950488;
constexpr real ROOT2_REST = sizeof(real) == 4
                                ? (real)(1.4142135623730950488 - (double)ROOT2)
                                : (real)-9.6672933134529134511e-17;

/* Returns x sqrt(2), rounded once. */
STFK_DEVICE real times_root2(real x)
{
    return multiply_add(x, ROOT2, x * ROOT2_REST);
}

/* The result of a transform of one real is multiplied by the square root of 2 together
 * with the scale: times_scale_and_root2(). */
constexpr bool is_one_root = N == 1 && store_side::turn == TURN_EIGHTH;

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
    const place_t full = axis_reals<Side>(Side::of(a));
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
    if (Side::turn == TURN_EIGHTH && !is_one_root)
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
            Side::turn == TURN_FOUR ? axis_reals<Side>(Side::of(a)) / 2 : 0;
        v = v * turn_root(a, first + i);
        return {2 * v.x, -2 * v.y};
    }
    if constexpr (Side::turn == TURN_CAS
                  || (Side::turn == TURN_EIGHTH && is_one_root))
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
STFK_DEVICE void store_placed(const work &a, const spot<Side> &s, ordinal i,
                              cx v)
{
    const stfk_side &side = Side::of(a);
    const place_t full = axis_reals<Side>(side);
    const bool own = Side::form == FORM_HC && (i.is(0) || i.times(2).is(full));

    if (is_image<Side>(side, s, i.m))
        return;
    if (Side::form == FORM_HC && Side::rows && 2 * i.m > full) {
        if (s.index == 0 || 2 * s.index == side.index_elem)
            return;
        i = i.from(full);
        v = conj(v);
    }
    if (own)
        v.y = 0;
    v = turn_out<Side>(a, i.m, v);
    if constexpr (Side::form == FORM_PAIRS && is_of_two<Side>()) {
        store_real<Watch, Side>(side, s, i, v.x);
        if (s.both)
            store_real<Watch, Side>(side, second_signal(side, s), i, v.y);
        return;
    }
    if constexpr (Side::form == FORM_PAIRS) {
        store_real<Watch, Side>(side, s, first_real<Side>(i), v.x);
        store_real<Watch, Side>(side, s, second_real<Side>(side, s, i), v.y);
        return;
    }
    store_real<Watch, Side>(side, s, i, v.x);
    if (Side::form == FORM_HC && !own)
        store_real<Watch, Side>(side, s, i.from(full), v.y);
}

/* Returns the index in the signal of element e of a lane, which is between low and
 * high. */
template <class Side>
STFK_DEVICE ordinal placed_index(const work &a, const spot<Side> &s, wide e,
                                 wide low = 0, wide high = N)
{
    if constexpr (Side::whole)
        return {(place_t)e, (place_t)low, (place_t)high};
    return ordinal((place_t)s.index
                   + (place_t)e * (place_t)Side::of(a).index_elem);
}

} // namespace stfk

#endif

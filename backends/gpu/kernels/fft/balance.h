/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Two signals of different transforms in one lane. Rounding errors of either are as
 * large as those of the larger one, and what is not finite would spread. So the norm
 * of each is brought near 1 by a power of two before they are combined, which is taken
 * back behind the transform; a signal that is not finite is computed as zeros, and its
 * results are NaN. Where nothing overflows and nothing is below the normal numbers,
 * multiplying by powers of two is exact.
 *
 * Norms are summed up as integers, relative to the largest element, so that they do
 * not depend on the order of threads, and neither do the bits of results. */
#ifndef STFK_BALANCE_H
#define STFK_BALANCE_H

#include "fft/tile.h"

namespace stfk
{

STFK_CONST bool is_balanced()
{
    return STFK_BALANCED;
}

/* Powers of two that bring the signals of a lane near 1, and back. */
struct powers {
    real up[2], down[2];
    bool bad[2]; /* the signal is not finite */
};

/* Exponents as the bits of numbers have them. The least one that counts is that of
 * the least normal number: what is below it counts as that, and the other signal's
 * rounding errors then are, taken back, at most as large as the least number. */
constexpr int DIGITS = sizeof(real) == 4 ? 23 : 52;
constexpr unsigned MOST = sizeof(real) == 4 ? 255 : 2047; /* not finite */
constexpr unsigned LEAST = 1;
constexpr int SQUARE_BITS = 16; /* behind the point of a sum of squares */

STFK_DEVICE unsigned exponent_of(real v)
{
    return (unsigned)(bits_of(v) >> DIGITS) & MOST;
}

STFK_DEVICE real power_of(unsigned exponent)
{
    typedef decltype(bits_of((real)0)) bits;

    return from_bits((bits)exponent << DIGITS);
}

STFK_DEVICE unsigned lesser(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

/* Of all signals of the tile, the largest exponents, the sums of squares relative to
 * them, what takes the powers back and, where results are checked, the powers. */
STFK_DEVICE unsigned *peaks()
{
    return (unsigned *)(shared_memory() + STFK_BALANCE_AT);
}
STFK_DEVICE unsigned *squares()
{
    return peaks() + 2 * L;
}
STFK_DEVICE vec2<real> *powers_back()
{
    return (vec2<real> *)(peaks() + 4 * L);
}
STFK_DEVICE vec2<real> *powers_up()
{
    return powers_back() + L;
}

/* A barrier must follow. */
STFK_DEVICE void clear_peaks()
{
    if constexpr (is_balanced()) {
        STFK_UNROLL
        for (int q = 0; q < (4 * L + B - 1) / B; q++) {
            const int i = (int)own_thread() + q * B;
            if (is_in_round(q, B, 4 * L, i))
                peaks()[i] = 0;
        }
    }
}

/* Returns the exponent of signal i's largest element. */
STFK_DEVICE unsigned peak_of(int lane, int i)
{
    const unsigned peak = peaks()[2 * lane + i];

    return peak < LEAST ? LEAST : lesser(peak, MOST - 2);
}
/* A norm: 2^exponent times the square root of `square`, which is from 1 to below 4, or 0,
 * with SQUARE_BITS behind the point. */
struct scaled_norm {
    unsigned exponent, square;
};
STFK_DEVICE scaled_norm norm_of(int lane, int i)
{
    unsigned square = squares()[2 * lane + i], octaves = 0;

    for (; square >> SQUARE_BITS >= 4; square >>= 2)
        octaves++;
    return {peak_of(lane, i) + octaves, square};
}

/* Returns the powers for a lane, which bring the norms within sqrt(2) of each other: the
 * smaller one has rounding errors of up to sqrt(1.5) times its own. */
STFK_DEVICE powers powers_of(int lane)
{
    const scaled_norm norm[2] = {norm_of(lane, 0), norm_of(lane, 1)};
    powers b;

    STFK_UNROLL
    for (int i = 0; i < 2; i++) {
        const bool more = norm[i].square >= 2 * norm[1 - i].square;
        const unsigned e = lesser(norm[i].exponent + more, MOST - 2);
        b.bad[i] = peaks()[2 * lane + i] == MOST;
        b.up[i] = power_of(MOST - 1 - e);
        b.down[i] = b.bad[i] ? power_of(MOST) - power_of(MOST) : power_of(e);
    }
    return b;
}

/* Finds the powers for a lane: each(use) calls use(i, x) with what this thread holds
 * of signal i. All threads of the block take part. */
template <class Each> STFK_DEVICE powers find_powers(int lane, const Each &each)
{
    unsigned most[2] = {0, 0};
    real sum[2] = {0, 0};

    each([&](int i, real x) {
        const unsigned e = exponent_of(x);
        most[i] = e > most[i] ? e : most[i];
    });
    STFK_UNROLL
    for (int i = 0; i < 2; i++)
        atomic_max(peaks() + 2 * lane + i, most[i]);
    block_sync();
    const real up[2] = {power_of(MOST - 1 - peak_of(lane, 0)),
                        power_of(MOST - 1 - peak_of(lane, 1))};
    each([&](int i, real x) {
        const real y = x * up[i];
        sum[i] += y * y;
    });
    STFK_UNROLL
    for (int i = 0; i < 2; i++)
        if (peaks()[2 * lane + i] != MOST)
            atomic_add(squares() + 2 * lane + i,
                       (unsigned)(sum[i] * (real)(1 << SQUARE_BITS)));
    block_sync();
    return powers_of(lane);
}

/* Thread t of a lane keeps what takes the powers back for whoever has the results, and
 * another one the powers for whoever checks them. */
STFK_DEVICE void keep_powers(int lane, int t, const powers &b)
{
    if (t == 0)
        powers_back()[lane] = vec2<real>{b.down[0], b.down[1]};
    if (STFK_CHECK && t == T - 1)
        powers_up()[lane] = vec2<real>{b.up[0], b.up[1]};
}

/* What a thread holds of a lane before the first stage, a real of either signal in an
 * element. */
template <int R> struct held_reals {
    const cx *v;
    member m;
    template <class Use> STFK_MEMBER void operator()(const Use &use) const
    {
        each_held<R>(m.t, [&](int i, int, int) {
            use(0, v[i].x);
            use(1, v[i].y);
        });
    }
};

/* Elements k of both spectra that a thread has loaded. The imaginary part of an
 * element that has none is of no account. */
template <class Go> struct loaded_spectra {
    const cx *x, *y;
    template <class Use> STFK_MEMBER void operator()(const Use &use) const
    {
        STFK_UNROLL
        for (int q = 0; q < Go::rounds; q++) {
            const int k = Go::element(q);
            if (!Go::has(q))
                continue;
            use(0, x[q].x);
            use(1, y[q].x);
            use(0, k == 0 || 2 * k == N ? 0 : x[q].y);
            use(1, k == 0 || 2 * k == N ? 0 : y[q].y);
        }
    }
};

/* Balances what a thread holds of a lane. */
template <int R, class Watch>
STFK_DEVICE void balance_inputs(Watch &c, member m, cx *v)
{
    const powers b = find_powers(m.lane, held_reals<R>{v, m});

    keep_powers(m.lane, m.t, b);
    c.loaded_balanced(b.bad[0] || b.bad[1]);
    if (b.bad[0] || b.bad[1])
        each_held<R>(m.t, [&](int i, int, int) {
            v[i] = {b.bad[0] ? 0 : v[i].x, b.bad[1] ? 0 : v[i].y};
        });
    each_held<R>(m.t, [&](int i, int, int) {
        v[i] = {v[i].x * b.up[0], v[i].y * b.up[1]};
    });
}

STFK_DEVICE cx balanced(cx x, real up, bool bad)
{
    return bad ? cx{0, 0} : cx{x.x * up, x.y * up};
}

/* Balances the elements of both spectra that a thread has loaded of a lane. */
template <class Go, class Watch>
STFK_DEVICE void balance_spectra(Watch &c, cx *x, cx *y)
{
    const int lane = Go::lane(0);
    const powers b = find_powers(lane, loaded_spectra<Go>{x, y});

    keep_powers(lane, Go::element(0), b);
    c.loaded_balanced(b.bad[0] || b.bad[1]);
    STFK_UNROLL
    for (int q = 0; q < Go::rounds; q++) {
        x[q] = balanced(x[q], b.up[0], b.bad[0]);
        y[q] = balanced(y[q], b.up[1], b.bad[1]);
    }
}

/* Takes the powers back from results of both signals. */
STFK_DEVICE void take_back(int lane, cx x[2])
{
    if constexpr (is_balanced()) {
        const vec2<real> down = powers_back()[lane];
        x[0] = {x[0].x * down.x, x[0].y * down.x};
        x[1] = {x[1].x * down.y, x[1].y * down.y};
    }
}

/* The same for elements that have one real of either. */
template <int count> STFK_DEVICE void take_back_reals(int lane, cx *v)
{
    if constexpr (is_balanced()) {
        const vec2<real> down = powers_back()[lane];
        STFK_UNROLL
        for (int i = 0; i < count; i++)
            v[i] = {v[i].x * down.x, v[i].y * down.y};
    }
}

} // namespace stfk

#endif

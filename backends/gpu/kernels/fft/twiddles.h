/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The twiddles between the passes of a hierarchical transform. */
#ifndef STFK_TWIDDLES_H
#define STFK_TWIDDLES_H

#include "fft/memory.h"

namespace stfk
{

/* Two roots whose product is a third one. */
struct root_parts {
    vec2<double> fine, coarse;
};

/* Returns the parts of exp(-2 pi i x/order). */
STFK_DEVICE root_parts parts_of(const work &a, wide x)
{
    typedef vec2<double> pair;
    const pair *fine = (const pair *)a->fine, *coarse = (const pair *)a->coarse;

    return {load_table(fine + (x & (((wide)1 << a->root_shift) - 1))),
            load_table(coarse + (x >> a->root_shift))};
}

/* Returns the product, rounded once. */
STFK_DEVICE cx product_of(const root_parts &p)
{
    typedef complex<double> cd;
    const cd w = cd{p.fine.x, p.fine.y} * cd{p.coarse.x, p.coarse.y};

    return {(real)w.x, STFK_TWIDDLE_CONJ ? (real)-w.y : (real)w.y};
}

STFK_DEVICE cx root(const work &a, wide x)
{
    return product_of(parts_of(a, x));
}

STFK_DEVICE wide twiddle_row(const work &a, int lane)
{
    wide row = 0;

    walk(a, existing_lane(a, lane),
         [&](int l, wide i) { row += i * a->twiddle_mul[l]; });
    return row;
}

/* Element b + j M of a lane (M = N/R, b < M) has the twiddle w^(q b)
 * w^(q j M), q being the lane's row. The R factors w^(q j M) of each lane
 * are in shared memory. In long columns, so are the factors of w^(q b) =
 * w^(q (b mod F)) w^(q F (b / F)): F + M/F of them, so that few roots are
 * read from the tables. In short columns they are not, and F = 0. */
constexpr int FINE = STFK_STEPS_FINE;
constexpr int STEPS = STFK_STEPS;
constexpr bool steps_across =
    STFK_TWIDDLE == TWIDDLE_LOAD ? STFK_LOAD_ACROSS : STFK_STORE_ACROSS;

STFK_DEVICE int step_place(int lane, int i)
{
    return steps_across ? i * L + lane : lane * STEPS + i;
}

STFK_DEVICE vec2<real> *steps()
{
    return (vec2<real> *)(shared_memory() + STFK_STEPS_AT);
}

STFK_DEVICE cx step_at(int lane, int i)
{
    vec2<real> w = steps()[step_place(lane, i)];
    return {w.x, w.y};
}

/* Returns the exponent of a lane's factor c, divided by the lane's row. */
template <int R> STFK_CONST int step_exponent(int c)
{
    return c < R ? c * (N / R) : c < R + FINE ? c - R : (c - R - FINE) * FINE;
}

/* w^(q b) for each butterfly of a thread, where the thread computes them. */
constexpr int OWN_MOST = STFK_TWIDDLE == TWIDDLE_NONE || FINE > 0 ? 0 : V / 2;
struct own_roots {
    cx w[OWN_MOST + 1];
};

/* 1: threads ask for roots before they ask for elements. Persistent blocks, whose
 * elements are on their way long before, have no registers left for both: on an H100,
 * 65536 points of F32 in two passes took 0.977 of the time without, 2^20 0.989. */
constexpr bool roots_first = fetches_ahead && !STFK_PERSISTENT;

/* The roots that a thread asks for: those of some of the lanes' factors and, in short
 * columns, those of w^(q b) for its own butterflies, as there are few of them. If it
 * asks before it asks for elements, it waits for both at once. R: the radix of the
 * stage beside which the pass has its twiddles. */
template <int R> struct roots_of_pass {
    static constexpr bool any = STFK_TWIDDLE != TWIDDLE_NONE;
    static constexpr int most = STEPS * L + B;
    static constexpr int factors = any ? (STEPS * L + B - 1) / B : 0;
    static constexpr int own = any && FINE == 0 ? rounds(R) : 0;
    const work &a;
    member m;
    root_parts factor[factors + 1], base[own + 1];

    /* The thread's q-th factor: whether it exists, its lane and its number. */
    STFK_MEMBER static int place_of(int q)
    {
        return (int)own_thread() + q * B;
    }
    STFK_MEMBER static bool has(int q)
    {
        return is_in_round(q, B, STEPS * L, place_of(q));
    }
    STFK_MEMBER static int lane(int q)
    {
        return steps_across ? remainder<L, most>(place_of(q))
                            : divided<STEPS, most>(place_of(q));
    }
    STFK_MEMBER static int number(int q)
    {
        return steps_across ? divided<L, most>(place_of(q))
                            : remainder<STEPS, most>(place_of(q));
    }
    STFK_MEMBER roots_of_pass(const work &from, member at) : a(from), m(at)
    {
        if constexpr (roots_first)
            ask();
    }
    STFK_MEMBER void ask()
    {
        STFK_UNROLL
        for (int q = 0; q < factors; q++)
            if (has(q))
                factor[q] = parts_of(a, twiddle_row(a, lane(q))
                                            * step_exponent<R>(number(q)));
        const wide row = own > 0 ? twiddle_row(a, m.lane) : 0;
        STFK_UNROLL
        for (int k = 0; k < own; k++)
            if (is_in_round(k, T, N / R, m.t + k * T))
                base[k] = parts_of(a, row * (m.t + k * T));
    }
    /* Puts the factors into shared memory, and returns the thread's own. */
    STFK_MEMBER own_roots made()
    {
        own_roots o;

        if constexpr (!roots_first)
            ask();
        STFK_UNROLL
        for (int q = 0; q < factors; q++)
            if (has(q)) {
                const cx w = product_of(factor[q]);
                steps()[step_place(lane(q), number(q))] = {w.x, w.y};
            }
        STFK_UNROLL
        for (int k = 0; k < own; k++)
            o.w[k] = product_of(base[k]);
        return o;
    }
};

/* Returns w^(q b) of butterfly b, the thread's k-th one. */
template <int R>
STFK_DEVICE cx base_of(const own_roots &own, int k, int lane, int b)
{
    if constexpr (FINE == 0)
        return own.w[k];
    else
        return step_at(lane, R + remainder<FINE, N>(b))
               * step_at(lane, R + FINE + divided<FINE, N>(b));
}

/* Calls use(i, e, w) with the twiddle w of each element e that register i
 * holds. */
template <int R, class Use>
STFK_DEVICE void each_twiddle(const own_roots &own, member m, const Use &use)
{
    STFK_UNROLL
    for (int k = 0; k < rounds(R); k++) {
        int b = m.t + k * T;
        if (!is_in_round(k, T, N / R, b))
            continue;
        cx w = base_of<R>(own, k, m.lane, b);
        use(k * R, b, w);
        STFK_UNROLL
        for (int j = 1; j < R; j++)
            use(k * R + j, b + j * (N / R), w * step_at(m.lane, j));
    }
}

} // namespace stfk

#endif

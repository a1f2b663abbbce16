/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The transform of a tile: stages of butterflies in registers, sorted by the
 * exchanges between them, so that both ends are in natural order.
 *
 * Stage s of radix R takes elements b + j N/R (0 <= j < R), multiplies them by
 * w^(k j), where k = b mod P, w is of order P R and P the product of the
 * earlier radices, and leaves its results as put_results() says. Run `back`,
 * the radices in reverse order, a transform starts with the elements that a
 * thread held at the end of a transform run forth, so that a convolution
 * keeps its spectrum in registers.
 *
 * In a tile of several axes, a stage does this along its axis, for all elements of
 * the others: N, k and P are those of the axis. Stages of different axes commute, so
 * the outermost axis has the last one, and the first one if it has two.
 * Source: [Govindaraju2008], section IV.B and IV.D; Stockham, AFIPS 28
 * (1966). */
#ifndef STFK_TRANSFORM_H
#define STFK_TRANSFORM_H

#include "fft/butterfly.h"
#include "fft/tile.h"

namespace stfk
{

/* Returns the index of the first root of stage s in the table of its
 * direction. A loop, since some compilers call a recursive function when the
 * kernel runs. */
STFK_CONST int stage_offset(int s, bool back)
{
    int offset = 0;

    for (int i = 1; i < s; i++)
        offset +=
            STFK_POWERS(radix_of(i, back), before(i, back)) * before(i, back);
    return offset;
}

STFK_CONST int stage_total(bool back)
{
    return stage_offset(S, back);
}

STFK_DEVICE cx table_at(const void *table, wide i)
{
    vec2<real> w = load_table((const vec2<real> *)table + i);
    return {w.x, w.y};
}

/* Calls use(j, w^j), 0 < j < R; w, w^2, ... are P apart from `table` on. */
template <int R, int P, class Use>
STFK_DEVICE void each_power(const cx *table, const Use &use)
{
    if constexpr (STFK_POWERS_ALL(R, P)) {
        STFK_UNROLL
        for (int j = 1; j < R; j++)
            use(j, table_at(table, (j - 1) * P));
    } else {
        cx low[4];
        STFK_UNROLL
        for (int j = 1; j < 4; j++) {
            low[j] = table_at(table, (j - 1) * P);
            use(j, low[j]);
        }
        STFK_UNROLL
        for (int q = 4; q < R; q += 4) {
            cx high = table_at(table, (2 + q / 4) * P);
            use(q, high);
            STFK_UNROLL
            for (int j = 1; j < 4; j++)
                if (q + j < R)
                    use(q + j, high * low[j]);
        }
    }
}

/* Multiplies v[j] by w^j. */
template <int R, int P> STFK_DEVICE void twiddle(cx *v, const cx *table)
{
    each_power<R, P>(table, [&](int j, cx w) { v[j] = v[j] * w; });
}

/* Calls use(k, table) for each butterfly k of stage s that a thread does;
 * its twiddles begin at `table`. */
template <int s, bool back, class Use>
STFK_DEVICE void each_butterfly(member m, const cx *table, const Use &use)
{
    constexpr int R = radix_of(s, back), P = before(s, back),
                  most = rounds(R) * T;

    STFK_UNROLL
    for (int k = 0; k < rounds(R); k++) {
        int b = m.t + k * T;
        if (!is_in_round(k, T, N / R, b))
            continue;
        use(k, table + stage_offset(s, back)
                   + remainder<P, most>(divided<inner(s, back), most>(b)));
    }
}

/* Computes the butterflies of stage s on what the thread holds. The class
 * that watches the pass (watch.h) sees their inputs and outputs, and may
 * change the inputs. */
template <int s, bool back, class Watch>
STFK_DEVICE void run_stage(Watch &c, cx *v, member m, const cx *table)
{
    constexpr int R = radix_of(s, back), P = before(s, back);
    typename Watch::template stage<R, P> watch(c, m, s == 0 && !back);

    if constexpr (Watch::butterflies)
        each_butterfly<s, back>(m, table, [&](int k, const cx *roots) {
            watch.inputs(k, v + k * R, roots);
        });
    c.template strike<R>(back ? S + s : s, m, v);
    each_butterfly<s, back>(m, table, [&](int k, const cx *roots) {
        if constexpr (P > 1)
            twiddle<R, P>(v + k * R, roots);
        butterfly<R, real>::run(v + k * R);
    });
    if constexpr (Watch::butterflies) {
        if (s == S - 1 && back == (STFK_OP == OP_CONV))
            c.template strike<R>(back ? 2 * S : S, m, v);
        each_butterfly<s, back>(
            m, table, [&](int k, const cx *) { watch.outputs(k, v + k * R); });
        watch.end();
    }
}

/* Computes stages s .. S-1. `from`: the thread's part of the tile before the
 * next exchange; `to`: its part after that. */
template <int s, bool back> struct stages {
    template <class Watch>
    STFK_MEMBER static void run(Watch &c, cx *v, member from, member to,
                                const cx *table)
    {
        constexpr int R = radix_of(s, back), next = radix_of(s + 1, back);

        run_stage<s, back>(c, v, from, table);
        if (s > 0 || shared_before || sorts_first || back)
            tile_sync();
        exchange(put_results<R, spread(s, back)>{v, from},
                 get_inputs<next, reach(s + 1, back)>{v, to});
        if constexpr (s == 0 && !back && Watch::one_lane)
            prefetch_row(c.a);
        stages<s + 1, back>::run(c, v, to, to, table);
    }
};

/* The last stage leaves its results in registers: butterfly b has elements b
 * + j N/R. */
template <bool back> struct stages<S - 1, back> {
    template <class Watch>
    STFK_MEMBER static void run(Watch &c, cx *v, member from, member,
                                const cx *table)
    {
        run_stage<S - 1, back>(c, v, from, table);
    }
};

} // namespace stfk

#if STFK_MATRIX
#include "fft/matrix_stages.h"
#endif

namespace stfk
{

/* Moves the tile from natural order to where the first stage has its inputs. */
STFK_DEVICE void sort_first(cx *v, member m)
{
    constexpr int R = radices[0];

    if (shared_before)
        tile_sync();
    exchange(put_natural<R>{v, m}, get_inputs<R, reach(0, false)>{v, m});
}

STFK_DEVICE void conjugate(cx *v)
{
    STFK_UNROLL
    for (int i = 0; i < V; i++)
        v[i].y = -v[i].y;
}

/* Transforms the tile forward. */
template <class Watch>
STFK_DEVICE void transform(Watch &c, cx *v, member from, member to)
{
    const cx *table = (const cx *)c.a->stage;

#if STFK_MATRIX
    transform_on_units(c, v, from, to, table);
#else
    if constexpr (sorts_first)
        sort_first(v, from);
    stages<0, false>::run(c, v, from, to, table);
#endif
}

/* Transforms the tile back, from where transform() left its elements. */
template <class Watch>
STFK_DEVICE void transform_back(Watch &c, cx *v, member m)
{
    conjugate(v);
    stages<0, true>::run(c, v, m, m,
                         (const cx *)c.a->stage + stage_total(false));
    conjugate(v);
}

} // namespace stfk

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The stages of a transform of which some run on matrix units: those whose bit
 * is set in STFK_MATRIX. A transform begins and ends with threads that own
 * butterflies, so loads, stores and checks are the same as for other kernels.
 * transform.h includes this file. */
#ifndef STFK_MATRIX_STAGES_H
#define STFK_MATRIX_STAGES_H

#include "fft/matrix.h"

namespace stfk
{

STFK_CONST bool on_units(int s)
{
    return (STFK_MATRIX >> s & 1) != 0;
}

/* Multiplies a thread's elements of a column of several butterflies, of which b is the
 * first, by w^j; `table` has the powers as each_power() says. */
template <int R, int P>
STFK_DEVICE void twiddle_blocks(const seat &s, cx *x, const cx *table, int b)
{
    STFK_UNROLL
    for (int i = R == 2 ? 1 : 0; i < 2; i++) {
        const int e = s.q + 4 * i, j = element_in(R, e);
        const cx *own = table + (b + block_in(R, e) * T) % P;
        x[i] = x[i] * (j == 0 ? cx{1, 0} : table_at(own, (j - 1) * P));
    }
}

/* The same of a column that is butterfly b. */
template <int R, int P>
STFK_DEVICE void twiddle_column(const seat &s, cx *x, const cx *powers, int b)
{
    constexpr bool all = STFK_POWERS_ALL(R, P);
    const cx *table = powers + b % P;
    const cx own = s.q == 0 ? cx{1, 0} : table_at(table, (s.q - 1) * P);

    x[0] = x[0] * own;
    STFK_UNROLL
    for (int i = 1; i < R / 4; i++) {
        cx w = all ? table_at(table, (s.q + 4 * i - 1) * P)
                   : table_at(table, (2 + i) * P) * own;
        x[i] = x[i] * w;
    }
}

/* Computes stage s, from what get_columns() got to what put_columns() puts. */
template <int s, class Watch>
STFK_DEVICE void run_matrix_stage(Watch &c, cx *v, const cx *table)
{
    constexpr int R = radix_of(s, false), P = before(s, false);
    constexpr int size = column_size(R);
    const cx *roots = table + stage_offset(s, false);
    const seat own(R);
    const butterfly_matrix<R> f(own, table + stage_total(false));

    if constexpr (s > 0)
        c.template strike_columns<R>(s, v);
    STFK_UNROLL
    for (int k = 0; k < column_rounds(R); k++) {
        STFK_UNROLL
        for (int t = 0; t < 4; t++) {
            cx *x = v + k * size + t * (size / 4);
            member m = neighbour(own.first + own.g, wave_size / 4 * t);
            const int b = m.t + k * column_blocks(R) * T;
            if constexpr (P > 1 && size > R)
                twiddle_blocks<R, P>(own, x, roots, b);
            else if constexpr (P > 1)
                twiddle_column<R, P>(own, x, roots, b);
            multiply_columns<R>(own, f, x);
        }
    }
}

/* How the results of stage s leave a thread, and how its inputs arrive. */
template <int s> struct stage_ends {
    static constexpr int R = radix_of(s, false), P = before(s, false);
    typedef
        typename either<on_units(s)>::template of<put_columns<R, P>,
                                                  put_results<R, P>>::type put;
    typedef typename either<on_units(s)>::template of<get_columns<R>,
                                                      get_inputs<R>>::type get;
};

/* Computes stages s .. S-1; see struct stages. */
template <int s> struct mixed_stages {
    template <class Watch>
    STFK_MEMBER static void run(Watch &c, cx *v, member from, member to,
                                const cx *table)
    {
        constexpr int R = radix_of(s, false);

        if constexpr (on_units(s))
            run_matrix_stage<s>(c, v, table);
        else
            run_stage<s, false>(c, v, from, table);
        if (s > 0 || on_units(0) || shared_before)
            tile_sync();
        if constexpr (s + 1 < S) {
            exchange(typename stage_ends<s>::put{v, from},
                     typename stage_ends<s + 1>::get{v, to});
            mixed_stages<s + 1>::run(c, v, to, to, table);
        } else if constexpr (on_units(s)) {
            exchange(typename stage_ends<s>::put{v, from},
                     get_inputs<R>{v, to});
        }
    }
};

/* Transforms the tile forward. The threads that loaded a butterfly's elements
 * hand them over to those that multiply them. */
template <class Watch>
STFK_DEVICE void transform_on_units(Watch &c, cx *v, member from, member to,
                                    const cx *table)
{
    constexpr int R = radix_of(0, false);

    if constexpr (on_units(0)) {
        c.template strike<R>(0, from, v);
        if (shared_before)
            tile_sync();
        exchange(put_natural<R>{v, from}, get_columns<R>{v, to});
    }
    mixed_stages<0>::run(c, v, on_units(0) ? to : from, to, table);
}

} // namespace stfk

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Reading once more what a tile has loaded or stored, with addresses that are
 * computed anew. */
#ifndef STFK_SECOND_READ_H
#define STFK_SECOND_READ_H

#include "fft/ops.h"
#include "protect/observe.h"

namespace stfk
{

/* The block's only tile and the thread's part of it, computed anew. */
STFK_DEVICE work work_anew(const work &a)
{
    return {a.args, (lane_t)block_index_anew() * L};
}

template <int interleave> STFK_DEVICE member who_anew()
{
    int i = (int)thread_index_anew<B>();
    return {i / interleave % L,
            i % interleave + i / (interleave * L) * interleave};
}

/* Calls use(i, e, x) for each register i of a stage of radix R, with the element
 * e of a side that belongs there, and the value x that memory holds. */
template <class Side, int R, bool vector, class Use>
STFK_DEVICE void each_in_memory(const work &a, member m, const Use &use)
{
    const stfk_side &side = Side::of(a);
    const auto s = locate<Side>(a, m.lane);

    STFK_UNROLL
    for (int k = 0; k < rounds(R); k++) {
        int b = m.t + k * T;
        const elements_from<Side, N / R> from(side, s, m.t, k * T);
        if (!is_in_round(k, T, N / R, b))
            continue;
        STFK_UNROLL
        for (int j = 0; j < R; j++)
            use(k * R + j, b + j * (N / R),
                load_element<Side>(a, s, from.at(j), element_of<R>(b, j),
                                   vector));
    }
}

template <class Side, int R, class Use>
STFK_DEVICE void each_again(const work &a, member m, const Use &use)
{
    if (Side::of(a).vector)
        each_in_memory<Side, R, true>(a, m, use);
    else
        each_in_memory<Side, R, false>(a, m, use);
}

/* Returns an element as the transform sees it; see turn_direction(). */
STFK_DEVICE cx turned_as(real sign, cx z)
{
    return {z.x, sign * z.y};
}

/* The threads that hold what a tile loads. */
constexpr int LOAD_HOLDERS =
    shared_before ? STFK_STORE_INTERLEAVE : STFK_LOAD_INTERLEAVE;

} // namespace stfk

#endif

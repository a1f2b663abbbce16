/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Columns of halves that are stored 16 bytes, four neighbouring lanes, at a time:
 * they go through shared memory as memory will have them. */
#ifndef STFK_COLUMNS_H
#define STFK_COLUMNS_H

#include "fft/packed.h"

namespace stfk
{

/* Returns where an element is, in words: in rows of L, of which four neighbouring
 * lanes keep together. Threads that put elements e, e + 1, ... of one lane need
 * other banks. */
STFK_DEVICE int column_place(int lane, int e)
{
    constexpr int pieces = L < 4 ? 1 : L / 4;
    constexpr int swap = pieces < 8 ? pieces - 1 : 7;

    return e * L + ((lane / 4 ^ (e & swap)) * 4 | lane % 4);
}

/* Puts what a thread holds of the results of a stage of radix R. */
template <int R> STFK_DEVICE void put_columns_of(member m, const cx *v)
{
    auto *words = halves<store_side>();

    each_held<R>(m.t, [&](int i, int b, int j) {
        words[column_place(m.lane, b + j * (N / R))] =
            element_pair<store_side::stored, real>::of(v[i]);
    });
}

/* Stores them. If memory is not aligned, elements are stored one by one. */
template <class Watch> STFK_DEVICE void store_columns(const work &a)
{
    typedef pack<store_side> packed;
    constexpr int pieces = L < 4 ? 1 : L / 4, step = B / pieces;
    const int lane = (int)own_thread() % pieces * 4;
    const int first = (int)own_thread() / pieces;
    const auto s = locate<store_side>(a, lane);

    STFK_UNROLL
    for (int q = 0; q < (N + step - 1) / step; q++) {
        const int e = first + q * step;
        const auto *from = halves<store_side>() + column_place(lane, e);
        auto *to = s.p + distance<store_side>(a->store, e);
        if (!s.there || !is_in_round(q, step, N, e))
            continue;
        if (a->store.vector >= packed::count) {
            Watch::put((packed *)to, *(const packed *)from);
            continue;
        }
        STFK_UNROLL
        for (int i = 0; i < 4; i++) {
            Watch::put(to + 2 * i, from[i].x);
            Watch::put(to + 2 * i + 1, from[i].y);
        }
    }
}

} // namespace stfk

#endif

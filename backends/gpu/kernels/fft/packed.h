/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Tiles whose rows are one contiguous run of memory. They are moved to and
 * from shared memory 16 bytes at a time if the array is aligned to that. */
#ifndef STFK_PACKED_H
#define STFK_PACKED_H

#include "fft/memory.h"

namespace stfk
{

constexpr int RUN = L * N;                           /* elements of a block */
constexpr int PACK = 16 / (2 * (int)sizeof(stored)); /* elements in 16 bytes */

/* Returns how many elements of this block's run exist. */
STFK_DEVICE wide run_length(const work &a)
{
    wide rest = (a->lanes - (wide)a.first) * N;
    return rest < RUN ? rest : RUN;
}

STFK_DEVICE int run_place(int i)
{
    return place(i / N, i % N);
}

STFK_DEVICE void put_element(int i, real x, real y)
{
    put<BOTH>(run_place(i), cx{x, y});
}

/* Says which groups of `step` elements a thread moves: the q-th begins with
 * element group(q), and is part of the run if has(q). */
template <int step> struct run_sweep {
    static constexpr int all = RUN / step;
    /* With no group there is still one round, since no array may be empty. */
    static constexpr int rounds = all > 0 ? (all + B - 1) / B : 1;
    STFK_MEMBER static int group(int q)
    {
        return ((int)own_thread() + q * B) * step;
    }
    STFK_MEMBER static bool has(int q)
    {
        return all % B == 0 || group(q) < RUN;
    }
};

typedef vec2<vec2<stored>> quad;

STFK_DEVICE void load_quads(const stored *p)
{
    typedef run_sweep<2> go;
    quad u[go::rounds];

    STFK_UNROLL
    for (int q = 0; q < go::rounds; q++)
        if (go::has(q))
            u[q] = load_global((const quad *)(p + 2 * go::group(q)));
    STFK_UNROLL
    for (int q = 0; q < go::rounds; q++)
        if (go::has(q)) {
            put_element(go::group(q), (real)u[q].x.x, (real)u[q].x.y);
            put_element(go::group(q) + 1, (real)u[q].y.x, (real)u[q].y.y);
        }
}

/* `whole`: all elements of the run exist. */
template <bool whole>
STFK_DEVICE void load_singles(const stored *p, wide length, bool vector)
{
    typedef run_sweep<1> go;
    cx u[go::rounds];

    STFK_UNROLL
    for (int q = 0; q < go::rounds; q++)
        if (go::has(q) && (whole || go::group(q) < length))
            u[q] = load_pair(p + 2 * go::group(q), 1, whole || vector);
    STFK_UNROLL
    for (int q = 0; q < go::rounds; q++)
        if (go::has(q) && (whole || go::group(q) < length))
            put_element(go::group(q), u[q].x, u[q].y);
}

STFK_DEVICE void load_packed(const work &a)
{
    const stored *p = (const stored *)a->load.base + (wide)a.first * (2 * N);
    wide length = run_length(a);

    if (PACK == 2 && RUN % 2 == 0 && length == RUN && a->load.vector == 2)
        load_quads(p);
    else if (length == RUN && a->load.vector != 0)
        load_singles<true>(p, length, true);
    else
        load_singles<false>(p, length, a->load.vector != 0);
}

template <class Watch> STFK_DEVICE void store_quads(stored *p)
{
    typedef run_sweep<2> go;

    STFK_UNROLL
    for (int q = 0; q < go::rounds; q++) {
        int i = go::group(q);
        cx u, v;
        if (!go::has(q))
            continue;
        get<BOTH>(run_place(i), u);
        get<BOTH>(run_place(i + 1), v);
        Watch::put((quad *)(p + 2 * i), quad{{(stored)u.x, (stored)u.y},
                                             {(stored)v.x, (stored)v.y}});
    }
}

template <class Watch> STFK_DEVICE void store_packed(const work &a)
{
    typedef run_sweep<1> go;
    stored *p = (stored *)a->store.base + (wide)a.first * (2 * N);
    wide length = run_length(a);
    bool vector = a->store.vector != 0;

    if (PACK == 2 && RUN % 2 == 0 && length == RUN && a->store.vector == 2) {
        store_quads<Watch>(p);
        return;
    }
    STFK_UNROLL
    for (int q = 0; q < go::rounds; q++) {
        int i = go::group(q);
        cx u;
        if (!go::has(q) || i >= length)
            continue;
        get<BOTH>(run_place(i), u);
        store_pair<Watch>(p + 2 * i, 1, u, vector);
    }
}

} // namespace stfk

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Tiles whose rows are one run of memory, moved between it and shared memory
 * 16 bytes at a time where the array is aligned to that. */
#ifndef STFK_PACKED_H
#define STFK_PACKED_H

#include "fft/modify.h"

namespace stfk
{

constexpr int RUN = L * N;                      /* elements of a block */
constexpr int PACK = sizeof(real) == 4 ? 2 : 1; /* elements of 16 bytes */

/* Elements of this block's run that exist. */
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

/* The q-th group of `step` elements that a thread moves begins with element
 * group(q); has(q): it lies in the run. */
template <int step> struct run_sweep {
    static constexpr int all = RUN / step;
    /* None is a round too: no array may be empty. */
    static constexpr int rounds = all > 0 ? (all + B - 1) / B : 1;
    STFK_MEMBER static int group(int q)
    {
        return ((int)thread_index() + q * B) * step;
    }
    STFK_MEMBER static bool has(int q)
    {
        return all % B == 0 || group(q) < RUN;
    }
};

typedef vec2<vec2<real>> quad;

STFK_DEVICE void load_quads(const real *p)
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
            put_element(go::group(q), u[q].x.x, u[q].x.y);
            put_element(go::group(q) + 1, u[q].y.x, u[q].y.y);
        }
}

/* `whole`: all elements of the run exist. */
template <bool whole>
STFK_DEVICE void load_singles(const real *p, wide length, bool vector)
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
    const real *p = (const real *)a->load.base + (wide)a.first * (2 * N);
    wide length = run_length(a);

    if (PACK == 2 && RUN % 2 == 0 && length == RUN && a->load.vector == 2)
        load_quads(p);
    else if (length == RUN && a->load.vector != 0)
        load_singles<true>(p, length, true);
    else
        load_singles<false>(p, length, a->load.vector != 0);
}

STFK_DEVICE void store_quads(real *p)
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
        store_global((quad *)(p + 2 * i), quad{{u.x, u.y}, {v.x, v.y}});
    }
}

STFK_DEVICE void store_packed(const work &a)
{
    typedef run_sweep<1> go;
    real *p = (real *)a->store.base + (wide)a.first * (2 * N);
    wide length = run_length(a);
    bool vector = a->store.vector != 0;

    if (PACK == 2 && RUN % 2 == 0 && length == RUN && a->store.vector == 2) {
        store_quads(p);
        return;
    }
    STFK_UNROLL
    for (int q = 0; q < go::rounds; q++) {
        int i = go::group(q);
        cx u;
        if (!go::has(q) || i >= length)
            continue;
        get<BOTH>(run_place(i), u);
        store_pair(p + 2 * i, 1, u, vector);
    }
}

} // namespace stfk

#endif

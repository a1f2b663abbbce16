/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Tiles whose rows are one run of memory, moved between it and shared memory
 * 16 bytes at a time where the array is aligned to that. */
#ifndef STFK_PACKED_H
#define STFK_PACKED_H

#include "memory.h"

namespace stfk {

constexpr int RUN = L * N;                      /* elements of a block */
constexpr int PACK = sizeof(real) == 4 ? 2 : 1; /* elements of 16 bytes */

/* Elements of this block's run that exist. */
STFK_DEVICE wide run_length(const stfk_args &a)
{
    wide rest = (a.lanes - (wide)block_index() * L) * N;
    return rest < RUN ? rest : RUN;
}

STFK_DEVICE int run_place(int i) { return place(i / N, i % N); }

STFK_DEVICE void put_element(int i, real x, real y)
{
    put<BOTH>(run_place(i), cx{x, y});
}

/* Calls use(i) for i = 0, step, 2 step, ... below RUN, shared by the threads
 * of the block. */
template <int step, class Use> STFK_DEVICE void for_run(const Use &use)
{
    constexpr int count = RUN / step;

    STFK_UNROLL
    for (int q = 0; q < (count + B - 1) / B; q++) {
        int i = (int)thread_index() + q * B;
        if (count % B == 0 || i < count)
            use(i * step);
    }
}

STFK_DEVICE void load_packed(const stfk_args &a)
{
    typedef vec2<real> pair;
    typedef vec2<pair> quad;
    const real *p = (const real *)a.load.base
                    + (wide)block_index() * (2 * RUN);
    wide length = run_length(a);

    if constexpr (PACK == 2 && RUN % 2 == 0) {
        if (length == RUN && a.load.vector == 2) {
            for_run<2>([&](int i) {
                quad u = load_global((const quad *)(p + 2 * i));
                put_element(i, u.x.x, u.x.y);
                put_element(i + 1, u.y.x, u.y.y);
            });
            return;
        }
    }
    bool vector = a.load.vector != 0;
    for_run<1>([&](int i) {
        if (i < length) {
            cx u = load_pair(p + 2 * i, 1, vector);
            put_element(i, u.x, u.y);
        }
    });
}

STFK_DEVICE void store_packed(const stfk_args &a)
{
    typedef vec2<real> pair;
    typedef vec2<pair> quad;
    real *p = (real *)a.store.base + (wide)block_index() * (2 * RUN);
    wide length = run_length(a);

    if constexpr (PACK == 2 && RUN % 2 == 0) {
        if (length == RUN && a.store.vector == 2) {
            for_run<2>([&](int i) {
                cx u, v;
                get<BOTH>(run_place(i), u);
                get<BOTH>(run_place(i + 1), v);
                store_global((quad *)(p + 2 * i),
                             quad{pair{u.x, u.y}, pair{v.x, v.y}});
            });
            return;
        }
    }
    bool vector = a.store.vector != 0;
    for_run<1>([&](int i) {
        cx u;
        get<BOTH>(run_place(i), u);
        if (i < length)
            store_pair(p + 2 * i, 1, u, vector);
    });
}

} // namespace stfk

#endif

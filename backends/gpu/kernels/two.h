/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Two real signals a and b in one lane: the transform Z of a + i b holds both
 * spectra, A_k = (Z_k + conj Z_(N-k))/2 and B_k = (Z_k - conj Z_(N-k))/(2i).
 * Of each the elements k <= N/2 are in device memory; elements k and N - k
 * meet in shared memory.
 * Source: Cooley, Lewis, Welch, J. Sound Vib. 12 (1970). */
#ifndef STFK_TWO_H
#define STFK_TWO_H

#include "memory.h"

namespace stfk {

/* The q-th of the elements k <= N/2 of all lanes that a thread moves:
 * neighbouring threads take first a block of elements, then, as memory has
 * them, the next lane. */
template <class Side> struct two_sweep {
    static constexpr int half = N / 2 + 1;
    static constexpr unsigned block = Side::block > 0 ? Side::block : half;
    static constexpr int full = half / block * block * L; /* whole blocks */
    static constexpr int all = (half + block - 1) / block * block * L;
    static constexpr int rounds = (all + B - 1) / B;
    STFK_MEMBER static unsigned number(int q)
    {
        return (unsigned)thread_index() + (unsigned)(q * B);
    }
    STFK_MEMBER static int lane(int q) { return number(q) / block % L; }
    STFK_MEMBER static int element(int q)
    {
        return number(q) % block + number(q) / (block * L) * block;
    }
    /* Rounds that are all in whole blocks need not look. */
    STFK_MEMBER static bool has(int q)
    {
        return (q + 1) * B <= full || element(q) < half;
    }
};

STFK_DEVICE int mirror_of(int k) { return k == 0 ? 0 : N - k; }

template <bool vector> STFK_DEVICE void store_two(const work &a)
{
    typedef two_sweep<store_side> go;

    STFK_UNROLL
    for (int q = 0; q < go::rounds; q++) {
        if (!go::has(q))
            continue;
        int k = go::element(q), lane = go::lane(q);
        spot s = locate<store_side>(a, lane);
        real *p = s.p + distance<store_side>(a->store, k);
        const real half = (real)0.5;
        cx z, m;
        get<BOTH>(place(lane, k), z);
        get<BOTH>(place(lane, mirror_of(k)), m);
        cx x[2] = {{(z.x + m.x) * half, (z.y - m.y) * half},
                   {(z.y + m.y) * half, (m.x - z.x) * half}};
        apply_scale<2>(a, x);
        if (!s.there)
            continue;
        store_pair(p, 1, x[0], vector);
        store_pair(p + a->store.im, 1, x[1], vector);
    }
}

STFK_DEVICE void store_spectra(const work &a)
{
    if (a->store.vector)
        store_two<true>(a);
    else
        store_two<false>(a);
}

/* The imaginary parts of elements 0 and N/2 do not count. */
STFK_DEVICE void put_joined(int lane, int k, cx x, cx y)
{
    if (k == 0 || 2 * k == N)
        x.y = y.y = 0;
    else
        put<BOTH>(place(lane, N - k), cx{x.x + y.y, y.x - x.y});
    put<BOTH>(place(lane, k), cx{x.x - y.y, x.y + y.x});
}

template <bool vector> STFK_DEVICE void load_two(const work &a)
{
    typedef two_sweep<load_side> go;
    cx x[go::rounds], y[go::rounds];

    STFK_UNROLL
    for (int q = 0; q < go::rounds; q++) {
        if (!go::has(q))
            continue;
        int k = go::element(q);
        spot s = locate<load_side>(a, go::lane(q));
        const real *p = s.p + distance<load_side>(a->load, k);
        x[q] = y[q] = cx{0, 0};
        if (!s.there)
            continue;
        x[q] = load_pair(p, 1, vector);
        y[q] = load_pair(p + a->load.im, 1, vector);
    }
    STFK_UNROLL
    for (int q = 0; q < go::rounds; q++)
        if (go::has(q))
            put_joined(go::lane(q), go::element(q), x[q], y[q]);
}

STFK_DEVICE void load_spectra(const work &a)
{
    if (a->load.vector)
        load_two<true>(a);
    else
        load_two<false>(a);
}

} // namespace stfk

#endif

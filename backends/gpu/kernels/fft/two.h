/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Two real signals a and b in one lane: the transform Z of a + i b holds both
 * spectra, A_k = (Z_k + conj Z_(N-k))/2 and B_k = (Z_k - conj Z_(N-k))/(2i).
 * Device memory has the elements k <= N/2 of each spectrum; elements k and N -
 * k of Z meet in shared memory.
 * Source: Cooley, Lewis, Welch, J. Sound Vib. 12 (1970). */
#ifndef STFK_TWO_H
#define STFK_TWO_H

#include "fft/balance.h"
#include "fft/packed_two.h"

namespace stfk
{

/* Says which element k <= N/2 of which lane a thread moves in round q:
 * neighbouring threads take the elements of one block, then, in the order of
 * memory, those of the next lane. */
template <class Side> struct block_sweep {
    static constexpr int half = N / 2 + 1;
    static constexpr unsigned block = Side::block > 0 ? Side::block : half;
    static constexpr int full = half / block * block * L; /* whole blocks */
    static constexpr int all = (half + block - 1) / block * block * L;
    static constexpr int rounds = (all + B - 1) / B;
    STFK_MEMBER static unsigned number(int q)
    {
        return (unsigned)own_thread() + (unsigned)(q * B);
    }
    STFK_MEMBER static int lane(int q)
    {
        return number(q) / block % L;
    }
    STFK_MEMBER static int element(int q)
    {
        return number(q) % block + number(q) / (block * L) * block;
    }
    /* Rounds that lie in whole blocks need no test. */
    STFK_MEMBER static bool has(int q)
    {
        return (q + 1) * B <= full || element(q) < half;
    }
};

/* The same without blocks: as lanes lie. */
template <class Side>
struct two_sweep
    : either<(Side::block > 0)>::template of<
          block_sweep<Side>, sweep<Side, N / 2 + 1, Side::across>>::type {
};

STFK_DEVICE int mirror_of(int k)
{
    return k == 0 ? 0 : N - k;
}

/* Makes element k of both spectra of a lane from its transform in shared
 * memory. */
template <class Watch>
STFK_DEVICE void make_two(Watch &c, int lane, int k, cx x[2])
{
    const real half = (real)0.5;
    cx z, m;

    get<BOTH>(place(lane, k), z);
    get<BOTH>(place(lane, mirror_of(k)), m);
    x[0] = {(z.x + m.x) * half, (z.y - m.y) * half};
    x[1] = {(z.y + m.y) * half, (m.x - z.x) * half};
    take_back(lane, x);
    apply_scale<2>(c.a, x);
    round_results<2>(x);
    c.stored_two(k, x);
}

template <class Watch, bool vector>
STFK_DEVICE void store_two_at(const work &a, int lane, int k, const cx x[2])
{
    const auto s = locate<store_side>(a, lane);
    auto *p = s.p + distance<store_side>(a->store, k);

    if (!s.there)
        return;
    store_pair<Watch>(p, 1, x[0], vector);
    if (s.both)
        store_pair<Watch>(p + a->store.im, 1, x[1], vector);
}

template <class Watch>
STFK_DEVICE void store_two_made(const work &a, int lane, int k, const cx x[2])
{
    if (a->store.vector)
        store_two_at<Watch, true>(a, lane, k, x);
    else
        store_two_at<Watch, false>(a, lane, k, x);
}

/* Whether spectra that are one run of memory are stored by way of shared memory.
 * All of a thread's results are in registers then; of long spectra those would be
 * too many, and neighbouring threads store long parts of them in any case. */
STFK_CONST bool stores_in_run()
{
    return STFK_STORE_PACKED && two_sweep<store_side>::rounds <= 4;
}

/* Stores spectra that are one run of memory by way of shared memory. */
template <class Watch> STFK_DEVICE void store_two_in_run(Watch &c)
{
    typedef two_sweep<store_side> go;
    cx x[go::rounds][2];

    STFK_UNROLL
    for (int q = 0; q < go::rounds; q++)
        if (go::has(q))
            make_two(c, go::lane(q), go::element(q), x[q]);
    block_sync();
    STFK_UNROLL
    for (int q = 0; q < go::rounds; q++)
        for (int i = 0; i < 2 && go::has(q); i++)
            *spectrum_place(go::lane(q), i, go::element(q)) =
                vec2<real>{x[q][i].x, x[q][i].y};
    block_sync();
    store_real_rows<Watch, SPECTRA>(c.a);
}

template <bool vector, class Watch> STFK_DEVICE void store_two(Watch &c)
{
    typedef two_sweep<store_side> go;

    STFK_UNROLL
    for (int q = 0; q < go::rounds; q++) {
        cx x[2];
        if (!go::has(q))
            continue;
        make_two(c, go::lane(q), go::element(q), x);
        store_two_at<Watch, vector>(c.a, go::lane(q), go::element(q), x);
    }
}

template <class Watch> STFK_DEVICE void store_spectra(Watch &c)
{
    if constexpr (stores_in_run())
        store_two_in_run(c);
    else if (c.a->store.vector)
        store_two<true>(c);
    else
        store_two<false>(c);
}

/* Puts the joined form of elements k of both spectra into shared memory. The
 * imaginary parts of elements 0 and N/2 are ignored. */
STFK_DEVICE void put_joined(int lane, int k, cx x, cx y)
{
    if (k == 0 || 2 * k == N)
        x.y = y.y = 0;
    else
        put<BOTH>(place(lane, N - k), cx{x.x + y.y, y.x - x.y});
    put<BOTH>(place(lane, k), cx{x.x - y.y, x.y + y.x});
}

/* Loads elements k of both spectra of a lane; of what is not there, zeros. */
template <bool vector>
STFK_DEVICE void load_of_two(const work &a, int lane, int k, cx &x, cx &y)
{
    if constexpr (STFK_LOAD_PACKED) {
        x = get_of_spectrum(lane, 0, k);
        y = get_of_spectrum(lane, 1, k);
        return;
    }
    const auto s = locate_load(a, lane);
    const auto *p = s.p + distance<load_side>(a->load, k);

    x = s.there ? load_pair(p, 1, vector) : cx{0, 0};
    y = s.there && s.both ? load_pair(p + a->load.im, 1, vector) : cx{0, 0};
}

template <bool vector, class Watch> STFK_DEVICE void load_two(Watch &c)
{
    typedef typename either<Watch::one_lane || is_balanced()>::template of<
        lane_sweep<N / 2 + 1, Watch::load_interleave>,
        two_sweep<load_side>>::type go;
    const work &a = c.a;
    cx x[go::rounds], y[go::rounds];

    STFK_UNROLL
    for (int q = 0; q < go::rounds; q++)
        if (go::has(q))
            load_of_two<vector>(a, go::lane(q), go::element(q), x[q], y[q]);
    if (STFK_LOAD_PACKED && !is_balanced())
        block_sync();
    if constexpr (is_balanced())
        balance_spectra<go>(x, y);
    c.template loaded_two<go>(x, y);
    STFK_UNROLL
    for (int q = 0; q < go::rounds; q++)
        if (go::has(q))
            put_joined(go::lane(q), go::element(q), x[q], y[q]);
}

template <class Watch> STFK_DEVICE void load_spectra(Watch &c)
{
    clear_peaks();
    if constexpr (STFK_LOAD_PACKED)
        load_real_rows<SPECTRA>(c.a);
    if (is_balanced() || STFK_LOAD_PACKED)
        block_sync();
    if (STFK_LOAD_PACKED || c.a->load.vector)
        load_two<true>(c);
    else
        load_two<false>(c);
}

} // namespace stfk

#endif

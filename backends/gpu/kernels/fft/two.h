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

/* Whether the spectra of a side are rows of N reals, which move one by one, if not as
 * runs of memory. */
template <class Side> STFK_CONST bool is_half_row()
{
    return Side::form == FORM_HC;
}

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

    if constexpr (separates_in_rows()) {
        take_to_separate(lane, k, z, m);
    } else {
        get<BOTH>(place(lane, k), z);
        get<BOTH>(place(lane, mirror_of(k)), m);
    }
    x[0] = {(z.x + m.x) * half, (z.y - m.y) * half};
    x[1] = {(z.y + m.y) * half, (m.x - z.x) * half};
    take_back(lane, x);
    apply_scale<2>(c.a, x);
    if constexpr (is_turned_apart<store_side>()) {
        turn_apart<store_side>(c.a, k, false, x[0]);
        const cx t = turn_apart<store_side>(c.a, k, false, x[1]);
        round_results<2>(x);
        c.stored_two(k, x, t);
    } else {
        round_results<2>(x);
        c.stored_two(k, x);
    }
}

/* Stores element k of one of the spectra, which is at s. */
template <class Watch, bool vector>
STFK_DEVICE void store_of_two(const work &a, const spot<store_side> &s, int k,
                              cx x)
{
    if constexpr (is_half_row<store_side>())
        store_placed<Watch, store_side>(a, s, ordinal(k, 0, N / 2), x);
    else
        store_pair<Watch>(s.p + distance<store_side>(a->store, k), 1, x,
                          vector);
}

template <class Watch, bool vector>
STFK_DEVICE void store_two_at(const work &a, int lane, int k, const cx x[2])
{
    const auto s = locate<store_side>(a, lane);

    if (!s.there)
        return;
    store_of_two<Watch, vector>(a, s, k, x[0]);
    if (s.both)
        store_of_two<Watch, vector>(a, second_signal(a->store, s), k, x[1]);
}

template <class Watch>
STFK_DEVICE void store_two_made(const work &a, int lane, int k, const cx x[2])
{
    if (is_half_row<store_side>() || a->store.vector)
        store_two_at<Watch, true>(a, lane, k, x);
    else
        store_two_at<Watch, false>(a, lane, k, x);
}

/* Returns element k of a half-complex spectrum as memory will have it. */
STFK_DEVICE cx as_stored(const work &a, int k, cx x)
{
    if (k == 0)
        x.y = 0;
    return turn_out<store_side>(a, k, x);
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
            spectrum_row<store_side>(go::lane(q), i)
                .put(go::element(q), x[q][i]);
    block_sync();
    store_real_rows<Watch, reals_of_spectra<store_side>()>(c.a);
}

/* Stores half-complex spectra, which take the places of what they are made of in shared
 * memory. */
template <class Watch> STFK_DEVICE void store_two_separated(Watch &c)
{
    typedef lane_sweep<N / 2 + 1, STFK_STORE_INTERLEAVE> go;
    cx x[2];

    STFK_UNROLL
    for (int q = 0; q < go::rounds; q++) {
        const int lane = go::lane(q), k = go::element(q);
        if (!go::has(q))
            continue;
        make_two(c, lane, k, x);
        STFK_UNROLL
        for (int i = 0; i < 2; i++)
            spectrum_row<store_side>(lane, i).put(k, as_stored(c.a, k, x[i]));
    }
    block_sync();
    store_real_rows<Watch, reals_of_spectra<store_side>()>(c.a);
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
    if constexpr (separates_in_rows())
        store_two_separated(c);
    else if constexpr (stores_in_run())
        store_two_in_run(c);
    else if (is_half_row<store_side>() || c.a->store.vector)
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

/* Loads element k of one of the spectra, which is at s, as memory has it. */
template <bool vector>
STFK_DEVICE cx load_of_one(const work &a, const spot<load_side> &s, int k)
{
    static_assert(!is_half_row<load_side>() || !load_side::alternate,
                  "half-complex loads have no signs");
    if constexpr (is_half_row<load_side>()) {
        const cx x = converted(fetch_half_complex<load_side>(
            a->load, s, 0, k, fold{false, k == 0}));
        return {x.x, k == 0 ? 0 : x.y};
    }
    return load_pair(s.p + distance<load_side>(a->load, k), 1, vector);
}

/* Loads elements k of both spectra of a lane; of what is not there, zeros. */
template <bool vector>
STFK_DEVICE void load_of_two(const work &a, int lane, int k, cx &x, cx &y)
{
    if constexpr (STFK_LOAD_PACKED) {
        x = spectrum_row<load_side>(lane, 0).get(k);
        y = spectrum_row<load_side>(lane, 1).get(k);
        return;
    }
    const auto s = locate_load(a, lane);

    x = y = {0, 0};
    if (s.there)
        x = load_of_one<vector>(a, s, k);
    if (s.there && s.both)
        y = load_of_one<vector>(a, second_signal(a->load, s), k);
}

/* Turns element k of a half-complex spectrum, which memory has as it is before
 * that; see stfi_turn in lib/fft/schedule.h. */
STFK_DEVICE cx turned_in(const work &a, int k, cx x)
{
    if constexpr (load_side::turn == TURN_QUARTER)
        return conj(x * turn_root(a, k));
    return x;
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
        balance_spectra<go>(c, x, y);
    c.template loaded_two<go>(x, y);
    STFK_UNROLL
    for (int q = 0; q < go::rounds; q++)
        if (go::has(q))
            put_joined(go::lane(q), go::element(q),
                       turned_in(a, go::element(q), x[q]),
                       turned_in(a, go::element(q), y[q]));
}

template <class Watch> STFK_DEVICE void load_spectra(Watch &c)
{
    clear_peaks();
    if constexpr (STFK_LOAD_PACKED)
        load_real_rows<reals_of_spectra<load_side>()>(c.a);
    if (is_balanced() || STFK_LOAD_PACKED)
        block_sync();
    if (STFK_LOAD_PACKED || is_half_row<load_side>() || c.a->load.vector)
        load_two<true>(c);
    else
        load_two<false>(c);
}

} // namespace stfk

#endif

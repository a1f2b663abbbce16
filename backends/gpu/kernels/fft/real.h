/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Operations of a pass between reals and half spectra; lib/fft/schedule.h.
 * Source: Cooley, Lewis, Welch, J. Sound Vib. 12 (1970). */
#ifndef STFK_REAL_TRANSFORMS_H
#define STFK_REAL_TRANSFORMS_H

#include "fft/spectrum_rows.h"
#include "fft/two.h"

namespace stfk
{

/* Computes x = X_k = E + w O and y = X_(n-k) = conj(E - w O), where E and O
 * are the even and the odd part of Z_k = x and Z_(n-k) = y. */
STFK_DEVICE void separate_pair(cx &x, cx &y, cx w)
{
    const real half = (real)0.5;
    cx even = {(x.x + y.x) * half, (x.y - y.y) * half};
    cx odd = cx{(x.y + y.y) * half, (y.x - x.x) * half} * w;

    x = even + odd;
    y = conj(even - odd);
}

/* Reverses separate_pair(), with results twice as large: computes x = Z_k =
 * E + i O and y = Z_(n-k) = conj(E) + i conj(O) from X_k = x and X_(n-k) =
 * y. */
STFK_DEVICE void join_pair(cx &x, cx &y, cx w)
{
    cx even = {x.x + y.x, x.y - y.y};
    cx odd = cx{x.x - y.x, x.y + y.y} * conj(w);

    x = {even.x - odd.y, even.y + odd.x};
    y = {even.x + odd.y, odd.x - even.y};
}

/* Separates pair k of a row of n elements. Elements 0 and n of the spectrum
 * are both made of element 0. */
STFK_DEVICE void separate(wide k, cx &x, cx &y, cx w)
{
    if (k == 0) {
        y = {x.x - x.y, 0};
        x = {x.x + x.y, 0};
    } else {
        separate_pair(x, y, w);
    }
}

/* Joins pair k. The imaginary parts of elements 0 and n are ignored. */
STFK_DEVICE void join(wide k, cx &x, cx &y, cx w)
{
    if (k == 0)
        x = {x.x + y.x, x.x - y.x};
    else
        join_pair(x, y, w);
}

/* Says which elements k and N - k of a spectrum a thread moves. */
template <class Watch, class Side, int interleave> struct half_sweep {
    typedef typename either<Watch::one_lane>::template of<
        lane_sweep<N / 2 + 1, interleave>,
        sweep<Side, N / 2 + 1, Side::across>>::type type;
};
template <class Watch>
struct store_half_sweep
    : half_sweep<Watch, store_side, Watch::store_interleave>::type {
};
template <class Watch>
struct load_half_sweep
    : half_sweep<Watch, load_side, Watch::load_interleave>::type {
};

/* Makes elements k and N - k of a lane's spectrum from its transform in
 * shared memory. */
template <class Watch>
STFK_DEVICE void make_pair(Watch &c, int lane, int k, cx x[2])
{
    get<BOTH>(place(lane, k), x[0]);
    get<BOTH>(place(lane, k == 0 ? 0 : N - k), x[1]);
    if constexpr (is_quarter<store_side>())
        separate_quarter(k, x[0], x[1], quarter_roots(c.a, k));
    else
        separate(k, x[0], x[1], table_at(c.a->separate, k));
    apply_scale<2>(c.a, x);
    if constexpr (is_turned_apart<store_side>()) {
        cx t = turn_apart<store_side>(c.a, k, false, x[0]);
        round_results<1>(x);
        c.stored_swept(k, x[0], t);
        t = turn_apart<store_side>(c.a, N - k, false, x[1]);
        round_results<1>(x + 1);
        if (2 * k != N)
            c.stored_swept(N - k, x[1], t);
    } else {
        round_results<2>(x);
        c.stored_pair(k, x);
    }
}

template <class Watch>
STFK_DEVICE void store_made(const work &a, int lane, int k, const cx x[2])
{
    bool vector = a->store.vector != 0;
    const auto s = locate<store_side>(a, lane);

    if constexpr (is_half_complex<store_side>()) {
        if (s.there)
            store_four<Watch, store_side>(a, s, k, turned_out(a, k, x[0]),
                                          turned_out(a, N - k, x[1]));
        return;
    }
    auto *p = s.p + distance<store_side>(a->store, k);
    auto *r = s.p + distance<store_side>(a->store, N - k);

    store_element<Watch, store_side>(a, s, p, k, x[0], vector);
    if (2 * k != N)
        store_element<Watch, store_side>(a, s, r, N - k, x[1], vector);
}

/* Puts elements k and N - k into shared memory, where the two that they were made of
 * have been. */
STFK_DEVICE void keep_pair(int lane, int k, const cx x[2])
{
    put<BOTH>(place(lane, k), x[0]);
    if (2 * k != N)
        put<BOTH>(place(lane, N - k), x[1]);
}

template <class Watch> STFK_DEVICE void store_spectrum(Watch &c)
{
    typedef store_half_sweep<Watch> go;

    STFK_UNROLL_SOME /* full unrolling would hold all roots in registers */
        for (int q = 0; q < go::rounds; q++)
    {
        if (!go::has(q))
            continue;
        cx x[2];
        make_pair(c, go::lane(q), go::element(q), x);
        if constexpr (stores_rows<Watch>())
            keep_pair(go::lane(q), go::element(q), x);
        else
            store_made<Watch>(c.a, go::lane(q), go::element(q), x);
    }
    if constexpr (stores_rows<Watch>())
        store_rows<Watch>(c.a);
}

/* Runs R2C or R2C_TWO up to the point where the transform is in shared
 * memory. */
template <int op, class Watch> STFK_DEVICE void transform_reals(Watch &c)
{
    member to = holder < op == OP_R2C ? T : STFK_STORE_INTERLEAVE > ();
    member from = shared_before ? to : holder<STFK_LOAD_INTERLEAVE>();
    member last = S > 1 ? to : from;
    cx v[V];

    clear_peaks();
    if (is_balanced() && !shared_before)
        block_sync();
    take_inputs(c, from, v);
    if constexpr (is_balanced())
        balance_inputs<R_FIRST>(from, v);
    turn_direction<V>(c.a, v);
    c.template loaded_reals<op, R_FIRST>(from, v);
    transform(c, v, from, to);
    c.template strike_results<R_LAST>(last, v);
    if (S > 1 || shared_before)
        block_sync();
    put_natural<R_LAST>{v, last}.template run<BOTH>();
    block_sync();
}

template <int op, class Watch> STFK_DEVICE void run_r2c(Watch &c)
{
    transform_reals<op>(c);
    if constexpr (op == OP_R2C)
        store_spectrum(c);
    else
        store_spectra(c);
}

/* Loads elements k and N - k of a lane's spectrum. */
STFK_DEVICE void load_both(const work &a, int lane, int k, cx &x, cx &y)
{
    const bool vector = a->load.vector != 0;
    const auto s = locate_load(a, lane);

    if constexpr (is_half_complex<load_side>()) {
        x = y = {0, 0};
        if (s.there)
            load_four<load_side>(a, s, k, x, y);
    } else {
        x = load_element<load_side>(a, s, s.p + distance<load_side>(a->load, k),
                                    k, vector);
        y = load_element<load_side>(
            a, s, s.p + distance<load_side>(a->load, N - k), N - k, vector);
    }
}

/* Whether all threads load the spectra, since those that sum up a lane each would
 * access memory far apart. */
template <class Watch> STFK_CONST bool sweeps_spectra()
{
    return STFK_LOAD_SWEPT && Watch::one_lane;
}

/* The roots that join elements k and N - k, and how both become inputs of the
 * transform. */
typedef either<is_quarter<load_side>()>::of<root_pair, cx>::type joining_roots;

STFK_DEVICE void ask_for(const work &a, int k, cx &w)
{
    w = table_at(a->separate, k);
}
STFK_DEVICE void ask_for(const work &a, int k, root_pair &w)
{
    w = quarter_roots(a, k);
}
STFK_DEVICE void join_both(int k, cx &x, cx &y, cx w)
{
    join(k, x, y, w);
}
STFK_DEVICE void join_both(int k, cx &x, cx &y, root_pair w)
{
    join_quarter(k, x, y, w);
}

STFK_DEVICE void keep_joined(int lane, int k, cx x, cx y)
{
    if (k != 0 && 2 * k != N)
        put<BOTH>(place(lane, N - k), y);
    put<BOTH>(place(lane, k), x);
}

/* Of how many of a thread's rounds the roots are asked for before the data have come.
 * Turns by quarters have roots as large as the data, for all of which registers are
 * missing; with none ahead, memory is waited for twice. Measured: none is better for
 * protected floats, and for halves on the whole; and of doubles two take as long as one
 * in the mean, but 1.15 of the time where a thread has no registers to spare. */
STFK_CONST int rounds_ahead(int rounds)
{
    constexpr bool floats = sizeof(load_side::stored) == sizeof(float);

    return !is_quarter<load_side>() ? rounds
           : sizeof(real) > 4       ? 1
           : floats && !STFK_CHECK  ? 4
                                    : 0;
}

/* Loads elements k and N - k of the spectrum of each lane, and puts their
 * joined form into shared memory. */
template <class Watch> STFK_DEVICE void load_spectrum(Watch &c)
{
    typedef load_half_sweep<Watch> go;
    constexpr int ahead = rounds_ahead(go::rounds);
    const work &a = c.a;
    cx x[go::rounds], y[go::rounds];
    joining_roots w[go::rounds];

    STFK_UNROLL
    for (int q = 0; q < go::rounds; q++) {
        if (!go::has(q))
            continue;
        int k = go::element(q);
        load_both(a, go::lane(q), k, x[q], y[q]);
        if (q < ahead)
            ask_for(a, k, w[q]);
    }
    c.template loaded_halves<go>(x, y);
    STFK_UNROLL
    for (int q = 0; q < go::rounds; q++) {
        if (!go::has(q))
            continue;
        int k = go::element(q);
        if (q + ahead < go::rounds)
            ask_for(a, go::nearest::element(q + ahead), w[q + ahead]);
        join_both(k, x[q], y[q], w[q]);
        keep_joined(go::lane(q), k, x[q], y[q]);
    }
}

/* The same by way of shared memory. Pairs are taken from there several at a time, so
 * that what they need is on its way together. */
template <class Watch> STFK_DEVICE void load_swept_spectrum(Watch &c)
{
    typedef load_half_sweep<Watch> go;
    constexpr int together = sizeof(real) == 4 ? 8 : 2;
    const work &a = c.a;

    load_rows(a);
    STFK_UNROLL
    for (int p = 0; p < go::rounds; p += together) {
        cx x[together], y[together];
        joining_roots w[together];
        STFK_UNROLL
        for (int i = 0; i < together; i++) {
            const int q = p + i, k = go::element(q), lane = go::lane(q);
            if (q >= go::rounds || !go::has(q))
                continue;
            get<BOTH>(place(lane, k), x[i]);
            get<BOTH>(place(lane, N - k), y[i]);
            ask_for(a, k, w[i]);
        }
        STFK_UNROLL
        for (int i = 0; i < together; i++)
            if (p + i < go::rounds && go::has(p + i))
                c.template loaded_pair<go>(go::element(p + i), x[i], y[i]);
        STFK_UNROLL
        for (int i = 0; i < together; i++) {
            const int q = p + i, k = go::element(q);
            if (q >= go::rounds || !go::has(q))
                continue;
            join_both(k, x[i], y[i], w[i]);
            keep_joined(go::lane(q), k, x[i], y[i]);
        }
    }
    c.end_pairs();
}

/* A tile of C2R or C2R_TWO. */
template <int op, class Watch> struct reals_tile {
    cx v[V];

    STFK_MEMBER void compute(Watch &c)
    {
        member to = holder<STFK_STORE_INTERLEAVE>();

        if constexpr (op == OP_C2R && sweeps_spectra<Watch>())
            load_swept_spectrum(c);
        else if constexpr (op == OP_C2R)
            load_spectrum(c);
        else
            load_spectra(c);
        if constexpr (!Watch::one_lane)
            prefetch_row(c.a);
        block_sync();
        get_inputs<R_FIRST>{v, to}.template run<BOTH>();
        turn_direction<V>(c.a, v);
        transform(c, v, to, to);
        c.template strike_results<R_LAST>(to, v);
        take_back_reals<V>(to.lane, v);
        apply_scale<V>(c.a, v);
        round_results<V>(v);
        turn_direction<V>(c.a, v);
        c.template stored_reals<op, R_LAST>(to, v);
    }
    STFK_MEMBER void store(Watch &c)
    {
        store_tile(c, holder<STFK_STORE_INTERLEAVE>(), v);
    }
};

STFK_DEVICE pair_made make_one_pair(const work &a, wide k, cx x, cx y)
{
    constexpr wide n = STFK_SIGNAL;
    pair_made p = {x, y};

    if constexpr (is_turned_apart<load_side>()) {
        p.x = x * load_turn<load_side>(a, (place_t)k);
        p.y = y * load_turn<load_side>(a, (place_t)(n - k));
    }
    if (STFK_OP == OP_UNTANGLE)
        separate(k, p.x, p.y, root(a, k));
    else
        join(k, p.x, p.y, root(a, k));
    apply_scale<1>(a, &p.x);
    apply_scale<1>(a, &p.y);
    if constexpr (is_turned_apart<store_side>()) {
        turn_apart<store_side>(a, (place_t)k, false, p.x);
        turn_apart<store_side>(a, (place_t)(n - k), false, p.y);
    }
    return p;
}

STFK_MEMBER pair_made unwatched::make_pair(const work &a, wide k, cx x, cx y,
                                           int)
{
    return make_one_pair(a, k, x, y);
}

/* Load and store element k of a row of pairs. */
template <class Side>
STFK_DEVICE cx load_of_row(const work &a, const spot<Side> &s, wide k)
{
    const stfk_side &side = Side::of(a);

    if constexpr (Side::order != ORDER_NONE)
        return load_placed<Side>(a, s, ordinal((place_t)k));
    return load_pair(s.p + k * side.elem, 1, side.vector != 0);
}

template <class Watch, class Side>
STFK_DEVICE void store_of_row(const work &a, const spot<Side> &s, wide k, cx v)
{
    const stfk_side &side = Side::of(a);

    if constexpr (Side::order != ORDER_NONE)
        store_placed<Watch, Side>(a, s, ordinal((place_t)k), v);
    else
        store_pair<Watch>(s.p + k * side.elem, 1, v, side.vector != 0);
}

/* Runs UNTANGLE or TANGLE: on the pairs of elements k and signal - k, for N
 * values of k from the lane's index on. */
template <int op, class Watch> STFK_DEVICE void run_pairs(const work &a)
{
    const auto in = locate<load_side>(a, 0);
    const auto out = locate<store_side>(a, 0);
    const wide n = STFK_SIGNAL;

    for (int i = (int)own_thread(); i < N; i += B) {
        wide k = in.index + i;
        if (!in.there || 2 * k > n)
            continue;
        wide other = k == 0 && op == OP_UNTANGLE ? 0 : n - k;
        cx x = load_of_row<load_side>(a, in, k);
        cx y = load_of_row<load_side>(a, in, other);
        pair_made made = Watch::make_pair(a, k, x, y, i);
        bool both = 2 * k != n && (k != 0 || op == OP_UNTANGLE);
        store_of_row<Watch, store_side>(a, out, k, made.x);
        if (both)
            store_of_row<Watch, store_side>(a, out, n - k, made.y);
    }
}

} // namespace stfk

#endif

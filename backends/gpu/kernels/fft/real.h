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

/* Says which elements k and N - k of a spectrum a thread moves. Threads that move a
 * whole line of memory at once stay with a lane, since places of several lanes take more
 * instructions; there are as many rounds either way. */
template <class Watch, class Side, int interleave> struct half_sweep {
    static constexpr bool by_line =
        !Side::across && T * sizeof(typename Side::stored) >= 128;
    typedef typename either<Watch::one_lane || by_line>::template of<
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

/* The roots that separate elements k and N - k, or join them. */
template <class Side> struct roots_of {
    typedef
        typename either<is_quarter<Side>()>::template of<root_pair, cx>::type
            type;
};

/* Loads those of element k by the address of element `from`; see one_address(). */
STFK_DEVICE void ask_for(const work &a, int from, int k, cx &w)
{
    w = table_at(by_address((const vec2<real> *)a->separate, from, k), 0);
}
STFK_DEVICE void ask_for(const work &a, int from, int k, root_pair &w)
{
    w = quarter_roots(a, from, k);
}
STFK_DEVICE void separate_both(int k, cx &x, cx &y, cx w)
{
    separate(k, x, y, w);
}
STFK_DEVICE void separate_both(int k, cx &x, cx &y, root_pair w)
{
    separate_quarter(k, x, y, w);
}

/* The element by whose address a thread finds the roots of its others: its first one, if
 * their distances from that are known when the kernel is compiled. */
template <class Go> STFK_DEVICE int own_element()
{
    return Go::step > 0 ? Go::element(0) : 0;
}

/* Takes elements k and N - k of a lane's transform from shared memory. */
template <class Go> STFK_DEVICE void take_pair(int q, cx x[2])
{
    const int at = place_in_round<Go>(q);

    get<BOTH>(at, x[0]);
    get<BOTH>(Go::element(q) == 0 ? at : mirror_in_round<Go>(q), x[1]);
}

/* Makes elements k and N - k of a spectrum from those of the transform. */
template <class Watch, class Roots>
STFK_DEVICE void make_pair(Watch &c, int k, cx x[2], Roots w)
{
    separate_both(k, x[0], x[1], w);
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

/* Stores elements k and N - k of a lane at p and r. */
template <class Watch>
STFK_DEVICE void store_both(const work &a, const spot<store_side> &s,
                            store_side::stored *p, store_side::stored *r, int k,
                            const cx x[2], bool vector)
{
    store_element<Watch, store_side>(a, s, p, k, x[0], vector);
    if (2 * k != N)
        store_element<Watch, store_side>(a, s, r, N - k, x[1], vector);
}

/* Stores the pair that a thread has made in round q of Go. */
template <class Watch, class Go>
STFK_DEVICE void store_made(const work &a, int q, const cx x[2], bool vector)
{
    const int k = Go::element(q);
    const auto s = locate<store_side>(a, Go::lane(q));

    if constexpr (is_half_complex<store_side>()) {
        if (s.there)
            store_four<Watch, store_side>(a, s, own_element<Go>(), k,
                                          turned_out(a, k, x[0]),
                                          turned_out(a, N - k, x[1]));
    } else if constexpr (Go::step > 0) {
        const int own = Go::element(0);
        const elements_from<store_side, Go::step> rise(a->store, s, own),
            fall(a->store, s, N - own);
        store_both<Watch>(a, s, rise.at(q), fall.at(-q), k, x, vector);
    } else {
        store_both<Watch>(a, s, s.p + distance<store_side>(a->store, k),
                          s.p + distance<store_side>(a->store, N - k), k, x,
                          vector);
    }
}

/* Puts elements k and N - k into shared memory, where the two that they were made of
 * have been. */
template <class Go> STFK_DEVICE void keep_pair(int q, const cx x[2])
{
    put<BOTH>(place_in_round<Go>(q), x[0]);
    if (2 * Go::element(q) != N)
        put<BOTH>(mirror_in_round<Go>(q), x[1]);
}

/* Makes the pairs that a thread has of Go, and calls use(q, pair) for that of round q.
 * Pairs are made several at a time, so that what they need is on its way together. */
template <class Go, class Watch, class Use>
STFK_DEVICE void make_pairs(Watch &c, const Use &use)
{
    constexpr int together = sizeof(real) == 4 ? 4 : 2;
    const int own = own_element<Go>();

    STFK_UNROLL
    for (int p = 0; p < Go::rounds; p += together) {
        cx x[together][2];
        typename roots_of<store_side>::type w[together];

        STFK_UNROLL
        for (int q = p; q < p + together && q < Go::rounds; q++) {
            if (!Go::has(q))
                continue;
            take_pair<Go>(q, x[q - p]);
            ask_for(c.a, own, Go::element(q), w[q - p]);
        }
        STFK_UNROLL
        for (int q = p; q < p + together && q < Go::rounds; q++)
            if (Go::has(q))
                make_pair(c, Go::element(q), x[q - p], w[q - p]);
        STFK_UNROLL
        for (int q = p; q < p + together && q < Go::rounds; q++)
            if (Go::has(q))
                use(q, x[q - p]);
    }
}

/* Stores the pairs that keep_pair() has put into shared memory. */
template <class Watch> STFK_DEVICE void store_kept(const work &a)
{
    typedef store_half_sweep<Watch> go;
    const bool vector = a->store.vector != 0;

    STFK_UNROLL_SOME
    for (int q = 0; q < go::rounds; q++) {
        cx x[2];
        if (!go::has(q))
            continue;
        get<BOTH>(place_in_round<go>(q), x[0]);
        get<BOTH>(mirror_in_round<go>(q), x[1]);
        store_made<Watch, go>(a, q, x, vector);
    }
}

/* Whether pairs of reals can be stored as one, as they are in all but a few arrays. */
STFK_DEVICE bool stores_vectors(const work &a)
{
    return is_half_complex<store_side>() || a->store.vector != 0;
}

/* Makes the spectra and stores each pair at once, or, if there is `later`, leaves them in
 * shared memory. */
template <class Watch> STFK_DEVICE void make_spectrum(Watch &c, bool later)
{
    typedef store_half_sweep<Watch> go;

    make_pairs<go>(c, [&](int q, const cx *x) {
        if (stores_rows<Watch>() || later)
            keep_pair<go>(q, x);
        else
            store_made<Watch, go>(c.a, q, x, true);
    });
}

template <class Watch> STFK_DEVICE void store_spectrum(Watch &c)
{
    const bool later = !stores_vectors(c.a);

    make_spectrum(c, later);
    if constexpr (stores_rows<Watch>())
        store_rows<Watch>(c.a);
    else if (later)
        store_kept<Watch>(c.a);
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
    c.template strike_inputs<R_FIRST>(from, v);
    if constexpr (is_balanced())
        balance_inputs<R_FIRST>(c, from, v);
    turn_held<R_FIRST, false>(c, Watch::LOAD_TURN, from, v);
    c.template loaded_reals<op, R_FIRST>(from, v);
    transform(c, v, from, to);
    c.template strike_results<R_LAST>(last, v);
    if (S > 1 || shared_before)
        block_sync();
    if constexpr (separates_in_rows())
        put_to_separate<R_LAST>(last, v);
    else
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

/* Loads the pair of a lane's spectrum that a thread has in round q of Go: elements k and
 * N - k of the side, whose lane is at s. */
template <class Side, class Go>
STFK_DEVICE void load_both(const work &a, const spot<Side> &s, int q,
                           bool vector, cx &x, cx &y)
{
    const stfk_side &side = Side::of(a);
    const int k = Go::element(q), own = Go::element(0);

    if constexpr (is_half_complex<Side>()) {
        x = y = {0, 0};
        if (s.there)
            load_four<Side>(a, s, own_element<Go>(), k, x, y);
    } else if constexpr (Go::step > 0) {
        const elements_from<Side, Go::step> rise(side, s, own),
            fall(side, s, N - own);
        x = load_element<Side>(a, s, rise.at(q), k, vector);
        y = load_element<Side>(a, s, fall.at(-q), N - k, vector);
    } else {
        x = load_element<Side>(a, s, s.p + distance<Side>(side, k), k, vector);
        y = load_element<Side>(a, s, s.p + distance<Side>(side, N - k), N - k,
                               vector);
    }
}

/* Whether all threads load the spectra, since those that sum up a lane each would
 * access memory far apart. */
template <class Watch> STFK_CONST bool sweeps_spectra()
{
    return STFK_LOAD_SWEPT && Watch::one_lane;
}

typedef roots_of<load_side>::type joining_roots;

STFK_DEVICE void join_both(int k, cx &x, cx &y, cx w)
{
    join(k, x, y, w);
}
STFK_DEVICE void join_both(int k, cx &x, cx &y, root_pair w)
{
    join_quarter(k, x, y, w);
}

template <class Go> STFK_DEVICE void keep_joined(int q, cx x, cx y)
{
    const int k = Go::element(q);

    if (k != 0 && 2 * k != N)
        put<BOTH>(mirror_in_round<Go>(q), y);
    put<BOTH>(place_in_round<Go>(q), x);
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

/* Loads a thread's pairs of the spectrum of each lane, and asks for the roots of the
 * first ones. */
template <class Go>
STFK_DEVICE void load_pairs(const work &a, bool vector, cx *x, cx *y,
                            joining_roots *w)
{
    STFK_UNROLL
    for (int q = 0; q < Go::rounds; q++) {
        if (!Go::has(q))
            continue;
        load_both<load_side, Go>(a, locate_load(a, Go::lane(q)), q, vector,
                                 x[q], y[q]);
        if (q < rounds_ahead(Go::rounds))
            ask_for(a, own_element<Go>(), Go::element(q), w[q]);
    }
}

/* Loads elements k and N - k of the spectrum of each lane, and puts their
 * joined form into shared memory. */
template <class Watch> STFK_DEVICE void load_spectrum(Watch &c)
{
    typedef load_half_sweep<Watch> go;
    constexpr int ahead = rounds_ahead(go::rounds);
    const int own = own_element<go>();
    const work &a = c.a;
    cx x[go::rounds], y[go::rounds];
    joining_roots w[go::rounds];

    if (is_half_complex<load_side>() || a->load.vector != 0)
        load_pairs<go>(a, true, x, y, w);
    else
        load_pairs<go>(a, false, x, y, w);
    c.template loaded_halves<go>(x, y);
    STFK_UNROLL
    for (int q = 0; q < go::rounds; q++) {
        if (!go::has(q))
            continue;
        if (q + ahead < go::rounds)
            ask_for(a, own, go::nearest::element(q + ahead), w[q + ahead]);
        join_both(go::element(q), x[q], y[q], w[q]);
        keep_joined<go>(q, x[q], y[q]);
    }
}

/* The same by way of shared memory. Pairs are taken from there several at a time, so
 * that what they need is on its way together. */
template <class Watch> STFK_DEVICE void load_swept_spectrum(Watch &c)
{
    typedef load_half_sweep<Watch> go;
    constexpr int together = sizeof(real) == 4 ? 8 : 2;
    const int own = own_element<go>();
    const work &a = c.a;

    load_rows<load_side>(a);
    STFK_UNROLL
    for (int p = 0; p < go::rounds; p += together) {
        cx x[together], y[together];
        joining_roots w[together];
        STFK_UNROLL
        for (int i = 0; i < together; i++) {
            const int q = p + i;
            if (q >= go::rounds || !go::has(q))
                continue;
            get<BOTH>(place_in_round<go>(q), x[i]);
            get<BOTH>(mirror_in_round<go>(q), y[i]);
            ask_for(a, own, go::element(q), w[i]);
        }
        STFK_UNROLL
        for (int i = 0; i < together; i++) {
            const int q = p + i;
            if (q >= go::rounds || !go::has(q))
                continue;
            c.template strike_loaded<go>(go::element(q), x + i);
            c.template loaded_pair<go>(go::element(q), x[i], y[i]);
        }
        STFK_UNROLL
        for (int i = 0; i < together; i++) {
            const int q = p + i;
            if (q >= go::rounds || !go::has(q))
                continue;
            join_both(go::element(q), x[i], y[i], w[i]);
            keep_joined<go>(q, x[i], y[i]);
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
    STFK_MEMBER void strike_stored(const Watch &c)
    {
        c.template strike<R_LAST>(Watch::STORED_STAGE,
                                  holder<STFK_STORE_INTERLEAVE>(), v);
    }
    STFK_MEMBER void store(Watch &c)
    {
        store_tile(c, holder<STFK_STORE_INTERLEAVE>(), v);
    }
};

} // namespace stfk

#endif

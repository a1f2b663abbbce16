/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Tiles of rows of reals, or of half spectra, one or two in each lane, that are one
 * contiguous run of memory. They move to and from shared memory 16 bytes at a
 * time, if the array is aligned to that, and lie there as in device memory: so
 * nobody has to find the row of a real. */
#ifndef STFK_PACKED_TWO_H
#define STFK_PACKED_TWO_H

#include "fft/packed.h"

namespace stfk
{

/* Reals of the rows of a lane: of signals, with the gap that is behind each in place. */
constexpr int ROWS = STFK_OP == OP_FFT ? 1 : 2;
constexpr int ROW = N + STFK_ROW_GAP;
constexpr int SIGNALS = ROWS * ROW;

/* Returns how many reals half a spectrum has on a side. */
template <class Side> STFK_CONST int reals_of_spectrum()
{
    return Side::form == FORM_HC ? N : 2 * (N / 2 + 1);
}

/* The same of the half spectra of a lane. */
template <class Side> STFK_CONST int reals_of_spectra()
{
    return ROWS * reals_of_spectrum<Side>();
}

template <class Side> STFK_CONST bool has_real_rows()
{
    return Side::form == FORM_PAIRS
           || (Side::form == FORM_REAL && !Side::across);
}

/* Half spectra of lanes that hold a complex transform of one real signal. */
template <class Side> STFK_CONST bool has_half_rows()
{
    return STFK_OP == OP_FFT && !Side::across
           && (Side::form == FORM_HALF || Side::limit);
}

template <class Side> STFK_CONST int reals_of_lane()
{
    return has_half_rows<Side>() ? reals_of_spectra<Side>() : SIGNALS;
}

/* The reals of a side that 16 bytes hold. */
template <class Side> struct alignas(16) real_pack {
    static constexpr int count = 16 / (int)sizeof(typename Side::stored);

    typename Side::stored of[count];
};

/* The same as run_sweep for reals. */
template <int own, int step> struct real_sweep {
    static constexpr int all = L * own / step;
    static constexpr int rounds = all > 0 ? (all + B - 1) / B : 1;
    STFK_MEMBER static int number(int q)
    {
        return ((int)own_thread() + q * B) * step;
    }
    STFK_MEMBER static bool has(int q)
    {
        return is_in_round(q, B, all, number(q) / step);
    }
    STFK_MEMBER static int nearest(int q)
    {
        return nearest_in_round(q, B, all, number(q) / step) * step;
    }
    /* Returns where real i of a run at p is. */
    template <class E> STFK_MEMBER static E *at(E *p, int i)
    {
        return by_address(p, number(0), i);
    }
};

/* Returns how many reals of this block's run exist. Its last lane may have one
 * row. */
template <int own> STFK_DEVICE wide reals_there(const work &a)
{
    const wide lanes = a->lanes - (wide)a.first;
    const wide rows = ROWS == 1 ? lanes : lanes + a->full_lanes - (wide)a.first;
    const wide rest = rows * (own / ROWS);

    return rest < L * own ? rest : L * own;
}

/* Whether the gaps of a side, if there are any, belong to its rows. */
template <class Side> STFK_DEVICE bool has_gaps(const stfk_side &side)
{
    return STFK_ROW_GAP == 0 || !has_real_rows<Side>() || side.whole != 0;
}

/* Whether real i of a tile's rows may be moved. */
template <class Side> STFK_DEVICE bool is_of_row(const stfk_side &side, int i)
{
    return has_gaps<Side>(side) || i % ROW < N;
}

template <int own, class Side>
STFK_DEVICE bool moves_real_packs(const stfk_side &side, wide there)
{
    return has_gaps<Side>(side) && L * own % real_pack<Side>::count == 0
           && there == L * own && side.vector * 2 >= real_pack<Side>::count;
}

/* The reals of the tile in shared memory. */
STFK_DEVICE real *rows_of_reals()
{
    return (real *)shared_memory();
}

/* Returns where real e of the first row of a lane lies; that of the second row is ROW
 * further. */
STFK_DEVICE int real_place(int lane, int e)
{
    return lane * SIGNALS + e;
}

template <class Side>
STFK_DEVICE void put_reals(int at, const real_pack<Side> &u)
{
    if constexpr (sizeof(typename Side::stored) == sizeof(real)) {
        *(real_pack<Side> *)(rows_of_reals() + at) = u;
    } else {
        STFK_UNROLL
        for (int j = 0; j < u.count; j++)
            rows_of_reals()[at + j] = (real)u.of[j];
    }
}

template <class Side> STFK_DEVICE real_pack<Side> get_reals(int at)
{
    real_pack<Side> u;

    if constexpr (sizeof(typename Side::stored) == sizeof(real))
        return *(const real_pack<Side> *)(rows_of_reals() + at);
    STFK_UNROLL
    for (int j = 0; j < u.count; j++)
        u.of[j] = (typename Side::stored)rows_of_reals()[at + j];
    return u;
}

template <int own> STFK_DEVICE void load_real_packs(const load_side::stored *p)
{
    typedef real_pack<load_side> packed;
    typedef real_sweep<own, packed::count> go;
    packed u[go::rounds];

    STFK_UNROLL
    for (int q = 0; q < go::rounds; q++)
        u[q] = load_global((const packed *)go::at(p, go::nearest(q)));
    STFK_UNROLL
    for (int q = 0; q < go::rounds; q++)
        put_in_round<go>(q, u, put_reals<load_side>);
}

/* Loads the rows of a tile; those that are not there are zeros. */
template <int own> STFK_DEVICE void load_real_rows(const work &a)
{
    typedef real_sweep<own, 1> go;
    const auto *p =
        (const load_side::stored *)a->load.base + (wide)a.first * own;
    const wide there = reals_there<own>(a);
    real u[go::rounds];

    if (moves_real_packs<own, load_side>(a->load, there)) {
        load_real_packs<own>(p);
        return;
    }
    STFK_UNROLL
    for (int q = 0; q < go::rounds; q++)
        u[q] = go::has(q) && go::number(q) < there
                       && is_of_row<load_side>(a->load, go::number(q))
                   ? (real)load_global(go::at(p, go::number(q)))
                   : 0;
    STFK_UNROLL
    for (int q = 0; q < go::rounds; q++)
        if (go::has(q))
            rows_of_reals()[go::number(q)] = u[q];
}

/* Returns where element b + j N/R of a signal lies in its row. */
template <class Side, int R> STFK_DEVICE placed place_in_row(int b, int j)
{
    const element x = element_of<R>(b, j);

    return place_real<Side>(N, ordinal(x.e, x.low, x.high));
}

/* Takes the inputs of the first stage from the rows. */
template <int R> STFK_DEVICE void get_from_rows(member m, cx *v)
{
    each_held<R>(m.t, [&](int i, int b, int j) {
        const placed at = place_in_row<load_side, R>(b, j);
        const real *p = rows_of_reals() + real_place(m.lane, at.at);
        const cx u = {p[0], ROWS == 1 ? 0 : p[ROW]};
        v[i] = at.sign < 0 ? cx{-u.x, -u.y} : u;
    });
}

/* One of the half spectra of a lane, among the rows. Half-complex ones have the real
 * part of element k at real k, and its imaginary part at real n - k; element 0 has
 * none. */
template <class Side> struct spectrum_row {
    static constexpr bool half_complex = Side::form == FORM_HC;
    real *row;
    STFK_MEMBER spectrum_row(int lane, int which)
        : row(rows_of_reals() + lane * reals_of_spectra<Side>()
              + which * reals_of_spectrum<Side>())
    {
    }
    STFK_MEMBER vec2<real> *element_at(int k) const
    {
        return (vec2<real> *)row + k;
    }
    STFK_MEMBER void put_part(ordinal m, real v) const
    {
        const placed p = place_real<Side>(N, m);
        row[p.at] = p.sign < 0 ? -v : v;
    }
    STFK_MEMBER real get_part(ordinal m) const
    {
        return row[place_real<Side>(N, m).at];
    }
    STFK_MEMBER void put(int k, cx v) const
    {
        const ordinal near(k, 0, N / 2);
        if constexpr (half_complex) {
            put_part(near, v.x);
            if (k != 0)
                put_part(near.from(N), v.y);
        } else {
            *element_at(k) = vec2<real>{v.x, v.y};
        }
    }
    STFK_MEMBER cx get(int k) const
    {
        const ordinal near(k, 0, N / 2);
        if constexpr (half_complex)
            return {get_part(near), k == 0 ? 0 : get_part(near.from(N))};
        const vec2<real> u = *element_at(k);
        return {u.x, u.y};
    }
};

/* Takes the inputs of the first stage from half a spectrum, whose other elements are
 * conjugates. The imaginary parts of real elements are ignored. */
template <int R> STFK_DEVICE void get_from_halves(member m, cx *v)
{
    each_held<R>(m.t, [&](int i, int b, int j) {
        const int e = b + j * (N / R);
        const bool far = 2 * e > N;
        const cx u = spectrum_row<load_side>(m.lane, 0).get(far ? N - e : e);
        v[i] = {u.x, e == 0 || 2 * e == N ? 0 : far ? -u.y : u.y};
    });
}

/* Whether the results of the transform lie in the rows of half-complex spectra, the real
 * parts in that of the first one, so that spectra can be separated there in place: of an
 * element and its mirror image both spectra have as many reals. */
STFK_CONST bool separates_in_rows()
{
    return STFK_OP == OP_R2C_TWO && STFK_STORE_PACKED
           && store_side::form == FORM_HC;
}

/* Puts the results of the last stage there. */
template <int R> STFK_DEVICE void put_to_separate(member m, const cx *v)
{
    const spectrum_row<store_side> first(m.lane, 0), second(m.lane, 1);

    each_held<R>(m.t, [&](int i, int b, int j) {
        const int at = place_in_row<store_side, R>(b, j).at;
        first.row[at] = v[i].x;
        second.row[at] = v[i].y;
    });
}

/* Takes elements k and N - k, or twice element 0, from there. */
STFK_DEVICE void take_to_separate(int lane, int k, cx &x, cx &mirror)
{
    const spectrum_row<store_side> first(lane, 0), second(lane, 1);
    const cx a = first.get(k), b = second.get(k);

    x = {a.x, b.x};
    mirror = k == 0 ? x : cx{a.y, b.y};
}

/* Puts the results of the last stage into the rows, and zeros into their gaps. */
template <int R> STFK_DEVICE void put_into_rows(member m, const cx *v)
{
    STFK_UNROLL
    for (int i = 0; i < ROWS * STFK_ROW_GAP; i++)
        if (m.t == 0)
            rows_of_reals()[real_place(m.lane, N + i / ROWS + i % ROWS * ROW)] =
                0;
    each_held<R>(m.t, [&](int i, int b, int j) {
        const placed at = place_in_row<store_side, R>(b, j);
        real *p = rows_of_reals() + real_place(m.lane, at.at);
        p[0] = at.sign < 0 ? -v[i].x : v[i].x;
        if (ROWS > 1)
            p[ROW] = at.sign < 0 ? -v[i].y : v[i].y;
    });
}

/* Puts the first half of the results into the rows of spectra. */
template <int R> STFK_DEVICE void put_into_halves(member m, const cx *v)
{
    each_held<R>(m.t, [&](int i, int b, int j) {
        const int e = b + j * (N / R);
        if (2 * e <= N)
            spectrum_row<store_side>(m.lane, 0).put(e, v[i]);
    });
}

template <class Watch, int own> STFK_DEVICE void store_real_rows(const work &a)
{
    typedef real_pack<store_side> packed;
    typedef real_sweep<own, packed::count> whole;
    typedef real_sweep<own, 1> go;
    auto *p = (store_side::stored *)a->store.base + (wide)a.first * own;
    const wide there = reals_there<own>(a);

    if (moves_real_packs<own, store_side>(a->store, there)) {
        STFK_UNROLL
        for (int q = 0; q < whole::rounds; q++)
            if (whole::has(q))
                Watch::put((packed *)whole::at(p, whole::number(q)),
                           get_reals<store_side>(whole::number(q)));
        return;
    }
    STFK_UNROLL
    for (int q = 0; q < go::rounds; q++)
        if (go::has(q) && go::number(q) < there
            && is_of_row<store_side>(a->store, go::number(q)))
            Watch::put(go::at(p, go::number(q)),
                       (store_side::stored)rows_of_reals()[go::number(q)]);
}

} // namespace stfk

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The operations of a pass on one tile; see lib/fft/schedule.h.
 * Source: [Govindaraju2008], sections IV.B to IV.F; Rader, Proc. IEEE 56
 * (1968). */
#ifndef STFK_OPS_H
#define STFK_OPS_H

#include "fft/columns.h"
#include "fft/copied.h"
#include "fft/modify.h"
#include "fft/prefetch.h"
#include "fft/swapped.h"

namespace stfk
{

constexpr int R_FIRST = radix_of(0, false);
constexpr int R_LAST = radix_of(S - 1, false);

/* The radix of the stage whose results are stored. A convolution ends with
 * the first stage. */
constexpr int R_OUT = STFK_OP == OP_CONV ? R_FIRST : R_LAST;

/* -------------------------------------------------- into and out of a tile */

/* Which elements a thread moves between memory and the tile. Rader's
 * elements have their order in the tile only; a class that watches sees them
 * on the way there and back, so that threads then stay with one lane. */
template <class Watch>
struct load_sweep
    : either<Watch::one_lane && STFK_CONV == CONV_RADER>::template of<
          lane_sweep<STFK_SIGNAL, Watch::load_interleave>,
          sweep<load_side, STFK_SIGNAL, STFK_LOAD_ACROSS>>::type {
};
template <class Watch>
struct store_sweep
    : either<Watch::one_lane && STFK_CONV == CONV_RADER>::template of<
          lane_sweep<STFK_SIGNAL, Watch::store_interleave>,
          sweep<store_side, STFK_SIGNAL + STFK_STORE_GAP,
                STFK_STORE_ACROSS>>::type {
};

STFK_DEVICE int ordered(const unsigned *order, int lane, int e)
{
    return place(lane, STFK_CONV == CONV_RADER ? (int)order[e] : e);
}

/* Returns the q-th element that a thread loads as Rader's algorithm takes it. */
template <class Go> STFK_DEVICE cx turned_rader(const work &a, int q, cx u)
{
    if constexpr (STFK_CONV == CONV_RADER && is_turned_apart<load_side>()) {
        const auto s = locate<load_side>(a, Go::lane(q));
        const cx t = load_turn_at(a, s, Go::element(q));
        return u * (a->inverse ? conj(t) : t);
    }
    return u;
}

/* Both components of an element may move at once. */
template <class Side> STFK_CONST bool may_vector()
{
    return (Side::order == ORDER_NONE || Side::form == FORM_COMPLEX)
           && (Side::form != FORM_PAIRS || Side::adjoin);
}

/* Loads rows into shared memory; neighbouring threads take neighbouring
 * elements. All loads are issued before the first one is waited for. */
template <class Watch> STFK_DEVICE void load_sweeping(Watch &c)
{
    typedef load_sweep<Watch> go;
    const work &a = c.a;
    bool vector = may_vector<load_side>() && a->load.vector != 0;
    cx u[go::rounds], v[go::rounds];
    int at[go::rounds];

    STFK_UNROLL
    for (int q = 0; q < go::rounds; q++) {
        const int lane = go::nearest::lane(q), e = go::nearest::element(q);
        const auto s = locate_load(a, lane);
        u[q] = load_element<load_side>(
            a, s, s.p + distance<load_side>(a->load, e), e, vector);
        at[q] = ordered(a->load_pos, lane, e);
    }
    STFK_UNROLL
    for (int q = 0; q < go::rounds; q++)
        v[q] = go::has(q) ? turned_rader<go>(a, q, u[q]) : u[q];
    /* See put_in_round(). */
    STFK_UNROLL
    for (int q = 0; q < go::rounds; q++)
        if (q > 0)
            put<BOTH>(chosen(go::has(q), at[q], at[q - 1]),
                      chosen(go::has(q), v[q], v[q - 1]));
        else if (go::has(q))
            put<BOTH>(at[q], v[q]);
    if constexpr (STFK_CONV == CONV_RADER)
        c.template loaded_swept<go>(u);
}

template <class Watch> STFK_DEVICE void stage_load(Watch &c)
{
    if (turns_late)
        take_turn(c.a.args);
    if constexpr (STFK_LOAD_PACKED
                  && (has_real_rows<load_side>() || has_half_rows<load_side>()))
        load_real_rows<reals_of_lane<load_side>()>(c.a);
    else if constexpr (STFK_LOAD_PACKED && keeps_halves<load_side>())
        load_halves(c.a);
    else if constexpr (STFK_LOAD_PACKED)
        load_packed(c.a);
    else
        load_sweeping(c);
    block_sync();
}

STFK_DEVICE void load_direct(const work &a, member m, cx *v)
{
    const auto s = locate_load(a, m.lane);

    if (turns_late)
        take_turn(a.args);
    if constexpr (load_side::copied) {
        load_from_copy<R_FIRST>(a, s, m, v);
        return;
    }
    if constexpr (STFK_LOAD_PACKED && !STFK_LOAD_STAGED && STFK_OP == OP_FFT)
        if (load_row<R_FIRST>(a, s, v))
            return;
    if constexpr (STFK_LOAD_SWAPPED)
        load_swapped<R_FIRST>(a, s, m, v);
    else if (may_vector<load_side>() && a->load.vector)
        load_inputs<R_FIRST, true>(a, s, m, v);
    else
        load_inputs<R_FIRST, false>(a, s, m, v);
}

template <class Watch>
STFK_DEVICE void store_swept(const work &a, const spot<store_side> &s, int e,
                             cx u)
{
    store_element<Watch, store_side>(
        a, s, s.p + distance<store_side>(a->store, e), e, u,
        may_vector<store_side>() && a->store.vector != 0);
}

/* In place, real rows have a gap behind them, where the spectrum had its last element.
 * It becomes 0: memory takes twice as long for short rows if a part of a sector is
 * written. Elsewhere a gap may be anybody's. */
STFK_DEVICE bool fills_gap(const work &a)
{
    return STFK_STORE_GAP > 0 && a->store.whole;
}

template <class Watch>
STFK_DEVICE void store_direct(const work &a, member m, const cx *v)
{
    const auto s = locate<store_side>(a, m.lane);

    if constexpr (store_side::copied) {
        store_by_copy<Watch, R_OUT>(a, s, m, v);
        return;
    }
    if constexpr (STFK_STORE_PACKED && !STFK_STORE_STAGED)
        if (store_row<Watch, R_OUT>(a, s, v))
            return;
    if constexpr (STFK_STORE_SWAPPED)
        store_swapped<Watch, R_OUT>(a, s, m, v);
    else if (may_vector<store_side>() && a->store.vector)
        store_results<Watch, R_OUT, true>(a, s, m, v);
    else
        store_results<Watch, R_OUT, false>(a, s, m, v);
    if (m.t == 0 && fills_gap(a))
        STFK_UNROLL
    for (int i = 0; i < STFK_STORE_GAP; i++)
        store_swept<Watch>(a, s, STFK_SIGNAL + i, cx{0, 0});
}

/* Returns element e, which was u, as it is stored. In Rader's algorithm only
 * the store knows the element's number, so twiddle and scale are applied
 * here. */
template <class Watch>
STFK_DEVICE cx finish_rader(Watch &c, const spot<store_side> &s, int lane,
                            int e, cx u)
{
    const work &a = c.a;
    cx t = {1, 0};

    if constexpr (STFK_CONV == CONV_RADER) {
        if (STFK_TWIDDLE == TWIDDLE_STORE && s.there) {
            t = root(a, twiddle_row(a, lane) * e);
            u = u * t;
        }
        if constexpr (is_turned_apart<store_side>())
            t = t * store_turn_at(a, s, e, u);
        apply_scale<1>(a, &u);
        round_results<1>(&u);
        if constexpr (Watch::one_lane)
            c.stored_swept(e, u, t);
        turn_direction<1>(a, &u);
    }
    return u;
}

/* Calls use(q, s, e, u) for the q-th element that a thread stores: u is
 * element e of the lane at s, or what fills the gap behind it. */
template <class Watch, class Use>
STFK_DEVICE void each_swept(Watch &c, const Use &use)
{
    typedef store_sweep<Watch> go;

    STFK_UNROLL
    for (int q = 0; q < go::rounds; q++) {
        if (!go::has(q))
            continue;
        int lane = go::lane(q), e = go::element(q);
        const auto s = locate<store_side>(c.a, lane);
        cx u = {0, 0};
        if (STFK_STORE_GAP == 0 || e < STFK_SIGNAL)
            get<BOTH>(ordered(c.a->store_pos, lane, e), u);
        else if (!fills_gap(c.a))
            continue;
        use(q, s, e, finish_rader(c, s, lane, e, u));
    }
}

STFK_DEVICE void results_to_tile(member m, const cx *v)
{
    if (S > 1 || shared_before)
        tile_sync();
    if constexpr (STFK_STORE_PACKED && has_real_rows<store_side>())
        put_into_rows<R_OUT>(m, v);
    else if constexpr (STFK_STORE_PACKED && has_half_rows<store_side>())
        put_into_halves<R_OUT>(m, v);
    else if constexpr (STFK_STORE_PACKED && STFK_STORE_ACROSS)
        put_columns_of<R_OUT>(m, v);
    else if constexpr (STFK_STORE_PACKED && keeps_halves<store_side>())
        put_halves<R_OUT, store_side>(m, v);
    else
        put_natural<R_OUT>{v, m}.template run<BOTH>();
    block_sync();
}

/* Stores rows through shared memory. */
template <class Watch>
STFK_DEVICE void stage_store(Watch &c, member m, const cx *v)
{
    results_to_tile(m, v);
    if constexpr (STFK_STORE_PACKED
                  && (has_real_rows<store_side>()
                      || has_half_rows<store_side>()))
        store_real_rows<Watch, reals_of_lane<store_side>()>(c.a);
    else if constexpr (STFK_STORE_PACKED && STFK_STORE_ACROSS)
        store_columns<Watch>(c.a);
    else if constexpr (STFK_STORE_PACKED && keeps_halves<store_side>())
        store_halves<Watch>(c.a);
    else if constexpr (STFK_STORE_PACKED)
        store_packed<Watch>(c.a);
    else
        each_swept(c, [&](int, const spot<store_side> &s, int e, cx u) {
            store_swept<Watch>(c.a, s, e, u);
        });
}

/* ---------------------------------------------------------- convolutions */

/* Multiplies by the transformed kernel. Elements are where transform() left
 * them. */
template <class Watch>
STFK_DEVICE void multiply_table(Watch &c, member m, cx *v)
{
    const work &a = c.a;
    const auto s = locate<store_side>(a, m.lane);

    if (STFK_CONV == CONV_SPREAD && !s.there)
        return;
    each_held<R_LAST>(m.t, [&](int i, int b, int j) {
        int e = b + j * (N / R_LAST);
        wide index = e;
        if (STFK_CONV == CONV_SPREAD)
            index = s.index + e * a->store.index_elem;
        cx p = table_at(a->product, index), z = v[i] * p;
        c.multiplied(e, p, v[i], z);
        v[i] = z;
    });
}

/* Multiplies by the chirp. Bluestein's algorithm in a tile is chirp,
 * convolution, chirp. The thread holds elements b + j N/R of butterflies of
 * radix R. Elements behind the signal are zero; nothing puts zeros into
 * shared memory, so they are set here. */
template <int R> STFK_DEVICE void multiply_chirp(const work &a, member m, cx *v)
{
    each_held<R>(m.t, [&](int i, int b, int j) {
        int e = b + j * (N / R);
        if (e < STFK_SIGNAL)
            v[i] = v[i] * table_at(a->chirp, e);
        else if (STFK_LOAD_STAGED)
            v[i] = cx{0, 0};
    });
}

/* Rader's algorithm for a prime length of N + 1. Element 0 of the input is
 * at place N of its lane. It is added to every output through frequency
 * zero. Then the sum of all inputs, which only thread 0 of the lane knows,
 * takes its place. */
template <class Watch>
STFK_DEVICE void convolve_rader(Watch &c, member m, cx *v)
{
    cx zero, sum;

    get<BOTH>(place(m.lane, N), zero);
    turn_direction<1>(c.a, &zero);
    if (STFK_INVERSE)
        zero = conj(zero);
    transform(c, v, m, m);
    sum = zero + v[0];
    multiply_table(c, m, v);
    if (m.t == 0) {
        v[0] = v[0] + zero;
        put<BOTH>(place(m.lane, N), STFK_INVERSE ? conj(sum) : sum);
    }
    transform_back(c, v, m);
}

template <class Watch>
STFK_DEVICE void convolve(Watch &c, member from, member to, cx *v)
{
    if (STFK_CONV == CONV_RADER) {
        convolve_rader(c, to, v);
        return;
    }
    if (STFK_CONV == CONV_BLUESTEIN)
        multiply_chirp<R_FIRST>(c.a, from, v);
    transform(c, v, from, to);
    multiply_table(c, to, v);
    transform_back(c, v, to);
    if (STFK_CONV == CONV_BLUESTEIN)
        multiply_chirp<R_FIRST>(c.a, to, v);
}

/* Lets threads change from their lanes of the load to those of the store.
 * With a single stage, no exchange has done this. */
STFK_DEVICE void hand_over(member from, member to, cx *v)
{
    if (S == 1 && STFK_LOAD_INTERLEAVE != STFK_STORE_INTERLEAVE
        && !shared_before) {
        exchange(put_natural<R_FIRST>{v, from}, get_inputs<R_FIRST>{v, to});
        if (STFK_STORE_STAGED)
            block_sync();
    }
}

/* The roots of a pass, for the thread's part of the tile before the transform or
 * after it. */
constexpr int R_TURNED = STFK_TWIDDLE == TWIDDLE_LOAD ? R_FIRST : R_OUT;

STFK_DEVICE roots_of_pass<R_TURNED> ask_for_roots(const work &a, member from,
                                                  member to)
{
    return {a, STFK_TWIDDLE == TWIDDLE_LOAD ? from : to};
}

/* Runs FFT or CONV from the inputs of the first stage to the values that are
 * stored. */
template <class Watch>
STFK_DEVICE void transform_inputs(Watch &c, member from, member to,
                                  const typename Watch::loading &held,
                                  roots_of_pass<R_TURNED> roots, cx *v)
{
    const auto base = roots.made();

    if (STFK_TWIDDLE == TWIDDLE_LOAD
        || (STFK_TWIDDLE == TWIDDLE_STORE && (S == 1 || STFK_WAVE_SYNC)))
        block_sync();
    finish_load<R_FIRST>(c, from, held, base, v);
    if (STFK_INVERSE)
        conjugate(v);
    if (STFK_OP == OP_CONV)
        convolve(c, from, to, v);
    else
        transform(c, v, from, to);
    hand_over(from, to, v);
    c.template strike_results<R_OUT>(to, v);
    if (STFK_INVERSE)
        conjugate(v);
    if (STFK_CONV != CONV_RADER)
        begin_store<R_OUT>(c, to, base, v);
}

template <class Watch>
STFK_DEVICE void store_tile(Watch &c, member m, const cx *v)
{
    if (STFK_STORE_STAGED)
        stage_store(c, m, v);
    else
        store_direct<Watch>(c.a, m, v);
}

template <class Watch> STFK_DEVICE void take_inputs(Watch &c, member m, cx *v)
{
    if (shared_before) {
        stage_load(c);
        if constexpr (STFK_LOAD_PACKED && has_real_rows<load_side>())
            get_from_rows<R_FIRST>(m, v);
        else if constexpr (STFK_LOAD_PACKED && has_half_rows<load_side>())
            get_from_halves<R_FIRST>(m, v);
        else if constexpr (STFK_LOAD_STAGED && STFK_LOAD_PACKED
                           && keeps_halves<load_side>())
            get_halves<R_FIRST, load_side>(m, v);
        else
            get_inputs<R_FIRST>{v, m}.template run<BOTH>();
    } else {
        load_direct(c.a, m, v);
    }
    STFK_UNROLL
    for (int i = 0; loads_reals && i < V; i++)
        v[i].y = 0;
    if constexpr (!Watch::one_lane)
        prefetch_row(c.a);
}

template <int op, class Watch> struct transform_tile {
    cx v[V];

    STFK_MEMBER static member to()
    {
        return holder<STFK_STORE_INTERLEAVE>();
    }
    STFK_MEMBER static member from()
    {
        return shared_before ? to() : holder<STFK_LOAD_INTERLEAVE>();
    }
    /* What the watching class loads for the inputs is loaded together with
     * them, and so are roots. If they were asked for later, the compiler would
     * load them only when they are needed. */
    STFK_MEMBER void compute(Watch &c)
    {
        const typename Watch::loading held(c, from().t);
        auto roots = ask_for_roots(c.a, from(), to());

        take_inputs(c, from(), v);
        c.template strike_inputs<R_FIRST>(from(), v);
        transform_inputs(c, from(), to(), held, roots, v);
    }
    STFK_MEMBER void take(const work &a)
    {
        load_direct(a, from(), v);
    }
    STFK_MEMBER void finish(Watch &c)
    {
        typedef typename Watch::loading loading;

        transform_inputs(c, from(), to(), loading(c, from().t),
                         ask_for_roots(c.a, from(), to()), v);
    }
    /* Faults of tests change what is stored after its last sum. */
    STFK_MEMBER void strike_stored(const Watch &c)
    {
        c.template strike<R_OUT>(Watch::STORED_STAGE, to(), v);
    }
    STFK_MEMBER void store(Watch &c)
    {
        store_tile(c, to(), v);
    }
};

} // namespace stfk

#endif

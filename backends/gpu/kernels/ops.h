/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The operations of a pass on one tile; see lib/plan/schedule.h.
 * Source: paper 002, sections IV.B to IV.F; Rader, Proc. IEEE 56 (1968). */
#ifndef STFK_OPS_H
#define STFK_OPS_H

#include "packed.h"
#include "two.h"

namespace stfk {

constexpr int R_FIRST = radix_of(0, false);
constexpr int R_LAST = radix_of(S - 1, false);

/* Radix of the stage that a store follows: a convolution ends with the first
 * one. */
constexpr int R_OUT = STFK_OP == OP_CONV ? R_FIRST : R_LAST;

/* -------------------------------------------------- into and out of a tile */

typedef sweep<load_side, STFK_SIGNAL, STFK_LOAD_ACROSS> load_sweep;
typedef sweep<store_side, STFK_SIGNAL, STFK_STORE_ACROSS> store_sweep;

STFK_DEVICE int ordered(const unsigned *order, int lane, int e)
{
    return place(lane, STFK_CONV == CONV_RADER ? (int)order[e] : e);
}

/* Rows into shared memory, neighbouring elements by neighbouring threads. All
 * loads are on their way before the first one is waited for. */
STFK_DEVICE void load_sweeping(const work &a)
{
    typedef load_sweep go;
    bool vector = a->load.vector != 0;
    cx u[go::rounds];
    int at[go::rounds];

    STFK_UNROLL
    for (int q = 0; q < go::rounds; q++) {
        if (!go::has(q))
            continue;
        int e = go::element(q);
        spot s = locate<load_side>(a, go::lane(q));
        u[q] = load_element<load_side>(
            a, s, s.p + distance<load_side>(a->load, e), e, vector);
        at[q] = ordered(a->load_pos, go::lane(q), e);
    }
    STFK_UNROLL
    for (int q = 0; q < go::rounds; q++)
        if (go::has(q))
            put<BOTH>(at[q], u[q]);
}

STFK_DEVICE void stage_load(const work &a)
{
    if constexpr (STFK_LOAD_PACKED)
        load_packed(a);
    else
        load_sweeping(a);
    block_sync();
}

STFK_DEVICE void load_direct(const work &a, member m, cx *v)
{
    spot s = locate<load_side>(a, m.lane);

    if (a->load.vector)
        load_inputs<R_FIRST, true>(a, s, m, v);
    else
        load_inputs<R_FIRST, false>(a, s, m, v);
}

STFK_DEVICE void store_direct(const work &a, member m, const cx *v)
{
    spot s = locate<store_side>(a, m.lane);

    if (a->store.vector)
        store_results<R_OUT, true>(a, s, m, v);
    else
        store_results<R_OUT, false>(a, s, m, v);
}

/* Rader's orders leave each element to be finished when it is stored. */
STFK_DEVICE cx finish_rader(const work &a, const spot &s, int lane, int e,
                            cx u)
{
    if constexpr (STFK_CONV == CONV_RADER) {
        if (STFK_TWIDDLE == TWIDDLE_STORE && s.there)
            u = u * root(a, twiddle_row(a, lane) * e);
        apply_scale<1>(a, &u);
        turn_direction<1>(a, &u);
    }
    return u;
}

STFK_DEVICE void store_sweeping(const work &a)
{
    typedef store_sweep go;
    bool vector = a->store.vector != 0;

    STFK_UNROLL
    for (int q = 0; q < go::rounds; q++) {
        if (!go::has(q))
            continue;
        int lane = go::lane(q), e = go::element(q);
        spot s = locate<store_side>(a, lane);
        cx u;
        get<BOTH>(ordered(a->store_pos, lane, e), u);
        store_element<store_side>(
            a, s, s.p + distance<store_side>(a->store, e), e,
            finish_rader(a, s, lane, e, u), vector);
    }
}

/* From shared memory to rows. */
STFK_DEVICE void stage_store(const work &a, member m, const cx *v)
{
    if (S > 1 || shared_before)
        tile_sync();
    put_natural<R_OUT>{v, m}.template run<BOTH>();
    block_sync();
    if constexpr (STFK_STORE_PACKED)
        store_packed(a);
    else
        store_sweeping(a);
}

/* ---------------------------------------------------------- convolutions */

/* The product with the transformed kernel, where transform() left the
 * elements. */
STFK_DEVICE void multiply_table(const work &a, member m, cx *v)
{
    spot s = locate<store_side>(a, m.lane);

    if (STFK_CONV == CONV_SPREAD && !s.there)
        return;
    each_held<R_LAST>(m.t, [&](int i, int b, int j) {
        wide e = b + j * (N / R_LAST);
        if (STFK_CONV == CONV_SPREAD)
            e = s.index + e * a->store.index_elem;
        v[i] = v[i] * table_at(a->product, e);
    });
}

/* Bluestein in a tile: chirp, convolution, chirp. Elements b + j M before and
 * after: `R` the radix whose butterflies the thread holds. What lies behind
 * the signal is zero; nobody puts it into shared memory. */
template <int R>
STFK_DEVICE void multiply_chirp(const work &a, member m, cx *v)
{
    each_held<R>(m.t, [&](int i, int b, int j) {
        int e = b + j * (N / R);
        if (e < STFK_SIGNAL)
            v[i] = v[i] * table_at(a->chirp, e);
        else if (STFK_LOAD_STAGED)
            v[i] = cx{0, 0};
    });
}

/* A prime of N + 1 elements: that of index 0 waits at place N of its lane,
 * enters every output through the zero frequency, and makes way for the sum
 * of all, which only thread 0 of the lane knows. */
STFK_DEVICE void convolve_rader(const work &a, member m, cx *v)
{
    cx zero, sum;

    get<BOTH>(place(m.lane, N), zero);
    turn_direction<1>(a, &zero);
    if (STFK_INVERSE)
        zero = conj(zero);
    transform(v, m, m, a->stage);
    sum = zero + v[0];
    multiply_table(a, m, v);
    if (m.t == 0) {
        v[0] = v[0] + zero;
        put<BOTH>(place(m.lane, N), STFK_INVERSE ? conj(sum) : sum);
    }
    transform_back(v, m, a->stage);
}

STFK_DEVICE void convolve(const work &a, member from, member to, cx *v)
{
    if (STFK_CONV == CONV_RADER) {
        convolve_rader(a, to, v);
        return;
    }
    if (STFK_CONV == CONV_BLUESTEIN)
        multiply_chirp<R_FIRST>(a, from, v);
    transform(v, from, to, a->stage);
    multiply_table(a, to, v);
    transform_back(v, to, a->stage);
    if (STFK_CONV == CONV_BLUESTEIN)
        multiply_chirp<R_FIRST>(a, to, v);
}

/* A single stage has no exchange in which threads could change lanes. */
STFK_DEVICE void hand_over(member from, member to, cx *v)
{
    if (S == 1 && STFK_LOAD_WEAVE != STFK_STORE_WEAVE && !shared_before) {
        exchange(put_natural<R_FIRST>{v, from}, get_inputs<R_FIRST>{v, to});
        if (STFK_STORE_STAGED)
            block_sync();
    }
}

/* FFT and CONV, from the inputs of the first stage on. */
STFK_DEVICE void finish_transform(const work &a, member from, member to,
                                  cx *v)
{
    if constexpr (STFK_TWIDDLE == TWIDDLE_LOAD)
        make_steps<R_FIRST>(a);
    if constexpr (STFK_TWIDDLE == TWIDDLE_STORE)
        make_steps<R_OUT>(a);
    if (STFK_TWIDDLE == TWIDDLE_LOAD
        || (STFK_TWIDDLE == TWIDDLE_STORE && (S == 1 || STFK_WAVE_SYNC)))
        block_sync();
    finish_load<R_FIRST>(a, from, v);
    if (STFK_INVERSE)
        conjugate(v);
    if (STFK_OP == OP_CONV)
        convolve(a, from, to, v);
    else
        transform(v, from, to, a->stage);
    hand_over(from, to, v);
    if (STFK_INVERSE)
        conjugate(v);
    if (STFK_CONV != CONV_RADER)
        begin_store<R_OUT>(a, to, v);
    if (STFK_STORE_STAGED)
        stage_store(a, to, v);
    else
        store_direct(a, to, v);
}

STFK_DEVICE void take_inputs(const work &a, member m, cx *v)
{
    if (shared_before) {
        stage_load(a);
        get_inputs<R_FIRST>{v, m}.template run<BOTH>();
    } else {
        load_direct(a, m, v);
    }
}

template <int op> STFK_DEVICE void run_transform(const work &a)
{
    member to = who<STFK_STORE_WEAVE>();
    member from = shared_before ? to : who<STFK_LOAD_WEAVE>();
    cx v[V];

    take_inputs(a, from, v);
    finish_transform(a, from, to, v);
}

/* -------------------------------------------------------- real transforms */

/* X_k = E + w O and X_(n-k) = conj(E - w O) of the even and odd parts E, O of
 * Z_k = x and Z_(n-k) = y. */
STFK_DEVICE void separate_pair(cx &x, cx &y, cx w)
{
    const real half = (real)0.5;
    cx even = {(x.x + y.x) * half, (x.y - y.y) * half};
    cx odd = cx{(x.y + y.y) * half, (y.x - x.x) * half} * w;

    x = even + odd;
    y = conj(even - odd);
}

/* The reverse, twice as large: Z_k = E + i O and Z_(n-k) = conj(E) + i
 * conj(O) from X_k = x and X_(n-k) = y. */
STFK_DEVICE void join_pair(cx &x, cx &y, cx w)
{
    cx even = {x.x + y.x, x.y - y.y};
    cx odd = cx{x.x - y.x, x.y + y.y} * conj(w);

    x = {even.x - odd.y, even.y + odd.x};
    y = {even.x + odd.y, odd.x - even.y};
}

/* Pair k of a row of n: elements 0 and n come from element 0 alone. */
STFK_DEVICE void separate(wide k, cx &x, cx &y, cx w)
{
    if (k == 0) {
        y = {x.x - x.y, 0};
        x = {x.x + x.y, 0};
    } else {
        separate_pair(x, y, w);
    }
}

/* The imaginary parts of elements 0 and n do not count. */
STFK_DEVICE void join(wide k, cx &x, cx &y, cx w)
{
    if (k == 0)
        x = {x.x + y.x, x.x - y.x};
    else
        join_pair(x, y, w);
}

/* Elements k and N - k of the spectrum of a lane whose transform stands in
 * shared memory. */
STFK_DEVICE void store_spectrum(const work &a)
{
    typedef sweep<store_side, N / 2 + 1, STFK_STORE_ACROSS> go;
    bool vector = a->store.vector != 0;

    STFK_UNROLL_SOME /* more would hold the roots of all in registers */
    for (int q = 0; q < go::rounds; q++) {
        if (!go::has(q))
            continue;
        int k = go::element(q), lane = go::lane(q);
        spot s = locate<store_side>(a, lane);
        cx x[2];
        get<BOTH>(place(lane, k), x[0]);
        get<BOTH>(place(lane, k == 0 ? 0 : N - k), x[1]);
        separate(k, x[0], x[1], table_at(a->separate, k));
        apply_scale<2>(a, x);
        real *p = s.p + distance<store_side>(a->store, k);
        real *r = s.p + distance<store_side>(a->store, N - k);
        store_element<store_side>(a, s, p, k, x[0], vector);
        if (2 * k != N)
            store_element<store_side>(a, s, r, N - k, x[1], vector);
    }
}

/* R2C and R2C_TWO. */
template <int op> STFK_DEVICE void run_r2c(const work &a)
{
    member to = who<op == OP_R2C ? T : STFK_STORE_WEAVE>();
    member from = shared_before ? to : who<STFK_LOAD_WEAVE>();
    cx v[V];

    take_inputs(a, from, v);
    turn_direction<V>(a, v);
    transform(v, from, to, a->stage);
    if (S > 1 || shared_before)
        block_sync();
    put_natural<R_LAST>{v, S > 1 ? to : from}.template run<BOTH>();
    block_sync();
    if constexpr (op == OP_R2C)
        store_spectrum(a);
    else
        store_spectra(a);
}

/* Elements k and N - k of a lane from their joined form. */
STFK_DEVICE void load_spectrum(const work &a)
{
    typedef sweep<load_side, N / 2 + 1, STFK_LOAD_ACROSS> go;
    bool vector = a->load.vector != 0;
    cx x[go::rounds], y[go::rounds], w[go::rounds];

    STFK_UNROLL
    for (int q = 0; q < go::rounds; q++) {
        if (!go::has(q))
            continue;
        int k = go::element(q);
        spot s = locate<load_side>(a, go::lane(q));
        const real *p = s.p + distance<load_side>(a->load, k);
        const real *r = s.p + distance<load_side>(a->load, N - k);
        x[q] = load_element<load_side>(a, s, p, k, vector);
        y[q] = load_element<load_side>(a, s, r, N - k, vector);
        w[q] = table_at(a->separate, k);
    }
    STFK_UNROLL
    for (int q = 0; q < go::rounds; q++) {
        if (!go::has(q))
            continue;
        int k = go::element(q), lane = go::lane(q);
        join(k, x[q], y[q], w[q]);
        if (k != 0 && 2 * k != N)
            put<BOTH>(place(lane, N - k), y[q]);
        put<BOTH>(place(lane, k), x[q]);
    }
}

/* C2R and C2R_TWO. */
template <int op> STFK_DEVICE void run_c2r(const work &a)
{
    member to = who<STFK_STORE_WEAVE>();
    cx v[V];

    if constexpr (op == OP_C2R)
        load_spectrum(a);
    else
        load_spectra(a);
    block_sync();
    get_inputs<R_FIRST>{v, to}.template run<BOTH>();
    turn_direction<V>(a, v);
    transform(v, to, to, a->stage);
    apply_scale<V>(a, v);
    turn_direction<V>(a, v);
    if (STFK_STORE_STAGED)
        stage_store(a, to, v);
    else
        store_direct(a, to, v);
}

/* UNTANGLE and TANGLE: pairs k, signal - k, from the lane's index on. */
template <int op> STFK_DEVICE void run_pairs(const work &a)
{
    spot in = locate<load_side>(a, 0), out = locate<store_side>(a, 0);
    const wide n = STFK_SIGNAL;

    for (int i = (int)thread_index(); i < N; i += B) {
        wide k = in.index + i;
        if (!in.there || 2 * k > n)
            continue;
        wide other = k == 0 && STFK_OP == OP_UNTANGLE ? 0 : n - k;
        cx x = load_pair(in.p + k * a->load.elem, 1, a->load.vector != 0);
        cx y = load_pair(in.p + other * a->load.elem, 1, a->load.vector != 0);
        if (STFK_OP == OP_UNTANGLE)
            separate(k, x, y, root(a, k));
        else
            join(k, x, y, root(a, k));
        apply_scale<1>(a, &x);
        apply_scale<1>(a, &y);
        bool both = 2 * k != n && (k != 0 || STFK_OP == OP_UNTANGLE);
        real *p = out.p + k * a->store.elem;
        real *q = out.p + (n - k) * a->store.elem;
        store_pair(p, 1, x, a->store.vector != 0);
        if (both)
            store_pair(q, 1, y, a->store.vector != 0);
    }
}

} // namespace stfk

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Spectra of real rows that move between device memory and shared memory in the order
 * of memory, whichever thread makes them or needs them. */
#ifndef STFK_SPECTRUM_ROWS_H
#define STFK_SPECTRUM_ROWS_H

#include "fft/half_complex.h"
#include "fft/ops.h"

namespace stfk
{

/* Returns element i as it is stored; separate_quarter() has turned it. */
STFK_DEVICE cx turned_out(const work &a, int i, cx v)
{
    return is_quarter<store_side>() ? v : turn_out<store_side>(a, i, v);
}

/* Whether neighbouring threads would store less than two sectors of memory at once, of
 * either half of a lane's spectrum, or four where the threads of a lane move it in F32.
 * Then spectra are put together in shared memory and stored from there as rows. Those of
 * reals are so only where they are protected. */
template <class Watch> STFK_CONST bool stores_rows()
{
    typedef typename store_side::stored stored;
    constexpr bool reals = is_half_complex<store_side>() && Watch::one_lane;
    constexpr bool elements =
        store_side::form == FORM_COMPLEX && store_side::order == ORDER_NONE;
    constexpr int together = Watch::one_lane ? T : N / 2 + 1;
    constexpr int bytes = together * sizeof(stored) * (reals ? 1 : 2);
    constexpr bool four = Watch::one_lane && sizeof(real) == 4 && !reals;

    return (reals || elements) && !store_side::across
           && bytes < (four ? 128 : 64);
}

template <class Watch, bool vector>
STFK_DEVICE void store_rows_as(const work &a)
{
    typedef sweep<store_side, N + 1, false> go;

    STFK_UNROLL
    for (int q = 0; q < go::rounds; q++) {
        if (!go::has(q))
            continue;
        const int k = go::element(q), lane = go::lane(q);
        const auto s = locate<store_side>(a, lane);
        cx x;
        get<BOTH>(place(lane, k), x);
        store_element<Watch, store_side>(
            a, s, s.p + distance<store_side>(a->store, k), k, x, vector);
    }
}

/* The same of half-complex spectra, real by real. */
template <class Watch> STFK_DEVICE void store_rows_of_reals(const work &a)
{
    typedef sweep<store_side, 2 * N, false> go;

    STFK_UNROLL
    for (int q = 0; q < go::rounds; q++) {
        if (!go::has(q))
            continue;
        const int i = go::element(q), lane = go::lane(q);
        const half_complex_real r(i);
        const auto s = locate<store_side>(a, lane);
        cx x;
        get<BOTH>(place(lane, r.element), x);
        x = turned_out(a, r.element, x);
        if (s.there)
            Watch::put(real_of_row<store_side>(a->store, s, i),
                       (typename store_side::stored)(r.second ? x.y : x.x));
    }
}

/* Stores the spectra that shared memory has. */
template <class Watch> STFK_DEVICE void store_rows(const work &a)
{
    block_sync();
    if constexpr (is_half_complex<store_side>())
        store_rows_of_reals<Watch>(a);
    else if (a->store.vector != 0)
        store_rows_as<Watch, true>(a);
    else
        store_rows_as<Watch, false>(a);
}

/* Whether the rows that a side loads follow each other in memory as one run. */
STFK_CONST bool is_one_run(load_side)
{
    return STFK_LOAD_RUN;
}
STFK_CONST bool is_one_run(store_side)
{
    return false;
}

/* Loads all elements of a side's spectra into shared memory. All loads are issued before
 * the first one is waited for. Of a run, elements behind the last one that exists are
 * that one. */
template <class Side, bool vector> STFK_DEVICE void load_rows_as(const work &a)
{
    typedef sweep<Side, N + 1, false> go;
    const auto *run = locate_number<Side>(a, a.first).p;
    const int last = (int)run_length<N + 1>(a) - 1;
    cx u[go::rounds];

    STFK_UNROLL
    for (int q = 0; q < go::rounds; q++) {
        if constexpr (is_one_run(Side())) {
            const int i = go::number(q) < last ? go::number(q) : last;
            u[q] = load_pair(run + 2 * i, 1, vector);
            continue;
        }
        const int e = go::nearest::element(q);
        const auto s = locate_existing<Side>(a, go::nearest::lane(q));
        u[q] = load_element<Side>(a, s, s.p + distance<Side>(Side::of(a), e), e,
                                  vector);
    }
    STFK_UNROLL
    for (int q = 0; q < go::rounds; q++)
        put_in_round<go>(q, u, [](int i, cx z) {
            put<BOTH>(place(go::lane_of(i), go::element_of(i)), z);
        });
}

/* The same of half-complex spectra, real by real. The imaginary parts that elements 0
 * and N do not have are of no use. */
template <class Side> STFK_DEVICE void load_rows_of_reals(const work &a)
{
    typedef sweep<Side, 2 * N, false> go;
    real u[go::rounds];

    STFK_UNROLL
    for (int q = 0; q < go::rounds; q++) {
        const auto s = locate_existing<Side>(a, go::nearest::lane(q));
        u[q] = s.there ? (real)load_global(
                   real_of_row<Side>(Side::of(a), s, go::nearest::element(q)))
                       : 0;
    }
    STFK_UNROLL
    for (int q = 0; q < go::rounds; q++)
        put_in_round<go>(q, u, [](int i, real v) {
            const half_complex_real r(go::element_of(i));
            ((real *)shared_memory())[2 * place(go::lane_of(i), r.element)
                                      + (r.second ? 1 : 0)] = v;
        });
}

template <class Side> STFK_DEVICE void load_rows(const work &a)
{
    if constexpr (is_half_complex<Side>())
        load_rows_of_reals<Side>(a);
    else if (Side::of(a).vector != 0)
        load_rows_as<Side, true>(a);
    else
        load_rows_as<Side, false>(a);
    block_sync();
}

} // namespace stfk

#endif

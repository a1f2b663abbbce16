/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Reading once more what a tile has loaded or stored, with addresses that are
 * computed anew. */
#ifndef STFK_SECOND_READ_H
#define STFK_SECOND_READ_H

#include "fft/ops.h"
#include "protect/observe.h"

namespace stfk
{

/* Whether neighbouring threads store whole sectors of memory, and each reads again what
 * it has stored itself. */
STFK_CONST bool stores_sectors()
{
    constexpr int sector = 32;
    constexpr int element =
        (store_side::form == FORM_REAL ? 1 : 2) * sizeof(store_side::stored);
    constexpr bool own = STFK_OP != OP_R2C && STFK_CONV != CONV_RADER
                         && !STFK_STORE_STAGED && !STFK_STORE_SWAPPED
                         && !store_side::limit;

    return own
           && (store_side::across
                   ? L * element % sector == 0
                   : T * element % sector == 0 && N * element % sector == 0);
}

/* Waits before results are read again. Others may have stored what a thread reads, and
 * of a sector of which a part has not been written yet, the rest has to be fetched from
 * far away: on an H200, rows of 675 took 2.2 of the time of mode CORRECT so, and take 1.3
 * now. */
STFK_DEVICE void wait_for_results()
{
    if (!stores_sectors())
        all_wait();
}

/* The thread's part of the block's only tile (work_anew()), computed anew. */
template <int interleave> STFK_DEVICE member who_anew()
{
    int i = (int)thread_index_anew<B>();
    return {i / interleave % L,
            i % interleave + i / (interleave * L) * interleave};
}

/* Returns element x of a lane, which is at p, as the check sees it: of half a spectrum
 * that follows from reals, memory has the others' mirror images. */
template <class Side>
STFK_DEVICE cx seen_again(const work &a, const spot<Side> &s,
                          const typename Side::stored *p, element x,
                          bool vector)
{
    if constexpr (Side::limit) {
        const bool far = 2 * x.e > STFK_SIGNAL;
        const int e = far ? STFK_SIGNAL - x.e : x.e;
        const cx z = load_element<Side>(
            a, s, s.p + distance<Side>(Side::of(a), e), e, vector);
        return far ? conj(z) : z;
    }
    return load_element<Side>(a, s, p, x, vector);
}

/* Calls use(i, e, x) for each register i of a stage of radix R, with the element
 * e of a side that belongs there, and the value x that memory holds. */
template <class Side, int R, bool vector, class Use>
STFK_DEVICE void each_in_memory(const work &a, member m, const Use &use)
{
    const stfk_side &side = Side::of(a);
    const auto s = locate<Side>(a, m.lane);

    STFK_UNROLL
    for (int k = 0; k < rounds(R); k++) {
        int b = m.t + k * T;
        const elements_from<Side, N / R> from(side, s, m.t, k * T);
        if (!is_in_round(k, T, N / R, b))
            continue;
        STFK_UNROLL
        for (int j = 0; j < R; j++)
            use(k * R + j, b + j * (N / R),
                seen_again<Side>(a, s, from.at(j), element_of<R>(b, j),
                                 vector));
    }
}

/* Whether a side's rows went through block memory. */
STFK_CONST bool is_staged(load_side)
{
    return STFK_LOAD_STAGED;
}
STFK_CONST bool is_staged(store_side)
{
    return STFK_STORE_STAGED;
}

/* Whether a side is read by way of block memory: there is room for its rows, and
 * neighbouring threads have less than two sectors of them side by side. Without room for
 * both components, or for one stage only, there is none. Waves that are alone have no
 * rows with others, and a persistent block has its next tile there. */
template <class Side> STFK_CONST bool has_short_rows()
{
    constexpr int numbers = Side::form == FORM_REAL ? 1 : 2;
    constexpr bool room =
        shared_before || STFK_OP == OP_R2C || (S > 1 && !STFK_SPLIT);
    constexpr bool together = !(wave_alone && in_waves);

    constexpr bool narrow = T * numbers * sizeof(typename Side::stored) < 64;

    return !STFK_PERSISTENT && !STFK_AHEAD
           && (is_staged(Side())
               || (room && together && !Side::across && narrow));
}

/* Waits after a tile's input has been read before the tile is computed: it may have come
 * by way of block memory, to which the tile's own loads go next. */
STFK_DEVICE void leave_block_memory()
{
    if (has_short_rows<load_side>() || STFK_OP == OP_C2R)
        block_sync();
}

/* Whether memory has half of a side's elements, and the others are mirror images. */
template <class Side> STFK_CONST bool is_half_there()
{
    return Side::limit || (Side::form == FORM_HALF && Side::whole);
}

/* Brings what memory has of a side's rows to block memory. */
template <class Side, bool vector> STFK_DEVICE void bring_rows(const work &a)
{
    constexpr int count = is_half_there<Side>() ? N / 2 + 1 : N;
    typedef sweep<Side, count, Side::across> go;
    cx u[go::rounds];

    STFK_UNROLL
    for (int q = 0; q < go::rounds; q++) {
        const int e = go::nearest::element(q);
        const auto s = locate_existing<Side>(a, go::nearest::lane(q));
        u[q] = load_element<Side>(a, s, s.p + distance<Side>(Side::of(a), e), e,
                                  vector);
    }
    block_sync();
    STFK_UNROLL
    for (int q = 0; q < go::rounds; q++)
        put_in_round<go>(q, u, [](int i, cx z) {
            put<BOTH>(place(go::lane_of(i), go::element_of(i)), z);
        });
    block_sync();
}

/* The same as each_in_memory(), by way of block memory. */
template <class Side, int R, bool vector, class Use>
STFK_DEVICE void each_of_rows(const work &a, member m, const Use &use)
{
    bring_rows<Side, vector>(a);
    each_held<R>(m.t, [&](int i, int b, int j) {
        const int e = b + j * (N / R);
        const bool far = is_half_there<Side>() && 2 * e > N;
        cx z;
        get<BOTH>(place(m.lane, far ? N - e : e), z);
        use(i, e, far ? conj(z) : z);
    });
}

template <class Side, int R, bool vector, class Use>
STFK_DEVICE void each_again_as(const work &a, member m, const Use &use)
{
    if constexpr (has_short_rows<Side>())
        each_of_rows<Side, R, vector>(a, m, use);
    else
        each_in_memory<Side, R, vector>(a, m, use);
}

template <class Side, int R, class Use>
STFK_DEVICE void each_again(const work &a, member m, const Use &use)
{
    if (Side::of(a).vector)
        each_again_as<Side, R, true>(a, m, use);
    else
        each_again_as<Side, R, false>(a, m, use);
}

/* Returns an element as the transform sees it; see turn_direction(). */
STFK_DEVICE cx turned_as(real sign, cx z)
{
    return {z.x, sign * z.y};
}

/* The threads that hold what a tile loads. */
constexpr int LOAD_HOLDERS =
    shared_before ? STFK_STORE_INTERLEAVE : STFK_LOAD_INTERLEAVE;

} // namespace stfk

#endif

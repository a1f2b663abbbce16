/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Tiles whose rows are one contiguous run of memory. They are moved to and
 * from shared memory 16 bytes at a time if the array is aligned to that. */
#ifndef STFK_PACKED_H
#define STFK_PACKED_H

#include "fft/memory.h"
#include "fft/sweeps.h"

namespace stfk
{

constexpr int RUN = L * N; /* elements of a block */

/* The elements of a side that 16 bytes hold. */
template <class Side> struct alignas(16) pack {
    typedef vec2<typename Side::stored> element;
    static constexpr int count = 16 / (int)sizeof(element);

    element of[count];
};

/* Returns whether this block's run, of `length` elements, may be moved in packs.
 * That pays if they have several elements. */
template <class Side>
STFK_DEVICE bool moves_packs(const stfk_side &side, wide length)
{
    constexpr int count = pack<Side>::count;

    return count > 1 && RUN % count == 0 && length == RUN
           && side.vector >= count;
}

/* Whether packs pay whose elements go to shared memory one by one. Those of halves
 * do not: four neighbouring elements that a thread puts there are in banks that
 * other threads need at the same time, for which their memory is too fast. */
template <class Side> STFK_CONST bool packs_pay()
{
    return sizeof(typename Side::stored) >= 4;
}

/* Returns how many elements of this block's run exist, whose lanes have `row` each. */
template <int row = N> STFK_DEVICE wide run_length(const work &a)
{
    constexpr wide all = L * row;
    wide rest = (a->lanes - (wide)a.first) * row;
    return rest < all ? rest : all;
}

STFK_DEVICE int run_place(int i)
{
    const int lane = divided<N, RUN>(i);

    return place(lane, i - lane * N);
}

STFK_DEVICE void put_element(int i, real x, real y)
{
    put<BOTH>(run_place(i), cx{x, y});
}

/* Says which groups of `step` elements a thread moves: the q-th begins with
 * element number(q), and is part of the run if has(q). */
template <int step> struct run_sweep {
    static constexpr int all = RUN / step;
    /* With no group there is still one round, since no array may be empty. */
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
    /* Returns where element i of a run of pairs at p is. */
    template <class E> STFK_MEMBER static E *at(E *p, int i)
    {
        return by_address(p, 2 * number(0), 2 * i);
    }
};

/* Loads all packs of a run, and then gives them to use(first element, pack). */
template <class Pack, class Use>
STFK_DEVICE void load_run(const load_side::stored *p, const Use &use)
{
    typedef run_sweep<Pack::count> go;
    Pack u[go::rounds];

    STFK_UNROLL
    for (int q = 0; q < go::rounds; q++)
        u[q] = load_global((const Pack *)go::at(p, go::nearest(q)));
    STFK_UNROLL
    for (int q = 0; q < go::rounds; q++)
        put_in_round<go>(q, u, use);
}

STFK_DEVICE void load_packs(const load_side::stored *p)
{
    typedef pack<load_side> packed;

    load_run<packed>(p, [](int i, const packed &v) {
        STFK_UNROLL
        for (int j = 0; j < packed::count; j++)
            put_element(i + j, (real)v.of[j].x, (real)v.of[j].y);
    });
}

/* `whole`: all elements of the run exist. */
template <bool whole>
STFK_DEVICE void load_singles(const load_side::stored *p, wide length,
                              bool vector)
{
    typedef run_sweep<1> go;
    cx u[go::rounds];

    STFK_UNROLL
    for (int q = 0; q < go::rounds; q++)
        if (go::has(q) && (whole || go::number(q) < length))
            u[q] = load_pair(go::at(p, go::number(q)), 1, whole || vector);
    STFK_UNROLL
    for (int q = 0; q < go::rounds; q++)
        if (go::has(q) && (whole || go::number(q) < length))
            put_element(go::number(q), u[q].x, u[q].y);
}

STFK_DEVICE void load_packed(const work &a)
{
    const auto *p =
        (const load_side::stored *)a->load.base + (wide)a.first * (2 * N);
    wide length = run_length(a);

    if (packs_pay<load_side>() && moves_packs<load_side>(a->load, length))
        load_packs(p);
    else if (length == RUN && a->load.vector != 0)
        load_singles<true>(p, length, true);
    else
        load_singles<false>(p, length, a->load.vector != 0);
}

template <class Watch> STFK_DEVICE void store_packs(store_side::stored *p)
{
    typedef pack<store_side> packed;
    typedef run_sweep<packed::count> go;

    STFK_UNROLL
    for (int q = 0; q < go::rounds; q++) {
        packed v;
        if (!go::has(q))
            continue;
        STFK_UNROLL
        for (int j = 0; j < packed::count; j++) {
            cx u;
            get<BOTH>(run_place(go::number(q) + j), u);
            v.of[j] = element_pair<store_side::stored, real>::of(u);
        }
        Watch::put((packed *)go::at(p, go::number(q)), v);
    }
}

template <class Watch> STFK_DEVICE void store_packed(const work &a)
{
    typedef run_sweep<1> go;
    auto *p = (store_side::stored *)a->store.base + (wide)a.first * (2 * N);
    wide length = run_length(a);
    bool vector = a->store.vector != 0;

    if (packs_pay<store_side>() && moves_packs<store_side>(a->store, length)) {
        store_packs<Watch>(p);
        return;
    }
    STFK_UNROLL
    for (int q = 0; q < go::rounds; q++) {
        int i = go::number(q);
        cx u;
        if (!go::has(q) || i >= length)
            continue;
        get<BOTH>(run_place(i), u);
        store_pair<Watch>(go::at(p, i), 1, u, vector);
    }
}

/* -------------------------------------------------------------------- halves */

/* Halves go through shared memory as memory has them: so they take half the
 * bytes, and one access moves four elements. A row is in the memory of its lane's
 * exchanges, which other waves leave alone, and begins at a multiple of 16 bytes. */
template <class Side> STFK_CONST bool keeps_halves()
{
    return sizeof(typename Side::stored) == 2 && sizeof(real) == 4 && N % 4 == 0
           && STFK_STEP == 1 && STFK_PITCH >= N;
}

/* Returns where a lane's row begins, in words. What T threads access of a row is
 * followed by what those of the next row do, so that a wave needs all banks. Where
 * nothing but halves goes through shared memory, the pitch sees to that, in words. */
STFK_CONST int half_row(int lane)
{
    constexpr int part = T > 4 && T % 4 == 0 ? T : 4;
    const int from = lane * (2 * STFK_PITCH);

    if (STFK_DIRECT && STFK_LOAD_ACROSS)
        return lane * STFK_PITCH;
    return N + 31 <= 2 * STFK_PITCH ? from + ((lane * part - from) & 31)
                                    : (from + 3) & ~3;
}

STFK_DEVICE int half_place(int i)
{
    return half_row(i / N) + i % N;
}

template <class Side> STFK_DEVICE vec2<typename Side::stored> *halves()
{
    return (vec2<typename Side::stored> *)shared_memory();
}

/* Gets the inputs of the first stage. A thread that has a whole row takes four
 * elements at a time. */
template <int R, class Side> STFK_DEVICE void get_halves(member m, cx *v)
{
    const auto *row = halves<Side>() + half_row(m.lane);
    pack<Side> u[T == 1 ? N / 4 : 1];

    if constexpr (T == 1) {
        STFK_UNROLL
        for (int i = 0; i < N / 4; i++)
            u[i] = ((const pack<Side> *)row)[i];
    }
    each_held<R>(m.t, [&](int i, int b, int j) {
        const int e = b + j * (N / R);
        const auto h = T == 1 ? u[e / 4].of[e % 4] : row[e];
        v[i] = {(real)h.x, (real)h.y};
    });
}

/* Puts the results of the last stage as they will be stored. */
template <int R, class Side> STFK_DEVICE void put_halves(member m, const cx *v)
{
    auto *row = halves<Side>() + half_row(m.lane);
    pack<Side> u[T == 1 ? N / 4 : 1];

    static_assert(!STFK_AHEAD || 4 * (half_row(L - 1) + N) <= STFK_AHEAD_AT,
                  "rows lie in front of the tile to come");
    each_held<R>(m.t, [&](int i, int b, int j) {
        const int e = b + j * (N / R);
        const auto h = element_pair<typename Side::stored, real>::of(v[i]);
        if constexpr (T == 1)
            u[e / 4].of[e % 4] = h;
        else
            row[e] = h;
    });
    if constexpr (T == 1) {
        STFK_UNROLL
        for (int i = 0; i < N / 4; i++)
            ((pack<Side> *)row)[i] = u[i];
    }
}

/* Calls use(i) for every step-th element of the run, as many as exist. */
template <int step, class Use>
STFK_DEVICE void each_group(wide length, const Use &use)
{
    typedef run_sweep<step> go;

    STFK_UNROLL
    for (int q = 0; q < go::rounds; q++)
        if (go::has(q) && (step > 1 || go::number(q) < length))
            use(q, go::number(q));
}

STFK_DEVICE void load_halves(const work &a)
{
    typedef load_side Side;
    typedef pack<Side> packed;
    const auto *p =
        (const Side::stored *)a->load.base + (wide)a.first * (2 * N);
    const wide length = run_length(a);

    if (moves_packs<Side>(a->load, length)) {
        load_run<packed>(p, [](int i, const packed &v) {
            *(packed *)(halves<Side>() + half_place(i)) = v;
        });
    } else {
        each_group<1>(length, [&](int, int i) {
            halves<Side>()[half_place(i)] = {load_global(p + 2 * i),
                                             load_global(p + 2 * i + 1)};
        });
    }
}

template <class Watch> STFK_DEVICE void store_halves(const work &a)
{
    typedef store_side Side;
    typedef pack<Side> packed;
    auto *p = (Side::stored *)a->store.base + (wide)a.first * (2 * N);
    const wide length = run_length(a);

    if (moves_packs<Side>(a->store, length)) {
        each_group<packed::count>(length, [&](int, int i) {
            Watch::put((packed *)run_sweep<packed::count>::at(p, i),
                       *(const packed *)(halves<Side>() + half_place(i)));
        });
    } else {
        each_group<1>(length, [&](int, int i) {
            const auto h = halves<Side>()[half_place(i)];
            Watch::put(p + 2 * i, h.x);
            Watch::put(p + 2 * i + 1, h.y);
        });
    }
}

/* ---------------------------------------------------------------- one access */

/* A whole row, which one thread moves at once, past shared memory. */
template <class Side>
struct alignas(N * 2 * sizeof(typename Side::stored)) row {
    vec2<typename Side::stored> of[N];
};

template <int R, class Side>
STFK_DEVICE bool load_row(const work &a, const spot<Side> &s, cx *v)
{
    row<Side> u;

    if (a->load.vector < N)
        return false;
    if (s.there)
        u = load_global((const row<Side> *)s.p);
    each_held<R>(0, [&](int i, int b, int j) {
        const auto &from = u.of[b + j * (N / R)];
        v[i] = s.there ? cx{(real)from.x, (real)from.y} : cx{0, 0};
    });
    return true;
}

template <class Watch, int R, class Side>
STFK_DEVICE bool store_row(const work &a, const spot<Side> &s, const cx *v)
{
    row<Side> u;

    if (a->store.vector < N)
        return false;
    each_held<R>(0, [&](int i, int b, int j) {
        u.of[b + j * (N / R)] =
            element_pair<typename Side::stored, real>::of(v[i]);
    });
    if (s.there)
        Watch::put((row<Side> *)s.p, u);
    return true;
}

} // namespace stfk

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Rows of reals that have an order and are one run of memory, of which threads would
 * move single reals that are far apart, some of them twice. They lie in shared
 * memory as they do in device memory, one real apart where their length is even, so
 * that lanes begin in different banks: the run moves in the order of memory, and
 * threads find their reals in the copy. */
#ifndef STFK_COPIED_H
#define STFK_COPIED_H

#include "fft/packed_two.h"

namespace stfk
{

/* The rows of this block's tile. */
template <class Side> struct rows_of_tile {
    static constexpr int row = (int)whole_reals<Side>(), all = L * row;
    static constexpr int pitch = row | 1;
    typedef Side side;
    typedef typename Side::stored stored;
    typedef real_pack<Side> pack;
    typedef real_sweep<row, pack::count> packs;
    typedef real_sweep<row, 1> singles;
    stored *p;
    wide there; /* how many reals of them exist */
    STFK_MEMBER explicit rows_of_tile(const work &a)
        : p((stored *)Side::of(a).base + (wide)a.first * row),
          there((a->lanes - (wide)a.first) * row)
    {
    }
    /* Returns whether all of them exist, and may move 16 bytes at a time. */
    STFK_MEMBER bool move_in_packs() const
    {
        return there >= all && all % real_pack<Side>::count == 0
               && (unsigned long long)p % sizeof(real_pack<Side>) == 0;
    }
    /* Returns where real i of the run lies in the copy. */
    STFK_MEMBER static int place(int i)
    {
        return pitch == row ? i : i + divided<row, all>(i);
    }
    /* Returns a lane as it is in the copy. */
    STFK_MEMBER static spot<Side> copy_of(spot<Side> s, int lane)
    {
        s.p = (stored *)rows_of_reals() + lane * pitch;
        return s;
    }
};

/* Move the reals of the run from real i on, as many as a pack has, to and from the
 * copy. */
template <class Rows>
STFK_DEVICE void put_pack(int i, const typename Rows::pack &u)
{
    if constexpr (Rows::pitch == Rows::row)
        put_reals<typename Rows::side>(i, u);
    STFK_UNROLL
    for (int j = 0; j < Rows::pack::count && Rows::pitch != Rows::row; j++)
        rows_of_reals()[Rows::place(i + j)] = (real)u.of[j];
}

template <class Rows> STFK_DEVICE typename Rows::pack get_pack(int i)
{
    typename Rows::pack u;

    if constexpr (Rows::pitch == Rows::row)
        return get_reals<typename Rows::side>(i);
    STFK_UNROLL
    for (int j = 0; j < Rows::pack::count; j++)
        u.of[j] = (typename Rows::stored)rows_of_reals()[Rows::place(i + j)];
    return u;
}

/* Copies what exists; what does not is zero. */
STFK_DEVICE void copy_rows_in(const work &a)
{
    typedef rows_of_tile<load_side> rows;
    typedef rows::packs packs;
    typedef rows::singles go;
    const rows from(a);
    rows::pack pack[packs::rounds];
    real u[go::rounds];

    if (from.move_in_packs()) {
        STFK_UNROLL
        for (int q = 0; q < packs::rounds; q++)
            pack[q] = load_global(
                (const rows::pack *)packs::at(from.p, packs::nearest(q)));
        STFK_UNROLL
        for (int q = 0; q < packs::rounds; q++)
            put_in_round<packs>(q, pack, put_pack<rows>);
        return;
    }
    STFK_UNROLL
    for (int q = 0; q < go::rounds; q++)
        u[q] = go::has(q) && go::number(q) < from.there
                   ? (real)load_global(go::at(from.p, go::number(q)))
                   : 0;
    STFK_UNROLL
    for (int q = 0; q < go::rounds; q++)
        if (go::has(q))
            rows_of_reals()[rows::place(go::number(q))] = u[q];
}

template <class Watch> STFK_DEVICE void copy_rows_out(const work &a)
{
    typedef rows_of_tile<store_side> rows;
    typedef rows::packs packs;
    typedef rows::singles go;
    const rows to(a);

    if (to.move_in_packs()) {
        STFK_UNROLL
        for (int q = 0; q < packs::rounds; q++)
            if (packs::has(q))
                Watch::put((rows::pack *)packs::at(to.p, packs::number(q)),
                           get_pack<rows>(packs::number(q)));
        return;
    }
    STFK_UNROLL
    for (int q = 0; q < go::rounds; q++)
        if (go::has(q) && go::number(q) < to.there)
            Watch::put(
                go::at(to.p, go::number(q)),
                (rows::stored)rows_of_reals()[rows::place(go::number(q))]);
}

/* Writes to the copy. */
struct copying {
    template <class P, class Value> STFK_MEMBER static void put(P *p, Value v)
    {
        *p = v;
    }
};

/* A block that has computed another tile may still read that one. */
template <int R>
STFK_DEVICE void load_from_copy(const work &a, const spot<load_side> &s,
                                member m, cx *v)
{
    if (STFK_CHECK)
        block_sync();
    copy_rows_in(a);
    block_sync();
    load_inputs<R, false>(a, rows_of_tile<load_side>::copy_of(s, m.lane), m, v);
    block_sync();
}

template <class Watch, int R>
STFK_DEVICE void store_by_copy(const work &a, const spot<store_side> &s,
                               member m, const cx *v)
{
    block_sync();
    store_results<copying, R, false>(
        a, rows_of_tile<store_side>::copy_of(s, m.lane), m, v);
    block_sync();
    copy_rows_out<Watch>(a);
}

} // namespace stfk

#endif

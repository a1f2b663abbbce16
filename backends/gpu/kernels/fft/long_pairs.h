/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* UNTANGLE and TANGLE: passes that only separate or join the pairs of long spectra,
 * which no block has as a whole. */
#ifndef STFK_LONG_PAIRS_H
#define STFK_LONG_PAIRS_H

#include "fft/real.h"

namespace stfk
{

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

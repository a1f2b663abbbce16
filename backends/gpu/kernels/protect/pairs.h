/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* UNTANGLE and TANGLE have no checksums: their pairs are made twice and
 * compared. */
#ifndef STFK_PAIRS_H
#define STFK_PAIRS_H

#include "fft/long_pairs.h"
#include "protect/verdict.h"

namespace stfk
{

/* Makes the pair from copies of which the compiler does not know that they
 * are copies, so that it cannot merge two attempts. Faults of element i of
 * the lane strike in attempt 0, persistent ones in every attempt. */
STFK_DEVICE pair_made make_copied_pair(const work &a, wide k, cx x, cx y, int i,
                                       int attempt)
{
    const stfk_check &check = a->check;
    cx u = {separate_copy(x.x), separate_copy(x.y)};
    cx v = {separate_copy(y.x), separate_copy(y.y)};

    for (wide q = 0; q < check.faults; q++) {
        const stfk_fault &f = check.fault[q];
        if (f.lane == (wide)lane_number(a, 0) && f.element == i
            && ((attempt == 0 && !check.again) || f.persistent))
            u = struck(u, f);
    }
    return make_one_pair(a, separate_copy(k), u, v);
}

/* Makes the pair twice. If the results differ, makes it again, until two
 * results in a row are the same, or the last attempt is made. */
STFK_DEVICE pair_made make_pair_twice(const work &a, wide k, cx x, cx y, int i)
{
    pair_made first = make_copied_pair(a, k, x, y, i, 0);
    pair_made p = first, next = make_copied_pair(a, k, x, y, i, 1);
    int attempt = 1;
    bool same;

    while (!(same_bits(p.x, next.x) && same_bits(p.y, next.y))
           && attempt < LAST_ATTEMPT) {
        p = next;
        next = make_copied_pair(a, k, x, y, i, ++attempt);
    }
    if (attempt == 1 && same_bits(p.x, next.x) && same_bits(p.y, next.y))
        return p;
    same = same_bits(p.x, next.x) && same_bits(p.y, next.y);
    note_fault(a, 0, stfi_ft_conclude_twice(remedy_of(a), same),
               (sum)1 / (sum)0);
    return a->check.correct ? next : first;
}

STFK_MEMBER pair_made trial::make_pair(const work &a, wide k, cx x, cx y, int i)
{
    return STFK_TWICE      ? make_pair_twice(a, k, x, y, i)
           : has_faults(a) ? make_copied_pair(a, k, x, y, i, 0)
                           : make_one_pair(a, k, x, y);
}

} // namespace stfk

#endif

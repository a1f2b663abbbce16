/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* How the threads of a block share transforms, and add up what each has of them. */
#ifndef STFK_E2E_GATHER_H
#define STFK_E2E_GATHER_H

#include "end_to_end/elements.h"

namespace stfk
{

/* The transform of its block that a thread works on, and its part of that. */
struct worker {
    int transform, part;
};

STFK_DEVICE worker who(const stfk_e2e &a)
{
    const int i = (int)thread_index(), transforms = B / a.parts;

    return a.across ? worker{i % transforms, i / transforms}
                    : worker{i / a.parts, i % a.parts};
}

STFK_DEVICE part exchanged(part a, int mask)
{
    return {shuffle_xor(a.high, mask),
            sizeof(real) == 8 ? shuffle_xor(a.low, mask) : 0};
}

STFK_DEVICE weighed exchanged(weighed s, int mask)
{
    return s
           + weighed{exchanged(s.re, mask), exchanged(s.im, mask),
                     shuffle_xor(s.power, mask), shuffle_xor(s.unit, mask)};
}

/* Adds up the sums of the parts of a transform that are in one wave. */
STFK_DEVICE weighed gather_near(const stfk_e2e &a, weighed s)
{
    for (int m = 1; m < a.near; m *= 2)
        s = exchanged(s, m * (a.across ? B / a.parts : 1));
    return s;
}

/* Block memory has the sums of each wave of each transform, B / a.near in all. */
STFK_DEVICE stfk_e2e_sum *slots_of(const stfk_e2e &a, int transform)
{
    return (stfk_e2e_sum *)shared_memory() + transform * (a.parts / a.near);
}

/* Leaves the sum of a wave's parts there, which all of them have. */
STFK_DEVICE void leave_sum(const stfk_e2e &a, int transform, int part,
                           const weighed &near)
{
    if (part % a.near == 0)
        to_memory(slots_of(a, transform) + part / a.near, near);
}

STFK_DEVICE weighed sum_slots(const stfk_e2e &a, int transform)
{
    const stfk_e2e_sum *slot = slots_of(a, transform);
    weighed s = from_memory(slot[0]);

    for (int g = 1; g < a.parts / a.near; g++)
        s = s + from_memory(slot[g]);
    return s;
}

} // namespace stfk

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The bits of elements as words, of which signatures are sums; signature.h. */
#ifndef STFK_WORDS_H
#define STFK_WORDS_H

#include "fft/lane.h"

namespace stfk
{

STFK_DEVICE unsigned word_of(float v)
{
    return bits_of(v);
}

STFK_DEVICE unsigned word_of(double v)
{
    const count_t bits = bits_of(v);

    return (unsigned)bits + (unsigned)(bits >> 32);
}

STFK_DEVICE unsigned word_of(cx z)
{
    return word_of(z.x) + word_of(z.y);
}

/* Lanes of the last tile that do not exist hold arbitrary values. */
STFK_DEVICE bool is_lane(const work &a, int lane)
{
    return (wide)lane_number(a, lane) < a->lanes;
}

} // namespace stfk

#endif

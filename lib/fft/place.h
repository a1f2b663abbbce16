/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Where the reals of a side with an order lie: the places of real to real
 * transforms, which are those of real ones with their reals in another order.
 *
 * Source: J. Makhoul, "A fast cosine transform in one and two dimensions", IEEE
 * Trans. ASSP 28 (1980), of FOLD; S. C. Chan and K. L. Ho, "Fast algorithms for
 * computing the discrete cosine transform", IEEE Trans. CAS II 39 (1992), of the
 * idea of EIGHTH. */
#ifndef STFI_FFT_PLACE_H
#define STFI_FFT_PLACE_H

#include "fft/schedule.h"

/* The place of a real along its axis, and its sign; sign 0: it has no place, as
 * it is zero. */
typedef struct stfi_place {
    int64_t at;
    int sign;
} stfi_place;

/* EIGHTH: x(2j+1) = x_j is even about 0 and odd about 2n; real m is x(n + 8m). */
static inline stfi_place stfi_place_eighth(int64_t n, int64_t m)
{
    int64_t v = (n + 8 * m) % (8 * n);
    stfi_place p = {0, 1};

    v = v > 4 * n ? 8 * n - v : v;
    p.sign = v > 2 * n ? -1 : 1;
    v = v > 2 * n ? 4 * n - v : v;
    p.at = (v - 1) / 2;
    return p;
}

/* EIGHTH_BACK: result k, v = 2k + 1, is at m = v mod n if v mod 4 is 3, and at
 * m = -v mod n if v mod 4 is 1. */
static inline stfi_place stfi_place_eighth_back(int64_t n, int64_t m)
{
    int64_t v = m % 2 != 0 ? m : m + n;
    stfi_place p = {0, 1};

    v = v % 4 == 3 ? v : 2 * n - v;
    p.at = (v - 1) / 2;
    p.sign = v % 8 == 1 || v % 8 == 7 ? 1 : -1;
    return p;
}

/* EVEN, ODD: the extension of n reals to 2h reals, h = n - 1 or n + 1. */
static inline stfi_place stfi_place_mirror(int64_t n, int64_t m, int odd)
{
    int64_t h = odd ? n + 1 : n - 1;
    int far = m > h;
    stfi_place p = {(far ? 2 * h - m : m) - odd, 1};

    if (odd)
        p.sign = m == 0 || m == h ? 0 : far ? -1 : 1;
    return p;
}

/* Returns the place of logical real m of a side with an order. */
static inline stfi_place stfi_place_of(const stfi_side *side, int64_t m)
{
    int64_t n = side->span;
    stfi_place p = {m, 1};

    switch (side->order) {
    case STFI_ORDER_FOLD: p.at = 2 * m < n ? 2 * m : 2 * n - 1 - 2 * m; break;
    case STFI_ORDER_ENDS: p.at = m % 2 == 0 ? m : n - m; break;
    case STFI_ORDER_EIGHTH: p = stfi_place_eighth(n, m); break;
    case STFI_ORDER_EIGHTH_BACK: p = stfi_place_eighth_back(n, m); break;
    case STFI_ORDER_EVEN: p = stfi_place_mirror(n, m, 0); break;
    case STFI_ORDER_ODD: p = stfi_place_mirror(n, m, 1); break;
    default: break;
    }
    if (side->reversed)
        p.at = n - 1 - p.at;
    if (side->alternate && p.at % 2 != 0)
        p.sign = -p.sign;
    return p;
}

#endif

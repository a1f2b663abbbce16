/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* A whole transform of RADIX elements from W rows to W rows, all in registers:
 * the trip through a tile would cost as much as the butterfly. Included once
 * per radix with RADIX defined, a multiple of W/2. */

static void STFI_CAT(rows_, RADIX)(const tile *t, int inverse)
{
    C x[RADIX];

UNROLL
    for (int e = 0; e < RADIX; e += W / 2)
        read_square(t, e, inverse, x + e);
    STFI_CAT(bf_, RADIX)(x);
UNROLL
    for (int e = 0; e < RADIX; e += W / 2)
        write_square(t, e, inverse, x + e);
}

#undef RADIX

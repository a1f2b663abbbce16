/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Complex numbers whose two parts are neighbours in a vector, in place of those of
 * simd.h, for files that define STFI_PAIRS: butterflies of one array, in which each
 * operation does both parts. A vector of 16 bytes has one number, in F32 with half of
 * the lanes idle; of 32 bytes as many as it holds (compact/grid.h). */
#ifndef STFI_SIMD_PAIRS_H
#define STFI_SIMD_PAIRS_H

typedef V C;

INLINE C c_add(C a, C b)
{
    return a + b;
}
INLINE C c_sub(C a, C b)
{
    return a - b;
}

/* { x, -x, ... }: a sum with a product by it is one operation. */
INLINE V alternating(real x)
{
#if STFI_LANES == 2
    return (V){x, -x};
#elif STFI_LANES == 4
    return (V){x, -x, x, -x};
#else
    return (V){x, -x, x, -x, x, -x, x, -x};
#endif
}

/* -i a */
INLINE C c_turn(C a)
{
    return swapped(a) * alternating(1);
}
INLINE C c_scale(C a, real s)
{
    return a * s;
}
INLINE C c_add_scaled(C a, C b, real s)
{
    return a + b * s;
}

/* a * (wr + i wi) */
INLINE C c_mul1(C a, real wr, real wi)
{
    return a * wr + swapped(a) * alternating(-wi);
}

INLINE C c_eighth(C a, real h)
{
    return c_add(a, c_turn(a)) * h;
}
INLINE C c_three_eighths(C a, real h)
{
    return c_sub(c_turn(a), a) * h;
}

#endif

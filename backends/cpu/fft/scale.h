/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Multiplication of results by a factor. */
#ifndef STFI_FFT_SCALE_H
#define STFI_FFT_SCALE_H

#include <math.h>

#include "backends/cpu/simd/simd.h"

/* A factor as the sum of two reals. Rounded to one, it would have the same error
 * in all results, more than those of a few points may have. */
typedef struct factor {
    real high, low;
} factor;

INLINE factor factor_from(double scale)
{
    factor f = {(real)scale, 0};

    if (isfinite(f.high))
        f.low = (real)(scale - (double)f.high);
    return f;
}

/* Returns y + z, but y where it is 0, whose sign the sum may lose, or where the
 * sum is NaN, as of two infinite parts. */
#if STFI_LANES > 1
INLINE V plus_small(V y, V z)
{
    typedef __typeof__(y == y) mask;
    const V both = y + z;
    const mask some = (both == both) & (y != 0);

    return (V)(((mask)both & some) | ((mask)y & ~some));
}
#else
INLINE V plus_small(V y, V z)
{
    return y + z == y + z && y != 0 ? y + z : y;
}
#endif

INLINE V v_times(V x, factor f)
{
    const V y = x * f.high;

    return f.low != 0 ? plus_small(y, x * f.low) : y;
}

#ifndef STFI_PAIRS
INLINE C c_times(C a, factor f)
{
    return (C){v_times(a.r, f), v_times(a.i, f)};
}
#endif

#endif

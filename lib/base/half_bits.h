/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Halves to and from F32 by operations on integers, for one number or for a
 * vector of them. This file is included once for each: the includer defines
 * HALF(name), HALF_INLINE, the types BITS (32-bit unsigned integers) and FLOATS
 * (as many numbers in F32), and MASK(b, op, c), all bits set where b op c.
 * Results are rounded to nearest, ties to even, NaN stays NaN. */

HALF_INLINE BITS HALF(bits)(FLOATS x)
{
    BITS b;

    memcpy(&b, &x, sizeof b);
    return b;
}

HALF_INLINE FLOATS HALF(floats)(BITS b)
{
    FLOATS x;

    memcpy(&x, &b, sizeof x);
    return x;
}

HALF_INLINE BITS HALF(choose)(BITS mask, BITS a, BITS b)
{
    return (mask & a) | (~mask & b);
}

/* All bits set where the integers, below 2^31, are at least `least`. */
HALF_INLINE BITS HALF(reaches)(BITS b, int32_t least)
{
    return MASK(b, >=, least);
}

HALF_INLINE FLOATS HALF(from_bf16)(BITS h)
{
    return HALF(floats)(h << 16);
}

HALF_INLINE BITS HALF(to_bf16)(FLOATS x)
{
    BITS b = HALF(bits)(x), size = b & 0x7fffffffu;
    BITS rounded = (b + 0x7fffu + ((b >> 16) & 1u)) >> 16;

    return HALF(choose)(HALF(reaches)(size, 0x7f800001), b >> 16 | 0x40u,
                        rounded);
}

/* The exponents of F16 begin 112 below those of F32, and so does that of Inf
 * end. Subnormal numbers become normal ones as digits of a number from 2^-14 on,
 * which is then subtracted. */
HALF_INLINE FLOATS HALF(from_f16)(BITS h)
{
    const BITS apart = (h & 0u) + (112u << 23);
    BITS size = (h & 0x7fffu) << 13, sign = (h & 0x8000u) << 16;
    BITS normal = size + apart, top = normal + apart;
    BITS small = HALF(bits)(HALF(floats)(normal + (1u << 23)) - 0x1p-14f);
    BITS b = HALF(choose)(HALF(reaches)(size, 0x0f800000), top, normal);

    b = HALF(choose)(HALF(reaches)(size, 0x00800000), b, small);
    return HALF(floats)(b | sign);
}

/* What is below 2^-14 is rounded by an addition to 0.5, whose last digit is that
 * of subnormal numbers. From 65520 on the result is Inf. */
HALF_INLINE BITS HALF(to_f16)(FLOATS x)
{
    const BITS none = HALF(bits)(x) & 0u;
    BITS b = HALF(bits)(x), sign = b & 0x80000000u, size = b ^ sign;
    BITS normal = (size + 0xc8000fffu + ((size >> 13) & 1u)) >> 13;
    BITS small = HALF(bits)(HALF(floats)(size) + 0.5f) - 0x3f000000u;

    b = HALF(choose)(HALF(reaches)(size, 0x38800000), normal, small);
    b = HALF(choose)(HALF(reaches)(size, 0x477ff000), none + 0x7c00u, b);
    b = HALF(choose)(HALF(reaches)(size, 0x7f800001), none + 0x7e00u, b);
    return b | sign >> 16;
}

#undef HALF
#undef BITS
#undef FLOATS
#undef MASK
#undef HALF_INLINE

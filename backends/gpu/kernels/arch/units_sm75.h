/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Matrix units of halves: products of F16 or BF16 with sums in F32, loads of
 * what they take from shared memory, and conversions. A word holds two halves, the
 * lower bits the first. Source: PTX ISA, sections on mma, ldmatrix and cvt. */
#ifndef STFK_ARCH_UNITS_SM75_H
#define STFK_ARCH_UNITS_SM75_H

#include "arch/runtime.h"

namespace stfk
{

/* The types of halves. Units of sm_75 take F16 alone. */
enum { HALF_F16, HALF_BF16 };

/* Adds the product of a 16 x 8 and an 8 x 8 matrix. Thread 4 g + q of a group of
 * 32 has of the first steps 2 q and 2 q + 1 of rows g (a0) and g + 8 (a1), of
 * the second the same steps of column g, and of the sum columns 2 q and 2 q + 1
 * of rows g (c[0], c[1]) and g + 8 (c[2], c[3]). */
template <int type>
STFK_DEVICE void half_multiply(float (&c)[4], unsigned a0, unsigned a1,
                               unsigned b)
{
#if __CUDA_ARCH__ >= 800
    if constexpr (type == HALF_BF16)
        asm("mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32 "
            "{%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
            : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
            : "r"(a0), "r"(a1), "r"(b));
    else
#endif
        asm("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 "
            "{%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
            : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
            : "r"(a0), "r"(a1), "r"(b));
}

/* The same for 16 steps: a[2], a[3] and b[1] are those of the upper 8. */
template <int type>
STFK_DEVICE void half_multiply(float (&c)[4], const unsigned (&a)[4],
                               const unsigned (&b)[2])
{
#if __CUDA_ARCH__ >= 800
    if constexpr (type == HALF_BF16)
        asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
            "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
            : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
            : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
    else
        asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
            "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
            : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
            : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
#else
    half_multiply<type>(c, a[0], a[1], b[0]);
    half_multiply<type>(c, a[2], a[3], b[1]);
#endif
}

/* Loads four matrices of 8 x 8 halves from shared memory. Thread 8 n + r points
 * to row r of matrix n, 16 bytes that are aligned to that; thread 4 g + q gets
 * elements 2 q and 2 q + 1 of row g of matrix n in word[n], or if they are
 * transposed, of column g. */
template <bool transposed>
STFK_DEVICE void load_matrices(unsigned (&word)[4], const void *row)
{
    const unsigned at = (unsigned)__cvta_generic_to_shared(row);

    if constexpr (transposed)
        asm volatile(
            "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, "
            "[%4];"
            : "=r"(word[0]), "=r"(word[1]), "=r"(word[2]), "=r"(word[3])
            : "r"(at));
    else
        asm volatile(
            "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
            : "=r"(word[0]), "=r"(word[1]), "=r"(word[2]), "=r"(word[3])
            : "r"(at));
}

STFK_DEVICE unsigned load_half(const unsigned short *p)
{
    return __ldg(p);
}

/* The number that the lower 16 bits of a word are. */
template <int type> STFK_DEVICE float half_widened(unsigned bits)
{
    float x;

    if constexpr (type == HALF_BF16)
        return __uint_as_float(bits << 16);
    asm("cvt.f32.f16 %0, %1;" : "=f"(x) : "h"((unsigned short)bits));
    return x;
}

/* x to nearest, ties to even; the upper 16 bits are 0. */
template <int type> STFK_DEVICE unsigned half_rounded(float x)
{
    unsigned short h;

    if constexpr (type == HALF_BF16) {
        const unsigned b = __float_as_uint(x), size = b & 0x7fffffffu;
        return size > 0x7f800000u ? b >> 16 | 0x40u
                                  : (b + 0x7fffu + (b >> 16 & 1u)) >> 16;
    }
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(h) : "f"(x));
    return h;
}

/* Two numbers in a word. */
template <int type> STFK_DEVICE unsigned half_pair(float low, float high)
{
#if __CUDA_ARCH__ >= 800
    unsigned w;
    if constexpr (type == HALF_BF16)
        asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(w) : "f"(high), "f"(low));
    else
        asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(w) : "f"(high), "f"(low));
    return w;
#else
    return half_rounded<type>(low) | half_rounded<type>(high) << 16;
#endif
}

} // namespace stfk

#endif

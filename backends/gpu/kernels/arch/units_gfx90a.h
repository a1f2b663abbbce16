/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Matrix units of halves of gfx90a and gfx942: products of F16 or BF16 with sums in
 * F32. A word holds two halves, the lower bits the first. gfx90a takes halves below
 * the normal ones for 0. Source: AMD Instinct MI200 and MI300 Instruction Set
 * Architecture, sections on MFMA. */
#ifndef STFK_ARCH_UNITS_GFX90A_H
#define STFK_ARCH_UNITS_GFX90A_H

#include "arch/hip_memory.h"

namespace stfk
{

/* Adds the product of a 16 x 16 and a 16 x 16 matrix. Thread 16 q + g of the 64 of
 * a wave has steps 4 q .. 4 q + 3 of row g of the first and of column g of the
 * second one, and of the sum rows 4 q .. 4 q + 3 of column g. */
template <int type>
STFK_DEVICE void half_multiply(float (&c)[4], const unsigned (&a)[2],
                               const unsigned (&b)[2])
{
    typedef float quad __attribute__((ext_vector_type(4)));
    typedef _Float16 f16s __attribute__((ext_vector_type(4)));
    typedef short bf16s __attribute__((ext_vector_type(4)));
    quad sum = {c[0], c[1], c[2], c[3]};

    if constexpr (type == HALF_BF16)
        sum = __builtin_amdgcn_mfma_f32_16x16x16bf16_1k(
            __builtin_bit_cast(bf16s, a), __builtin_bit_cast(bf16s, b), sum, 0,
            0, 0);
    else
        sum = __builtin_amdgcn_mfma_f32_16x16x16f16(__builtin_bit_cast(f16s, a),
                                                    __builtin_bit_cast(f16s, b),
                                                    sum, 0, 0, 0);
    for (int i = 0; i < 4; i++)
        c[i] = sum[i];
}

/* Two numbers in a word. */
template <int type> STFK_DEVICE unsigned half_pair(float low, float high)
{
    return type == HALF_BF16 ? bf16_pair(low, high) : f16_pair(low, high);
}

} // namespace stfk

#endif

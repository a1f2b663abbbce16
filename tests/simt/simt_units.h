/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The replacement of backends/gpu/kernels/arch/units_sm75.h for emulated
 * kernels: unit.c computes what matrix units do. */
#ifndef STFI_TESTS_SIMT_UNITS_H
#define STFI_TESTS_SIMT_UNITS_H

#include "base/half.h"

namespace stfk
{

enum { HALF_F16 = SIMT_F16, HALF_BF16 = SIMT_BF16 };

template <int type>
STFK_DEVICE void half_multiply(float (&c)[4], unsigned a0, unsigned a1,
                               unsigned b)
{
    const simt_operands x = {{a0, a1, 0, 0}, {b, 0}};

    simt_machine->half_multiply(type, 8, c, &x);
}

template <int type>
STFK_DEVICE void half_multiply(float (&c)[4], const unsigned (&a)[4],
                               const unsigned (&b)[2])
{
    const simt_operands x = {{a[0], a[1], a[2], a[3]}, {b[0], b[1]}};

    simt_machine->half_multiply(type, 16, c, &x);
}

template <bool transposed>
STFK_DEVICE void load_matrices(unsigned (&word)[4], const void *row)
{
    simt_machine->load_matrices(word, row, transposed);
}

STFK_DEVICE unsigned load_half(const unsigned short *p)
{
    return *p;
}

template <int type> STFK_DEVICE float half_widened(unsigned bits)
{
    bits &= 0xffffu;
    return type == HALF_BF16 ? stfi_half_from_bf16(bits)
                             : stfi_half_from_f16(bits);
}

template <int type> STFK_DEVICE unsigned half_rounded(float x)
{
    return type == HALF_BF16 ? stfi_half_to_bf16(x) : stfi_half_to_f16(x);
}

template <int type> STFK_DEVICE unsigned half_pair(float low, float high)
{
    return half_rounded<type>(low) | half_rounded<type>(high) << 16;
}

} // namespace stfk

#endif

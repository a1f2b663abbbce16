/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Rows of halves to and from F32, which the kernels of F32 multiply. */
#ifndef STFI_CPU_GEMM_HALVES_H
#define STFI_CPU_GEMM_HALVES_H

#include "backends/cpu/simd/half_convert.h"

static void widen(stf_precision from, const uint16_t *half, float *wide,
                  int64_t count)
{
    int64_t i = 0;

#if STFI_LANES > 1
    for (; i + W <= count; i += W)
        *(VU *)(wide + i) =
            from == STF_F16 ? load_f16(half + i) : load_bf16(half + i);
#endif
    for (; i < count; i++)
        wide[i] = from == STF_F16 ? stfi_half_from_f16(half[i])
                                  : stfi_half_from_bf16(half[i]);
}

static void narrow(stf_precision to, const float *wide, uint16_t *half,
                   int64_t count)
{
    int64_t i = 0;

#if STFI_LANES > 1
    for (; i + W <= count; i += W)
        if (to == STF_F16)
            store_f16(half + i, loadu(wide + i));
        else
            store_bf16(half + i, loadu(wide + i));
#endif
    for (; i < count; i++)
        half[i] = (uint16_t)(to == STF_F16 ? stfi_half_to_f16(wide[i])
                                           : stfi_half_to_bf16(wide[i]));
}

#endif

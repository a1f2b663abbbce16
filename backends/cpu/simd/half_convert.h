/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Vectors of halves to and from F32: F16 by the processor's own instructions
 * where the instruction set has them for whole vectors, all else by integers. */
#ifndef STFI_SIMD_HALF_CONVERT_H
#define STFI_SIMD_HALF_CONVERT_H

#include "backends/cpu/simd/simd.h"
#include "base/half.h"

#if STFI_LANES > 1
typedef uint32_t VB __attribute__((vector_size(STFI_LANES * 4)));
typedef int32_t VI __attribute__((vector_size(STFI_LANES * 4)));
typedef uint16_t VH
    __attribute__((vector_size(STFI_LANES * 2), aligned(2), may_alias));

#define HALF(name) all_##name
#define BITS VB
#define FLOATS V
#define MASK(b, op, c) ((VB)((VI)(b)op(c)))
#define HALF_INLINE INLINE
#include "base/half_bits.h"

INLINE V load_bf16(const uint16_t *p)
{
    return all_from_bf16(CONVERT(*(const VH *)p, VB));
}

INLINE void store_bf16(uint16_t *p, V v)
{
    *(VH *)p = CONVERT(all_to_bf16(v), VH);
}

#if defined(__AVX512F__) && STFI_LANES == 16
#include <immintrin.h>
INLINE V load_f16(const uint16_t *p)
{
    return (V)_mm512_cvtph_ps(_mm256_loadu_si256((const void *)p));
}

INLINE void store_f16(uint16_t *p, V v)
{
    enum { NEAREST = _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC };

    _mm256_storeu_si256((void *)p, _mm512_cvtps_ph((__m512)v, NEAREST));
}
#elif defined(__F16C__) && STFI_LANES == 8
#include <immintrin.h>
INLINE V load_f16(const uint16_t *p)
{
    return (V)_mm256_cvtph_ps(_mm_loadu_si128((const void *)p));
}

INLINE void store_f16(uint16_t *p, V v)
{
    _mm_storeu_si128((void *)p, _mm256_cvtps_ph((__m256)v, 0));
}
#else
INLINE V load_f16(const uint16_t *p)
{
    return all_from_f16(CONVERT(*(const VH *)p, VB));
}

INLINE void store_f16(uint16_t *p, V v)
{
    *(VH *)p = CONVERT(all_to_f16(v), VH);
}
#endif
#endif

#endif

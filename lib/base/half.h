/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Halves to and from F32, one at a time, inline: stfi_half_from_f16(),
 * stfi_half_to_f16(), stfi_half_from_bf16() and stfi_half_to_bf16(). Thread:
 * any. */
#ifndef STFI_BASE_HALF_H
#define STFI_BASE_HALF_H

#include <stdint.h>
#include <string.h>

#define HALF(name) stfi_half_##name
#define BITS uint32_t
#define FLOATS float
#define MASK(b, op, c) (0u - (uint32_t)((int32_t)(b)op(c)))
#define HALF_INLINE static inline
#include "base/half_bits.h"

#endif

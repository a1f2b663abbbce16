/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* What is asked for before it is used. */
#ifndef STFI_SIMD_PREFETCH_H
#define STFI_SIMD_PREFETCH_H

#include "backends/cpu/simd/stored.h"

/* Brings the lines of `reals` reals from p on nearer: what is written later, or read.
 * Memory that is not there does no harm. */
INLINE void prefetch_lines(const stored *p, int64_t reals, int write)
{
    const int64_t line = 64 / (int64_t)sizeof(stored);

    for (int64_t i = 0; i < reals; i += line) {
        if (write)
            __builtin_prefetch(p + i, 1, 2);
        else
            __builtin_prefetch(p + i, 0, 2);
    }
}

#endif

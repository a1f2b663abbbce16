/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Constants with which kernels divide by multiplication and shift. */
#ifndef STFI_FFT_DIVISOR_H
#define STFI_FFT_DIVISOR_H

#include "backends/gpu/kernels/fft/args.h"

/* The constants for a divisor 0 < d < 2^31. Source: Granlund and Montgomery,
 * PLDI 1994, figure 4.1. */
static inline stfk_divisor stfi_gpu_divisor(long long d)
{
    stfk_divisor div = {0, 0};

    while ((1ull << div.shift) < (unsigned long long)d)
        div.shift++;
    div.mul = (unsigned)(((1ull << 32)
                          * ((1ull << div.shift) - (unsigned long long)d))
                             / (unsigned long long)d
                         + 1);
    return div;
}

#endif

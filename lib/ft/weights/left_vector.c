/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The numbers that left vectors are made of; see left_vector.h. */
#include "ft/weights/left_vector.h"

#include <math.h>

#include "base/random.h"
#include "fft/factor.h"

int stfi_ft_is_optimised(int64_t tile)
{
    return tile <= STFI_FT_LONGEST_OPTIMISED && stfi_factor_direct(tile);
}

float stfi_ft_round_short(float x)
{
    int exponent;
    float step;

    (void)frexpf(x, &exponent);
    step = ldexpf(1, exponent - 8 > -24 ? exponent - 8 : -24);
    return rintf(x / step) * step;
}

float stfi_ft_round_byte(float x)
{
    return fmaxf(-127, fminf(127, rintf(x * 64))) / 64;
}

/* Returns the random number in [0, 1) that has this index. */
static double uniform(uint64_t index)
{
    uint64_t state = index * STFI_RANDOM_STEP;

    return (double)(stfi_random_u64(&state) >> 11) * 0x1p-53;
}

void stfi_ft_draw(int64_t n, uint64_t first, float *e)
{
    for (int64_t k = 0; k < n; k++) {
        double angle =
            2 * 3.14159265358979323846 * uniform(first + (uint64_t)k);
        e[2 * k] = stfi_ft_round_short((float)cos(angle));
        e[2 * k + 1] = stfi_ft_round_short((float)sin(angle));
    }
}

void stfi_ft_random_vector(int64_t n, float *e)
{
    stfi_ft_draw(n, 0, e);
}

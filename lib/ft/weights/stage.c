/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Vectors of single butterflies; see stage.h. */
#include "ft/weights/stage.h"

#include <math.h>

#include "ft/weights/butterfly_network.h"
#include "ft/weights/optimise.h"
#include "math/roots.h"

static void make_row(int radix, stfi_ft_stage *s)
{
    for (int j = 0; j < radix; j++) {
        long double re = 0, im = 0;
        for (int k = 0; k < radix; k++) {
            long double c, d;
            stfi_root_l((uint64_t)(j * k % radix), (uint64_t)radix, &c, &d);
            re += s->e[2 * k] * c - s->e[2 * k + 1] * d;
            im += s->e[2 * k] * d + s->e[2 * k + 1] * c;
        }
        s->row[2 * j] = (double)re;
        s->row[2 * j + 1] = (double)im;
    }
}

stf_status stfi_ft_stage_make(int radix, stfi_ft_stage *stage_p)
{
    stfi_network_shape shape =
        stfi_network_shape_make(STFI_OP_FFT, STFI_CONV_NONE, radix, 1, &radix);
    float e[2 * STFI_FT_LARGEST_RADIX];
    stf_status status = stfi_ft_optimised_vector(&shape, radix, e);

    if (status != STF_OK)
        return status;
    for (int i = 0; i < 2 * radix; i++)
        stage_p->e[i] = (double)e[i];
    make_row(radix, stage_p);
    return STF_OK;
}

double stfi_ft_stage_factor(int radix, int twiddled)
{
    double r = radix;

    return sqrt(r * (1 + log2(r) + (twiddled != 0))) + r;
}

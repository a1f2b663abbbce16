/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Optimised left vectors for tests. */
#ifndef TESTS_FT_OPTIMISED_H
#define TESTS_FT_OPTIMISED_H

#include <string.h>

#include "ft/weights/optimise.h"
#include "tests/tap.h"

/* Makes e for a transform of n points, with a constraint; returns its least
 * weight. */
static inline double make_optimised(const stfi_network_shape *shape, int64_t n,
                                    float *e)
{
    double least = 0;

    memset(e, 0, 2 * (size_t)n * sizeof *e);
    if (stfi_ft_optimised_vector(shape, n, e)
        || stfi_ft_least_weight(shape, n, e, &least))
        tap_diag("%s", stf_error_message());
    return least;
}

#endif

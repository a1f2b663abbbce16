/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Optimised left vectors e: those of which the smallest weight of any value
 * inside a pass is as large as gradient descent makes it. An error of a value
 * whose weight is near 0 would change the output and not the residual; so the
 * least weight bounds what a check inside a pass may miss. Weights are those of
 * butterfly_network.h; doc/abft.md has the least ones, and the times.
 * Thread: any. */
#ifndef STFI_WEIGHTS_OPTIMISE_H
#define STFI_WEIGHTS_OPTIMISE_H

#include <stdint.h>

#include "ft/weights/butterfly_network.h"
#include "ft/weights/left_vector.h"

/* e[2 * n] for a check of so many points: phases. Where the shape has a sign
 * pattern, the first period determines all other elements, and lengths are
 * between 0.8 and 1.2; where its row is real, e is its own mirror image, and
 * lengths are free up to 1.4. Errors: MEMORY. */
stf_status stfi_ft_optimised_vector(const stfi_network_shape *shape,
                                    int64_t points, float *e);

/* The smallest weight of e, of all values on the way. Errors: MEMORY. */
stf_status stfi_ft_least_weight(const stfi_network_shape *shape, int64_t points,
                                const float *e, double *least_p);

#endif

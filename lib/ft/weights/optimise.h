/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Optimised left vectors e: gradient descent makes the smallest weight of all
 * values inside a pass as large as it can. An error of a value whose weight is
 * near 0 would change the output but not the residual; so the least weight
 * bounds which errors a check inside a pass may miss. butterfly_network.h
 * defines the weights; doc/abft.md lists the least weights and the times.
 * Thread: any. */
#ifndef STFI_WEIGHTS_OPTIMISE_H
#define STFI_WEIGHTS_OPTIMISE_H

#include <stdint.h>

#include "ft/weights/butterfly_network.h"
#include "ft/weights/left_vector.h"

/* Makes e, the left vector for a check of `points` points, as re and im of each
 * element. Elements are phases (length 1), except: if the shape has a sign
 * pattern, the first period determines all other elements, and lengths are
 * between 0.8 and 1.2; if its row is real, e is its own mirror image, and
 * lengths are free up to 1.4; if its elements are real or imaginary, lengths are
 * free up to 1.9. Errors: MEMORY. */
stf_status stfi_ft_optimised_vector(const stfi_network_shape *shape,
                                    int64_t points, float *e);

/* Computes the smallest weight, under e, of all values inside the pass. Errors:
 * MEMORY. */
stf_status stfi_ft_least_weight(const stfi_network_shape *shape, int64_t points,
                                const float *e, double *least_p);

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Weights of the reals of a checked pass whose tile holds whole axes of a real
 * to real transform: the residual's sums over elements (ft/instrument.h) as sums
 * over the reals in memory, at their places. Signs, turns, and the half of a
 * spectrum that is not in memory are part of these weights. */
#ifndef STFI_PROTECT_CPU_PLACES_H
#define STFI_PROTECT_CPU_PLACES_H

#include "backends/cpu/cpu_pass.h"

/* Makes cp->load_weights, cp->store_weights and cp->rest, where cp->load_map and
 * cp->store_map are there and lanes are checked. Errors: MEMORY. */
stf_status stfi_cpu_places_make(stfi_cpu_pass *cp, stf_precision precision);

/* Computes the weight of logical real m of a half-complex load of C2R: that of its
 * element in the row, with the element's turn. */
void stfi_cpu_places_weight(const stfi_pass *p, stf_precision precision,
                            int64_t m, long double *re_p, long double *im_p);

/* Computes the weight of element i of a spectrum as R2C stores it, which is the
 * conjugate of twice the product with its turn: the sum is that of w conj(y). */
void stfi_cpu_places_result_weight(const stfi_pass *p, stf_precision precision,
                                   int64_t i, long double *re_p,
                                   long double *im_p);

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Real transforms whose residual is that of the complex one in them, with an e of its
 * own mirror image and a real row r. R2C separates, and C2R joins, elements Z_k and
 * Z_(n-k) of a complex spectrum by E = (Z_k + conj Z_(n-k)) / 2 and W = Z_k - E. In
 * terms of these a pair adds
 *
 *     Re (e_k E) + i Im (e_k W)                                        R2C, times 2
 *     (p Re E + m Re W) + i (m Im E + p Im W),  p, m = r_k +- r_(n-k)  C2R
 *
 * to the residual. So an error of a component of E or of W, which changes two
 * elements, is heard by sqrt(2) Re e_k or Im e_k, or by p or m over sqrt(2). W is a
 * root of unity times the difference of the real spectrum's elements; errors of that
 * are heard by the components of e_k times the root. All these weights are kept away
 * from 0 like those of the network. Thread: any. */
#ifndef STFI_WEIGHTS_NETWORK_FOLD_H
#define STFI_WEIGHTS_NETWORK_FOLD_H

#include "ft/weights/butterfly_network.h"

/* Fills in net->fold: the roots i conj omega_2n^k. These functions do nothing for a
 * network that is not folded. */
void stfi_network_fold_fill(stfi_network *net);

/* Returns the least square of these weights, relative to the value's effect. */
float stfi_network_fold_least(const stfi_network *net);

/* Add the derivatives of their terms of the loss by the conjugates of the last level's
 * values, which are the row (C2R), and of the first one's, which are e (R2C). */
void stfi_network_fold_add_last(const stfi_network *net, float eps,
                                stfi_split_complex slope);
void stfi_network_fold_add_first(const stfi_network *net, float eps,
                                 stfi_split_complex slope);

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The network of butterflies through which a left vector e sees a transform.
 *
 * A transform by decimation in time meets, after the stages that make DFTs of
 * Ns points, values that e weighs by DFTs of M = N / Ns points of every Ns-th
 * element of e. So all weights of all stages are the intermediate values of
 * one FFT of e, whose stages come in the reverse order. An error of such a
 * value changes the residual by |w| / sqrt(M) of what it changes the norm of
 * the output: the site is heard as well as an output if that is 1, and not at
 * all if it is 0.
 *
 * Arithmetic is in float: weights need no more.
 * Thread: any, one per network. */
#ifndef STFI_FT_NETWORK_H
#define STFI_FT_NETWORK_H

#include <stdint.h>

#include "steadfast.h"

enum { STFI_NETWORK_LEVELS = 40 };

/* Split complex numbers. */
typedef struct stfi_split {
    float *re, *im;
} stfi_split;

/* A stage joins `radix` DFTs of m points into one of radix * m. */
typedef struct stfi_network_stage {
    int radix;
    int64_t m;
    stfi_split twiddle; /* [radix - 1][m]: omega_(radix m)^(jm), j > 0 */
    stfi_split root;    /* [radix]: omega_radix^j */
} stfi_network_stage;

typedef struct stfi_network {
    int64_t n;
    int nstages;
    stfi_network_stage stage[STFI_NETWORK_LEVELS];
    stfi_split value[STFI_NETWORK_LEVELS + 1]; /* value[0] is e */
    int64_t m[STFI_NETWORK_LEVELS + 1];        /* points of their DFTs */
    stfi_split slope[2];                       /* for the way back */
    float *memory;
} stfi_network;

/* For a length that is a product of radices (stfi_factor_direct), n >= 1.
 * Errors: MEMORY. */
stf_status stfi_network_create(int64_t n, stfi_network *net_p);
void stfi_network_destroy(stfi_network *net);

/* Fills value[1 ..] from value[0]. */
void stfi_network_forward(stfi_network *net);

/* The smallest |w| / sqrt(M) of all values. */
double stfi_network_least(const stfi_network *net);

/* Of the loss, the sum over all values of (|w|^2 / M + eps)^-2: the derivative
 * by the conjugate of each element of e, in *slope_p (valid until the next
 * call). Needs stfi_network_forward(). */
void stfi_network_backward(stfi_network *net, float eps, stfi_split *slope_p);

#endif

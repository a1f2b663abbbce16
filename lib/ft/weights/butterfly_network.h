/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The network of butterflies of a pass, run from its outputs back to its
 * inputs: it computes with which weight each intermediate value enters the
 * checksum e^T y, and how these weights change with e.
 *
 * A transform by decimation in time meets, after the stages that make DFTs of
 * Ns points, values that e weighs by DFTs of M = N / Ns points of every Ns-th
 * element of e. So all weights of all stages are the intermediate values of
 * one FFT of e, whose stages come in the reverse order. A convolution goes on
 * behind its product: the weights of the transform's results, in reverse order
 * and times the kernel's spectrum, are those of the other transform's. A SPREAD
 * one, which is checked at its product, has e there once more.
 *
 * An error of a value changes the residual by the weight w times the error, and
 * the output by its own norm times another factor, the value's effect: sqrt(M)
 * in a transform; in a convolution, the root mean square of w over random e.
 * The residual hears the value as well as an output if |w| / effect is 1, and
 * not at all if it is 0.
 *
 * Two streams run through the network where one does not tell all:
 *
 *   CONV of a tile u from e, v from conj e, as the inverse transform has it;
 *                  an error is heard by |u|, or by |v|
 *   R2C, C2R, ..   results are not complex-linear in the values: an error d
 *                  changes the residual by u d + conj (v d), and one of a
 *                  component by |u + conj v| or |u - conj v|; here u and v are
 *                  those of values before their twiddles, turned by these
 *
 * Arithmetic is in float: weights need no more. doc/abft.md says what comes of
 * them. Thread: any, one per network. */
#ifndef STFI_WEIGHTS_BUTTERFLY_NETWORK_H
#define STFI_WEIGHTS_BUTTERFLY_NETWORK_H

#include <stdint.h>

#include "fft/schedule.h"

enum { STFI_NETWORK_PRIMES = 40, STFI_NETWORK_STAGES = 2 * 40 + 1 };

/* Complex numbers as an array of real and one of imaginary parts. */
typedef struct stfi_split_complex {
    float *re, *im;
} stfi_split_complex;

/* Which network: what a pass does to its values, and the constraints on its e
 * (constraint.h). All zero: a pass of which nothing is known. Shapes are
 * compared as bytes. */
typedef struct stfi_network_shape {
    stfi_op op; /* FFT, CONV of a tile, R2C, C2R, and those of two */
    stfi_conv conv;
    int64_t tile;   /* elements that go through the stages */
    int64_t period; /* elements of e so far apart differ by their sign
                       pattern alone (sign_pattern.h); 0: each is free */
    int real;       /* 1: e is its own mirror image, so that its row is
                       real (vector_form.h) */
    int nprimes;    /* of the radices, last stage first */
    unsigned char prime[STFI_NETWORK_PRIMES];
} stfi_network_shape;

/* How an element of e enters the streams: u[place[0]] gets factor[0] e,
 * v[place[1]] gets factor[1] conj e. */
typedef struct stfi_network_term {
    int32_t element, place[2];
    float re[2], im[2];
} stfi_network_term;

/* A stage joins `radix` DFTs of m points into one of radix * m. Radix 1 is
 * the product of a convolution. */
typedef struct stfi_network_stage {
    int radix;
    int64_t m;
    stfi_split_complex
        twiddle;             /* [radix - 1][m]: omega_(radix m)^(jm), j > 0 */
    stfi_split_complex root; /* [radix]: omega_radix^j */
} stfi_network_stage;

typedef struct stfi_network {
    stfi_network_shape shape;
    int64_t n, count; /* values of a level, elements of e */
    int nstreams, nstages;
    stfi_network_stage stage[STFI_NETWORK_STAGES];
    stfi_split_complex value[2][STFI_NETWORK_STAGES + 1];
    float *share[STFI_NETWORK_STAGES + 1]; /* 1 / effect^2; 0: no effect */
    int mixed; /* an error is heard by both streams */
    stfi_split_complex
        turn[STFI_NETWORK_STAGES + 1]; /* then, squares of twiddles */
    int64_t nterms;
    stfi_network_term *term;
    stfi_split_complex e, slope;
    stfi_split_complex product; /* [n]: the kernel's spectrum */
    stfi_split_complex back[2]; /* for the way back */
    float *memory;
} stfi_network;

/* The shape of a pass of so many radices, first stage first; of a convolution,
 * those of its second transform, which its first one has in reverse order. A
 * SPREAD whose order is its own reverse has the shape of an FFT. */
stfi_network_shape stfi_network_shape_make(stfi_op op, stfi_conv conv,
                                           int64_t tile, int nradices,
                                           const int *radix);

/* For a check of so many points. Where stfi_network_is_estimated(), effects
 * are still to be found. Errors: MEMORY. */
stf_status stfi_network_create(const stfi_network_shape *shape, int64_t points,
                               stfi_network *net_p);
void stfi_network_destroy(stfi_network *net);

/* Fills all values from e. */
void stfi_network_forward(stfi_network *net);

/* Effects: after the values of each of some random e have been added, their
 * mean square is taken. */
int stfi_network_is_estimated(const stfi_network *net);
void stfi_network_effect_add(stfi_network *net);
void stfi_network_effect_take(stfi_network *net, int count);

/* The smallest weight, relative to its effect, of all values. */
double stfi_network_least_weight(const stfi_network *net);

/* Of the loss, the sum over all weights of (|w / effect|^2 + eps)^-6: the
 * derivative by the conjugate of each element of e, in net->slope. Needs
 * stfi_network_forward(). */
void stfi_network_backward(stfi_network *net, float eps);

#endif

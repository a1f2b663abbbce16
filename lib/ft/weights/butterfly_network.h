/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The network of butterflies of a pass, run from its outputs back to its
 * inputs: it computes with which weight each intermediate value enters the
 * checksum e^T y, and how these weights change with e.
 *
 * A transform by decimation in time meets, after the stages that make DFTs of
 * Ns points, values that e weighs by DFTs of M = N / Ns points of every Ns-th
 * element of e. So all weights of all stages are the intermediate values of one
 * FFT of e, whose stages come in the reverse order. A convolution continues
 * before its product: the weights of its second transform's inputs, in reverse
 * order and times the kernel's spectrum, are the weights of its first
 * transform's results. A SPREAD convolution is checked at its product, so the
 * weights there are e again.
 *
 * A butterfly of an odd prime adds and subtracts inputs x_j and x_(r-j), and makes
 * outputs k and r-k as a sum and a difference. So the network has, besides the
 * weights of values between butterflies, those of these temporaries: its stages
 * of odd primes have three parts, of which the first and the last turn elements
 * j and r-j into their sum and difference, divided by sqrt(2). The butterflies
 * inside a radix of several primes run in the order of the devices, and without
 * twiddles where these need none (radix_steps.h).
 *
 * An error of a value changes the residual by the weight w times the error, and
 * the output by its own norm times another factor, the value's effect: sqrt(M)
 * in a transform; in a convolution, the root mean square of w over random e.
 * The residual reacts to an error of the value as strongly as to one of an
 * output if |w| / effect is 1, and not at all if it is 0.
 *
 * Some operations need two streams u and v of weights through the network:
 *
 *   CONV of a tile u from e, v from conj e, as the inverse transform has it;
 *                  an error is heard by |u|, or by |v|
 *   R2C, C2R, ..   results are not complex-linear in the values: an error d
 *                  changes the residual by u d + conj (v d). Errors are those
 *                  of components: one that enters a butterfly, or is made
 *                  inside, has a known direction, and is heard by |u + conj v|
 *                  or |u - conj v|, where u and v are turned by the twiddles
 *                  that are still to come. Values between butterflies are
 *                  multiplied by twiddles, whose places differ between devices;
 *                  so errors count that have the direction of the least
 *                  change, ||u| - |v||
 *
 *   R2C, C2R of a real row
 *                  the residual is that of the complex transform in the middle
 *                  (network_fold.h): one stream, as in an FFT
 *
 * Arithmetic is in float, which is exact enough for weights. doc/abft.md has
 * the results. Thread: any; one at a time per network. */
#ifndef STFI_WEIGHTS_BUTTERFLY_NETWORK_H
#define STFI_WEIGHTS_BUTTERFLY_NETWORK_H

#include <stdint.h>

#include "fft/schedule.h"
#include "ft/weights/network_stage.h"

/* A tile of an optimised vector has at most 14 prime factors, and two transforms
 * of 3^8 points have the most stages, three for each prime. */
enum { STFI_NETWORK_FACTORS = 40, STFI_NETWORK_STAGES = 2 * 40 + 1 };

/* What determines a network: what a pass does to its values, and the
 * constraints on its e (constraint.h). All zero: a pass whose e is random.
 * Shapes are compared as bytes. */
typedef struct stfi_network_shape {
    stfi_op op; /* FFT, CONV, R2C, C2R, R2C_TWO, C2R_TWO */
    stfi_conv conv;
    int64_t tile;   /* elements that go through the stages */
    int64_t period; /* elements of e that are this far apart differ only by
                       their sign pattern (sign_pattern.h); 0: each element is
                       free */
    int real;       /* 1: e is its own mirror image, so that its row is
                       real (vector_form.h); for R2C and C2R, e is that of the
                       complex transform */
    int axis;       /* 1: each element of e is real or imaginary
                       (constraint.h) */
    int nfactors;   /* number of stages of the network for each transform */
    /* The radices of these in the order of the network, where the last stage of
     * a transform comes first: primes, and radices of several primes; for real
     * data also powers of odd primes. before[]: those of a convolution's first
     * transform; else 0. */
    unsigned char factor[STFI_NETWORK_FACTORS], before[STFI_NETWORK_FACTORS];
    unsigned char
        along[STFI_NETWORK_FACTORS]; /* the axis of each factor, if the
                                                  tile has several; else 0 */
} stfi_network_shape;

/* How an element of e enters the streams: u[place[0]] gets factor[0] e,
 * v[place[1]] gets factor[1] conj e. */
typedef struct stfi_network_term {
    int32_t element, place[2];
    float re[2], im[2];
} stfi_network_term;

typedef struct stfi_network {
    stfi_network_shape shape;
    int64_t n, count; /* n: values of a level; count: elements of e */
    int nstreams, nstages;
    stfi_network_stage stage[STFI_NETWORK_STAGES];
    stfi_split_complex value[2][STFI_NETWORK_STAGES + 1];
    float *share[STFI_NETWORK_STAGES + 1]; /* 1 / effect^2; 0: no effect */
    int mixed; /* 1: both streams together say how an error changes the
                  residual */
    stfi_split_complex
        turn[STFI_NETWORK_STAGES + 1]; /* if mixed: squares of the twiddles */
    int64_t nterms;
    stfi_network_term *term;
    stfi_radix_steps *steps; /* of the factors of the shape */
    stfi_split_complex e, slope;
    stfi_split_complex product; /* [n]: the kernel's spectrum */
    stfi_split_complex fold;    /* [n]: see network_fold.h; of real rows only */
    stfi_split_complex back[2]; /* scratch values of stfi_network_backward() */
} stfi_network;

/* Sets the axes of the factors of an FFT, given those of its stages. */
void stfi_network_shape_set_axes(stfi_network_shape *shape, int nradices,
                                 const int *radix, const unsigned char *axis);

/* Returns the shape of a pass with these radices, first stage first. For a
 * convolution, these are the radices of its second transform; its first
 * transform has them in reverse order. If both transforms of a SPREAD
 * convolution have the same factors, it gets the shape of an FFT. */
stfi_network_shape stfi_network_shape_make(stfi_op op, stfi_conv conv,
                                           int64_t tile, int nradices,
                                           const int *radix);

/* Returns 1 if the residual of a real transform is that of the complex one in it. */
int stfi_network_is_folded(const stfi_network_shape *shape);

/* Returns the derivative of one weight's term of the loss by the squared
 * weight. */
static inline float stfi_network_steepness(float power, float share, float eps)
{
    float q = 1 / (power * share + eps);

    return -6 * share * (q * q * q) * (q * q * q) * q;
}

/* Fills in net->term: how the elements of e enter a network that is being made. */
void stfi_network_enter(stfi_network *net);

/* Makes the network for a check of `points` points. If
 * stfi_network_is_estimated(), the effects must still be found. Errors:
 * MEMORY. */
stf_status stfi_network_create(const stfi_network_shape *shape, int64_t points,
                               stfi_network *net_p);
void stfi_network_destroy(stfi_network *net);

/* Computes the weights of all values from e. */
void stfi_network_forward(stfi_network *net);

/* Estimating effects: stfi_network_effect_add() is called after
 * stfi_network_forward() for each of `count` random e, and
 * stfi_network_effect_take() then takes the mean squares. */
int stfi_network_is_estimated(const stfi_network *net);
void stfi_network_effect_add(stfi_network *net);
void stfi_network_effect_take(stfi_network *net, int count);

/* Returns the smallest weight of all values, relative to the value's effect. */
double stfi_network_least_weight(const stfi_network *net);

/* The loss is the sum over all weights of (|w / effect|^2 + eps)^-6. Computes
 * its derivative by the conjugate of each element of e, into net->slope. Call
 * stfi_network_forward() before. */
void stfi_network_backward(stfi_network *net, float eps);

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* How the butterfly of a radix is made of butterflies of primes, as the network
 * of weights runs it: from its outputs to its inputs. Butterflies of all devices
 * work in the same way (butterfly.h of the CPU and of the GPU's kernels):
 *
 *   - A radix that is divided by several primes is a grid, without twiddles. The
 *     butterflies of the smallest prime, or of its power, run first in a
 *     transform, so they come last in the network. Input n = B a + A b of radix
 *     A B is element (a, b), output k is element (k mod A, k mod B).
 *   - The power of a prime is made of butterflies of the prime, with twiddles in
 *     between. A radix that is such a power needs no steps of its own: stages of
 *     the prime have the same values.
 *
 * The radix has one row for each of its points. A butterfly replaces the rows
 * that it takes. Thread: any. */
#ifndef STFI_WEIGHTS_RADIX_STEPS_H
#define STFI_WEIGHTS_RADIX_STEPS_H

enum { STFI_MOST_ROWS = 64, STFI_MOST_STEPS = 6 };

typedef struct stfi_radix_step {
    int prime;
    unsigned char row[STFI_MOST_ROWS]; /* butterfly g takes prime rows, from
                                          row[g prime] on */
    unsigned char exponent[STFI_MOST_ROWS]; /* before, row i is multiplied by
                                               omega_radix^exponent[i] */
} stfi_radix_step;

typedef struct stfi_radix_steps {
    int radix, count;
    stfi_radix_step step[STFI_MOST_STEPS];
    unsigned char place[STFI_MOST_ROWS]; /* which result each row is at the
                                            end */
} stfi_radix_steps;

/* Returns the steps of a radix from 2 to STFI_MOST_ROWS - 1. */
stfi_radix_steps stfi_radix_steps_of(int radix);

/* Splits a radix into equal factors that each have a stage of the network.
 * Returns their number: 1 if the radix is divided by several primes, 0 for radix
 * 1, else the exponent of its prime, which *factor_p then is. */
int stfi_radix_factor(int radix, int *factor_p);

#endif

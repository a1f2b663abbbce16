/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The stages of a network of butterflies (butterfly_network.h). Thread: any. */
#ifndef STFI_WEIGHTS_NETWORK_STAGE_H
#define STFI_WEIGHTS_NETWORK_STAGE_H

#include <stdint.h>

#include "ft/weights/radix_steps.h"

/* Complex numbers as an array of real and one of imaginary parts. */
typedef struct stfi_split_complex {
    float *re, *im;
} stfi_split_complex;

/* What a stage does. DFTs of m points are joined into DFTs of radix * m, by the
 * steps of the radix. A step of prime 2 is one stage, that of an odd prime is
 * three. */
typedef enum stfi_network_step {
    STFI_STEP_TWO,    /* butterflies of prime 2 */
    STFI_STEP_PAIR,   /* sums and differences of rows j, prime - j */
    STFI_STEP_CORE,   /* products with cosines and sines */
    STFI_STEP_UNPAIR, /* sums and differences of rows */
    STFI_STEP_PRODUCT /* the product of a convolution */
} stfi_network_step;

/* Values between stages are [radix][count][m]: a row is what comes from one of
 * the DFTs to be joined, for all `count` joins. The last stage of a radix puts
 * its results in the order [count][radix][m]: `count` DFTs. */
typedef struct stfi_network_stage {
    stfi_network_step step;
    int64_t count, m;
    const stfi_radix_steps *steps; /* of the radix; not for PRODUCT */
    int number;                    /* of the step among these */
    int factor;                    /* which of the network's factors it is of */
    int begins, ends;              /* 1: first, or last, stage of the radix */
    stfi_split_complex twiddle;
    stfi_split_complex root; /* [prime]: omega_prime^j; CORE only */
} stfi_network_stage;

/* Return the radix and the prime of a stage; 1 for PRODUCT. */
int stfi_stage_radix(const stfi_network_stage *s);
int stfi_stage_prime(const stfi_network_stage *s);

/* Returns 1 if twiddles follow a stage: it ends a radix, or a step before one of
 * the same prime. */
int stfi_stage_is_before_twiddles(const stfi_network_stage *s);

/* For a row of what a stage makes: returns 1 if it is the sum of a pair of rows,
 * -1 if it is the difference, and 0 else. *row_p becomes the pair's other row. */
int stfi_stage_pair(const stfi_network_stage *s, int *row_p);

/* Return the numbers of twiddles and of roots that a stage has. */
int64_t stfi_stage_twiddles(const stfi_network_stage *s);
int64_t stfi_stage_roots(const stfi_network_stage *s);

/* Fills in twiddles and roots. factor, axis: all factors of the network in its order,
 * and the axis of each, or NULL if there is one axis. Twiddles are those of the stage's
 * own axis. */
void stfi_stage_fill(const stfi_network_stage *s, const unsigned char *factor,
                     const unsigned char *axis);

/* Computes all values after a stage, which is not PRODUCT, from those before
 * it. */
void stfi_stage_join(const stfi_network_stage *s, stfi_split_complex from,
                     stfi_split_complex to);

/* The adjoint of stfi_stage_join(): from what it makes to what it takes.
 * Overwrites `from`. */
void stfi_stage_part(const stfi_network_stage *s, stfi_split_complex from,
                     stfi_split_complex to);

/* Array operations that the network needs, too. */
static inline stfi_split_complex stfi_split_at(stfi_split_complex s,
                                               int64_t offset)
{
    return (stfi_split_complex){s.re + offset, s.im + offset};
}

void stfi_split_clear(stfi_split_complex s, int64_t count);

#endif

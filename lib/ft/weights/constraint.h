/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Constraints on a left vector that is optimised: which of its elements are
 * free, and how these determine the others. The shape of a pass says which
 * constraint its vector has:
 *
 *   none           all elements are free
 *   period > 0     a sign pattern (sign_pattern.h); the first period is free
 *   real           e is its own mirror image, e[n - k] = conj e[k], and its row
 *                  is real. The first half of e is free
 *   axis           e is real, so that each element of an output takes one
 *                  product per component instead of two. Its row has
 *                  r[n - k] = conj r[k]
 *   axis and real  each element is real or imaginary. e is its own mirror image
 *                  except at n/4 and 3n/4, where it is real. For powers of two
 *
 * In the last form, let t(k) be the number of ones among the binary digits of k
 * or of n - k, whichever number is smaller. Elements with odd t(k) are
 * imaginary, except at n/4 and n/2. Without the two elements that are no mirror
 * images, e[n/4] and e[3n/4] would be equal, and their difference, a weight,
 * would be 0. They make the row complex, but only by a constant: with g = e[3n/4]
 * - e[n/4],
 *
 *     Im r[j] = 0, g, 0, -g    for j = 0, 1, 2, 3 modulo 4.
 *
 * Thread: any. */
#ifndef STFI_WEIGHTS_CONSTRAINT_H
#define STFI_WEIGHTS_CONSTRAINT_H

#include "ft/weights/butterfly_network.h"

typedef struct stfi_ft_constraint {
    int64_t free, count;   /* with a sign pattern or without a constraint: the
                              first `free` elements determine all */
    const char *pattern;   /* a sign pattern, or NULL */
    int mirrored, axis;    /* `real` and `axis` of the shape */
    int paired;            /* 1: element 2k + 1 starts as i times element 2k */
    float length;          /* length of the free elements which makes the mean
                              square of all elements 1 */
    float longest;         /* the largest length of an element whose length may
                              change: if mirrored or axis is 1 */
    float (*round)(float); /* rounds a component to a number that e may
                              contain */
} stfi_ft_constraint;

/* Returns the constraint on an e of `count` elements. */
stfi_ft_constraint stfi_ft_constraint_of(const stfi_network_shape *shape,
                                         int64_t count);

/* Returns the element that is the conjugate of element k of a mirrored vector,
 * or k if there is no other one. */
int64_t stfi_ft_image(const stfi_ft_constraint *c, int64_t k);

/* Return 1 if element k may have a real part, or an imaginary one. */
int stfi_ft_may_be_real(const stfi_ft_constraint *c, int64_t k);
int stfi_ft_may_be_imaginary(const stfi_ft_constraint *c, int64_t k);

/* Computes the elements that are not free from those that are. */
void stfi_ft_constrain(const stfi_ft_constraint *c, stfi_split_complex e);

/* Makes the start of a descent from the random phases in e, so that it obeys
 * the constraint. */
void stfi_ft_constrain_start(const stfi_ft_constraint *c, stfi_split_complex e);

/* Rounds the free elements, and computes the others from them. */
void stfi_ft_constrain_rounded(const stfi_ft_constraint *c,
                               stfi_split_complex e);

#endif

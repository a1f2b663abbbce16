/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Constraints on a left vector that is optimised: which of its elements are
 * free, and how these determine the others. Without a constraint, all elements
 * are free; with a sign pattern (sign_pattern.h), those of the first period; if
 * the vector is its own mirror image, those of the first half. Thread: any. */
#ifndef STFI_WEIGHTS_CONSTRAINT_H
#define STFI_WEIGHTS_CONSTRAINT_H

#include "ft/weights/butterfly_network.h"

typedef struct stfi_ft_constraint {
    int64_t free, count;   /* the first `free` elements determine all */
    const char *pattern;   /* a sign pattern, or NULL */
    int mirrored;          /* 1: e[count - k] is conj e[k] */
    float length;          /* length of the free elements which makes the mean
                              square of all elements 1 */
    float (*round)(float); /* rounds a component to a number that e may
                              contain */
} stfi_ft_constraint;

/* Returns the constraint on an e of `count` elements. */
stfi_ft_constraint stfi_ft_constraint_of(const stfi_network_shape *shape,
                                         int64_t count);

/* Returns 1 if element k of a mirrored vector is its own mirror image, and
 * therefore real. */
int stfi_ft_is_own_image(const stfi_ft_constraint *c, int64_t k);

/* Computes the elements that are not free from those that are. */
void stfi_ft_constrain(const stfi_ft_constraint *c, stfi_split_complex e);

/* Makes the start of a descent from the random phases in e, so that it obeys
 * the constraint. */
void stfi_ft_constrain_start(const stfi_ft_constraint *c, stfi_split_complex e);

/* Rounds the free elements, and computes the others from them. */
void stfi_ft_constrain_rounded(const stfi_ft_constraint *c,
                               stfi_split_complex e);

#endif

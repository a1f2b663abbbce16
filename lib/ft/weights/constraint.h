/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Constraints on a left vector that is optimised: which of its elements are
 * free, and how these determine the others. Without a constraint all are free;
 * with a sign pattern the first period is (sign_pattern.h); of a vector that
 * is its own mirror image the first half is. Thread: any. */
#ifndef STFI_WEIGHTS_CONSTRAINT_H
#define STFI_WEIGHTS_CONSTRAINT_H

#include "ft/weights/butterfly_network.h"

typedef struct stfi_ft_constraint {
    int64_t free, count;   /* the first `free` elements determine all */
    const char *pattern;   /* a sign pattern, or NULL */
    int mirrored;          /* 1: e[count - k] is conj e[k] */
    float length;          /* of free elements, so that the mean square is 1 */
    float (*round)(float); /* to the numbers that components may be */
} stfi_ft_constraint;

/* That of an e of so many elements. */
stfi_ft_constraint stfi_ft_constraint_of(const stfi_network_shape *shape,
                                         int64_t count);

/* 1 if element k of a mirrored vector is its own mirror image: it is real. */
int stfi_ft_is_own_image(const stfi_ft_constraint *c, int64_t k);

/* Fills in the elements that are not free. */
void stfi_ft_constrain(const stfi_ft_constraint *c, stfi_split_complex e);

/* Makes a start of random phases, given in e. */
void stfi_ft_constrain_start(const stfi_ft_constraint *c, stfi_split_complex e);

/* Rounds the free elements, and fills in the others. */
void stfi_ft_constrain_rounded(const stfi_ft_constraint *c,
                               stfi_split_complex e);

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Constraints on optimised vectors; see constraint.h. */
#include "ft/weights/constraint.h"

#include <math.h>

#include "ft/weights/left_vector.h"
#include "ft/weights/sign_pattern.h"

stfi_ft_constraint stfi_ft_constraint_of(const stfi_network_shape *shape,
                                         int64_t count)
{
    stfi_ft_constraint c = {
        .free = count,
        .count = count,
        .mirrored = shape->real,
        .length = 1,
        .round =
            shape->op == STFI_OP_FFT ? stfi_ft_round_byte : stfi_ft_round_short,
    };
    int64_t squares = 0, n = shape->period > 0 ? count / shape->period : 0;

    if (c.mirrored)
        c.free = count / 2 + 1;
    if (n == 0)
        return c;
    c.free = shape->period;
    c.pattern = stfi_ft_sign_pattern(n);
    for (int64_t i = 0; i < n; i++) {
        stfi_ft_unit g = stfi_ft_sign_pattern_unit(c.pattern[i]);
        squares += g.re * g.re + g.im * g.im;
    }
    c.length = sqrtf((float)n / (float)squares);
    return c;
}

int stfi_ft_is_own_image(const stfi_ft_constraint *c, int64_t k)
{
    return k == 0 || 2 * k == c->count;
}

static void mirror(const stfi_ft_constraint *c, stfi_split_complex e)
{
    for (int64_t k = 0; k < c->free; k++) {
        if (stfi_ft_is_own_image(c, k)) {
            e.im[k] = 0;
            continue;
        }
        e.re[c->count - k] = e.re[k];
        e.im[c->count - k] = -e.im[k];
    }
}

void stfi_ft_constrain(const stfi_ft_constraint *c, stfi_split_complex e)
{
    if (c->mirrored) {
        mirror(c, e);
        return;
    }
    for (int64_t k = c->free; k < c->count; k++) {
        stfi_ft_unit g = stfi_ft_sign_pattern_unit(c->pattern[k / c->free]);
        float re = e.re[k % c->free], im = e.im[k % c->free];
        e.re[k] = (float)g.re * re - (float)g.im * im;
        e.im[k] = (float)g.re * im + (float)g.im * re;
    }
}

/* The two real elements of a mirrored vector get different lengths: if both had
 * length 1, their sum or their difference would be 0, and so would a weight. */
void stfi_ft_constrain_start(const stfi_ft_constraint *c, stfi_split_complex e)
{
    if (c->mirrored) {
        e.re[0] = 1.3f;
        if (c->count % 2 == 0)
            e.re[c->count / 2] = 0.55f;
    }
    for (int64_t k = 0; k < c->free; k++) {
        e.re[k] *= c->length;
        e.im[k] *= c->length;
    }
    stfi_ft_constrain(c, e);
}

void stfi_ft_constrain_rounded(const stfi_ft_constraint *c,
                               stfi_split_complex e)
{
    for (int64_t k = 0; k < c->free; k++) {
        e.re[k] = c->round(e.re[k]);
        e.im[k] = c->round(e.im[k]);
    }
    stfi_ft_constrain(c, e);
}

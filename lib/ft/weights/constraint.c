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
        .axis = shape->axis,
        .paired = shape->op == STFI_OP_C2R && !shape->real,
        .length = 1,
        .longest = shape->axis ? 1.9f : 1.4f,
        .round =
            shape->op == STFI_OP_FFT ? stfi_ft_round_byte : stfi_ft_round_short,
    };
    int64_t squares = 0, n = shape->period > 0 ? count / shape->period : 0;

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

int64_t stfi_ft_image(const stfi_ft_constraint *c, int64_t k)
{
    int is_quarter = 4 * k == c->count || 4 * k == 3 * c->count;

    if (!c->mirrored || k == 0 || 2 * k == c->count || (c->axis && is_quarter))
        return k;
    return c->count - k;
}

/* Returns 1 if an odd number of k's binary digits are ones. */
static int is_odd(int64_t k)
{
    int odd = 0;

    for (; k > 0; k &= k - 1)
        odd = !odd;
    return odd;
}

static int is_imaginary(const stfi_ft_constraint *c, int64_t k)
{
    int64_t image = stfi_ft_image(c, k);

    return image != k && is_odd(k < image ? k : image);
}

int stfi_ft_may_be_real(const stfi_ft_constraint *c, int64_t k)
{
    return !c->axis || !is_imaginary(c, k);
}

int stfi_ft_may_be_imaginary(const stfi_ft_constraint *c, int64_t k)
{
    if (c->axis)
        return is_imaginary(c, k);
    return !c->mirrored || stfi_ft_image(c, k) != k;
}

static void constrain_parts(const stfi_ft_constraint *c, stfi_split_complex e)
{
    for (int64_t k = 0; k < c->count; k++) {
        int64_t image = stfi_ft_image(c, k);
        if (!stfi_ft_may_be_real(c, k))
            e.re[k] = 0;
        if (!stfi_ft_may_be_imaginary(c, k))
            e.im[k] = 0;
        if (image > k) {
            e.re[image] = e.re[k];
            e.im[image] = -e.im[k];
        }
    }
}

static void constrain_pattern(const stfi_ft_constraint *c, stfi_split_complex e)
{
    for (int64_t k = c->free; k < c->count; k++) {
        stfi_ft_unit g = stfi_ft_sign_pattern_unit(c->pattern[k / c->free]);
        float re = e.re[k % c->free], im = e.im[k % c->free];
        e.re[k] = (float)g.re * re - (float)g.im * im;
        e.im[k] = (float)g.re * im + (float)g.im * re;
    }
}

void stfi_ft_constrain(const stfi_ft_constraint *c, stfi_split_complex e)
{
    if (c->mirrored || c->axis)
        constrain_parts(c, e);
    else
        constrain_pattern(c, e);
}

/* Makes a phase a real or imaginary number of length 0.75 to 1.25. */
static void start_axis(const stfi_ft_constraint *c, stfi_split_complex e)
{
    for (int64_t k = 0; k < c->count; k++) {
        float length = copysignf(0.75f + 0.5f * fabsf(e.im[k]), e.re[k]);
        e.re[k] = stfi_ft_may_be_real(c, k) ? length : 0;
        e.im[k] = stfi_ft_may_be_real(c, k) ? 0 : length;
    }
}

/* Elements of a mirrored vector that are their own images are real. Two of them
 * get different lengths: if both had length 1, their sum or their difference
 * would be 0, and so would a weight. */
static void start_mirrored(const stfi_ft_constraint *c, stfi_split_complex e)
{
    e.re[0] = 1.3f;
    if (c->count % 2 == 0)
        e.re[c->count / 2] = 0.55f;
}

/* Outputs 2k and 2k + 1 of a C2R are the components of one complex number. If
 * their elements of e differ by the factor i, the sum is complex-linear in it,
 * and an error counts alike in all directions. */
static void start_paired(const stfi_ft_constraint *c, stfi_split_complex e)
{
    for (int64_t k = 0; k + 1 < c->count; k += 2) {
        e.re[k + 1] = -e.im[k];
        e.im[k + 1] = e.re[k];
    }
}

void stfi_ft_constrain_start(const stfi_ft_constraint *c, stfi_split_complex e)
{
    if (c->axis)
        start_axis(c, e);
    if (c->mirrored)
        start_mirrored(c, e);
    if (c->paired)
        start_paired(c, e);
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

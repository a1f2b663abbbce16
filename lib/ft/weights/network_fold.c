/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The weights of what joins and separates half spectra; see network_fold.h. */
#include "ft/weights/network_fold.h"

#include <math.h>

#include "math/roots.h"

enum { KINDS = 4 }; /* two components of two values */

static int is_of(const stfi_network *net, stfi_op op)
{
    return stfi_network_is_folded(&net->shape) && net->shape.op == op;
}

/* Pairs k, n - k of different elements are those of 0 < k < pairs_end(). */
static int64_t pairs_end(const stfi_network *net)
{
    return (net->n + 1) / 2;
}

void stfi_network_fold_fill(stfi_network *net)
{
    if (!stfi_network_is_folded(&net->shape))
        return;
    for (int64_t k = 0; k < net->n; k++) {
        long double re, im;
        stfi_root_l((uint64_t)k, 2 * (uint64_t)net->n, &re, &im);
        net->fold.re[k] = (float)im;
        net->fold.im[k] = (float)re;
    }
}

/* The directions of which an e_k of R2C must have a part. */
typedef struct directions {
    float re[KINDS], im[KINDS];
} directions;

static directions directions_of(const stfi_network *net, int64_t k)
{
    float s = net->fold.re[k], c = net->fold.im[k];

    return (directions){.re = {1, 0, c, s}, .im = {0, 1, s, -c}};
}

static float part_of(const stfi_network *net, const directions *d, int i,
                     int64_t k)
{
    stfi_split_complex e = net->value[0][0];

    return d->re[i] * e.re[k] + d->im[i] * e.im[k];
}

void stfi_network_fold_add_first(const stfi_network *net, float eps,
                                 stfi_split_complex slope)
{
    if (!is_of(net, STFI_OP_R2C))
        return;
    for (int64_t k = 1; k < pairs_end(net); k++) {
        directions d = directions_of(net, k);
        for (int i = 0; i < KINDS; i++) {
            float part = part_of(net, &d, i, k);
            float by = 2 * part
                       * stfi_network_steepness(2 * part * part,
                                                net->share[0][k], eps);
            slope.re[k] += by * d.re[i];
            slope.im[k] += by * d.im[i];
        }
    }
}

/* p / sqrt(2) (sign = 1), or m / sqrt(2) (sign = -1), whose imaginary part is 0 but for
 * rounding. */
static float joint(stfi_split_complex r, int64_t k, int64_t mirror, float sign)
{
    return 0.70710678f * (r.re[k] + sign * r.re[mirror]);
}

void stfi_network_fold_add_last(const stfi_network *net, float eps,
                                stfi_split_complex slope)
{
    stfi_split_complex r = net->value[0][net->nstages];

    if (!is_of(net, STFI_OP_C2R))
        return;
    for (int64_t k = 1; k < pairs_end(net); k++)
        for (float sign = 1; sign >= -1; sign -= 2) {
            float w = joint(r, k, net->n - k, sign);
            float by = 0.70710678f * w
                       * stfi_network_steepness(
                           w * w, net->share[net->nstages][k], eps);
            slope.re[k] += by;
            slope.re[net->n - k] += sign * by;
        }
}

float stfi_network_fold_least(const stfi_network *net)
{
    stfi_split_complex r = net->value[0][net->nstages];
    float least = INFINITY;

    for (int64_t k = 1; k < pairs_end(net); k++) {
        if (is_of(net, STFI_OP_C2R)) {
            float p = joint(r, k, net->n - k, 1),
                  m = joint(r, k, net->n - k, -1);
            least =
                fminf(least, fminf(p * p, m * m) * net->share[net->nstages][k]);
            continue;
        }
        directions d = directions_of(net, k);
        for (int i = 0; i < KINDS; i++) {
            float part = part_of(net, &d, i, k);
            least = fminf(least, 2 * part * part * net->share[0][k]);
        }
    }
    return least;
}

/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Problems drawn at random; see random_problem.h. */
#include "tools/command/random_problem.h"

#include <math.h>

#include "math/numth.h"

/* A number of [0, 1). */
static double uniform(uint64_t *state)
{
    return (double)(stfi_random_u64(state) >> 11) * 0x1p-53;
}

/* 1 with a probability of one in `of`. */
static int one_in(int of, uint64_t *state)
{
    return stfi_random_u64(state) % (uint64_t)of == 0;
}

/* The largest length up to `limit`, at least 2, that is prime or smooth. */
static int64_t length_below(double limit, int prime)
{
    uint64_t n = limit > 2.0 ? (uint64_t)limit : 2;

    while (n > 2 && !(prime ? stfi_is_prime(n) : stfi_largest_prime(n) <= 13))
        n--;
    return (int64_t)n;
}

/* Each axis takes a random share of what the axes after it leave, so that
 * arrays are flat and cubic alike. */
static void draw_shape(const stfi_draw *draw, uint64_t *state, stf_fft_desc *d)
{
    static const int ranks[] = {1, 1, 1, 2, 3};
    int prime;
    double bits;

    d->rank = ranks[stfi_random_u64(state) % 5];
    prime = one_in(10, state);
    bits = d->rank + (log2(draw->points) - d->rank) * uniform(state);
    for (int a = 0; a < d->rank; a++) {
        int left = d->rank - a;
        double share = left == 1 ? 1.0 : (0.5 + uniform(state)) / (double)left;

        d->n[a] = length_below(exp2(share * bits), prime);
        bits -= log2((double)d->n[a]);
    }
}

stfi_problem stfi_random_problem(const stfi_draw *draw, uint64_t *state)
{
    static const stf_kind kinds[] = {STF_C2C, STF_C2C, STF_R2C, STF_C2R};
    static const stf_precision precisions[] = {STF_F32, STF_F64};
    stfi_problem p = draw->like;
    /* Each number is drawn whether it is needed or not, so that a seed has the
     * same shapes whatever the options say. */
    stf_kind kind = kinds[stfi_random_u64(state) % 4];
    stf_precision precision = precisions[stfi_random_u64(state) % 2];
    int in_place = one_in(3, state);

    if (draw->any_kind)
        p.desc.kind = kind;
    if (draw->any_precision)
        p.desc.precision = precision;
    p.in_place = p.in_place || in_place;
    p.desc.batch = one_in(5, state) ? 1 : 0;
    draw_shape(draw, state, &p.desc);
    return p;
}

const char *stfi_random_group(const stf_fft_desc *d)
{
    double points = 1.0;

    for (int a = 0; a < d->rank; a++)
        points *= (double)d->n[a];
    return d->batch > 1                      ? "random-batches"
           : d->rank > 1 && points >= 0x1p18 ? "random-arrays"
           : points <= 0x1p16                ? "random-short"
                                             : "random-single";
}

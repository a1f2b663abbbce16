/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Checks of packed transforms as a whole; see whole.h. */
#include "ft/whole.h"

#include <math.h>
#include <string.h>

#include "base/type.h"
#include "fft/desc.h"

/* The pass that transforms an axis and nothing else, or NULL. Passes go from the
 * last axis to the first. */
static const stfi_pass *pass_of(const stf_fft_desc *full,
                                const stfi_schedule *s, int axis)
{
    const stfi_pass *p = &s->pass[full->rank - 1 - axis];

    return full->kind == STF_C2C && s->npasses == full->rank
                   && p->check.kind == STFI_CHECK_LANE
                   && p->check.points == full->n[axis] && p->twiddle.order == 0
               ? p
               : NULL;
}

/* The key of a pass, or of one butterfly of its length. */
static stfi_ft_key key_of_pass(const stfi_pass *p, stfi_ft_whole how,
                               stf_precision sums)
{
    stfi_pass once;

    if (how != STFI_WHOLE_AXES || p->n > STFI_WHOLE_AT_ONCE)
        return stfi_ft_key_pass(p, sums);
    once = *p;
    once.nstages = 1;
    once.radix[0] = (int)p->n;
    return stfi_ft_key_pass(&once, sums);
}

static stfi_ft_key key_of(const stf_fft_desc *full, const stfi_schedule *s,
                          stfi_ft_whole how, int axis)
{
    const stfi_pass *p = pass_of(full, s, axis);
    stf_precision sums = stfi_type_get(full->precision)->sums;
    int half = full->kind == STF_R2C && axis == full->rank - 1;
    stfi_ft_key key;

    if (p != NULL)
        return key_of_pass(p, how, sums);
    if (stfi_kind_is_r2r(full->kind))
        return stfi_ft_key_real(full->n[axis], full->kinds[axis], sums);
    key = stfi_ft_key_whole(full->n[axis], half, sums);
    memset(&key.shape, 0, sizeof key.shape);
    return key;
}

/* What the roundings of sums by vectors add to the depth; see
 * ft/instrument.c. */
static double depth_of_sums(const stf_fft_desc *full)
{
    double points = 1, chain;

    for (int a = 0; a < full->rank; a++)
        points *= (double)full->n[a];
    chain = points < STFI_FT_CHAIN ? points : STFI_FT_CHAIN;
    return sqrt(chain) * chain / points;
}

stf_status stfi_ft_whole_open(stfi_ft_cache *cache, const stf_fft_desc *full,
                              const stfi_schedule *s, stfi_ft_whole how,
                              stf_direction direction, int second,
                              stfi_ft_offline *check_p)
{
    stfi_ft_key key[STF_MAX_RANK];
    double depth = 1 + stfi_ft_depth(full);
    stf_status status;

    for (int a = 0; a < full->rank; a++) {
        key[a] = key_of(full, s, how, a);
        key[a].second = second;
    }
    status =
        stfi_ft_offline_open_by(cache, full, direction, key, NULL, check_p);
    if (status == STF_OK && full->ft.threshold <= 0)
        check_p->bound.slope *= sqrt((depth + depth_of_sums(full)) / depth);
    return status;
}

int64_t stfi_ft_reals(const stfi_ft_side *side)
{
    return side->n[0] * side->below[0] * side->parts;
}

/* LONG: what first-level caches hold no weights of, beside the data. A line of LINE
 * reals takes much longer than what is done once for it. */
int stfi_ft_line_axis(const stfi_ft_side *side)
{
    enum { LONG = 1 << 14, LINE = 1 << 8 };
    int axis = side->rank - 1;

    if (side->halved > 0 || stfi_ft_reals(side) < LONG)
        return 0;
    while (axis > 0 && side->n[axis] * side->below[axis] * side->parts < LINE)
        axis--;
    return axis;
}

stfi_ft_side stfi_ft_axes(const stfi_ft_side *side, int first, int end)
{
    stfi_ft_side s = *side;

    s.rank = end - first;
    for (int a = 0; a < s.rank; a++) {
        s.n[a] = side->n[first + a];
        s.below[a] = side->below[first + a] / side->below[end - 1];
        s.weight[a] = side->weight[first + a];
        s.period[a] = side->period[first + a];
    }
    return s;
}

/* The reals of the weights of a side, of which only the extents are looked at. */
static int64_t weights_of_side(const stfi_ft_side *side)
{
    const int axis = stfi_ft_line_axis(side);
    int64_t line = side->n[axis] * side->below[axis] * side->parts;

    return line + (axis > 0 ? 2 * stfi_ft_reals(side) / line : 0);
}

int stfi_ft_whole_suits(const stf_fft_desc *full)
{
    enum { MOST = 1 << 21 };

    for (int output = 0; output < 2; output++) {
        const stfi_ft_side s = stfi_ft_side_extents(full, output);
        if (weights_of_side(&s) > MOST)
            return 0;
    }
    return 1;
}

/* The weight of element i, or with `back` that of element -i. */
static void weight_at(const stfi_ft_side *side, stf_precision sums, int64_t i,
                      int back, long double *re_p, long double *im_p)
{
    long double re = 1, im = 0;

    for (int a = side->rank - 1; a >= 0; a--) {
        int64_t k = a > 0 ? i % side->n[a] : i;
        long double r, m, before = re;
        if (a > 0)
            i /= side->n[a];
        if (side->reversed != back)
            k = side->period[a] - k;
        r = stfi_type_read(sums, side->weight[a], 2 * k);
        m = stfi_type_read(sums, side->weight[a], 2 * k + 1);
        re = before * r - im * m;
        im = before * m + im * r;
    }
    *re_p = re;
    *im_p = im;
}

void stfi_ft_weights_of(const stfi_ft_side *side, stf_precision precision,
                        int64_t i, long double weight[2][2])
{
    const stf_precision sums = stfi_type_get(precision)->sums;
    long double re, im, other_re = 0, other_im = 0, half = 1;

    weight_at(side, sums, i, 0, &re, &im);
    if (side->halved > 0) {
        int64_t k = i % side->n[side->rank - 1];
        half = k == 0 || 2 * k == side->halved ? 0.5L : 1.0L;
        weight_at(side, sums, i, 1, &other_re, &other_im);
    }
    weight[0][0] = half * (re + other_re);
    weight[0][1] = half * (other_im - im);
    weight[1][0] = half * (im + other_im);
    weight[1][1] = half * (re - other_re);
}

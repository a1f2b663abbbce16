/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Checks of many finished transforms at once; see offline.h. What is done for
 * each transform is little, because short ones take as few nanoseconds. */
#include <math.h>

#include "ft/offline.h"

/* Between these slopes of bounds, squares of residuals near the threshold neither
 * overflow nor vanish. */
static const long double least_slope = 1e-20L, most_slope = 1e10L;

static int has_many(const stfi_ft_offline *check, const stfi_ft_side *s)
{
    return s->rank == 1 && s->rows != NULL && s->halved == 0
           && s->stride[0] == s->parts && s->n[0] <= check->summer->most_many;
}

int stfi_ft_offline_is_many(const stfi_ft_offline *check)
{
    return check->bound.slope > least_slope && check->bound.slope < most_slope
           && has_many(check, &check->in) && has_many(check, &check->out);
}

void stfi_ft_offline_many(const stfi_ft_offline *check, int output,
                          const void *x, int64_t apart, int64_t count,
                          stfi_ft_total *totals)
{
    const stfi_ft_side *s = output ? &check->out : &check->in;
    int wide = check->summer == &stfi_ft_sum_f64;
    int64_t bytes = wide ? sizeof(double) : sizeof(float);
    int form = (s->parts == 2 ? STFI_FT_ROW_COMPLEX : 0)
               | (s->reversed ? STFI_FT_ROW_BACKWARDS : 0)
               | (s->powerless ? 0 : STFI_FT_ROW_POWER);
    const char *w = s->weight[0];

    if (s->reversed)
        w += 2 * s->period[0] * bytes;
    s->rows->many[form](x, w, s->n[0], apart / bytes, count, totals);
}

int stfi_ft_offline_are_usual(const stfi_ft_offline *check,
                              const stfi_ft_total *in, int64_t count)
{
    double least = (double)((long double)check->in.n[0] * check->summer->least);
    double most = (double)check->summer->most;
    int usual = 1;

    for (int64_t t = 0; t < count; t++)
        usual &= in[t].power > least && in[t].power < most;
    return usual;
}

stfi_ft_group stfi_ft_offline_group(const stfi_ft_offline *check,
                                    const stfi_ft_total *in)
{
    return (stfi_ft_group){check->scale * (long double)in->re,
                           check->scale * (long double)in->im,
                           sqrtl((long double)in->power), 1};
}

/* Compares squares, without the threshold's share for denormal numbers. */
int stfi_ft_offline_are_clean(const stfi_ft_offline *check,
                              const stfi_ft_total *in, const stfi_ft_total *out,
                              int64_t count, double *worst_p)
{
    double slope = (double)check->bound.slope, scale = check->scale;
    double limit = (double)(STFI_FT_SUSPECT * STFI_FT_SUSPECT) * slope * slope;
    double worst = 0;

    for (int64_t t = 0; t < count; t++) {
        double re = out[t].re - scale * in[t].re;
        double im = out[t].im - scale * in[t].im;
        double square = re * re + im * im;
        if (!(square <= limit * in[t].power))
            return 0;
        if (square > worst * in[t].power)
            worst = square / in[t].power;
    }
    if (worst > 0)
        worst = sqrt(worst) / ((double)STFI_FT_REPORT * slope);
    if (worst > *worst_p)
        *worst_p = worst;
    return 1;
}

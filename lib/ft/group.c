/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Location encoding; see group.h. */
#include "ft/group.h"

#include <math.h>

#include "ft/threshold.h"

void stfi_ft_moments_add(stfi_ft_moments *m, int j, long double re,
                         long double im, long double square)
{
    long double weight = 1;

    for (int p = 0; p < STFI_FT_SQUARES; p++, weight *= j) {
        m->square[p] += weight * square;
        if (p >= STFI_FT_MOMENTS)
            continue;
        m->re[p] += weight * re;
        m->im[p] += weight * im;
    }
}

/* OWN bounds the rounding errors of the sums themselves, in units of round-off
 * of the largest term. MARGIN times the bounds of both sums about i is what two
 * faults could add up to in m_0, which has to be larger than that and twice its
 * own bound of rounding. */
static const long double OWN = 64, MARGIN = 1.5L;

/* Returns the sum over j of (j - i)^p a[j], given the sums s[q] of j^q a[j] for
 * q = 0 .. p. */
static long double about(const long double *s, int p, long double i)
{
    static const int binomial[STFI_FT_SQUARES][STFI_FT_SQUARES] = {
        {1}, {1, 1}, {1, 2, 1}, {1, 3, 3, 1}, {1, 4, 6, 4, 1},
    };
    long double sum = 0;

    for (int q = 0; q <= p; q++)
        sum = s[q] * binomial[p][q] - sum * i;
    return sum;
}

int stfi_ft_locate(const stfi_ft_moments *m, int count, long double slope,
                   long double unit)
{
    long double size = hypotl(m->re[0], m->im[0]), least = 0, power = 1, i;

    if (!isfinite(size) || size == 0
        || !isfinite(m->square[STFI_FT_SQUARES - 1]))
        return 0;
    i = roundl((m->re[1] / size * m->re[0] + m->im[1] / size * m->im[0])
               / size);
    if (!(i >= 1 && i <= count))
        return 0;
    for (int p = 0; p < STFI_FT_MOMENTS; p++, power *= i) {
        long double off = hypotl(about(m->re, p, i), about(m->im, p, i));
        long double bound = STFI_FT_REPORT * slope
                            * sqrtl(fmaxl(0, about(m->square, 2 * p, i)));
        if (p > 0 && !(off <= bound + OWN * unit * power * size))
            return 0;
        least += (p > 0 ? MARGIN : 2) * bound;
    }
    return size > least ? (int)i : 0;
}

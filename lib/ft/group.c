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

    for (int p = 0; p < STFI_FT_MOMENTS; p++, weight *= j) {
        m->re[p] += weight * re;
        m->im[p] += weight * im;
        m->square[p] += weight * weight * square;
    }
}

/* Roundings of the sums themselves, in units of the largest term. */
static const long double OWN = 64;

/* Whether m_p is i^p m_0, up to rounding. */
static int agrees(const stfi_ft_moments *m, int p, long double i,
                  long double slope, long double unit)
{
    long double factor = p == 1 ? i : i * i;
    long double size = factor * hypotl(m->re[0], m->im[0]);
    long double off = hypotl(m->re[p] - factor * m->re[0],
                             m->im[p] - factor * m->im[0]);

    return off <= STFI_FT_REPORT * slope * sqrtl(m->square[p])
                  + OWN * unit * size;
}

int stfi_ft_locate(const stfi_ft_moments *m, int count, long double slope,
                   long double unit)
{
    long double size = hypotl(m->re[0], m->im[0]);
    long double i;

    if (!(size >= 2 * STFI_FT_REPORT * slope * sqrtl(m->square[1]))
        || !isfinite(size) || size == 0)
        return 0;
    i = roundl((m->re[1] / size * m->re[0] + m->im[1] / size * m->im[0])
               / size);
    if (!(i >= 1 && i <= count) || !agrees(m, 1, i, slope, unit)
        || !agrees(m, 2, i, slope, unit))
        return 0;
    return (int)i;
}

/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Location encoding: which of the transforms of a group has the fault.
 *
 * Of transforms j = 1 .. count the sums m_p = sum of j^p d_j of their residuals
 * are kept, p = 0, 1, 2. If only d_i is more than rounding, m_1/m_0 = i; that
 * this is a whole number in range says little, as the noise of the others
 * grows with j, and of two faults it is any number. So both sums about i,
 * of (j - i) d_j and of (j - i)^2 d_j, have to be as small as rounding makes
 * them. Two faults at j and k = i + p and i + q, none of them at i, can only
 * be so if m_0 is at most ((sum of squares) + |p + q| (first sum)) / |p q|:
 * m_0 has to be larger. Where this does not hold, nothing is located. Who is
 * named may still have company that is too small to be seen beside it: repair
 * it, and look at the sum again.
 *
 * Source: [TurboFFT], section 4.1 (location encoding); doc/abft.md. */
#ifndef STFI_FT_GROUP_H
#define STFI_FT_GROUP_H

enum { STFI_FT_MOMENTS = 3, STFI_FT_SQUARES = 5 };

typedef struct stfi_ft_moments {
    long double re[STFI_FT_MOMENTS]; /* of m_p */
    long double im[STFI_FT_MOMENTS];
    long double square[STFI_FT_SQUARES]; /* sum of j^p ||x_j||^2 */
} stfi_ft_moments;

/* Adds transform j, of residual (re, im) and squared norm. */
void stfi_ft_moments_add(stfi_ft_moments *m, int j, long double re,
                         long double im, long double square);

/* The transform that has the fault, or 0: not to be told. slope: of the bound
 * of one transform (threshold.h); unit: unit round-off of the sums, which of
 * a large fault are not exact. Thread: any. */
int stfi_ft_locate(const stfi_ft_moments *m, int count, long double slope,
                   long double unit);

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Location encoding: finds the transform of a group that has the fault.
 *
 * For transforms j = 1 .. count with residuals d_j, the sums m_p = sum of j^p
 * d_j are kept, p = 0, 1, 2. If only d_i is larger than rounding, then m_1/m_0
 * is about i. A quotient near a whole number in range is weak evidence,
 * however: in the sums the rounding of the other transforms grows with j, and
 * two faults can give any quotient. So both sums about i, of (j - i) d_j and of
 * (j - i)^2 d_j, must be as small as rounding makes them. Two faults at i + p
 * and i + q, neither of them at i, can meet this condition only if m_0 is at
 * most ((sum of squares) + |p + q| (first sum)) / |p q|; so m_0 must be larger
 * than that. Otherwise no transform is named. Next to the named transform there
 * may be another fault, too small to be seen beside the first: the caller
 * repairs the named one and checks the sums again.
 *
 * Source: [TurboFFT], section 4.1 (location encoding); doc/abft.md. */
#ifndef STFI_FT_GROUP_H
#define STFI_FT_GROUP_H

enum { STFI_FT_MOMENTS = 3, STFI_FT_SQUARES = 5 };

typedef struct stfi_ft_moments {
    long double re[STFI_FT_MOMENTS]; /* real and imaginary part of m_p */
    long double im[STFI_FT_MOMENTS];
    long double square[STFI_FT_SQUARES]; /* sum of j^p ||x_j||^2 */
} stfi_ft_moments;

/* Adds transform j, of residual (re, im) and squared norm. */
void stfi_ft_moments_add(stfi_ft_moments *m, int j, long double re,
                         long double im, long double square);

/* Returns the number j of the transform that has the fault, or 0 if the sums do
 * not tell. slope: of the bound of one transform (threshold.h); unit: the unit
 * round-off of the sums, which limits how exactly they locate a large fault.
 * Thread: any. */
int stfi_ft_locate(const stfi_ft_moments *m, int count, long double slope,
                   long double unit);

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The oracle: direct summation of the definition, sharing no code with the
 * library under test. Twiddle exponents are reduced exactly in integers and
 * the roots are computed in __float128 where the compiler has it (the sums
 * of F80 too), else in long double.
 *
 * Shape:  host arrays in the layouts of a completed descriptor, `in` and
 *         `out` pointing at element 0.
 * Errors: ARGUMENT, UNSUPPORTED (kind or precision), MEMORY. */
#ifndef STFI_ORACLE_NAIVE_H
#define STFI_ORACLE_NAIVE_H

#include "steadfast.h"

/* O(N * sum of lengths) work, separably by axes. The output is F80 (long
 * double components) in the output layout, whatever the input's precision,
 * so that rounding it does not count as an error of the code under test. */
stf_status stfi_naive_fft(const stf_fft_desc *full, stf_direction direction,
                          const void *in, long double *out);

/* Relative L2 error |got - want| / |want| over all elements of the output of
 * a completed descriptor; got has the descriptor's precision, want is F80,
 * both in the output layout. INFINITY when got has a NaN or Inf. */
long double stfi_naive_error(const stf_fft_desc *full, const void *got,
                             const long double *want);

/* The accuracy contract: the largest allowed relative L2 error of a
 * descriptor. With N the number of points of one transform (product of n; of
 * real to real kinds, of logical lengths), c * u * sqrt(log2 N) where c = 1 if
 * every prime factor of every length is at most 13 and 3 otherwise; log2 N is
 * taken as at least 1. */
double stfi_naive_bound(const stf_fft_desc *full);

/* The bound is one on a norm, which for a single draw of a few elements varies much by
 * chance: of so many elements it holds, or of the root mean square of several draws. */
enum { STFI_NAIVE_ENOUGH = 256 };

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The definitions of the real to real kinds, for direct sums: FFTW's formulas,
 * written as y_k = sum over j of x_j (c cos a + s sin a) with a = 2 pi e/period
 * and integers c, s, e. */
#ifndef STFI_ORACLE_NAIVE_REAL_H
#define STFI_ORACLE_NAIVE_REAL_H

#include "steadfast.h"

/* One term of a sum. */
typedef struct stfi_naive_term {
    int64_t e; /* 0 .. period - 1 */
    int cosine, sine;
} stfi_naive_term;

/* Returns 1 if the kind is real to real and of one axis. */
int stfi_naive_is_real(stf_kind kind);

/* Returns the period of the angles of n points. */
int64_t stfi_naive_period(stf_kind kind, int64_t n);

/* Returns the factor of x_j in y_k. */
stfi_naive_term stfi_naive_factor(stf_kind kind, int64_t n, int64_t j,
                                  int64_t k);

/* Returns the logical length, by which a kind and then its inverse multiply. */
int64_t stfi_naive_logical(stf_kind kind, int64_t n);

/* Returns the factor of the square of element k of a signal of n reals in its
 * energy, or of a transform if `output` is 1. With these factors the energy of a
 * transform is the logical length times that of its signal. */
double stfi_naive_share(stf_kind kind, int64_t n, int output, int64_t k);

#endif

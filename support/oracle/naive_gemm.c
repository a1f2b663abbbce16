/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Matrix products from the definition; see naive_gemm.h. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "support/oracle/naive_gemm.h"

#include <float.h>
#include <math.h>

#ifdef HAVE_FLOAT128
typedef __float128 wide;
#else
typedef long double wide;
#endif

/* Sums of fewer products have errors that a square root does not bound: one
 * product, scaled and added to C, is rounded three times without fused
 * multiply-adds. */
enum { FEW = 8 };

static long double read(stf_precision precision, const void *array, int64_t i)
{
    switch (precision) {
    case STF_F32: return ((const float *)array)[i];
    case STF_F64: return ((const double *)array)[i];
    case STF_F80: return ((const long double *)array)[i];
    default: return NAN;
    }
}

static long double roundoff(stf_precision precision)
{
    return precision == STF_F32   ? FLT_EPSILON / 2
           : precision == STF_F64 ? DBL_EPSILON / 2
                                  : LDBL_EPSILON / 2;
}

int64_t stfi_naive_gemm_place(const stf_gemm_desc *full, char matrix,
                              int64_t member, int64_t i, int64_t j)
{
    const int a = matrix == 'a', b = matrix == 'b';
    int64_t ld = a ? full->lda : b ? full->ldb : full->ldc;
    int64_t dist = a ? full->dist_a : b ? full->dist_b : full->dist_c;
    int turned = (a && full->transa != STF_NOTRANS)
                 || (b && full->transb != STF_NOTRANS);
    int64_t row = turned ? j : i, column = turned ? i : j;

    return member * dist
           + (full->order == STF_ROW_MAJOR ? row * ld + column
                                           : row + column * ld);
}

/* What one element is made of. */
typedef struct dot {
    wide sum;
    long double magnitude, squares_a, squares_b;
} dot;

static dot multiply(const stfi_naive_gemm *g, int64_t member, int64_t i,
                    int64_t j)
{
    const stf_gemm_desc *d = g->full;
    dot s = {0};

    for (int64_t p = 0; p < d->k; p++) {
        long double a = read(d->precision, g->a,
                             stfi_naive_gemm_place(d, 'a', member, i, p));
        long double b = read(d->precision, g->b,
                             stfi_naive_gemm_place(d, 'b', member, p, j));
        s.sum += (wide)a * b;
        s.magnitude += fabsl(a * b);
        s.squares_a += a * a;
        s.squares_b += b * b;
    }
    return s;
}

stfi_naive_element stfi_naive_gemm_at(const stfi_naive_gemm *g, int64_t member,
                                      int64_t i, int64_t j)
{
    const stf_gemm_desc *d = g->full;
    const long double alpha = read(d->precision_c, g->alpha, 0);
    const long double beta = read(d->precision_c, g->beta, 0);
    const long double u = roundoff(d->precision_c);
    const long double steps = (long double)(d->k + 2) * u;
    stfi_naive_element e = {0};
    wide value = 0;

    if (beta != 0) {
        long double c = read(d->precision_c, g->c,
                             stfi_naive_gemm_place(d, 'c', member, i, j));
        value = (wide)beta * c;
        e.bound = e.usual = 2 * u * fabsl(beta * c);
    }
    if (alpha != 0 && d->k > 0) {
        dot s = multiply(g, member, i, j);
        value += alpha * s.sum;
        e.bound += steps / (1 - steps) * fabsl(alpha) * s.magnitude;
        e.usual += 2 * u * sqrtl((long double)d->k) * fabsl(alpha)
                   * sqrtl(s.squares_a) * sqrtl(s.squares_b);
    }
    if (d->k < FEW)
        e.usual = e.bound;
    e.value = (long double)value;
    return e;
}

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

/* F16 or BF16 from the definition: `bits` of a fraction, and an exponent that
 * counts from -`bias` on. */
static long double from_half(unsigned half, int bits, int bias)
{
    const unsigned top = (1u << (15 - bits)) - 1;
    const unsigned e = half >> bits & top, f = half & ((1u << bits) - 1);
    const long double one = (long double)(1u << bits);
    long double x = e == top
                        ? (f != 0 ? (long double)NAN : (long double)INFINITY)
                    : e == 0 ? ldexpl(f / one, 1 - bias)
                             : ldexpl(1 + f / one, (int)e - bias);

    return half >> 15 & 1 ? -x : x;
}

/* All halves, computed once; which is done twice does no harm. */
static float half_at(int bf16, uint16_t half)
{
    static float values[2][1 << 16];
    static int made[2];

    if (!made[bf16])
        for (unsigned h = 0; h < 1 << 16; h++)
            values[bf16][h] =
                (float)(bf16 ? from_half(h, 7, 127) : from_half(h, 10, 15));
    made[bf16] = 1;
    return values[bf16][half];
}

static long double read(stf_precision precision, const void *array, int64_t i)
{
    switch (precision) {
    case STF_F16: return half_at(0, ((const uint16_t *)array)[i]);
    case STF_BF16: return half_at(1, ((const uint16_t *)array)[i]);
    case STF_F32: return ((const float *)array)[i];
    case STF_F64: return ((const double *)array)[i];
    case STF_F80: return ((const long double *)array)[i];
    default: return NAN;
    }
}

static long double roundoff(stf_precision precision)
{
    static const long double of[] = {
        [STF_F16] = 0x1p-11L,          [STF_BF16] = 0x1p-8L,
        [STF_F32] = FLT_EPSILON / 2,   [STF_F64] = DBL_EPSILON / 2,
        [STF_F80] = LDBL_EPSILON / 2L,
    };

    return of[precision];
}

/* Halves are computed in F32. */
static int is_half(stf_precision precision)
{
    return precision == STF_F16 || precision == STF_BF16;
}

/* What storing a value in the type of C may change it by: half of the distance
 * of numbers, which for denormal ones is constant. */
static long double storing(const stf_gemm_desc *d, long double value)
{
    const stf_precision type = d->precision_c;

    return !is_half(type) ? 0
                          : roundoff(type) * fabsl(value)
                                + (type == STF_F16 ? 0x1p-25L : 0x1p-134L);
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
    const stf_precision math = is_half(d->precision) ? STF_F32 : d->precision;
    const long double alpha = read(math, g->alpha, 0);
    const long double beta = read(math, g->beta, 0);
    const long double u = roundoff(math);
    const long double cuts = g->cuts > 0 ? (long double)d->k / g->cuts + 1 : 0;
    const long double steps =
        (long double)(d->k + 2) * u * (g->cuts > 0 ? 2 : 1);
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
        if (d->compute == STF_COMPUTE_SPLIT) {
            e.bound += 10 * u * fabsl(alpha) * s.magnitude;
            e.usual += 10 * u * fabsl(alpha) * s.magnitude;
        }
        e.usual += 2 * u * (sqrtl((long double)d->k) + cuts) * fabsl(alpha)
                   * sqrtl(s.squares_a) * sqrtl(s.squares_b);
    }
    if (d->k < FEW)
        e.usual = e.bound;
    e.value = (long double)value;
    e.bound += storing(d, fabsl(e.value) + e.bound);
    e.usual += storing(d, fabsl(e.value) + e.usual);
    return e;
}

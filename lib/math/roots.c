/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Roots of unity; see roots.h. */
#include "math/roots.h"

#include <float.h>
#include <math.h>

#include "base/alloc.h"

/* pi/4 as the sum of two long doubles; the second is 0 where long double has
 * more than 64 bits of precision, and the first is exact enough then. */
static const long double quarter_pi = 0.785398163397448309615660845819875721L;
#if __LDBL_MANT_DIG__ == 64
static const long double quarter_pi_low = -1.25413940316708300589e-20L;
#else
static const long double quarter_pi_low = 0.0L;
#endif

struct stfi_roots {
    uint64_t n;
    int shift;         /* low part of the reduced numerator, in bits */
    int direct;        /* 1: no tables */
    int exact;         /* 1: with cos_sin_exact(), as F80 needs */
    long double *high; /* (cos, sin) of (i << shift) eighths of a turn / n */
    long double *low;  /* (cos, sin) of i eighths of a turn / n */
};

/* An angle reduced to r/n eighths of a turn, 0 <= r <= n, and the symmetries
 * that lead back from it. */
typedef struct reduced {
    uint64_t r;
    int octant;
} reduced;

static reduced reduce(uint64_t k, uint64_t n)
{
    uint64_t eighths = k % n * 8;
    reduced a;
    a.octant = (int)(eighths / n);
    a.r = eighths % n;
    if (a.octant & 1)
        a.r = n - a.r;
    return a;
}

/* Computes exp(-i angle) from cos and sin of the reduced angle. */
static void restore(int octant, long double c, long double s, long double *re_p,
                    long double *im_p)
{
    int swap = ((octant + 1) >> 1) & 1; /* octants 1, 2, 5, 6 */
    long double x = swap ? s : c;
    long double y = swap ? c : s;
    *re_p = octant >= 2 && octant <= 5 ? -x : x;
    *im_p = octant >= 4 ? y : -y;
}

/* cos and sin of r/n eighths of a turn; the rounding of the angle itself
 * costs less than a unit in the last place of long double. */
static void cos_sin(uint64_t r, uint64_t n, long double *c_p, long double *s_p)
{
    long double angle = quarter_pi * ((long double)r / (long double)n);
    *c_p = cosl(angle);
    *s_p = sinl(angle);
}

/* Returns the upper half of a number's digits. The product has a statement of
 * its own, as a compiler may fuse it with a sum in the same one. */
static long double upper_half(long double a)
{
    const long double split =
        (long double)((uint64_t)1 << (LDBL_MANT_DIG + 1) / 2) + 1;
    long double product = a * split;
    long double rest = product - a;

    return product - rest;
}

/* Returns a * b - p, without rounding, where p is the rounded product: the
 * products of halves are exact. fmal() gives the same; but where it is
 * emulated, changes of the floating-point environment take most of the time
 * for a root. Source: T. J. Dekker, "A floating-point technique for extending
 * the available precision", Numer. Math. 18 (1971). */
static long double product_error(long double a, long double b, long double p)
{
    long double a_high = upper_half(a), a_low = a - a_high;
    long double b_high = upper_half(b), b_low = b - b_high;

    return ((a_high * b_high - p) + a_high * b_low + a_low * b_high)
           + a_low * b_low;
}

/* Does the same as cos_sin(), and corrects the rounding error of the angle to
 * first order. F80 needs this because it has no wider type. */
static void cos_sin_exact(uint64_t r, uint64_t n, long double *c_p,
                          long double *s_p)
{
    long double q = (long double)r / (long double)n;
    long double back = q * (long double)n;
    long double error = product_error(q, (long double)n, back);
    long double rest = (((long double)r - back) - error) / (long double)n;
    long double angle = quarter_pi * q;
    long double delta = product_error(quarter_pi, q, angle) + quarter_pi * rest
                        + quarter_pi_low * q;
    long double c = cosl(angle);
    long double s = sinl(angle);
    *c_p = c - s * delta;
    *s_p = s + c * delta;
}

void stfi_root_l(uint64_t k, uint64_t n, long double *re_p, long double *im_p)
{
    reduced a = reduce(k, n);
    long double c, s;
    cos_sin_exact(a.r, n, &c, &s);
    restore(a.octant, c, s, re_p, im_p);
}

static void fill(long double *table, uint64_t count, int shift, uint64_t n)
{
    for (uint64_t i = 0; i < count; i++) {
        uint64_t r = i << shift;
        cos_sin(r <= n ? r : n, n, &table[2 * i], &table[2 * i + 1]);
    }
}

stf_status stfi_roots_create(uint64_t n, stf_precision precision, uint64_t uses,
                             stfi_roots **roots_p)
{
    stfi_roots *roots;
    void *mem;
    stf_status status = stfi_alloc(sizeof *roots, "roots of unity", &mem);
    uint64_t nhigh, nlow;

    if (status != STF_OK)
        return status;
    roots = mem;
    roots->n = n;
    while (((uint64_t)1 << roots->shift) < n >> roots->shift)
        roots->shift++;
    nlow = (uint64_t)1 << roots->shift;
    nhigh = (n >> roots->shift) + 1;
    roots->exact = precision == STF_F80;
    roots->direct = roots->exact || uses <= nlow + nhigh;
    if (!roots->direct) {
        size_t low_bytes = 2 * nlow * sizeof(long double);
        size_t bytes = low_bytes + 2 * nhigh * sizeof(long double);
        status = stfi_alloc(bytes, "roots of unity", &mem);
        if (status != STF_OK) {
            stfi_dealloc(roots);
            return status;
        }
        roots->low = mem;
        roots->high = roots->low + 2 * nlow;
        fill(roots->low, nlow, 0, n);
        fill(roots->high, nhigh, roots->shift, n);
    }
    *roots_p = roots;
    return STF_OK;
}

void stfi_roots_destroy(stfi_roots *roots)
{
    if (roots == NULL)
        return;
    stfi_dealloc(roots->low);
    stfi_dealloc(roots);
}

void stfi_roots_get(const stfi_roots *roots, uint64_t k, long double *re_p,
                    long double *im_p)
{
    reduced a;
    const long double *h, *l;
    long double c, s;

    if (roots->exact) {
        stfi_root_l(k, roots->n, re_p, im_p);
        return;
    }
    a = reduce(k, roots->n);
    if (roots->direct) {
        cos_sin(a.r, roots->n, &c, &s);
        restore(a.octant, c, s, re_p, im_p);
        return;
    }
    h = roots->high + 2 * (a.r >> roots->shift);
    l = roots->low + 2 * (a.r & (((uint64_t)1 << roots->shift) - 1));
    /* Below a quarter of a right angle nothing cancels: the sine is a sum of
     * positive terms and the cosine stays above 0.7. */
    restore(a.octant, h[0] * l[0] - h[1] * l[1], h[1] * l[0] + h[0] * l[1],
            re_p, im_p);
}

/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Single rows of real kinds (cpu_reals.h) of one precision and instruction set: the
 * steps around their complex transform. For R2C and C2R, the parts of a number are
 * neighbours in a vector. */
#ifndef STFI_CPU_REALS_KERNEL_H
#define STFI_CPU_REALS_KERNEL_H

#include "backends/cpu/compact/cpu_reals.h"
#include "backends/cpu/fft/scale.h"

#if STFI_LANES > 1

enum { NUMBERS = STFI_LANES / 2 };

#define REVERSE_2 0, 1
#define REVERSE_4 2, 3, 0, 1
#define REVERSE_8 6, 7, 4, 5, 2, 3, 0, 1
#define REVERSE_16 14, 15, 12, 13, 10, 11, 8, 9, 6, 7, 4, 5, 2, 3, 0, 1

/* The numbers of a vector in the opposite order. */
INLINE V reversed(V x)
{
    return SHUFFLE(x, x, STFI_CAT(REVERSE_, STFI_LANES));
}

/* { x, -x, ... } */
INLINE V conjugating(real x)
{
    return blended((V){0} + x, (V){0} - x);
}

/* Number k and the conjugate of number n - k, multiplied by f: their sum, and their
 * difference with its turn. */
INLINE void take_both(const real *x, const real *turn, int64_t n, int64_t k,
                      real f, int back, V *even, V *odd)
{
    const V a = loadu(x + 2 * k) * f;
    const V b = reversed(loadu(x + 2 * (n - k - NUMBERS + 1)));
    const V half = conjugating(f);
    const V d = a - b * half;
    const V t = loadu(turn + 2 * (n + k));

    *even = a + b * half;
    *odd = d * loadu(turn + 2 * k) + swapped(d) * (back ? -t : t);
}

/* Stores numbers k and n - k of these, multiplied by f. */
INLINE void give_both(real *y, int64_t n, int64_t k, real f, V even, V odd)
{
    *(VU *)(y + 2 * k) = (even + odd) * f;
    *(VU *)(y + 2 * (n - k - NUMBERS + 1)) =
        reversed((even - odd) * conjugating(f));
}

/* The last vector overlaps the one before or, across the middle, itself. */
INLINE void for_all(const stfi_cpu_reals *r, const real *x, real *y,
                    real before, real after, int back)
{
    const int64_t n = r->n;
    const real *turn = (const real *)(const void *)r->turn;

    for (int64_t i = 1; i <= n / 2; i += NUMBERS) {
        const int64_t k = i <= n - NUMBERS ? i : n - NUMBERS;
        V even, odd;
        take_both(x, turn, n, k, before, back, &even, &odd);
        give_both(y, n, k, after, even, odd);
    }
}

/* Multiplies n reals by what one real cannot hold. */
static __attribute__((noinline)) void scale_array(real *x, int64_t n, factor f)
{
    for (int64_t i = 0; i < n; i++)
        x[i] = v_times((V){x[i]}, f)[0];
}

static void separate(const stfi_cpu_reals *r, const void *from, void *to,
                     double scale)
{
    const factor f = factor_from(scale);
    const real high = f.low != 0 ? 1 : f.high;
    const real *x = from;
    real *y = to;

    for_all(r, x, y, (real)0.5, high, 0);
    y[0] = (x[0] + x[1]) * high;
    y[1] = 0;
    y[2 * r->n] = (x[0] - x[1]) * high;
    y[2 * r->n + 1] = 0;
    if (f.low != 0)
        scale_array(y, 2 * r->n + 2, f);
}

static void join(const stfi_cpu_reals *r, const void *from, void *to,
                 double scale)
{
    const real *x = from;
    real *y = to;

    (void)scale;
    for_all(r, x, y, 1, 1, 1);
    y[0] = x[0] + x[2 * r->n];
    y[1] = x[0] - x[2 * r->n];
}

/* Two reals that are stored as one, as the transform loads them: what was stored in two
 * parts would be late. */
typedef real pair __attribute__((vector_size(2 * STFI_REAL_BYTES),
                                 aligned(STFI_REAL_BYTES), may_alias));

INLINE void put_pair(real *y, real re, real im)
{
    *(pair *)y = (pair){re, im};
}

/* The imaginary parts of numbers 0 and n / 2 are zero. */
static void clear_real_numbers(real *y, int64_t n)
{
    y[1] = 0;
    if (n % 2 == 0)
        y[n + 1] = 0;
}

static void cut(const stfi_cpu_reals *r, const void *from, void *to,
                double scale)
{
    const real *x = from;
    real *y = to;

    (void)scale;
    for (int64_t i = 0; i < r->n / 2 * 2 + 2; i++)
        y[i] = x[i];
    clear_real_numbers(y, r->n);
}

static void mirror(const stfi_cpu_reals *r, const void *from, void *to,
                   double scale)
{
    const int64_t n = r->n;
    const real *x = from;
    real *y = to;

    (void)scale;
    put_pair(y, x[0], 0);
    for (int64_t k = 1; k <= (n - 1) / 2; k++) {
        put_pair(y + 2 * k, x[2 * k], x[2 * k + 1]);
        put_pair(y + 2 * (n - k), x[2 * k], -x[2 * k + 1]);
    }
    if (n % 2 == 0)
        put_pair(y + n, x[n], 0);
}

#include "backends/cpu/compact/reals_pairs.h"
#include "backends/cpu/compact/reals_plain.h"
#include "backends/cpu/compact/reals_whole.h"

static void run_reals(const void *src, void *dst, const void *table,
                      double scale, int inverse)
{
    _Alignas(64) real mid[2 * STFI_CPU_REALS_POINTS + STFI_LANES];
    const stfi_cpu_reals *r = table;
    const void *from = src;
    void *to = r->steps.after != NULL ? mid : dst;

    if (r->steps.before != NULL) {
        r->steps.before(r, src, mid, 1);
        from = mid;
    }
    r->one.run(from, to, r->one.table, r->scales ? 1 : scale,
               inverse ^ r->turned);
    if (r->steps.after != NULL)
        r->steps.after(r, mid, dst, scale);
}
#endif

#define REALS STFI_ISA_NAME(stfi_cpu_reals_)

extern const stfi_cpu_reals_kernels REALS;
const stfi_cpu_reals_kernels REALS = {
    .key = {STFI_ISA_TEXT, STFI_REAL_ID, STFI_LANES},
#if STFI_LANES > 1
    .pairs =
        {
            [STF_R2C] = {NULL, separate},
            [STF_C2R] = {join, NULL},
            [STF_R2HC] = {NULL, to_r2hc},
            [STF_HC2R] = {from_hc2r, NULL},
            [STF_DHT] = {NULL, to_dht},
            [STF_DCT1] = {extend_even, to_dct1},
            [STF_DCT2] = {fold_dct, to_dct2},
            [STF_DCT3] = {from_dct3, unfold_dct},
            [STF_DCT4] = {ends_dct4, back_dct4},
            [STF_DST1] = {extend_odd, to_dst1},
            [STF_DST2] = {fold_dst, to_dst2},
            [STF_DST3] = {from_dst3, unfold_dst},
            [STF_DST4] = {ends_dst4, back_dst4},
        },
    .whole =
        {
            [STF_R2C] = {widen, cut},
            [STF_C2R] = {mirror, narrow},
            [STF_R2HC] = {widen, give_r2hc},
            [STF_HC2R] = {take_hc2r, narrow},
            [STF_DHT] = {widen, give_dht},
            [STF_DCT1] = {place_reals, place_parts},
            [STF_DCT2] = {place_reals, place_numbers},
            [STF_DCT3] = {gather_numbers, place_back},
            [STF_DCT4] = {place_reals, place_numbers},
            [STF_DST1] = {place_reals, place_parts},
            [STF_DST2] = {place_reals, place_numbers},
            [STF_DST3] = {gather_numbers, place_back},
            [STF_DST4] = {place_reals, place_numbers},
        },
    .run = run_reals,
#endif
};

#endif

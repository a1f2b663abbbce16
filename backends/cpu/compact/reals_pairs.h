/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The steps around the transforms of pairs of the real to real kinds, for reals.h: the
 * parts of W numbers are two vectors. All kinds are R2C or C2R with reals in another
 * order, or complex transforms (fft/lower_r2r.c); a row has 2n reals, and number k of
 * half its spectrum is computed together with number n - k. */
#ifndef STFI_CPU_REALS_PAIRS_H
#define STFI_CPU_REALS_PAIRS_H

#define BACK_2 1, 0
#define BACK_4 3, 2, 1, 0
#define BACK_8 7, 6, 5, 4, 3, 2, 1, 0
#define BACK_16 15, 14, 13, 12, 11, 10, 9, 8, BACK_8

INLINE V backwards(V v)
{
    return SHUFFLE(v, v, STFI_CAT(BACK_, STFI_LANES));
}

/* W reals from x upwards, or from x downwards. */
INLINE V up(const real *x)
{
    return loadu(x);
}

INLINE V down(const real *x)
{
    return backwards(loadu(x - W + 1));
}

INLINE void put_up(real *y, V v)
{
    *(VU *)y = v;
}

INLINE void put_down(real *y, V v)
{
    put_up(y - W + 1, backwards(v));
}

/* W numbers from number 0 of x upwards, or downwards. */
INLINE C numbers_up(const real *x)
{
    C v;

    load_table(x, &v.r, &v.i);
    return v;
}

INLINE C numbers_down(const real *x)
{
    const C v = numbers_up(x - 2 * (W - 1));

    return (C){backwards(v.r), backwards(v.i)};
}

INLINE void put_numbers_up(real *y, C v)
{
    put_up(y, SHUFFLE(v.r, v.i, STFI_CAT(LOW_, STFI_LANES)));
    put_up(y + W, SHUFFLE(v.r, v.i, STFI_CAT(HIGH_, STFI_LANES)));
}

INLINE void put_numbers_down(real *y, C v)
{
    put_numbers_up(y - 2 * (W - 1), (C){backwards(v.r), backwards(v.i)});
}

/* The W values of column `at` that begin at number k. */
INLINE C turn_at(const stfi_cpu_reals *r, int at, int64_t k)
{
    const real *t = (const real *)(const void *)r->turn + 2 * at * r->n + k;

    return (C){loadu(t), loadu(t + r->n)};
}

/* The first of W out of n: the last vector overlaps the one before. */
INLINE int64_t first_of(int64_t i, int64_t n)
{
    return i + W <= n ? i : n - W;
}

static const real HALF_ROOT = (real)0.70710678118654752440084436210485L;
static const real ROOT = (real)1.41421356237309504880168872420970L;

/* ------------------------------------------------------------- to a spectrum */

/* Stores what numbers k, which are s, and n - k, the conjugates of d, are of. */
INLINE void give_spectrum(real *y, int64_t n, int64_t k, C s, C d,
                          stf_kind kind)
{
    switch (kind) {
    case STF_R2HC:
        put_up(y + k, s.r);
        put_down(y + 2 * n - k, s.i);
        put_down(y + n - k, d.r);
        put_up(y + n + k, -d.i);
        break;
    case STF_DHT:
        put_up(y + k, s.r - s.i);
        put_down(y + 2 * n - k, s.r + s.i);
        put_down(y + n - k, d.r + d.i);
        put_up(y + n + k, d.r - d.i);
        break;
    case STF_DCT2:
        put_up(y + k, s.r);
        put_down(y + 2 * n - k, -s.i);
        put_down(y + n - k, (d.r - d.i) * HALF_ROOT);
        put_up(y + n + k, (d.r + d.i) * HALF_ROOT);
        break;
    case STF_DST2:
        put_down(y + 2 * n - 1 - k, s.r);
        put_up(y + k - 1, -s.i);
        put_up(y + n - 1 + k, (d.r - d.i) * HALF_ROOT);
        put_down(y + n - 1 - k, (d.r + d.i) * HALF_ROOT);
        break;
    case STF_DCT1:
        put_up(y + k, s.r);
        put_down(y + n - k, d.r);
        break;
    default: /* DST1 */ put_up(y + k - 1, -s.i); put_down(y + n - k - 1, d.i);
    }
}

/* The same of numbers 0 and n, which are real. */
INLINE void give_ends(real *y, int64_t n, real first, real last, stf_kind kind)
{
    switch (kind) {
    case STF_R2HC:
    case STF_DHT:
    case STF_DCT1:
        y[0] = first;
        y[n] = last;
        break;
    case STF_DCT2:
        y[0] = 2 * first;
        y[n] = ROOT * last;
        break;
    case STF_DST2:
        y[2 * n - 1] = 2 * first;
        y[n - 1] = ROOT * last;
        break;
    default: break;
    }
}

/* Makes the spectrum of 2n reals of that of n numbers. The first factor is 1/2 where
 * kinds have no turn. */
INLINE void to_spectrum(const stfi_cpu_reals *r, const void *from, void *to,
                        stf_kind kind)
{
    const int turns = kind == STF_DCT2 || kind == STF_DST2;
    const int64_t n = r->n;
    const real *x = from;
    real *y = to;

    give_ends(y, n, x[0] + x[1], x[0] - x[1], kind);
    for (int64_t i = 1; i <= n / 2; i += W) {
        const int64_t k = first_of(i, n);
        const C a = numbers_up(x + 2 * k), b = numbers_down(x + 2 * (n - k));
        const C plus = {a.r + b.r, a.i - b.i};
        const C minus = {a.r - b.r, a.i + b.i};
        const C p =
            turns ? c_mul(plus, turn_at(r, 0, k)) : c_scale(plus, (real)0.5);
        const C q = c_mul(minus, turn_at(r, 1, k));
        give_spectrum(y, n, k, c_add(p, q), c_sub(p, q), kind);
    }
}

/* ----------------------------------------------------------- from a spectrum */

/* Loads what numbers k and the conjugates of n - k are, but for their turns. */
INLINE void take_spectrum(const real *x, int64_t n, int64_t k, C *u, C *v,
                          stf_kind kind)
{
    V r, s;

    if (kind == STF_HC2R) {
        *u = (C){up(x + k), down(x + 2 * n - k)};
        *v = (C){down(x + n - k), -up(x + n + k)};
        return;
    }
    if (kind == STF_DCT3) {
        *u = (C){up(x + k), -down(x + 2 * n - k)};
        r = down(x + n - k);
        s = up(x + n + k);
    } else { /* DST3 */
        *u = (C){down(x + 2 * n - 1 - k), -up(x + k - 1)};
        r = up(x + n - 1 + k);
        s = down(x + n - 1 - k);
    }
    *v = (C){(r + s) * HALF_ROOT, (s - r) * HALF_ROOT};
}

INLINE void from_spectrum(const stfi_cpu_reals *r, const void *from, void *to,
                          stf_kind kind)
{
    const int64_t n = r->n;
    const real *x = from;
    const real first = kind == STF_DST3 ? x[2 * n - 1] : x[0];
    const real last = kind == STF_DST3   ? ROOT * x[n - 1]
                      : kind == STF_DCT3 ? ROOT * x[n]
                                         : x[n];
    real *y = to;

    y[0] = first + last;
    y[1] = first - last;
    for (int64_t i = 1; i <= n / 2; i += W) {
        const int64_t k = first_of(i, n);
        C u, v, p, q;
        take_spectrum(x, n, k, &u, &v, kind);
        p = c_add(u, v);
        if (kind != STF_HC2R)
            p = c_mul(p, turn_at(r, 0, k));
        q = c_mul(c_sub(u, v), turn_at(r, 1, k));
        put_numbers_up(y + 2 * k, c_add(p, q));
        put_numbers_down(y + 2 * (n - k), (C){p.r - q.r, q.i - p.i});
    }
}

/* -------------------------------------------------------- the orders of reals */

/* Even places upwards, then odd ones downwards, with another sign if they
 * alternate. */
INLINE void fold(const stfi_cpu_reals *r, const void *from, void *to,
                 int alternate)
{
    const int64_t n = r->n;
    const real *x = from;
    real *y = to;

    for (int64_t i = 0; i < n; i += W) {
        const int64_t k = first_of(i, n);
        const C v = numbers_up(x + 2 * k);
        put_up(y + k, v.r);
        put_down(y + 2 * n - 1 - k, alternate ? -v.i : v.i);
    }
}

INLINE void unfold(const stfi_cpu_reals *r, const void *from, void *to,
                   int alternate)
{
    const int64_t n = r->n;
    const real *x = from;
    real *y = to;

    for (int64_t i = 0; i < n; i += W) {
        const int64_t k = first_of(i, n);
        const V odd = down(x + 2 * n - 1 - k);
        put_numbers_up(y + 2 * k, (C){up(x + k), alternate ? -odd : odd});
    }
}

/* The even or the odd extension: reals 0 and n of an odd one are zero, and are not
 * there. */
INLINE void extend(const stfi_cpu_reals *r, const void *from, void *to, int odd)
{
    const int64_t n = r->n;
    const real *x = from;
    real *y = to;

    y[0] = odd ? 0 : x[0];
    y[n] = odd ? 0 : x[n];
    for (int64_t i = 1; i < n; i += W) {
        const int64_t k = first_of(i, n);
        const V v = up(x + k - odd);
        put_up(y + k, v);
        put_down(y + 2 * n - k, odd ? -v : v);
    }
}

/* ---------------------------------------------------------------- DCT4, DST4 */

/* What table `at` has for number k. */
typedef struct number {
    real re, im;
} number;

INLINE number one_turn(const stfi_cpu_reals *r, int at, int64_t k)
{
    const real *t = (const real *)(const void *)r->turn + 2 * at * r->n + k;

    return (number){t[0], t[r->n]};
}

/* Numbers of even places from the beginning, and of odd ones from the end. */
INLINE void turn_ends(const stfi_cpu_reals *r, const void *from, void *to,
                      int reversed)
{
    const int64_t n = r->n;
    const real *x = from;
    real *y = to;

    for (int64_t i = 0; n >= W && i < n; i += W) {
        const int64_t k = first_of(i, n);
        const V even = numbers_up(x + 2 * k).r;
        const V odd = numbers_down(x + 2 * (n - 1 - k)).i;
        const C v = reversed ? (C){odd, even} : (C){even, odd};
        put_numbers_up(y + 2 * k, c_mul(v, turn_at(r, 0, k)));
    }
    for (int64_t k = 0; n < W && k < n; k++) {
        const number w = one_turn(r, 0, k);
        const int64_t at = reversed ? 2 * n - 1 - 2 * k : 2 * k;
        const real a = x[at], b = x[2 * n - 1 - at];
        put_pair(y + 2 * k, a * w.re - b * w.im, a * w.im + b * w.re);
    }
}

INLINE void turn_back(const stfi_cpu_reals *r, const void *from, void *to,
                      int alternate)
{
    const int64_t n = r->n;
    const real *x = from;
    real *y = to;

    for (int64_t i = 0; n >= W && i < n; i += W) {
        const int64_t k = first_of(i, n), far = n - W - k;
        const V even = c_mul(numbers_up(x + 2 * k), turn_at(r, 1, k)).r;
        const V odd =
            backwards(c_mul(numbers_up(x + 2 * far), turn_at(r, 1, far)).i);
        put_numbers_up(y + 2 * k, (C){even, alternate ? odd : -odd});
    }
    for (int64_t k = 0; n < W && k < n; k++) {
        const number w = one_turn(r, 1, k);
        const real odd = x[2 * k] * w.im + x[2 * k + 1] * w.re;
        y[2 * k] = x[2 * k] * w.re - x[2 * k + 1] * w.im;
        y[2 * n - 1 - 2 * k] = alternate ? odd : -odd;
    }
}

#define STEP(name, what, detail)                                          \
    static void name(const stfi_cpu_reals *r, const void *from, void *to, \
                     double scale)                                        \
    {                                                                     \
        (void)scale;                                                      \
        what(r, from, to, detail);                                        \
    }

STEP(to_r2hc, to_spectrum, STF_R2HC)
STEP(to_dht, to_spectrum, STF_DHT)
STEP(to_dct1, to_spectrum, STF_DCT1)
STEP(to_dct2, to_spectrum, STF_DCT2)
STEP(to_dst1, to_spectrum, STF_DST1)
STEP(to_dst2, to_spectrum, STF_DST2)
STEP(from_hc2r, from_spectrum, STF_HC2R)
STEP(from_dct3, from_spectrum, STF_DCT3)
STEP(from_dst3, from_spectrum, STF_DST3)
STEP(fold_dct, fold, 0)
STEP(fold_dst, fold, 1)
STEP(unfold_dct, unfold, 0)
STEP(unfold_dst, unfold, 1)
STEP(extend_even, extend, 0)
STEP(extend_odd, extend, 1)
STEP(ends_dct4, turn_ends, 0)
STEP(ends_dst4, turn_ends, 1)
STEP(back_dct4, turn_back, 0)
STEP(back_dst4, turn_back, 1)

#endif

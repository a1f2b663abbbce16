/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Butterflies of reals: rf_n() transforms n vectors of reals to the elements 0 to n/2 of
 * their spectrum, rb_n() these to n times the reals. All loops have constant bounds and
 * are unrolled. Elements 0 and n/2 have the imaginary part zero, and count as if they
 * had. The factors of n are those of butterfly.h; what is conjugate to something else is
 * computed once. */
#ifndef STFI_FFT_REAL_BUTTERFLY_H
#define STFI_FFT_REAL_BUTTERFLY_H

#include "backends/cpu/fft/butterfly.h"

INLINE C conjugate(C a)
{
    return (C){a.r, -a.i};
}

INLINE C exchanged_parts(C a)
{
    return (C){a.i, a.r};
}

/* ---------------------------------------------------------------- odd lengths */

/* r = 2h + 1 reals, with the sums and the differences of bf_odd(). */
INLINE void rf_odd(const V *x, C *y, int h, const real *c, const real *s)
{
    const int r = 2 * h + 1;
    V t[8], d[8], zero = x[0];

    UNROLL
    for (int j = 1; j <= h; j++) {
        t[j] = x[j] + x[r - j];
        d[j] = x[r - j] - x[j];
        zero = zero + t[j];
    }
    y[0] = (C){zero, (V){0}};
    UNROLL
    for (int k = 1; k <= h; k++) {
        C a = {x[0] + t[1] * c[k], d[1] * s[k]};
        UNROLL
        for (int j = 2; j <= h; j++) {
            const int q = j * k % r;
            a.r = a.r + t[j] * c[q <= h ? q : r - q];
            a.i = a.i + d[j] * (q <= h ? s[q] : -s[r - q]);
        }
        y[k] = a;
    }
}

INLINE void rb_odd(const C *y, V *x, int h, const real *c, const real *s)
{
    const int r = 2 * h + 1;
    V t[8], d[8], zero = y[0].r;

    UNROLL
    for (int k = 1; k <= h; k++) {
        t[k] = y[k].r + y[k].r;
        d[k] = y[k].i + y[k].i;
        zero = zero + t[k];
    }
    x[0] = zero;
    UNROLL
    for (int j = 1; j <= h; j++) {
        V a = y[0].r + t[1] * c[j], b = d[1] * s[j];
        UNROLL
        for (int k = 2; k <= h; k++) {
            const int q = j * k % r;
            a = a + t[k] * c[q <= h ? q : r - q];
            b = b + d[k] * (q <= h ? s[q] : -s[r - q]);
        }
        x[j] = a - b;
        x[r - j] = a + b;
    }
}

#define RADIX_ODD(n, h)                      \
    INLINE void rf_##n(const V *x, C *y)     \
    {                                        \
        rf_odd(x, y, h, cos_##n, sin_##n);   \
    }                                        \
    INLINE void rb_##n(const C *y, V *x)     \
    {                                        \
        rb_odd(y, x, h, cos_##n, sin_##n);   \
    }                                        \
    /* Reals in place of complex numbers. */ \
    INLINE void rf_row_##n(C *x)             \
    {                                        \
        V re[n];                             \
        UNROLL                               \
        for (int j = 0; j < n; j++)          \
            re[j] = x[j].r;                  \
        rf_##n(re, x);                       \
        UNROLL                               \
        for (int k = n / 2 + 1; k < n; k++)  \
            x[k] = conjugate(x[n - k]);      \
    }                                        \
    INLINE void rb_row_##n(C *x)             \
    {                                        \
        V re[n];                             \
        rb_##n(x, re);                       \
        UNROLL                               \
        for (int j = 0; j < n; j++)          \
            x[j].r = re[j];                  \
    }                                        \
    INLINE void bb_##n(C *x)                 \
    {                                        \
        UNROLL                               \
        for (int j = 0; j < n; j++)          \
            x[j] = exchanged_parts(x[j]);    \
        bf_##n(x);                           \
        UNROLL                               \
        for (int j = 0; j < n; j++)          \
            x[j] = exchanged_parts(x[j]);    \
    }

RADIX_ODD(3, 1)
RADIX_ODD(5, 2)
RADIX_ODD(7, 3)
RADIX_ODD(11, 5)
RADIX_ODD(13, 6)

/* -------------------------------------------------------------- powers of two */

INLINE void rf_2(const V *x, C *y)
{
    y[0] = (C){x[0] + x[1], (V){0}};
    y[1] = (C){x[0] - x[1], (V){0}};
}

INLINE void rb_2(const C *y, V *x)
{
    x[0] = y[0].r + y[1].r;
    x[1] = y[0].r - y[1].r;
}

/* a exp(2 pi i q/16) */
INLINE C c_sixteenth_back(C a, int q)
{
    return exchanged_parts(c_sixteenth(exchanged_parts(a), q));
}

/* n = 2m: the spectra e and o of the reals at even and at odd places. Element k is
 * e_k + w^k o_k, and element m - k the conjugate of e_k - w^k o_k. */
#define RADIX_TWICE(n, m)                                            \
    INLINE void rf_##n(const V *x, C *y)                             \
    {                                                                \
        V half[2][m];                                                \
        C e[m / 2 + 1], o[m / 2 + 1];                                \
        UNROLL                                                       \
        for (int j = 0; j < m; j++) {                                \
            half[0][j] = x[2 * j];                                   \
            half[1][j] = x[2 * j + 1];                               \
        }                                                            \
        rf_##m(half[0], e);                                          \
        rf_##m(half[1], o);                                          \
        y[0] = (C){e[0].r + o[0].r, (V){0}};                         \
        y[m] = (C){e[0].r - o[0].r, (V){0}};                         \
        y[m / 2] = (C){e[m / 2].r, -o[m / 2].r};                     \
        UNROLL                                                       \
        for (int k = 1; k < m / 2; k++) {                            \
            const C turned = c_sixteenth(o[k], k * (16 / n));        \
            y[k] = c_add(e[k], turned);                              \
            y[m - k] = conjugate(c_sub(e[k], turned));               \
        }                                                            \
    }                                                                \
    INLINE void rb_##n(const C *y, V *x)                             \
    {                                                                \
        V half[2][m];                                                \
        C e[m / 2 + 1], o[m / 2 + 1];                                \
        e[0].r = y[0].r + y[m].r;                                    \
        o[0].r = y[0].r - y[m].r;                                    \
        e[m / 2].r = y[m / 2].r + y[m / 2].r;                        \
        o[m / 2].r = -(y[m / 2].i + y[m / 2].i);                     \
        UNROLL                                                       \
        for (int k = 1; k < m / 2; k++) {                            \
            const C far = conjugate(y[m - k]);                       \
            e[k] = c_add(y[k], far);                                 \
            o[k] = c_sixteenth_back(c_sub(y[k], far), k * (16 / n)); \
        }                                                            \
        rb_##m(e, half[0]);                                          \
        rb_##m(o, half[1]);                                          \
        UNROLL                                                       \
        for (int j = 0; j < m; j++) {                                \
            x[2 * j] = half[0][j];                                   \
            x[2 * j + 1] = half[1][j];                               \
        }                                                            \
    }

RADIX_TWICE(4, 2)
RADIX_TWICE(8, 4)
RADIX_TWICE(16, 8)

/* ------------------------------------------------------------ coprime factors */

/* n = A * B as BF_COPRIME() has it, with odd B: columns of reals, then the rows of half
 * of their spectra, of which those of element 0 and A/2 are real. */
#define RADIX_COPRIME(n, A, B)                                                \
    INLINE void rf_##n(const V *x, C *y)                                      \
    {                                                                         \
        C t[A][B];                                                            \
        UNROLL                                                                \
        for (int q = 0; q < B; q++) {                                         \
            V v[A];                                                           \
            C c[A / 2 + 1];                                                   \
            UNROLL                                                            \
            for (int p = 0; p < A; p++)                                       \
                v[p] = x[(B * p + A * q) % n];                                \
            rf_##A(v, c);                                                     \
            UNROLL                                                            \
            for (int p = 0; p <= A / 2; p++)                                  \
                t[p][q] = c[p];                                               \
        }                                                                     \
        UNROLL                                                                \
        for (int p = 0; p <= A / 2; p++) {                                    \
            if (2 * p % A == 0)                                               \
                rf_row_##B(t[p]);                                             \
            else                                                              \
                bf_##B(t[p]);                                                 \
        }                                                                     \
        UNROLL                                                                \
        for (int k = 0; k <= n / 2; k++)                                      \
            y[k] = k % A <= A / 2 ? t[k % A][k % B]                           \
                                  : conjugate(t[A - k % A][(B - k % B) % B]); \
    }                                                                         \
    INLINE void rb_##n(const C *y, V *x)                                      \
    {                                                                         \
        C t[A][B];                                                            \
        UNROLL                                                                \
        for (int k = 0; k < n; k++)                                           \
            t[k % A][k % B] = k <= n / 2 ? y[k] : conjugate(y[n - k]);        \
        UNROLL                                                                \
        for (int p = 0; p <= A / 2; p++) {                                    \
            if (2 * p % A == 0)                                               \
                rb_row_##B(t[p]);                                             \
            else                                                              \
                bb_##B(t[p]);                                                 \
        }                                                                     \
        UNROLL                                                                \
        for (int q = 0; q < B; q++) {                                         \
            V v[A];                                                           \
            C c[A / 2 + 1];                                                   \
            UNROLL                                                            \
            for (int p = 0; p <= A / 2; p++)                                  \
                c[p] = t[p][q];                                               \
            rb_##A(c, v);                                                     \
            UNROLL                                                            \
            for (int p = 0; p < A; p++)                                       \
                x[(B * p + A * q) % n] = v[p];                                \
        }                                                                     \
    }

RADIX_COPRIME(6, 2, 3)
RADIX_COPRIME(10, 2, 5)
RADIX_COPRIME(12, 4, 3)
RADIX_COPRIME(14, 2, 7)
RADIX_COPRIME(15, 3, 5)

/* ------------------------------------------------------------------------ 9 */

/* As bf_9(), with columns 0 of reals, and of two rows that are conjugate one. */
INLINE void rf_9(const V *x, C *y)
{
    C t[2][3];

    UNROLL
    for (int j = 0; j < 3; j++) {
        const V v[3] = {x[j], x[j + 3], x[j + 6]};
        C c[2];
        rf_3(v, c);
        t[0][j] = c[0];
        t[1][j] =
            j == 0 ? c[1] : c_mul1(c[1], root_9[2 * j], root_9[2 * j + 1]);
    }
    rf_row_3(t[0]);
    bf_3(t[1]);
    y[0] = t[0][0];
    y[1] = t[1][0];
    y[2] = conjugate(t[1][2]);
    y[3] = t[0][1];
    y[4] = t[1][1];
}

INLINE void rb_9(const C *y, V *x)
{
    C t[2][3] = {{y[0], y[3]}, {y[1], y[4], conjugate(y[2])}};

    rb_row_3(t[0]);
    bb_3(t[1]);
    UNROLL
    for (int j = 0; j < 3; j++) {
        const C c[2] = {t[0][j], j == 0 ? t[1][0]
                                        : c_mul1(t[1][j], root_9[2 * j],
                                                 -root_9[2 * j + 1])};
        V v[3];
        rb_3(c, v);
        UNROLL
        for (int p = 0; p < 3; p++)
            x[j + 3 * p] = v[p];
    }
}

#endif

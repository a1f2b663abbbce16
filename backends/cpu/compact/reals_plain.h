/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The steps around the transforms without pairs of kinds whose reals are in the plain
 * order, for reals.h. */
#ifndef STFI_CPU_REALS_PLAIN_H
#define STFI_CPU_REALS_PLAIN_H

static void widen(const stfi_cpu_reals *r, const void *from, void *to,
                  double scale)
{
    const int64_t n = r->n;
    const real *x = from;
    real *y = to;

    (void)scale;
    for (int64_t i = 0; n >= W && i < n; i += W) {
        const int64_t k = first_of(i, n);
        put_numbers_up(y + 2 * k, (C){up(x + k), (V){0}});
    }
    for (int64_t i = 0; n < W && i < n; i++)
        put_pair(y + 2 * i, x[i], 0);
}

static void narrow(const stfi_cpu_reals *r, const void *from, void *to,
                   double scale)
{
    const int64_t n = r->n;
    const real *x = from;
    real *y = to;

    (void)scale;
    for (int64_t i = 0; n >= W && i < n; i += W) {
        const int64_t k = first_of(i, n);
        put_up(y + k, numbers_up(x + 2 * k).r);
    }
    for (int64_t i = 0; n < W && i < n; i++)
        y[i] = x[2 * i];
}

/* Stores numbers 0 to n / 2 as reals k and n - k: their parts, or with `cas` the
 * difference and the sum of these. */
INLINE void give_plain(const stfi_cpu_reals *r, const void *from, void *to,
                       int cas)
{
    const int64_t n = r->n, most = (n - 1) / 2;
    const real *x = from;
    real *y = to;

    y[0] = x[0];
    if (n % 2 == 0)
        y[n / 2] = x[n];
    for (int64_t i = 0; most >= W && i < most; i += W) {
        const int64_t k = 1 + first_of(i, most);
        const C v = numbers_up(x + 2 * k);
        const C u = cas ? (C){v.r - v.i, v.r + v.i} : v;
        put_up(y + k, u.r);
        put_down(y + n - k, u.i);
    }
    for (int64_t k = 1; most < W && k <= most; k++) {
        const real re = x[2 * k], im = x[2 * k + 1];
        y[k] = cas ? re - im : re;
        y[n - k] = cas ? re + im : im;
    }
}

static void take_hc2r(const stfi_cpu_reals *r, const void *from, void *to,
                      double scale)
{
    const int64_t n = r->n, most = (n - 1) / 2;
    const real *x = from;
    real *y = to;

    (void)scale;
    put_pair(y, x[0], 0);
    if (n % 2 == 0)
        put_pair(y + n, x[n / 2], 0);
    for (int64_t i = 0; most >= W && i < most; i += W) {
        const int64_t k = 1 + first_of(i, most);
        const C v = {up(x + k), down(x + n - k)};
        put_numbers_up(y + 2 * k, v);
        put_numbers_down(y + 2 * (n - k), (C){v.r, -v.i});
    }
    for (int64_t k = 1; most < W && k <= most; k++) {
        put_pair(y + 2 * k, x[k], x[n - k]);
        put_pair(y + 2 * (n - k), x[k], -x[n - k]);
    }
}

STEP(give_r2hc, give_plain, 0)
STEP(give_dht, give_plain, 1)

#endif

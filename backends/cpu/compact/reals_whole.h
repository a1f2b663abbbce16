/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The steps around the transforms of the real to real kinds without pairs, for reals.h:
 * by tables of places, signs and turns, which are those of the sides of schedules. */
#ifndef STFI_CPU_REALS_WHOLE_H
#define STFI_CPU_REALS_WHOLE_H

/* Where the reals of a side are, and by what they are multiplied. */
typedef struct places {
    const int32_t *at;
    const real *sign;
    const real *turn; /* of numbers */
} places;

INLINE places places_of(const stfi_cpu_reals *r, int side)
{
    const real *t = (const real *)(const void *)r->turn;

    return (places){r->place + side * r->n, t + side * r->n, t + 2 * r->n};
}

INLINE real real_at(const places *p, const real *x, int64_t m)
{
    return x[p->at[m]] * p->sign[m];
}

static void place_reals(const stfi_cpu_reals *r, const void *from, void *to,
                        double scale)
{
    const places p = places_of(r, 0);
    real *y = to;

    (void)scale;
    for (int64_t m = 0; m < r->n; m++)
        put_pair(y + 2 * m, real_at(&p, from, m), 0);
}

static void place_back(const stfi_cpu_reals *r, const void *from, void *to,
                       double scale)
{
    const places p = places_of(r, 1);
    const real *x = from;
    real *y = to;

    (void)scale;
    for (int64_t m = 0; m < r->n; m++)
        y[p.at[m]] = x[2 * m] * p.sign[m];
}

/* Real and imaginary parts of numbers k at places k and n - k. */
static void place_numbers(const stfi_cpu_reals *r, const void *from, void *to,
                          double scale)
{
    const places p = places_of(r, 1);
    const int64_t n = r->n;
    const real *x = from, *t = p.turn;
    real *y = to;

    (void)scale;
    y[p.at[0]] = x[0] * t[0] * p.sign[0];
    for (int64_t k = 1; k <= n / 2; k++) {
        const real a = x[2 * k], b = x[2 * k + 1];
        const real c = t[2 * k], d = t[2 * k + 1];
        y[p.at[n - k]] = (a * d + b * c) * p.sign[n - k];
        y[p.at[k]] = (a * c - b * d) * p.sign[k];
    }
}

/* The real parts of half of them; sign 0: there is no such place. */
static void place_parts(const stfi_cpu_reals *r, const void *from, void *to,
                        double scale)
{
    const places p = places_of(r, 1);
    const real *x = from, *t = p.turn;
    real *y = to;

    (void)scale;
    for (int64_t k = 0; k <= r->n / 2; k++)
        if (p.sign[k] != 0)
            y[p.at[k]] =
                (x[2 * k] * t[2 * k] - x[2 * k + 1] * t[2 * k + 1]) * p.sign[k];
}

/* The reverse of place_numbers(), with the other half of the numbers. */
static void gather_numbers(const stfi_cpu_reals *r, const void *from, void *to,
                           double scale)
{
    const places p = places_of(r, 0);
    const int64_t n = r->n;
    const real *t = p.turn;
    real *y = to;

    (void)scale;
    put_pair(y, real_at(&p, from, 0) * t[0], 0);
    for (int64_t k = 1; k <= n / 2; k++) {
        const real a = real_at(&p, from, k);
        const real b = 2 * k == n ? 0 : real_at(&p, from, n - k);
        const real re = a * t[2 * k] - b * t[2 * k + 1];
        const real im = 2 * k == n ? 0 : a * t[2 * k + 1] + b * t[2 * k];
        put_pair(y + 2 * (n - k), re, -im);
        put_pair(y + 2 * k, re, im);
    }
}

#endif

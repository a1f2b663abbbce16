/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Compact transforms between small real arrays and their half spectra: those of
 * complex arrays, of which the redundant half is left out or made. Arrays are
 * in lanes, [element][array]. */
#ifndef STFI_CPU_COMPACT_REAL_H
#define STFI_CPU_COMPACT_REAL_H

#include "backends/cpu/compact/cpu_compact.h"
#include "backends/cpu/fft/scale.h"

/* Component i of arrays that are shorter than a vector; the last is repeated. */
INLINE V take_lanes(const user *u, int count, int64_t i)
{
    V v = {0};

    UNROLL
    for (int l = 0; l < W; l++)
        v[l] = u->at[(l < count ? l : count - 1) * u->step + i];
    return v;
}

INLINE void give_lanes(V v, const user *u, int count, int64_t i)
{
    UNROLL
    for (int l = 0; l < W; l++)
        if (l < count)
            u->at[l * u->step + i] = v[l];
}

/* Loads and stores all components of such arrays, of which `parts` follow each other
 * in an element. Whole groups have no conditions. */
static void take_few(const user *u, int count, int64_t reals, int parts,
                     planes x)
{
    for (int64_t i = 0; i < reals; i++)
        storeu((i % parts != 0 ? x.im : x.re) + i / parts * W,
               count == W ? take_lanes(u, W, i) : take_lanes(u, count, i));
}

static void give_few(const real *re, const real *im, const user *u, int count,
                     int64_t reals, int parts)
{
    for (int64_t i = 0; i < reals; i++) {
        const real *at = (i % parts != 0 ? im : re) + i / parts * W;
        const V v = v_times(loadu(at), u->scale);
        if (count == W)
            give_lanes(v, u, W, i);
        else
            give_lanes(v, u, count, i);
    }
}

/* Loads `count` arrays of n reals to a plane; the last of W arrays are repeated. */
static void take_reals(const user *u, int count, int64_t n, real *x)
{
    if (n < W) {
        take_few(u, count, n, 1, (planes){x, x});
        return;
    }
    for (int64_t e = 0; e < n; e += W) {
        int64_t at = e + W <= n ? e : n - W;
        V v[W];
        UNROLL
        for (int l = 0; l < W; l++)
            v[l] =
                load_stored(u->at + (l < count ? l : count - 1) * u->step + at,
                            STFI_REAL_ID);
        transpose(v);
        UNROLL
        for (int i = 0; i < W; i++)
            storeu(x + (at + i) * W, v[i]);
    }
}

static void give_reals(const real *y, const user *u, int count, int64_t n)
{
    if (n < W) {
        give_few(y, NULL, u, count, n, 1);
        return;
    }
    for (int64_t e = 0; e < n; e += W) {
        int64_t at = e + W <= n ? e : n - W;
        V v[W];
        UNROLL
        for (int i = 0; i < W; i++)
            v[i] = v_times(loadu(y + (at + i) * W), u->scale);
        transpose(v);
        UNROLL
        for (int l = 0; l < W; l++)
            if (l < count)
                store_stored(u->at + l * u->step + at, STFI_REAL_ID, v[l]);
    }
}

/* Loads and stores half spectra of n elements. */
static void take_half(const user *u, int count, int64_t n, planes x)
{
    if (2 * n < W)
        take_few(u, count, 2 * n, 2, x);
    else
        take_group(u->at, u->step, count, 0, n, &x);
}

static void give_half(planes y, const user *u, int count, int64_t n)
{
    if (2 * n < W)
        give_few(y.re, y.im, u, count, 2 * n, 2);
    else
        give_group(&y, u->scale, n, u->at, u->step, count, 0);
}

/* Makes the spectrum of n reals from its half: the element of a negative index is the
 * conjugate. */
static void make_half(planes x, int64_t n)
{
    for (int64_t k = n / 2 + 1; k < n; k++) {
        storeu(x.re + k * W, loadu(x.re + (n - k) * W));
        storeu(x.im + k * W, -loadu(x.im + (n - k) * W));
    }
}

/* The imaginary parts of elements 0 and n/2 of a row are zero. */
static void clear_real_elements(planes x, int64_t n)
{
    storeu(x.im, (V){0});
    if (n % 2 == 0)
        storeu(x.im + n / 2 * W, (V){0});
}

/* --------------------------------------------------------- several rows of reals */

/* The user's arrays from row `row` on. */
INLINE user from_row(const stfi_cpu_compact *c, const user *u, int64_t row)
{
    user part = *u;

    part.at += row * c->pitch;
    return part;
}

/* Loads `pairs` rows of `count` arrays from row `row` on, and stores them. */
static void take_rows(const stfi_cpu_compact *c, const user *u, int count,
                      int64_t row, int64_t pairs, real *x)
{
    const int whole = c->pitch == c->last;
    const int64_t n = whole ? pairs * c->last : c->last;

    for (int64_t r = 0; r < (whole ? 1 : pairs); r++) {
        const user part = from_row(c, u, row + r);
        take_reals(&part, count, n, x + r * n * W);
    }
}

static void give_rows(const stfi_cpu_compact *c, const real *y, const user *u,
                      int count, int64_t row, int64_t pairs)
{
    const int whole = c->pitch == c->last;
    const int64_t n = whole ? pairs * c->last : c->last;

    for (int64_t r = 0; r < (whole ? 1 : pairs); r++) {
        const user part = from_row(c, u, row + r);
        give_reals(y + r * n * W, &part, count, n);
    }
}

/* Loads rows of one array as columns [element][row]. */
static void take_columns(const stfi_cpu_compact *c, const stored *x,
                         int64_t pairs, real *y)
{
    const int64_t n = c->last;

    for (int64_t e = 0; n < W && e < n; e++)
        for (int64_t r = 0; r < pairs; r++)
            y[e * pairs + r] = x[r * c->pitch + e];
    for (int64_t e = 0; n >= W && e < n; e += W) {
        const int64_t k = e + W <= n ? e : n - W;
        for (int64_t r = 0; r < pairs; r += W) {
            const int64_t at = r + W <= pairs ? r : pairs - W;
            turn_square(x + at * c->pitch + k, c->pitch, W, y + k * pairs + at,
                        pairs, W);
        }
    }
}

INLINE void give_turned(const real *x, int64_t pairs, stored *y, int64_t pitch,
                        factor f)
{
    V v[W];

    UNROLL
    for (int l = 0; l < W; l++)
        v[l] = v_times(loadu(x + l * pairs), f);
    transpose(v);
    UNROLL
    for (int l = 0; l < W; l++)
        storeu(y + l * pitch, v[l]);
}

static void give_columns(const stfi_cpu_compact *c, const real *x,
                         int64_t pairs, factor f, stored *y)
{
    const int64_t n = c->last;

    for (int64_t e = 0; n < W && e < n; e++)
        for (int64_t r = 0; r < pairs; r++)
            y[r * c->pitch + e] = v_times((V){x[e * pairs + r]}, f)[0];
    for (int64_t e = 0; n >= W && e < n; e += W) {
        const int64_t k = e + W <= n ? e : n - W;
        for (int64_t r = 0; r < pairs; r += W) {
            const int64_t at = r + W <= pairs ? r : pairs - W;
            give_turned(x + k * pairs + at, pairs, y + at * c->pitch + k,
                        c->pitch, f);
        }
    }
}

INLINE C element(planes x, int64_t i)
{
    return (C){loadu(x.re + i), loadu(x.im + i)};
}

INLINE void put_element(planes y, int64_t i, V re, V im)
{
    storeu(y.re + i, re);
    storeu(y.im + i, im);
}

/* Elements k and m - k of the spectrum of two rows, in lines at x and `back`, give
 * element k of both. */
INLINE void separate_line(const stfi_cpu_step *t, planes x, planes back,
                          planes y)
{
    for (int64_t q = 0; q < t->s; q += W) {
        const int64_t at = q + W <= t->s ? q : t->s - W;
        const C u = c_scale(element(x, at), (real)0.5);
        const C v = c_scale(element(back, at), (real)0.5);
        put_element(y, at, u.r + v.r, u.i - v.i);
        put_element(y, at + t->other, u.i + v.i, v.r - u.r);
    }
}

static void separate_rows(const stfi_cpu_step *t, planes x, planes y)
{
    for (int64_t b = 0; b < t->blocks; b++) {
        for (int64_t k = 0; k <= t->m / 2; k++) {
            const int64_t mirror = k > 0 ? t->m - k : 0;
            separate_line(t, planes_at(x, k * t->s),
                          planes_at(x, mirror * t->s), y);
            y = planes_at(y, t->line);
        }
        x = planes_at(x, t->m * t->s);
    }
}

/* The reverse; the imaginary parts of elements 0 and m/2 count as zero: these are
 * `single`. */
INLINE void join_line(const stfi_cpu_step *t, planes x, planes y, planes back,
                      int single)
{
    for (int64_t q = 0; q < t->s; q += W) {
        const int64_t at = q + W <= t->s ? q : t->s - W;
        const C u = element(x, at), v = element(x, at + t->other);
        if (single) {
            put_element(y, at, u.r, v.r);
        } else {
            put_element(y, at, u.r - v.i, u.i + v.r);
            put_element(back, at, u.r + v.i, v.r - u.i);
        }
    }
}

static void join_rows(const stfi_cpu_step *t, planes x, planes y)
{
    for (int64_t b = 0; b < t->blocks; b++) {
        for (int64_t k = 0; k <= t->m / 2; k++) {
            const planes to = planes_at(y, k * t->s);
            if (k == 0 || 2 * k == t->m)
                join_line(t, x, to, to, 1);
            else
                join_line(t, x, to, planes_at(y, (t->m - k) * t->s), 0);
            x = planes_at(x, t->line);
        }
        y = planes_at(y, t->m * t->s);
    }
}

#endif

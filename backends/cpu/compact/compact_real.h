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

static void give_few(planes y, const user *u, int count, int64_t reals,
                     int parts)
{
    for (int64_t i = 0; i < reals; i++) {
        const real *at = (i % parts != 0 ? y.im : y.re) + i / parts * W;
        const V v = v_times(loadu(at), u->scale);
        if (count == W)
            give_lanes(v, u, W, i);
        else
            give_lanes(v, u, count, i);
    }
}

/* Loads `count` arrays of n reals; the last of W arrays are repeated. */
static void take_reals(const user *u, int count, int64_t n, planes x)
{
    if (n < W) {
        take_few(u, count, n, 1, x);
        for (int64_t e = 0; e < n; e++)
            storeu(x.im + e * W, (V){0});
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
        for (int i = 0; i < W; i++) {
            storeu(x.re + (at + i) * W, v[i]);
            storeu(x.im + (at + i) * W, (V){0});
        }
    }
}

static void give_reals(planes y, const user *u, int count, int64_t n)
{
    if (n < W) {
        give_few(y, u, count, n, 1);
        return;
    }
    for (int64_t e = 0; e < n; e += W) {
        int64_t at = e + W <= n ? e : n - W;
        V v[W];
        UNROLL
        for (int i = 0; i < W; i++)
            v[i] = v_times(loadu(y.re + (at + i) * W), u->scale);
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
        give_few(y, u, count, 2 * n, 2);
    else
        give_group(&y, u->scale, n, u->at, u->step, count, 0);
}

static void copy_element(planes x, int64_t from, planes y, int64_t to)
{
    storeu(y.re + to * W, loadu(x.re + from * W));
    storeu(y.im + to * W, loadu(x.im + from * W));
}

/* Makes rows of half spectra of rows of n elements, in place. */
static void leave_out_half(planes y, int64_t rows, int64_t n)
{
    const int64_t half = n / 2 + 1;

    for (int64_t r = 0; r < rows; r++)
        for (int64_t k = 0; k < half; k++)
            copy_element(y, r * n + k, y, r * half + k);
}

/* Makes the spectrum of real arrays from its half: the element of negative
 * indices is the conjugate. */
static void make_half(const stfi_cpu_compact *c, planes half, planes x)
{
    const int64_t n = c->last, h = n / 2 + 1;

    for (int64_t r = 0; r < c->n / n; r++) {
        for (int64_t k = 0; k < h; k++)
            copy_element(half, r * h + k, x, r * n + k);
        for (int64_t k = h; k < n; k++) {
            int64_t from = (c->mirror[r] * h + n - k) * W;
            storeu(x.re + (r * n + k) * W, loadu(half.re + from));
            storeu(x.im + (r * n + k) * W, -loadu(half.im + from));
        }
    }
}

/* The imaginary parts of elements 0 and n/2 of a row are zero. */
static void clear_real_elements(planes x, int64_t n)
{
    storeu(x.im, (V){0});
    if (n % 2 == 0)
        storeu(x.im + n / 2 * W, (V){0});
}

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Two signals of different transforms in one lane have norms near 1, each by a
 * power of two that is taken back from its results; what is not finite becomes 0, and
 * its results NaN. Why: kernels/fft/balance.h, which does it for GPUs. Schedules of a
 * CPU have no such lanes. */
#ifndef STFI_FFT_BALANCE_H
#define STFI_FFT_BALANCE_H

#include "backends/cpu/fft/tile_store.h"

/* The squared norms of both signals of each lane, and then the powers. A long double
 * has room for squares of doubles. */
typedef struct powers {
    long double square[2][W];
    real up[2][W], back[2][W];
} powers;

/* Adds a part of signal i of lane l to its norm. */
INLINE void add_part(powers *b, int i, int l, real x)
{
    b->square[i][l] += (long double)x * (long double)x;
}

/* Room for roundings is left below the normal numbers, as for GPUs. */
static void make_powers(powers *b)
{
    const int digits = sizeof(real) == sizeof(float) ? 23 : 52;
    const int first = sizeof(real) == sizeof(float) ? -126 : -1022;
    const int least = first + digits + 1, most = -first;

    for (int i = 0; i < 2; i++)
        for (int l = 0; l < W; l++) {
            const int bad = !isfinite(b->square[i][l]);
            int e = 0;
            if (!bad)
                (void)frexpl(sqrtl(b->square[i][l]), &e);
            e = e < least ? least : e > most ? most : e;
            b->up[i][l] = bad ? 0 : (real)ldexpl(1, -e);
            b->back[i][l] = bad ? (real)NAN : (real)ldexpl(1, e);
        }
}

INLINE real brought(const powers *b, int i, int l, real x)
{
    return isfinite(b->square[i][l]) ? x * b->up[i][l] : 0;
}

/* Balances n elements that have one real of either signal. */
static void balance_reals(int64_t n, real *data, powers *b)
{
    memset(b, 0, sizeof *b);
    for (int64_t e = 0; e < n; e++)
        for (int c = 0; c < 2; c++)
            for (int l = 0; l < W; l++)
                add_part(b, c, l, data[e * ELEM + c * W + l]);
    make_powers(b);
    for (int64_t e = 0; e < n; e++)
        for (int c = 0; c < 2; c++)
            for (int l = 0; l < W; l++) {
                real *x = data + e * ELEM + c * W + l;
                *x = brought(b, c, l, *x);
            }
}

/* Takes the power of signal i back from one of its elements. */
static void take_back(const powers *b, int i, real *element)
{
    for (int c = 0; c < 2; c++)
        for (int l = 0; l < W; l++)
            element[c * W + l] *= b->back[i][l];
}

/* The same for n elements that have one real of either signal. */
static void take_back_reals(const powers *b, int64_t n, real *data)
{
    for (int64_t e = 0; e < n; e++)
        for (int c = 0; c < 2; c++)
            for (int l = 0; l < W; l++)
                data[e * ELEM + c * W + l] *= b->back[c][l];
}

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Rows of reals and of half spectra, read and written by squares of W rows, as
 * read_square() does rows of complex elements: for lanes whose elements are neighbours
 * in memory. */
#ifndef STFI_FFT_REAL_SQUARES_H
#define STFI_FFT_REAL_SQUARES_H

#include "backends/cpu/fft/tile.h"

#if STFI_LANES > 1
/* The parts of an element that rows of a side hold: a signal, or the two of a lane. */
static int parts_of(const port *p)
{
    return p->side->form == STFI_FORM_PAIRS ? 2 : 1;
}

/* Reads W reals of each lane, from the one at distance `from` on. */
INLINE void read_reals(const port *p, int format, int64_t from, V *v)
{
    UNROLL
    for (int l = 0; l < W; l++) {
        const stored *row = stored_at(p->at[l], format, from);
        v[l] = load_stored(row, format);
        __builtin_prefetch(stored_at(row, format, p->ahead), 0, 2);
    }
    transpose(v);
}

/* The reverse; of lanes that are not in use nothing is written. */
INLINE void write_reals(const port *p, int format, int64_t to, V *v)
{
    transpose(v);
    UNROLL
    for (int l = 0; l < W; l++)
        if (l < p->count) {
            stored *row = stored_at(p->at[l], format, to);
            store_stored(row, format, v[l]);
            __builtin_prefetch(stored_at(row, format, p->ahead), 1, 2);
        }
}

/* Reads elements [e, e + W), which go to places `at` to `at` + W - 1. */
static void read_real_square(const port *p, int64_t e, real *dst,
                             const uint32_t *pos, int64_t at)
{
    V v[W];

    for (int part = 0; part < 2; part++) {
        memset(v, 0, sizeof v);
        if (part < parts_of(p))
            BY_FORMAT(p->format, read_reals(p, AS, e + part * p->im, v));
        UNROLL
        for (int i = 0; i < W; i++)
            store(place(dst, pos, at + i) + part * W, v[i]);
    }
}

static void write_real_square(const port *p, int64_t e, const real *src,
                              const uint32_t *pos, int64_t at)
{
    V v[W];

    for (int part = 0; part < parts_of(p); part++) {
        UNROLL
        for (int i = 0; i < W; i++)
            v[i] = load(value_at(src, pos, at + i) + part * W);
        BY_FORMAT(p->format, write_reals(p, AS, e + part * p->im, v));
    }
}

/* Reads W/2 elements of half spectra from e on, or if `mirrored` is 1 their
 * conjugates from element `full` - e down. */
INLINE void read_half_square(const port *p, int format, int64_t e, int mirrored,
                             real *dst, const uint32_t *pos, int64_t at)
{
    const int64_t first = mirrored ? p->side->full - e - (W / 2 - 1) : e;
    V v[W];

    read_reals(p, format, 2 * first, v);
    UNROLL
    for (int i = 0; i < W / 2; i++) {
        const int64_t to = mirrored ? at + W / 2 - 1 - i : at + i;
        c_store(place(dst, pos, to), 0, W,
                (C){v[2 * i], mirrored ? -v[2 * i + 1] : v[2 * i + 1]});
    }
}
#endif

#endif

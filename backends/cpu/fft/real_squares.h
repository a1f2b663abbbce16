/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Rows of reals and of half spectra, read and written by squares of W rows, as
 * read_square() does rows of complex elements: for lanes whose elements are neighbours
 * in memory. */
#ifndef STFI_FFT_REAL_SQUARES_H
#define STFI_FFT_REAL_SQUARES_H

#include "backends/cpu/fft/tile.h"

/* Reads W reals of each lane from place r on into vectors of one real each. */
INLINE void read_block(const port *p, int64_t r, V *v)
{
    UNROLL
    for (int l = 0; l < W; l++)
        v[l] = load_components(p, l, r);
#if STFI_LANES > 1
    transpose(v);
#endif
}

/* The reverse; of lanes that are not in use nothing is written. */
INLINE void write_block(const port *p, int64_t r, V *v)
{
    stored rows[W * W * STORED_UNITS] __attribute__((aligned(64)));
    const int format = p->format;

#if STFI_LANES > 1
    transpose(v);
#endif
    if (p->count == W) {
        UNROLL
        for (int l = 0; l < W; l++)
            store_stored(component(p, l, r), format, v[l]);
        return;
    }
    UNROLL
    for (int l = 0; l < W; l++)
        store_stored(stored_at(rows, format, l * W), format, v[l]);
    for (int l = 0; l < p->count; l++)
        memcpy(component(p, l, r), stored_at(rows, format, l * W),
               W * (size_t)stored_bytes(format));
}

#if STFI_LANES > 1
/* Asks the cache for what a later tile, or a later square of long rows, has in place of
 * the reals from place r on. */
INLINE void prefetch_block(const port *p, int64_t r)
{
    UNROLL
    for (int l = 0; l < W; l++) {
        if (p->out)
            __builtin_prefetch(component(p, l, r + p->ahead), 1, 2);
        else
            __builtin_prefetch(component(p, l, r + p->ahead), 0, 2);
    }
}

/* The parts of an element that rows of a side hold: a signal, or the two of a lane. */
static int parts_of(const port *p)
{
    return p->side->form == STFI_FORM_PAIRS ? 2 : 1;
}

/* Reads elements [e, e + W), which go to places `at` to `at` + W - 1. */
static void read_real_square(const port *p, int64_t e, real *dst,
                             const uint32_t *pos, int64_t at)
{
    V v[W];

    for (int part = 0; part < 2; part++) {
        if (part < parts_of(p)) {
            read_block(p, e + part * p->im, v);
            prefetch_block(p, e + part * p->im);
        } else {
            memset(v, 0, sizeof v);
        }
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
        write_block(p, e + part * p->im, v);
        prefetch_block(p, e + part * p->im);
    }
}

/* Reads W/2 elements of half spectra from e on, or if `mirrored` is 1 their
 * conjugates from element `full` - e down. */
static void read_half_square(const port *p, int64_t e, int mirrored, real *dst,
                             const uint32_t *pos, int64_t at)
{
    const int64_t first = mirrored ? p->side->full - e - (W / 2 - 1) : e;
    V v[W];

    read_block(p, 2 * first, v);
    prefetch_block(p, 2 * first);
    UNROLL
    for (int i = 0; i < W / 2; i++) {
        const int64_t to = mirrored ? at + W / 2 - 1 - i : at + i;
        c_store(place(dst, pos, to), 0, W,
                (C){v[2 * i], mirrored ? -v[2 * i + 1] : v[2 * i + 1]});
    }
}
#endif

#endif

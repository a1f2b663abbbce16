/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Loading segments of consecutive elements into a tile, with the load's
 * modifiers. */
#ifndef STFI_FFT_TILE_LOAD_H
#define STFI_FFT_TILE_LOAD_H

#include "backends/cpu/protect/memory_sums.h"

/* Multiplies elements [e0, e0 + count) by the chirp of a side. In all lanes
 * they are below the limit. */
static void apply_chirp(const tile *t, const port *p, int64_t e0, int64_t count,
                        real *data, const uint32_t *pos)
{
    int step = index_step(p->index, p->count);

    for (int64_t i = 0; i < count; i++) {
        real *d = place(data, pos, i);
        C w = table_at(t->cp->chirp, p->index, p->count, step,
                       (e0 + i) * p->side->index.elem);
        c_store(d, t->ro, t->io, c_mul(c_load(d, t->ro, t->io), w));
    }
}

/* As apply_chirp(), for a segment of which some lanes or elements may be beyond
 * the limit. */
static void apply_chirp_limited(const tile *t, const port *p, int64_t e0,
                                int64_t count, real *data, const uint32_t *pos)
{
    int64_t all, none;

    limit_range(p, e0, count, &all, &none);
    if (all > 0)
        apply_chirp(t, p, e0, all, data, pos);
    for (int64_t i = all; i < none; i++) {
        real *d = place(data, pos, i);
        c_store(d, t->ro, t->io,
                c_mul(c_load(d, t->ro, t->io), chirp_edge(t, p, e0 + i)));
    }
}

/* Multiplies elements [e0, e0 + count) by the twiddles of the lanes' rows.
 * Element e0 + i lies at place i, or at pos[i]. */
static void apply_twiddle(const tile *t, int64_t e0, int64_t count, real *dst,
                          const uint32_t *pos)
{
    int64_t fine = t->cp->fine;
    /* To multiply by the conjugate is to exchange the parts of the element,
     * multiply, and exchange them again. */
    int flip = t->cp->p.twiddle.conjugate;
    int ro = flip ? t->io : t->ro, io = flip ? t->ro : t->io;
    int64_t e = e0, end = e0 + count;

    while (e < end) {
        const real *block = t->work.coarse + e / fine * ELEM;
        int64_t f = e % fine;
        C c = c_load(block, 0, W);
        for (; f < fine && e < end; f++, e++) {
            real *d = place(dst, pos, e - e0);
            C w = c_mul(c, c_load(t->work.fine + f * ELEM, 0, W));
            c_store(d, ro, io, c_mul(c_load(d, ro, io), w));
        }
    }
}

/* Applies the load's modifiers. */
static void modify_loaded(const tile *t, int64_t e0, int64_t count, real *dst,
                          const uint32_t *pos)
{
    const port *p = &t->work.in;

    if (p->side->chirp > 0)
        apply_chirp_limited(t, p, e0, count, dst, pos);
    if (has_twiddle(&t->cp->p, p->side))
        apply_twiddle(t, e0, count, dst, pos);
}

/* Loads elements [e0, e0 + count) of a checked pass. Here they add to the norm
 * only: weigh_source() sums them up in memory. */
static void load_checked(const tile *t, int64_t e0, int64_t count, real *dst,
                         const uint32_t *pos)
{
    probe *k = t->probe;

    if (t->work.in.side->limit > 0)
        read_limited(&t->work.in, e0, count, dst, pos);
    else
        read_plain(&t->work.in, e0, count, dst, pos);
    if (k->manual)
        return;
    probe_power(k, dst, pos, count);
    probe_measure(k, dst, pos, count, 1);
}

INLINE void load_segment(const tile *t, int64_t e0, int64_t count, real *dst,
                         const uint32_t *pos)
{
    if (t->probe != NULL)
        load_checked(t, e0, count, dst, pos);
    else if (t->work.in.side->limit > 0)
        read_limited(&t->work.in, e0, count, dst, pos);
    else
        read_plain(&t->work.in, e0, count, dst, pos);
    modify_loaded(t, e0, count, dst, pos);
}

#endif

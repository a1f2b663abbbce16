/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* A checked pass's part of the signature of its launch (cpu_signature.h): where
 * its tiles are in memory, as the check has found them, and the bits that they
 * hand on. */
#ifndef STFI_PROTECT_SIGNATURE_H
#define STFI_PROTECT_SIGNATURE_H

#include "backends/cpu/fft/tile.h"
#include "backends/cpu/protect/cpu_signature.h"

static void sign_open(probe *k, int is_signed)
{
    k->is_signed = is_signed;
    k->covered = 0;
    k->from = k->to = 0;
    memset(&k->moved, 0, sizeof k->moved);
}

/* Adds `reals` reals from x on, by their bits. A total over lanes is kept modulo
 * 2^32 or 2^64, as the sum of the words' lanes. */
INLINE words tally_reals(const real *x, int64_t reals, words total)
{
    int64_t i = 0;
    words next;

    for (; i + W <= reals; i += W) {
        memcpy(&next, x + i, sizeof next);
        total += next;
    }
    if (W == 1 || i == reals)
        return total;
    memset(&next, 0, sizeof next);
    memcpy(&next, x + i, (size_t)(reals - i) * sizeof *x);
    return total + next;
}

/* Component i behind element 0 of lane l; sides that hand on bits hold
 * reals of the arithmetic. */
INLINE const real *real_at(const port *p, int l, int64_t i)
{
    return (const real *)(const void *)component(p, l, i);
}

/* Adds elements [e0, e0 + count) of a side, real by real. */
static words tally_scattered(const port *p, int64_t e0, int64_t count,
                             words total)
{
    for (int64_t e = e0; e < e0 + count; e++)
        for (int l = 0; l < p->count; l++) {
            total = tally_reals(real_at(p, l, e * p->es), 1, total);
            total = tally_reals(real_at(p, l, e * p->es + p->im), 1, total);
        }
    return total;
}

/* Adds elements [e0, e0 + count) of a side, as they lie in memory, to the bits
 * that the tile hands on. */
static __attribute__((noinline)) void tally_side(const tile *t, int loaded,
                                                 int64_t e0, int64_t count)
{
    const port *p = loaded ? &t->seen.in : &t->seen.out;
    words total = t->probe->carried[!loaded];

    if (p->access == ACCESS_ROWS)
        for (int l = 0; l < p->count; l++)
            total = tally_reals(real_at(p, l, 2 * e0), 2 * count, total);
    else if (p->access == ACCESS_LANES)
        for (int64_t e = e0; e < e0 + count; e++)
            total = tally_reals(real_at(p, 0, e * p->es), 2 * W, total);
    else
        total = tally_scattered(p, e0, count, total);
    t->probe->carried[!loaded] = total;
}

/* Adds elements [e0, e0 + count) of a side to the bits that the tile hands on, if
 * the side does. */
INLINE void tally(const tile *t, int loaded, int64_t e0, int64_t count)
{
    if (t->probe->is_signed && t->cp->carries[!loaded])
        tally_side(t, loaded, e0, count);
}

/* The sum of the addresses of a side's lanes. */
INLINE uint64_t places_of(const port *p, int is_line)
{
    uint64_t total = 0;

    if (is_line)
        return (uint64_t)(uintptr_t)p->at[0] * W + (uint64_t)p->aparts;
    for (int l = 0; l < p->count; l++)
        total += (uint64_t)(uintptr_t)p->at[l];
    return total;
}

/* Adds a tile that is finished. */
static void sign_tile(const tile *t)
{
    probe *k = t->probe;
    const site *s = &t->seen;

    k->covered += s->in.count;
    k->from += places_of(&s->in, s->is_line);
    k->to += places_of(&s->out, s->is_line);
    k->moved += k->carried[1] - k->carried[0];
}

/* The sum over the lanes of the bits that were handed on, in the upper half of
 * the number where components have 32 bits. */
static uint64_t moved_bits(const probe *k)
{
    bits lane[W], total = 0;

    memcpy(lane, &k->moved, sizeof lane);
    for (int l = 0; l < W; l++)
        total += lane[l];
    return (uint64_t)total << (64 - 8 * sizeof total);
}

/* Adds the tiles of a pass to the signature. */
static void sign_pass(const tile *t)
{
    const probe *k = t->probe;
    const stfi_pass *p = &t->cp->p;
    uint64_t covered = (uint64_t)k->covered;
    uint64_t from =
        k->from - covered * stfi_cpu_sign_origin(&p->load, t->run->src);
    uint64_t to =
        k->to - covered * stfi_cpu_sign_origin(&p->store, t->run->dst);

    t->run->watch->signature += covered * stfi_cpu_sign_lane(t->cp, t->run)
                                + from * STFI_CPU_SIGN_FROM
                                + to * STFI_CPU_SIGN_TO + moved_bits(k);
}

#endif

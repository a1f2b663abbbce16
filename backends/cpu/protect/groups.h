/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Bundles: tiles that are computed one after the other and judged afterwards.
 * Their input must not have been overwritten by then, as tiles may have to be
 * computed again. Either each lane is judged by itself, or lanes l of all tiles
 * are judged together, by the sum of their residuals (cpu_group.h). */
#ifndef STFI_PROTECT_GROUPS_H
#define STFI_PROTECT_GROUPS_H

#include "backends/cpu/protect/cpu_group.h"
#include "backends/cpu/protect/pass_probe.h"
#include "backends/cpu/protect/verdict.h"

/* The residuals and sums of squares of a tile, kept until the verdict. */
typedef struct kept {
    C residual[2];
    V power[2];
} kept;

/* What bundles of a pass need beside the tile. It is part of the workspace, as
 * it would fill most of a small stack. */
typedef struct bundle_memory {
    kept was[STFI_CPU_TILES];
    stfi_cpu_bundle settled;
} bundle_memory;

typedef struct bundle {
    tile *t;
    const method *m;
    int64_t begin, end; /* first lane of the bundle, end of the pass's lanes */
    int tiles;
    int residuals; /* number of residuals per lane */
    kept *was;     /* [tiles] */
    stfi_cpu_bundle *settled;
} bundle;

/* 1 if one verdict covers several tiles. */
static int is_bundled(const tile *t)
{
    const stfi_check *c = &t->cp->p.check;

    return c->kind == STFI_CHECK_LANE && c->transactions > 1 && !t->probe->late;
}

static void keep(bundle *b, int j)
{
    memcpy(b->was[j].residual, b->t->probe->residual,
           sizeof b->was[j].residual);
    memcpy(b->was[j].power, b->t->probe->power, sizeof b->was[j].power);
}

/* Computes and stores all tiles and keeps their residuals. Returns 0 if a lane
 * that is judged by itself is not clean. */
static int run_bundle(bundle *b, walk *at)
{
    tile *t = b->t;
    probe *k = t->probe;
    int clean = 1;

    for (int j = 0; j < b->tiles; j++) {
        k->lane = b->begin + j * W;
        tile_next(t, at, k->lane, b->end);
        make_tile(t, b->m, 0, 0);
        if (!k->grouped)
            clean &= are_clean(k);
        if (!t->stored)
            b->m->put(t);
        keep(b, j);
    }
    b->residuals = k->residuals;
    return clean;
}

/* Sums the residuals over the tiles and returns 1 if all sums are small. Lanes
 * that the last tile does not use repeat its lane 0, so their sums are usual
 * values, too; settle_bundle() leaves them out. */
static int are_sums_clean(const bundle *b)
{
    probe *k = b->t->probe;
    int clean = 1;

    for (int i = 0; i < b->residuals; i++) {
        C d = b->was[0].residual[i];
        V power = b->was[0].power[i];
        for (int j = 1; j < b->tiles; j++) {
            d = c_add(d, b->was[j].residual[i]);
            power = power + b->was[j].power[i];
        }
        k->residual[i] = d;
        k->power[i] = power;
        clean &= is_clean(k, i);
    }
    return clean;
}

/* Sets the tile's place in memory to that of tile j again. */
static void go_to(const bundle *b, int j)
{
    tile_go(b->t, b->begin + (int64_t)j * W);
}

/* Judges each tile by itself, as if it had just been computed. */
static void review(const bundle *b)
{
    tile *t = b->t;
    probe *k = t->probe;

    for (int j = 0; j < b->tiles; j++) {
        go_to(b, j);
        probe_start(k, t->cp->p.n, 0, 0);
        memcpy(k->residual, b->was[j].residual, sizeof k->residual);
        memcpy(k->power, b->was[j].power, sizeof k->power);
        k->residuals = b->residuals;
        t->stored = 1;
        if (!are_clean(k))
            settle(t, b->m);
        if (!t->stored)
            b->m->put(t);
    }
}

static void fill_parts(const kept *was, int residuals, int lanes,
                       stfi_cpu_part *part)
{
    for (int i = 0; i < residuals; i++)
        for (int l = 0; l < lanes; l++) {
            part[i * W + l].re = (double)lane_of(&was->residual[i].r, l);
            part[i * W + l].im = (double)lane_of(&was->residual[i].i, l);
            part[i * W + l].square = (double)lane_of(&was->power[i], l);
        }
}

static int make_tile_again(void *arg, int j, stfi_cpu_part *part)
{
    bundle *b = arg;
    tile *t = b->t;
    int clean;

    go_to(b, j);
    make_tile(t, b->m, 1, 0);
    keep(b, j);
    fill_parts(&b->was[j], b->residuals, t->count, part);
    clean = are_clean(t->probe);
    if (!clean)
        settle(t, b->m);
    if (!t->stored)
        b->m->put(t);
    return !clean;
}

static __attribute__((noinline)) void settle_bundle(bundle *b)
{
    int64_t lanes = b->end - b->begin;
    stfi_cpu_bundle *s = b->settled;

    s->p = &b->t->cp->p;
    s->watch = b->t->run->watch;
    s->bound = bound_of(b->t);
    s->least = (double)least_power;
    s->most = (double)most_power;
    s->lane = b->begin;
    s->tiles = b->tiles;
    s->width = W;
    s->last = (int)(lanes < (int64_t)b->tiles * W ? lanes % W : W);
    s->residuals = b->residuals;
    s->again = make_tile_again;
    s->tile = b;
    for (int j = 0; j < b->tiles; j++)
        fill_parts(&b->was[j], b->residuals, j + 1 < b->tiles ? W : s->last,
                   s->part[j]);
    if (!stfi_cpu_settle_group(s))
        review(b);
}

/* Computes lanes [begin, end) of a pass in bundles, judges them, and counts the
 * groups that were checked. */
static __attribute__((noinline)) void run_bundles(tile *t, const method *m,
                                                  bundle_memory *memory,
                                                  int64_t begin, int64_t end)
{
    const stfi_check *c = &t->cp->p.check;
    probe *k = t->probe;
    bundle b = {.t = t,
                .m = m,
                .end = end,
                .was = memory->was,
                .settled = &memory->settled};
    int64_t groups = 0, lanes;
    walk at[2];

    k->bundled = 1;
    k->grouped = c->scheme != STF_FT_SCHEME_SIGNAL;
    walks_start(at, t, begin);
    for (b.begin = begin; b.begin < end; b.begin += (int64_t)b.tiles * W) {
        lanes = end - b.begin;
        b.tiles = lanes < (int64_t)c->transactions * W
                      ? (int)((lanes + W - 1) / W)
                      : c->transactions;
        if (!run_bundle(&b, at))
            review(&b);
        else if (k->grouped && !are_sums_clean(&b))
            settle_bundle(&b);
        lanes = k->grouped && lanes > W        ? W
                : lanes < (int64_t)b.tiles * W ? lanes
                                               : (int64_t)b.tiles * W;
        groups += lanes * b.residuals;
    }
    probe_end(k, t, groups);
}

#endif

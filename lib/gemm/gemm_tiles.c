/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The cost of tiles of matrix products on a GPU; see gemm_tiles.h. */
#include "gemm/gemm_tiles.h"

#include <math.h>
#include <stddef.h>

#include "base/type.h"

enum {
    MOST_STAGES = 4,
    PAD_BYTES = 16, /* by which a row of a slab is longer, once or twice */
    HALF_BYTES = 2,
    VECTORS = 2,       /* of checks */
    NORM_BYTES = 16,   /* of a column, of checks */
    STATE_BYTES = 32,  /* of a check, beside its numbers */
    GROUP_BYTES = 1024 /* of whose multiples slabs of a group's units begin */
};

/* The last column is from times on an H100, of products of 1024 to 8192 with sums
 * beside them and apart; 0: never apart (bench/results/cuda-h200-gemm.md). */
static const stfi_gemm_unit unit_rows[STFI_GEMM_UNITS] = {
    [STFI_GEMM_NO_UNIT] = {0, 0, 0, 0.06},
    [STFI_GEMM_UNIT_DOUBLE] = {0, 0, 0, 0.18},
    [STFI_GEMM_UNIT_HALF] = {1, 0, 0, 0},
    [STFI_GEMM_UNIT_SPLIT] = {1, 1, 0, 0},
    [STFI_GEMM_UNIT_GROUP] = {1, 0, 1, 0.15},
    [STFI_GEMM_UNIT_GROUP_SPLIT] = {1, 1, 1, 0},
};

const stfi_gemm_unit *stfi_gemm_unit_get(int unit)
{
    return &unit_rows[unit];
}

static const stfi_gemm_tile tiles[] = {
#define GEMM_TILE(...) {__VA_ARGS__},
#include "gemm/gemm_tiles.def"
#undef GEMM_TILE
};

const stfi_gemm_tile *stfi_gemm_tile_at(int i)
{
    return i < (int)(sizeof tiles / sizeof *tiles) ? &tiles[i] : NULL;
}

static _Thread_local int wanted_tile = -1;
static _Thread_local int64_t wanted_parts;

static _Thread_local int wanted_apart = -1;

void stfi_gemm_tiling_want_apart(int apart)
{
    wanted_apart = apart;
}

double stfi_gemm_tiling_sums(const stfi_gemm_tiling *t)
{
    if (wanted_apart >= 0)
        return wanted_apart ? INFINITY : 0;
    return unit_rows[t->tile.unit].sums * t->seconds;
}

void stfi_gemm_tiling_want(int tile, int64_t parts)
{
    wanted_tile = tile;
    wanted_parts = parts;
}

static int64_t div_up(int64_t a, int64_t b)
{
    return (a + b - 1) / b;
}

/* A slab of an operand, as the kernels lay it out (load.h, load_half.h). */
static int64_t slab_bytes(const stfi_gemm *g, const stfi_gemm_tiling *t,
                          int64_t across, int along_k)
{
    const int64_t bytes = (int64_t)stfi_type_arithmetic(g->precision)->bytes;
    const stfi_gemm_unit *unit = &unit_rows[t->tile.unit];

    if (unit->groups)
        return across * t->steps * HALF_BYTES;
    if (unit->halves)
        return along_k || unit->splits
                   ? across * (t->steps * HALF_BYTES + PAD_BYTES)
                   : t->steps * (across * HALF_BYTES + PAD_BYTES);
    return t->steps
           * (across * bytes
              + (t->tile.unit ? 2
                 : along_k    ? 1
                              : 0)
                    * PAD_BYTES);
}

/* As the kernels lay it out (slabs.h, check.h). */
static int64_t shared_bytes(const stfi_gemm *g, const stfi_gemm_tiling *t,
                            int stages)
{
    const int64_t bytes = (int64_t)stfi_type_arithmetic(g->precision)->bytes;
    const int64_t m = t->tile.m, n = t->tile.n;
    int64_t slab = slab_bytes(g, t, m, g->a.row != 1)
                   + slab_bytes(g, t, n, g->b.col != 1),
            sums = 0;

    if (g->ft.mode != STF_FT_OFF) {
        slab += t->steps * VECTORS * bytes;
        sums = (4 * n + m) * bytes + n * NORM_BYTES + STATE_BYTES;
    }
    if (unit_rows[t->tile.unit].groups) {
        slab = div_up(slab, GROUP_BYTES) * GROUP_BYTES;
        sums = div_up(sums, GROUP_BYTES) * GROUP_BYTES;
    }
    return stages * slab + sums;
}

/* Halves are computed in F32 where there are no matrix units, and what is split
 * without splitting; so is what is checked as a whole. */
static int fits(const stfi_gemm *g, const stfi_gemm_tile *x,
                const stfi_caps *caps, int async)
{
    const stfi_type *type = stfi_type_get(g->precision);
    const stfi_gemm_unit *unit = &unit_rows[x->unit];

    if (unit->groups && !(caps->matrix & STFI_MATRIX_GROUPS))
        return 0;
    if (g->compute == STF_COMPUTE_SPLIT && async
        && (g->ft.mode == STF_FT_OFF || g->ft.level != STF_FT_OFFLINE))
        return unit->splits;
    if (type->arithmetic != type->id)
        return async ? unit->halves && !unit->splits
                     : x->unit == STFI_GEMM_NO_UNIT && !x->wide;
    return !unit->halves && x->wide == type->wide
           && (async || x->unit == STFI_GEMM_NO_UNIT);
}

/* Returns how many blocks the registers of a multiprocessor hold, INT32_MAX if
 * that is not known; 0 if a thread needs more than instructions name. */
static int64_t held_by_registers(const stfi_gemm_tiling *t,
                                 const stfi_caps *caps)
{
    enum { NAMED = 256 };
    const stfi_gemm_tile *x = &t->tile;
    const int words = x->thread_m * x->thread_n * (x->wide ? 2 : 1);
    const int needed = caps->product_base + 2 * words;
    const int granule = caps->register_granule > 0 ? caps->register_granule : 1;

    if (caps->product_base == 0)
        return INT32_MAX;
    if (needed > NAMED || caps->unit_registers == 0)
        return needed > NAMED ? 0 : INT32_MAX;
    return caps->unit_registers
           / (div_up(needed, granule) * granule * t->threads);
}

/* Returns how many blocks a multiprocessor holds, at most those of the table. */
static int blocks_held(const stfi_gemm_tiling *t, const stfi_caps *caps)
{
    const int64_t by_memory = stfi_caps_blocks(caps, t->shared_bytes);
    const int64_t by_registers = held_by_registers(t, caps);
    const int64_t held = by_memory < by_registers ? by_memory : by_registers;

    return held < t->tile.blocks ? (int)held : t->tile.blocks;
}

double stfi_gemm_tiling_bytes(const stfi_gemm *g, const stfi_gemm_tiling *t)
{
    const double bytes = (double)stfi_type_arithmetic(g->precision)->bytes;

    return t->parts > 1
               ? (double)t->parts * (double)g->batch * (double)t->tiles_m
                     * (double)t->tiles_n * t->tile.m * t->tile.n * bytes
               : 0;
}

/* Seconds that the fullest multiprocessor computes. Its last blocks may be
 * fewer than it holds, and then reach less of its rate. */
static double compute_seconds(const stfi_gemm *g, const stfi_gemm_tiling *t,
                              const stfi_caps *caps)
{
    enum { EDGE = 28 }; /* steps of k that the ends of a tile cost */
    const stfi_gemm_tile *x = &t->tile;
    const double blocks = (double)g->batch * (double)t->tiles_m
                          * (double)t->tiles_n * (double)t->parts;
    const double each = ceil(blocks / caps->units),
                 full = floor(each / x->blocks);
    const double rest = each - full * x->blocks;
    const double steps = fmin((double)t->part, (double)g->k);
    const double flops = 2.0 * x->m * x->n * (steps + EDGE);
    const double rate = caps->flops[x->wide] / caps->units * x->rate;
    const double share =
        x->blocks > 1 ? x->alone + (1 - x->alone) * (rest - 1) / (x->blocks - 1)
                      : 1;

    return (full * x->blocks + (rest > 0 ? rest / share : 0)) * flops / rate;
}

static double predict(const stfi_gemm *g, const stfi_gemm_tiling *t,
                      const stfi_caps *caps)
{
    const double bytes = (double)stfi_type_get(g->precision)->bytes;
    const double bytes_c = (double)stfi_type_get(g->precision_c)->bytes;
    const double m = (double)g->m, n = (double)g->n, k = (double)g->k;
    const double moved =
        ((m * k + k * n) * bytes + m * n * bytes_c) * (double)g->batch;
    const double seconds =
        fmax(compute_seconds(g, t, caps), moved / caps->bandwidth)
        + caps->launch_seconds;

    return t->parts == 1
               ? seconds
               : seconds + caps->launch_seconds
                     + 2 * stfi_gemm_tiling_bytes(g, t) / caps->bandwidth;
}

int stfi_gemm_tiling_make(const stfi_gemm *g, const stfi_caps *caps,
                          const stfi_gemm_tile *tile, int64_t parts,
                          stfi_gemm_tiling *t)
{
    const int64_t chunks = div_up(g->k > 0 ? g->k : 1, STFI_GEMM_CHUNK);
    /* Units of groups still read a slab while the next one is multiplied. */
    const int least = unit_rows[tile->unit].groups ? 3 : 2;

    t->tile = *tile;
    t->threads = tile->m / tile->thread_m * (tile->n / tile->thread_n);
    t->steps = t->async ? tile->steps : tile->steps / 2;
    t->tiles_m = div_up(g->m, tile->m);
    t->tiles_n = div_up(g->n, tile->n);
    t->length = div_up(g->k, t->steps) * t->steps;
    t->part = div_up(chunks, parts) * STFI_GEMM_CHUNK;
    t->parts = div_up(chunks * STFI_GEMM_CHUNK, t->part);
    t->stages = t->async ? MOST_STAGES : 2;
    while (t->stages > least
           && shared_bytes(g, t, t->stages) * tile->blocks > caps->block_bytes)
        t->stages--;
    t->shared_bytes = shared_bytes(g, t, t->stages);
    t->tile.blocks = blocks_held(t, caps);
    if (t->tile.blocks == 0 || !fits(g, tile, caps, t->async)
        || t->shared_bytes > caps->block_bytes
        || t->threads > caps->max_threads)
        return 0;
    t->seconds = predict(g, t, caps);
    return 1;
}

/* 1 if a choice leaves that tile. */
static int is_left(const stfi_gemm_choice *c, const stfi_gemm_tile *x)
{
    return c->m == 0
           || (c->unit == x->unit && c->m == x->m && c->n == x->n
               && c->thread_m == x->thread_m && c->thread_n == x->thread_n);
}

/* As stfi_gemm_tiling_choose(), of what one choice leaves. */
static int choose(const stfi_gemm *g, const stfi_caps *caps, int async,
                  size_t most_bytes, const stfi_gemm_choice *choice,
                  stfi_gemm_tiling *tiling_p)
{
    enum { MOST_PARTS = 256 };
    /* A part has fewer steps than an int counts. */
    const int64_t least = div_up(g->k, (int64_t)1 << 30);
    const int64_t one = least > 1 ? least : 1;
    int found = 0;

    for (size_t i = 0; i < sizeof tiles / sizeof *tiles; i++)
        for (int64_t parts = choice->parts > one ? choice->parts : one;
             fits(g, &tiles[i], caps, async) && is_left(choice, &tiles[i])
             && parts <= least + MOST_PARTS;
             parts *= 2) {
            stfi_gemm_tiling t = {.async = async};
            if (!stfi_gemm_tiling_make(g, caps, &tiles[i], parts, &t)
                || (choice->parts > 0 && t.parts != choice->parts)
                || (parts > least && t.parts > 1
                    && stfi_gemm_tiling_bytes(g, &t) > (double)most_bytes))
                continue;
            if (!found || t.seconds < tiling_p->seconds)
                *tiling_p = t;
            found = 1;
        }
    return found;
}

int stfi_gemm_tiling_choose(const stfi_gemm *g, const stfi_caps *caps,
                            int async, size_t most_bytes,
                            stfi_gemm_tiling *tiling_p)
{
    static const stfi_gemm_choice none;

    if (wanted_tile >= 0) {
        tiling_p->async = async;
        return stfi_gemm_tiling_make(g, caps, &tiles[wanted_tile], wanted_parts,
                                     tiling_p);
    }
    return choose(g, caps, async, most_bytes, &g->choice, tiling_p)
           || (most_bytes < SIZE_MAX
               && choose(g, caps, async, most_bytes, &none, tiling_p));
}

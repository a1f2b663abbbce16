/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Candidates of matrix products; see gemm_candidates.h. */
#include "gemm/gemm_candidates.h"

#include <stddef.h>

/* The model is wrong by less than this: what it predicts to take so many times as
 * long is not worth the kernels that would have to be compiled. */
static const double HOPELESS = 2.0;

/* The best choices of a sort. */
typedef struct ranking {
    const stfi_gemm *gemm;
    const stfi_caps *caps;
    const stfi_gemm_tiling *base;
    int most, count;
    stfi_gemm_choice *choice;
    double seconds[STFI_GEMM_CANDIDATES];
} ranking;

/* 1 if that row of the table is the tile of a tiling, which may have another number
 * of blocks. */
static int is_tile_of(const stfi_gemm_tiling *t, const stfi_gemm_tile *row)
{
    return t->tile.wide == row->wide && t->tile.unit == row->unit
           && t->tile.m == row->m && t->tile.n == row->n
           && t->tile.thread_m == row->thread_m
           && t->tile.thread_n == row->thread_n;
}

/* Adds a choice in its place, and drops the last one if there are too many. */
static void rank(ranking *r, const stfi_gemm_choice *choice)
{
    stfi_gemm gemm = *r->gemm;
    stfi_gemm_tiling t;
    int at = r->count;

    gemm.choice = *choice;
    if (!stfi_gemm_tiling_choose(&gemm, r->caps, r->base->async, SIZE_MAX, &t)
        || t.seconds > HOPELESS * r->base->seconds)
        return;
    if (r->count < r->most)
        r->count++;
    else if (t.seconds >= r->seconds[--at])
        return;
    for (; at > 0 && t.seconds < r->seconds[at - 1]; at--) {
        r->choice[at] = r->choice[at - 1];
        r->seconds[at] = r->seconds[at - 1];
    }
    r->choice[at] = *choice;
    r->seconds[at] = t.seconds;
}

/* The choice of the product with another tile. */
static stfi_gemm_choice with_tile(const stfi_gemm *gemm,
                                  const stfi_gemm_tile *tile, int64_t parts)
{
    stfi_gemm_choice choice = gemm->choice;

    choice.unit = tile->unit;
    choice.m = tile->m;
    choice.n = tile->n;
    choice.thread_m = tile->thread_m;
    choice.thread_n = tile->thread_n;
    choice.parts = parts;
    return choice;
}

/* A tile of F32 and one of F64 may have the same sizes; the product has one of them. */
static void rank_tiles(ranking *r)
{
    const stfi_gemm_tile *row;

    for (int i = 0; (row = stfi_gemm_tile_at(i)) != NULL; i++) {
        const stfi_gemm_choice choice = with_tile(r->gemm, row, 0);

        if (row->wide == r->base->tile.wide && !is_tile_of(r->base, row))
            rank(r, &choice);
    }
}

/* More and fewer parts of k, of which there may be fewer than were asked for. */
static void rank_parts(ranking *r, const stfi_gemm_tile *row)
{
    static const double times[] = {0.25, 0.5, 2, 4};
    int64_t before = 0;

    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        const double wanted = times[i] * (double)r->base->parts;
        stfi_gemm_tiling t = {.async = r->base->async};
        stfi_gemm_choice choice;

        if (wanted < 1
            || !stfi_gemm_tiling_make(r->gemm, r->caps, row, (int64_t)wanted,
                                      &t)
            || t.parts == r->base->parts || t.parts == before)
            continue;
        before = t.parts;
        choice = with_tile(r->gemm, row, t.parts);
        rank(r, &choice);
    }
}

int stfi_gemm_candidates(const stfi_gemm *gemm, const stfi_caps *caps,
                         const stfi_gemm_tiling *tiling, int each,
                         stfi_gemm_choice list[STFI_GEMM_CANDIDATES])
{
    ranking tiles = {gemm, caps, tiling, 2 * each, 0, list, {0}};
    ranking parts = {gemm, caps, tiling, each, 0, NULL, {0}};
    const stfi_gemm_tile *row;

    rank_tiles(&tiles);
    parts.choice = list + tiles.count;
    for (int i = 0; (row = stfi_gemm_tile_at(i)) != NULL; i++)
        if (is_tile_of(tiling, row))
            rank_parts(&parts, row);
    return tiles.count + parts.count;
}

/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Groups of tiles that share one verdict (ft/instrument.h, ONE_SIDED and
 * TWO_SIDED): what the library does if the sum of their residuals is too large.
 * This runs rarely, so it is not written for speed. */
#ifndef STFI_PROTECT_CPU_GROUP_H
#define STFI_PROTECT_CPU_GROUP_H

#include "backends/cpu/protect/cpu_check.h"
#include "ft/group.h"

enum { STFI_CPU_TILES = 32 };

/* A residual, and the square of the norm that it is compared with. */
typedef struct stfi_cpu_part {
    double re, im, square;
} stfi_cpu_part;

/* A group of tiles j = 0 .. tiles - 1. Each has `width` lanes, but the last
 * tile has `last`, which may be fewer. part[j][i * width + l] is residual i of
 * lane l of tile j. */
typedef struct stfi_cpu_bundle {
    const stfi_pass *p;
    stfi_cpu_watch *watch;
    stfi_ft_bound bound; /* for one lane */
    double least, most;  /* sums of squares in this range are exact enough */
    int64_t lane;        /* number of the first lane of tile 0 */
    int tiles, width, last;
    int residuals; /* number of residuals per lane */
    stfi_cpu_part part[STFI_CPU_TILES][STFI_CPU_GROUPS];
    /* Computes tile j again, stores it and writes its residuals to part. If
     * one of them is too large, the tile is settled as a single tile is, and
     * the function returns 1. */
    int (*again)(void *tile, int j, stfi_cpu_part *part);
    void *tile;
} stfi_cpu_bundle;

/* Settles a group in which a sum of residuals is too large: computes tiles
 * again if the check corrects, and notes the outcome in the ledger. Returns 0
 * without doing anything if a sum of squares is out of range; the caller then
 * has to judge the tiles one by one. */
int stfi_cpu_settle_group(stfi_cpu_bundle *bundle);

#endif

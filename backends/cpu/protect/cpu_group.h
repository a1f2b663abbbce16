/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Groups of tiles with one verdict: what is done where the sum of their
 * residuals is too large (ft/instrument.h, ONE_SIDED and TWO_SIDED). All of it
 * is on the rare path. */
#ifndef STFI_PROTECT_CPU_GROUP_H
#define STFI_PROTECT_CPU_GROUP_H

#include "backends/cpu/protect/cpu_check.h"
#include "ft/group.h"

enum { STFI_CPU_TILES = 32 };

/* A residual, and the square of the norm that it is held against. */
typedef struct stfi_cpu_part {
    double re, im, square;
} stfi_cpu_part;

/* Tiles j of `width` lanes, the last of which may have fewer, `last`. Residual
 * i of lane l is part i * width + l. */
typedef struct stfi_cpu_bundle {
    const stfi_pass *p;
    stfi_cpu_watch *watch;
    stfi_ft_bound bound; /* of one lane */
    double least, most;  /* sums of squares between which they count */
    int64_t lane;        /* the first */
    int tiles, width, last;
    int residuals; /* of a lane */
    stfi_cpu_part part[STFI_CPU_TILES][STFI_CPU_GROUPS];
    /* Computes tile j again, stores it and gives its parts; what these say is
     * cleared up, as of a tile alone. Returns 1 if there was something to. */
    int (*again)(void *tile, int j, stfi_cpu_part *part);
    void *tile;
} stfi_cpu_bundle;

/* Clears up a group of which a sum is not clean, and notes it. Returns 0, and
 * does nothing, if there are norms that no sums can be held against: the tiles
 * are then to be judged one by one. */
int stfi_cpu_settle_group(stfi_cpu_bundle *bundle);

#endif

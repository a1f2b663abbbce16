/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* What passes cost; see levels_cost.h. */
#include "fft/levels_cost.h"

#include <math.h>

#include "device/tuning.h"
#include "fft/gpu_shape.h"
#include "math/numth.h"

/* Returns the operations per element of a pass on a CPU: its transform, the
 * load, the store, what is done once for each tile, and lanes that a short loop
 * leaves idle. Tiles beyond the first-level cache cost a little more for each
 * element. */
static double level_cost(const stfi_builder *b, const stfi_level *l,
                         double lanes)
{
    double width = stfi_builder_width(b);
    double tiles = ceil(lanes / width) * width;
    double big = (double)l->tile * 2.0 * b->caps->wave > 32768.0 ? 6.0 : 0.0;

    double once = 300.0 / (double)l->tile;

    return (l->ops + 22.0 + big + once) * (tiles / lanes);
}

double stfi_levels_blocked(const stfi_builder *b, const stfi_level *l,
                           int first, double run)
{
    return fmax(1.0 / stfi_gpu_column_efficiency(l->tile, first, b->caps),
                0.5 + 0.5 / stfi_gpu_run_efficiency(run, 1, b->caps));
}

/* Returns the time of pass i, in copies. row: 1 if a single pass would read
 * rows; block: that of the WORK0 between two levels, or 0. */
static double pass_copies(const stfi_builder *b, const stfi_split *s, int i,
                          int width, int row, int block)
{
    const stfi_level *l = &s->level[i];
    int first = s->count > 1 && i == 0, rows = s->count == 1 && row;
    double bytes = 2.0 * (double)b->stored_bytes;
    double line = bytes * (double)l->n, column = bytes * width;

    if (block > 0)
        return stfi_levels_blocked(b, l, first, bytes * block);
    return 0.5 / stfi_gpu_run_efficiency(rows ? line : column, 0, b->caps)
           + 0.5
                 / stfi_gpu_run_efficiency(rows || first ? line : column, 1,
                                           b->caps);
}

double stfi_levels_gpu_cost(const stfi_builder *b, const stfi_level *l,
                            int width, double lanes, double copies)
{
    const stfi_tuning *t = stfi_tuning_of(b->caps);
    double waste = (double)l->tile / (double)l->n;
    double moved = 4.0 * (double)b->stored_bytes * (double)l->n * lanes;
    double idle = (double)b->caps->units * width / lanes;

    /* There are too few tiles for all multiprocessors. */
    idle = idle > 1.0 ? sqrt(idle) : 1.0;
    return copies * idle + t->waste_cost * (waste - 1.0)
           + b->caps->launch_seconds * b->caps->bandwidth / moved
           + t->length_cost * log2((double)l->tile) * waste;
}

int stfi_levels_has_lanes(const stfi_builder *b, const stfi_level *l, int whole,
                          int lanes)
{
    return lanes <= 1 || b->real_bytes <= 4 || !stfi_builder_is_protected(b)
           || stfi_gpu_shape_exists(l->tile, lanes, whole, 1, b->caps,
                                    b->real_bytes);
}

int stfi_levels_width(const stfi_builder *b, const stfi_level *l, int64_t lanes,
                      int first)
{
    const int sector = 32 / (2 * (int)b->stored_bytes);
    int width = stfi_gpu_width(l->tile, lanes, first, b->caps, b->real_bytes,
                               b->stored_bytes);

    return width <= sector && !stfi_levels_has_lanes(b, l, 0, width) ? width / 2
                                                                     : width;
}

static double gpu_level_cost(const stfi_builder *b, const stfi_split *s, int i,
                             double lanes, int row, int block)
{
    const stfi_level *l = &s->level[i];
    int rows = s->count == 1 && row;
    int width =
        rows ? 1
             : stfi_levels_width(b, l, (int64_t)lanes, s->count > 1 && i == 0);

    return stfi_levels_gpu_cost(b, l, width, lanes,
                                pass_copies(b, s, i, width, row, block));
}

/* Returns the share of vectors on a CPU that reach beyond `line` lanes that are
 * neighbours in memory. */
static double share_beyond(const stfi_builder *b, int64_t line, double others)
{
    uint64_t width = (uint64_t)stfi_builder_width(b);
    uint64_t beyond = width - stfi_gcd(width, (uint64_t)line);
    double share = (double)beyond / (double)line;

    return (double)width > others * (double)line || share > 1.0 ? 1.0 : share;
}

double stfi_levels_scatter(const stfi_builder *b, const stfi_split *two,
                           double others)
{
    const double scattered = 75.0;

    return scattered
           * (share_beyond(b, two->level[1].n, others)
              + 2.0 * share_beyond(b, two->level[0].n, others));
}

double stfi_levels_cost(const stfi_builder *b, const stfi_split *s, int i,
                        double n, double others, int row, int block)
{
    double lanes = others * n / (double)s->level[i].n;

    return b->caps->gpu
               ? gpu_level_cost(b, s, i, lanes, row, block)
               : level_cost(b, &s->level[i], lanes) + (i > 0 ? 12.0 : 0.0);
}

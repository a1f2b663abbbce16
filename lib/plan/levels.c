/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The search for levels; see levels.h. On a CPU arithmetic decides, on a GPU
 * the memory traffic of the passes. */
#include "plan/levels.h"

#include <math.h>

#include "plan/factor.h"
#include "plan/gpu_shape.h"

static stfi_level make_level(const stfi_builder *b, int64_t n)
{
    stfi_level l = {.n = n};

    if (b->caps->gpu)
        stfi_gpu_method(n, b->real_bytes, &l.conv, &l.tile);
    else
        l.ops = stfi_factor_tile(n, &l.conv, &l.tile);
    return l;
}

/* 1 if the level's tile fits. Rader's elements are all in block memory at
 * once on a GPU. */
static int level_fits(const stfi_builder *b, const stfi_level *l, int64_t max)
{
    int whole = l->conv == STFI_CONV_RADER;

    if (l->tile > max || (whole && l->tile >= stfi_builder_max_whole(b)))
        return 0;
    /* Long tiles are sure to fit only if a shape for them is found. */
    return !b->caps->gpu
           || 4 * l->tile <= stfi_gpu_block_elements(b->caps, b->real_bytes)
           || stfi_builder_fits(b, l->tile, whole);
}

/* Operations per element of a pass on a CPU: its transform, the load, the
 * store, and lanes that a short loop leaves idle. Tiles beyond the first-level
 * cache cost a little more for each element. */
static double level_cost(const stfi_builder *b, const stfi_level *l,
                         double lanes)
{
    double width = stfi_builder_width(b);
    double tiles = ceil(lanes / width) * width;
    double big = (double)l->tile * 2.0 * b->caps->wave > 32768.0 ? 6.0 : 0.0;

    return (l->ops + 22.0 + big) * (tiles / lanes);
}

/* Copies that take as long as pass i. `row`: the first pass reads rows if it
 * is the only one; `block`: of the WORK0 in which two levels meet, or 0. */
static double pass_copies(const stfi_builder *b, const stfi_split *s, int i,
                          int width, int row, int block)
{
    const stfi_level *l = &s->level[i];
    int first = s->count > 1 && i == 0, rows = s->count == 1 && row;
    double bytes = 2.0 * (double)b->real_bytes;
    double line = bytes * (double)l->n, column = bytes * width;

    if (block > 0)
        return fmax(1.0 / stfi_gpu_column_efficiency(l->tile, first, b->caps),
                    0.5 + 0.5 / stfi_gpu_run_efficiency(bytes * block, 1));
    return 0.5 / stfi_gpu_run_efficiency(rows ? line : column, 0)
           + 0.5 / stfi_gpu_run_efficiency(rows || first ? line : column, 1);
}

/* On a GPU a pass costs what its reads and writes take beside a copy; columns
 * move in short runs. Arithmetic breaks ties. */
static double gpu_level_cost(const stfi_builder *b, const stfi_split *s, int i,
                             double lanes, int row, int block)
{
    const stfi_level *l = &s->level[i];
    double waste = (double)l->tile / (double)l->n;
    int rows = s->count == 1 && row;
    int width = rows ? 1 : stfi_gpu_width(l->tile, (int64_t)lanes,
                                          s->count > 1 && i == 0, b->caps,
                                          b->real_bytes);
    double moved = 4.0 * (double)b->real_bytes * (double)l->n * lanes;
    double idle = (double)b->caps->units * width / lanes;

    /* Too few tiles for all multiprocessors. */
    idle = idle > 1.0 ? sqrt(idle) : 1.0;
    return pass_copies(b, s, i, width, row, block) * idle
           + 0.1 * (waste - 1.0)
           + b->caps->launch_seconds * b->caps->bandwidth / moved
           + 0.01 * log2((double)l->tile) * waste;
}

static double split_cost(const stfi_builder *b, const stfi_split *s,
                         double others, int row)
{
    double total = 0.0, n = 1.0;
    int block = (int)stfi_split_block(b, s, others);

    for (int i = 0; i < s->count; i++)
        n *= (double)s->level[i].n;
    for (int i = 0; i < s->count; i++) {
        double lanes = others * n / (double)s->level[i].n;
        total += b->caps->gpu
                 ? gpu_level_cost(b, s, i, lanes, row, block)
                 : level_cost(b, &s->level[i], lanes) + (i > 0 ? 12.0 : 0.0);
    }
    return total;
}

/* Cheapest split of n into `count` levels of at most `max` elements each. */
static void search_split(const stfi_builder *b, int64_t n, int count,
                         int64_t max, int row, double others, stfi_split *part,
                         stfi_split *best)
{
    int depth = part->count;

    if (count == 1) {
        if (n > max)
            return;
        part->level[depth] = make_level(b, n);
        if (!level_fits(b, &part->level[depth], max))
            return;
        part->count = depth + 1;
        part->cost = split_cost(b, part, others, row);
        if (part->cost < best->cost)
            *best = *part;
        part->count = depth;
        return;
    }
    for (int64_t d = 2; d <= max && d <= n / 2; d++) {
        if (n % d != 0 || pow((double)max, count - 1) < (double)(n / d))
            continue;
        part->level[depth] = make_level(b, d);
        if (!level_fits(b, &part->level[depth], max))
            continue;
        part->count = depth + 1;
        search_split(b, n / d, count - 1, max, row, others, part, best);
        part->count = depth;
    }
}

/* What a pass over device memory costs a GPU at the best, in copies. */
static const double LEAST_PASS_COST = 1.06;

/* The split of n among all numbers of levels; count 0: none fits. `row`: a
 * single pass would read rows. */
static stfi_split choose_split(const stfi_builder *b, int64_t n, int row,
                               double others)
{
    stfi_split best = {.cost = INFINITY}, part = {0};
    int64_t single = row ? stfi_builder_max_single(b)
                         : stfi_builder_max_column(b);
    int64_t column = stfi_builder_max_column(b);

    search_split(b, n, 1, single, row, others, &part, &best);
    for (int count = 2; count < STFI_MAX_LEVELS; count++) {
        if (best.count > 0
            && (b->caps->gpu ? count > 3 || (row && best.count == 1)
                               || best.cost < LEAST_PASS_COST * count
                             : count > 2))
            break;
        if (pow((double)column, count) < (double)n)
            continue;
        if (count > 2 && pow(2.0, count) > (double)n)
            break;
        search_split(b, n, count, column, row, others, &part, &best);
    }
    return best;
}

/* The divisor of n closest to `width`, in ratio, among those between half of
 * it and twice, but not more than `most`; 0: none. */
static int64_t close_divisor(int64_t n, int64_t width, int64_t most)
{
    double best_ratio = INFINITY;
    int64_t best = 0;

    for (int64_t d = (width + 1) / 2; d <= 2 * width && d <= most; d++) {
        double ratio = d < width ? (double)width / (double)d
                                 : (double)d / (double)width;
        if (n % d == 0 && ratio < best_ratio) {
            best_ratio = ratio;
            best = d;
        }
    }
    return best;
}

int64_t stfi_split_block(const stfi_builder *b, const stfi_split *s,
                         double others)
{
    int64_t element = 2 * (int64_t)b->real_bytes, block, most;
    double lanes = others * (double)s->level[0].n;

    if (!b->caps->gpu || s->count != 2)
        return 0;
    most = stfi_gpu_block_elements(b->caps, b->real_bytes) * 5 / 4
           / s->level[1].tile;
    block = stfi_gpu_width(s->level[1].tile, (int64_t)lanes, 0, b->caps,
                           b->real_bytes);
    block = close_divisor(s->level[0].n, block, most);
    return block * element >= 32 ? block : 0;
}

stfi_split stfi_split_choose(const stfi_builder *b, int64_t n, int row,
                             double others)
{
    stfi_split s = choose_split(b, n, row, others);

    if (s.count == 0) {
        int64_t m = stfi_factor_smooth(2 * n - 1);
        s = choose_split(b, m, row, others);
        if (s.count == 1) { /* a single tile would have been Bluestein's */
            stfi_split part = {0}, best = {.cost = INFINITY};
            search_split(b, m, 2, stfi_builder_max_column(b), row, others,
                         &part, &best);
            s = best;
        }
        s.spread = m;
    }
    return s;
}

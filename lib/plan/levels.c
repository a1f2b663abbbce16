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

/* Bytes that the first of several passes stores in one run: with two, WORK0 is
 * laid out in blocks as wide as the second one's tiles. */
static double first_run(const stfi_builder *b, const stfi_split *s, double line)
{
    int64_t element = 2 * (int64_t)b->real_bytes;

    if (s->count != 2)
        return line;
    return (double)(element * stfi_gpu_width(s->level[1].tile, INT32_MAX, 0,
                                             b->caps, b->real_bytes));
}

/* On a GPU a pass costs what its reads and writes, in runs of so many bytes,
 * take beside a copy. Arithmetic breaks ties. */
static double gpu_pass_cost(const stfi_builder *b, const stfi_level *l,
                            int width, double lanes, double load,
                            double store)
{
    double waste = (double)l->tile / (double)l->n;
    double moved = 4.0 * (double)b->real_bytes * (double)l->n * lanes;
    double idle = (double)b->caps->units * width / lanes;

    /* Too few tiles for all multiprocessors. */
    idle = idle > 1.0 ? sqrt(idle) : 1.0;
    return (0.5 / stfi_gpu_run_efficiency(load, 0)
            + 0.5 / stfi_gpu_run_efficiency(store, 1)) * idle
           + 0.1 * (waste - 1.0)
           + b->caps->launch_seconds * b->caps->bandwidth / moved
           + 0.01 * log2((double)l->tile) * waste;
}

/* Columns move in short runs. `row`: the first pass reads rows if it is the
 * only one. */
static double gpu_level_cost(const stfi_builder *b, const stfi_split *s, int i,
                             double lanes, int row)
{
    const stfi_level *l = &s->level[i];
    double bytes = 2.0 * (double)b->real_bytes;
    int rows = s->count == 1 && row;
    int blocked = s->count == 2 && i == 1; /* reads WORK0 in one run */
    int first = s->count > 1 && i == 0;
    int width = rows ? 1 : stfi_gpu_width(l->tile, (int64_t)lanes, first,
                                          b->caps, b->real_bytes);
    double line = bytes * (double)l->n, column = bytes * width;

    return gpu_pass_cost(b, l, width, lanes, rows || blocked ? line : column,
                         rows || first ? first_run(b, s, line) : column);
}

static double split_cost(const stfi_builder *b, const stfi_split *s,
                         double others, int row)
{
    double total = 0.0, n = 1.0;

    for (int i = 0; i < s->count; i++)
        n *= (double)s->level[i].n;
    for (int i = 0; i < s->count; i++) {
        double lanes = others * n / (double)s->level[i].n;
        total += b->caps->gpu
                 ? gpu_level_cost(b, s, i, lanes, row)
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

int64_t stfi_split_block(const stfi_builder *b, const stfi_split *s,
                         double others)
{
    int64_t element = 2 * (int64_t)b->real_bytes, block;
    double lanes = others * (double)s->level[0].n;

    if (!b->caps->gpu || s->count != 2)
        return 0;
    block = stfi_gpu_width(s->level[1].tile, (int64_t)lanes, 0, b->caps,
                           b->real_bytes);
    while (block > 1 && s->level[0].n % block != 0)
        block /= 2;
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

/* ------------------------------------------------------------ real, by two */

/* Sets block and cost. Each side of WORK0 moves in runs of at least a block
 * times the columns of a tile. */
static void judge_real(const stfi_builder *b, int inverse, double others,
                       stfi_split *s)
{
    const stfi_level *reals = &s->level[0], *rows = &s->level[1];
    double element = 2.0 * (double)b->real_bytes;
    double columns = others * (double)rows->n / 2.0;
    int64_t half = reals->n / 2 + 1, blocks;
    int width = stfi_gpu_width(reals->n, (int64_t)columns, !inverse, b->caps,
                               b->real_bytes);
    double run, padded;

    while (width > 1
           && width * reals->n * 2 * (int64_t)b->real_bytes
                  > b->caps->block_bytes)
        width /= 2;
    s->block = stfi_gpu_width(rows->n, (int64_t)(others * (double)half),
                              inverse, b->caps, b->real_bytes);
    while (s->block / 2 >= half)
        s->block /= 2;
    blocks = (half + s->block - 1) / s->block;
    padded = (double)(blocks * s->block);
    run = element * 2.0 * (double)s->block * width;
    s->cost = gpu_pass_cost(b, reals, width, columns,
                            inverse ? run : element * width,
                            inverse ? element * width : run)
              + gpu_pass_cost(b, rows, (int)s->block,
                              others * (double)reals->n / 2.0,
                              element * (double)(inverse ? s->block
                                                 : s->block * rows->n),
                              element * (double)(inverse ? s->block * rows->n
                                                 : s->block))
              + (padded / (double)half - 1.0);
}

/* 1 if a tile does l by radices alone, on `whole` elements. */
static int is_direct(const stfi_builder *b, const stfi_level *l, int whole)
{
    int64_t max = stfi_builder_max_column(b);

    return l->conv == STFI_CONV_NONE && level_fits(b, l, max)
           && (!whole || (l->n <= stfi_builder_max_whole(b)
                          && stfi_builder_fits(b, l->n, 1)));
}

stfi_split stfi_split_choose_real(const stfi_builder *b, int64_t n,
                                  int inverse, double others)
{
    int64_t max = stfi_builder_max_column(b);
    stfi_split best = {.cost = INFINITY}, s = {.count = 2};

    for (int64_t d = 2; d <= max && d <= n / 2; d++) {
        if (n % d != 0 || n / d % 2 != 0 || n / d > max)
            continue;
        s.level[0] = make_level(b, d);
        s.level[1] = make_level(b, n / d);
        judge_real(b, inverse, others, &s);
        if (s.cost < best.cost && is_direct(b, &s.level[0], 1)
            && is_direct(b, &s.level[1], 0))
            best = s;
    }
    return best;
}

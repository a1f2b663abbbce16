/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The passes of a complex transform along one axis: one pass where it fits a
 * tile, else the hierarchical decomposition of N = N1 * N2 * ... * Nk.
 *
 * With input index j = j1 * (N2..Nk) + j', output index k = k1 + N1 * k',
 * pass 1 transforms over j1 and writes WORK0 as [j'][k1]; pass i then
 * transforms digit j_i in place; the last writes k in natural order. Between
 * two levels stands the twiddle w^(k_i j') of their joint order. All passes
 * but the first store have contiguous lanes.
 *
 * On a GPU, where columns move in short runs, two levels meet in a WORK0 of
 * blocks of k1 as wide as the second pass's tiles, [k1 / b][j'][k1 % b]: the
 * first pass stores runs of b elements, the second reads its tile in one run.
 *
 * A prime too long for a tile becomes a cyclic convolution of M >= 2N - 1
 * (Bluestein): forward levels, the last level as a convolution in one pass,
 * the same levels backwards; 2k - 1 passes for k levels, all in one work
 * array.
 *
 * Source: paper 002, sections IV.C (hierarchical), IV.E (Bluestein). */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/status.h"
#include "plan/builder.h"
#include "plan/factor.h"
#include "plan/gpu_shape.h"
#include "plan/numth.h"

enum { MAX_LEVELS = 16 };

/* One level of the decomposition: a logical length and how a tile does it. */
typedef struct level {
    int64_t n;
    stfi_conv conv;
    int64_t tile; /* elements in the tile: n, or the convolution's length */
    double ops;   /* per element */
} level;

typedef struct split {
    int count;
    level level[MAX_LEVELS];
    int64_t spread; /* > 0: levels of a convolution of this length */
    int64_t block;  /* > 0: WORK0 is [k1 / block][j'][k1 % block] */
    double cost;
} split;

static level make_level(const stfi_builder *b, int64_t n)
{
    level l = {.n = n};

    if (b->caps->gpu)
        stfi_gpu_method(n, b->real_bytes, &l.conv, &l.tile);
    else
        l.ops = stfi_factor_tile(n, &l.conv, &l.tile);
    return l;
}

/* 1 if the level's tile fits. Rader's elements are all in block memory at
 * once on a GPU. */
static int level_fits(const stfi_builder *b, const level *l, int64_t max)
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
 * store, and lanes that a short loop leaves idle. Tiles beyond the first-level cache
 * cost a little more for each element. */
static double level_cost(const stfi_builder *b, const level *l, double lanes)
{
    double width = stfi_builder_width(b);
    double tiles = ceil(lanes / width) * width;
    double big = (double)l->tile * 2.0 * b->caps->wave > 32768.0 ? 6.0 : 0.0;

    return (l->ops + 22.0 + big) * (tiles / lanes);
}

/* Bytes that the first of several passes stores in one run: with two, WORK0 is
 * laid out in blocks as wide as the second one's tiles. */
static double first_run(const stfi_builder *b, const split *s, double line)
{
    int64_t element = 2 * (int64_t)b->real_bytes;

    if (s->count != 2)
        return line;
    return (double)(element * stfi_gpu_width(s->level[1].tile, INT32_MAX, 0,
                                             b->caps, b->real_bytes));
}

/* On a GPU a pass costs what its reads and writes take beside a copy; columns
 * move in short runs. `row`: the first pass reads rows if it is the only one.
 * Arithmetic breaks ties. */
static double gpu_level_cost(const stfi_builder *b, const split *s, int i,
                             double lanes, int row)
{
    const level *l = &s->level[i];
    double bytes = 2.0 * (double)b->real_bytes;
    double waste = (double)l->tile / (double)l->n;
    int rows = s->count == 1 && row;
    int blocked = s->count == 2 && i == 1; /* reads WORK0 in one run */
    int first = s->count > 1 && i == 0;
    int width = rows ? 1 : stfi_gpu_width(l->tile, (int64_t)lanes, first,
                                          b->caps, b->real_bytes);
    double line = bytes * (double)l->n, column = bytes * width;
    double load = stfi_gpu_run_efficiency(rows || blocked ? line : column, 0);
    double store = stfi_gpu_run_efficiency(
        rows || first ? first_run(b, s, line) : column, 1);
    double moved = 2.0 * bytes * (double)l->n * lanes;
    double idle = (double)b->caps->units * width / lanes;

    /* Too few tiles for all multiprocessors. */
    idle = idle > 1.0 ? sqrt(idle) : 1.0;
    return (0.5 / load + 0.5 / store) * idle + 0.1 * (waste - 1.0)
           + b->caps->launch_seconds * b->caps->bandwidth / moved
           + 0.01 * log2((double)l->tile) * waste;
}

static double split_cost(const stfi_builder *b, const split *s, double others,
                         int row)
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
                         int64_t max, int row, double others, split *part,
                         split *best)
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
static split choose_split(const stfi_builder *b, int64_t n, int row,
                          double others)
{
    split best = {.cost = INFINITY}, part = {0};
    int64_t single = row ? stfi_builder_max_single(b)
                         : stfi_builder_max_column(b);
    int64_t column = stfi_builder_max_column(b);

    search_split(b, n, 1, single, row, others, &part, &best);
    for (int count = 2; count < MAX_LEVELS; count++) {
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

/* Blocks of k1 for two levels on a GPU; 0 where columns are wide anyway, or
 * no block of a memory sector divides the first level. */
static int64_t choose_block(const stfi_builder *b, const split *s,
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

static split plan_axis(const stfi_builder *b, int64_t n, int row,
                       double others)
{
    split s = choose_split(b, n, row, others);

    if (s.count == 0) {
        int64_t m = stfi_factor_smooth(2 * n - 1);
        s = choose_split(b, m, row, others);
        if (s.count == 1) { /* a single tile would have been Bluestein's */
            split part = {0}, best = {.cost = INFINITY};
            search_split(b, m, 2, stfi_builder_max_column(b), row, others,
                         &part, &best);
            s = best;
        }
        s.spread = m;
    }
    return s;
}

/* ---------------------------------------------------------------- emission */

/* The axis with its loops in order: first those that lie inside the axis in
 * memory (`inner` of them), then the rest. */
typedef struct frame {
    stfi_axis axis;
    int inner;
    int64_t inner_size; /* product of the inner loops */
    int64_t outer_work[STFI_MAX_LOOPS]; /* WORK0 strides of the loops */
    int64_t work_size;  /* complex elements of WORK0 for a chunk */
} frame;

static int64_t magnitude(int64_t x)
{
    return x < 0 ? -x : x;
}

static void swap_loops(stfi_axis *a, int i, int j)
{
    int64_t *const lists[] = {a->loop_n, a->load.loop_stride,
                              a->store.loop_stride};
    for (size_t k = 0; k < sizeof lists / sizeof *lists; k++) {
        int64_t t = lists[k][i];
        lists[k][i] = lists[k][j];
        lists[k][j] = t;
    }
    if (a->batch_loop == i)
        a->batch_loop = j;
    else if (a->batch_loop == j)
        a->batch_loop = i;
}

/* Steps of a side in reals, so that real and complex sides compare. */
static int64_t step(const stfi_side *side, int64_t stride)
{
    return magnitude(stride) * (side->form == STFI_FORM_COMPLEX ? 2 : 1);
}

/* Sorts the loops by the load's strides and lays out WORK0 for a signal of
 * `n` elements. */
static frame make_frame(const stfi_axis *axis, int64_t n)
{
    frame f = {.axis = *axis, .inner_size = 1};
    stfi_axis *a = &f.axis;
    int64_t stride = 1;

    for (int i = 1; i < a->nloops; i++)
        for (int j = i; j > 0 && magnitude(a->load.loop_stride[j])
                                 < magnitude(a->load.loop_stride[j - 1]); j--)
            swap_loops(a, j, j - 1);
    while (f.inner < a->nloops
           && step(&a->load, a->load.loop_stride[f.inner])
              < step(&a->load, a->load.stride)
           && step(&a->store, a->store.loop_stride[f.inner])
              < step(&a->store, a->store.stride))
        f.inner_size *= a->loop_n[f.inner++];
    for (int l = 0; l < a->nloops; l++) {
        if (l == f.inner)
            stride *= n;
        f.outer_work[l] = stride;
        stride *= a->loop_n[l];
    }
    if (f.inner == a->nloops)
        stride *= n;
    f.work_size = stride;
    return f;
}

static void add_loop(stfi_pass *p, int64_t n, int64_t load, int64_t store)
{
    int l = p->nloops++;
    p->loop_n[l] = n;
    p->load.loop_stride[l] = load;
    p->store.loop_stride[l] = store;
}

/* Adds the axis's loops [from, to) with WORK0 strides where a side is in
 * WORK0. */
static void add_axis_loops(stfi_pass *p, const frame *f, int from, int to)
{
    for (int l = from; l < to; l++) {
        if (l == f->axis.batch_loop)
            p->batch_loop = p->nloops;
        add_loop(p, f->axis.loop_n[l],
                 p->load.buf == STFI_BUF_WORK0 ? f->outer_work[l]
                                               : f->axis.load.loop_stride[l],
                 p->store.buf == STFI_BUF_WORK0
                     ? f->outer_work[l]
                     : f->axis.store.loop_stride[l]);
    }
}

static void set_transform(stfi_pass *p, const level *l)
{
    p->n = l->tile;
    p->signal = l->n;
    p->conv = l->conv;
    p->op = l->conv == STFI_CONV_NONE ? STFI_OP_FFT : STFI_OP_CONV;
    p->nstages = stfi_factor_stages(l->tile, p->radix, NULL);
}

static void set_work_side(stfi_side *side, int64_t stride)
{
    memset(side, 0, sizeof *side);
    side->buf = STFI_BUF_WORK0;
    side->stride = stride;
}

/* A side of the axis as the end of a hierarchical pass whose digit steps by
 * `elem` elements of the signal. */
static void set_axis_side(stfi_side *side, const stfi_side *of, int64_t elem)
{
    *side = *of;
    memset(side->loop_stride, 0, sizeof side->loop_stride);
    memset(&side->index, 0, sizeof side->index);
    side->stride = of->stride * elem;
    side->index.elem = elem;
}

static void set_twiddle(stfi_pass *p, int loop, int64_t order, int64_t rows)
{
    if (rows <= 1)
        return;
    p->twiddle.order = order;
    p->twiddle.rows = rows;
    p->twiddle.mul[loop] = 1;
}

/* A side in WORK0 whose elements are k1. */
static void set_blocks(stfi_side *side, const split *s, int64_t rest)
{
    side->block = s->block;
    side->block_stride = s->block * rest;
}

/* Level 0, forward: from the axis's load side to WORK0 [j'][k1]. */
static void emit_first(stfi_builder *b, const frame *f, const split *s,
                       int64_t n)
{
    const level *l = &s->level[0];
    stfi_pass *p = stfi_builder_pass(b, STFI_OP_FFT);
    int64_t rest = n / l->n;
    int loop;

    set_transform(p, l);
    set_axis_side(&p->load, &f->axis.load, rest);
    set_work_side(&p->store, f->inner_size);
    add_axis_loops(p, f, 0, f->inner);
    loop = p->nloops;
    p->load.index.loop[loop] = 1;
    set_blocks(&p->store, s, rest);
    add_loop(p, rest, f->axis.load.stride,
             s->block > 0 ? s->block : l->n * f->inner_size);
    set_twiddle(p, loop, n, rest);
    add_axis_loops(p, f, f->inner, f->axis.nloops);
}

/* Loops of a pass inside WORK0 that transforms the digit of level i: k1, the
 * later digits j' (returned), the earlier digits, the axis's own. The index
 * of element and lane in the spectrum goes to store.index. */
static int add_digit_loops(stfi_pass *p, const frame *f, const split *s,
                           int i, int64_t rest)
{
    int64_t base = f->inner_size * s->level[0].n;
    int64_t low = s->level[0].n, right = 1;
    int later;

    p->store.index.loop[p->nloops] = 1;
    if (s->block > 0) {
        int64_t far = s->block * s->level[1].n;
        add_loop(p, s->block, 1, 1);
        p->store.index.loop[p->nloops] = s->block;
        add_loop(p, s->level[0].n / s->block, far, far);
    } else {
        add_loop(p, s->level[0].n, f->inner_size, f->inner_size);
    }
    later = p->nloops;
    if (rest > 1)
        add_loop(p, rest, base, base);
    for (int d = 1; d < i; d++) {
        right = 1;
        for (int e = d + 1; e < s->count; e++)
            right *= s->level[e].n;
        p->store.index.loop[p->nloops] = low;
        add_loop(p, s->level[d].n, right * base, right * base);
        low *= s->level[d].n;
    }
    p->store.index.elem = low;
    return later;
}

static int64_t product(const split *s, int from, int to)
{
    int64_t n = 1;
    for (int i = from; i < to; i++)
        n *= s->level[i].n;
    return n;
}

/* Level i > 0 in place in WORK0; the last level of a spread convolution
 * becomes the convolution itself. `back`: the same level of the way back. */
static stfi_pass *emit_digit(stfi_builder *b, const frame *f, const split *s,
                             int i, int back)
{
    stfi_pass *p = stfi_builder_pass(b, STFI_OP_FFT);
    int64_t rest = product(s, i + 1, s->count);
    int64_t stride = s->block > 0
                     ? s->block : rest * s->level[0].n * f->inner_size;
    int later;

    set_transform(p, &s->level[i]);
    p->inverse = back;
    set_work_side(&p->load, stride);
    set_work_side(&p->store, stride);
    add_axis_loops(p, f, 0, f->inner);
    later = add_digit_loops(p, f, s, i, rest);
    set_twiddle(p, later, rest * s->level[i].n, rest);
    p->twiddle.on_load = p->twiddle.conjugate = back;
    add_axis_loops(p, f, f->inner, f->axis.nloops);
    return p;
}

/* The last level, forward: from WORK0 to the axis's store side. */
static void emit_last(stfi_builder *b, const frame *f, const split *s)
{
    int i = s->count - 1;
    stfi_pass *p = emit_digit(b, f, s, i, 0);
    stfi_index index = p->store.index;
    int first = f->inner, digits = s->count - 1 + (s->block > 0);

    set_axis_side(&p->store, &f->axis.store, index.elem);
    p->store.index = index;
    for (int l = 0; l < p->nloops; l++) {
        int own = l < first ? l : l - digits;
        p->store.loop_stride[l] = l >= first && l < first + digits
                                  ? index.loop[l] * f->axis.store.stride
                                  : f->axis.store.loop_stride[own];
    }
}

/* Level 0 of the way back: from WORK0 [j'][k1] to the axis's store side, over
 * j = j1 * rest + j'. */
static void emit_back(stfi_builder *b, const frame *f, const split *s)
{
    const level *l = &s->level[0];
    stfi_pass *p = stfi_builder_pass(b, STFI_OP_FFT);
    int64_t rest = s->spread / l->n;
    int loop;

    set_transform(p, l);
    p->inverse = 1;
    set_work_side(&p->load, f->inner_size);
    set_axis_side(&p->store, &f->axis.store, rest);
    add_axis_loops(p, f, 0, f->inner);
    loop = p->nloops;
    p->store.index.loop[loop] = 1;
    set_blocks(&p->load, s, rest);
    add_loop(p, rest, s->block > 0 ? s->block : l->n * f->inner_size,
             f->axis.store.stride);
    set_twiddle(p, loop, s->spread, rest);
    p->twiddle.on_load = p->twiddle.conjugate = 1;
    add_axis_loops(p, f, f->inner, f->axis.nloops);
}

/* Bluestein over several passes. */
static void emit_spread(stfi_builder *b, const stfi_axis *axis, split *s,
                        double others)
{
    frame f = make_frame(axis, s->spread);
    stfi_pass *p;

    if (f.inner == 0)
        s->block = choose_block(b, s, others);

    f.axis.load.limit = f.axis.load.limit > 0 ? f.axis.load.limit : axis->n;
    f.axis.store.limit = f.axis.store.limit > 0 ? f.axis.store.limit
                                                : axis->n;
    f.axis.load.chirp = f.axis.store.chirp = axis->n;
    emit_first(b, &f, s, s->spread);
    for (int i = 1; i < s->count - 1; i++)
        emit_digit(b, &f, s, i, 0);
    p = emit_digit(b, &f, s, s->count - 1, 0);
    p->op = STFI_OP_CONV;
    p->conv = STFI_CONV_SPREAD;
    p->signal = axis->n;
    p->whole = s->spread;
    for (int i = s->count - 2; i > 0; i--)
        emit_digit(b, &f, s, i, 1);
    emit_back(b, &f, s);
    stfi_builder_work(b, 0, f.work_size);
}

static void emit_single(stfi_builder *b, const stfi_axis *axis,
                        const split *s)
{
    frame f = make_frame(axis, axis->n);
    stfi_pass *p = stfi_builder_pass(b, STFI_OP_FFT);

    set_transform(p, &s->level[0]);
    set_axis_side(&p->load, &f.axis.load, 1);
    set_axis_side(&p->store, &f.axis.store, 1);
    add_axis_loops(p, &f, 0, f.axis.nloops);
}

void stfi_lower_axis(stfi_builder *b, const stfi_axis *axis)
{
    double others = b->lanes / (double)b->chunk;
    split s;

    for (int l = 0; l < axis->nloops; l++)
        others *= (double)axis->loop_n[l];
    s = plan_axis(b, axis->n, stfi_builder_is_row(&axis->load), others);
    if (s.count == 0) {
        b->status = stfi_error(STF_ERR_UNSUPPORTED, "length %" PRId64 " does "
                               "not fit the device's block memory in up to "
                               "%d levels", axis->n, MAX_LEVELS);
    } else if (s.spread > 0) {
        emit_spread(b, axis, &s, others);
    } else if (s.count == 1) {
        emit_single(b, axis, &s);
    } else {
        frame f = make_frame(axis, axis->n);
        if (f.inner == 0)
            s.block = choose_block(b, &s, others);
        emit_first(b, &f, &s, axis->n);
        for (int i = 1; i < s.count - 1; i++)
            emit_digit(b, &f, &s, i, 0);
        emit_last(b, &f, &s);
        stfi_builder_work(b, 0, f.work_size);
    }
}

/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The passes of a complex transform along one axis: one pass where it fits a
 * tile, else the hierarchical decomposition of N = N1 * N2 * ... * Nk.
 *
 * With input index j = j1 * (N2..Nk) + j', output index k = k1 + N1 * k', pass
 * 1 transforms over j1 and writes WORK0 as [j'][k1]; pass i then transforms
 * digit j_i in place; the last writes k in natural order. Between two levels,
 * elements are multiplied by the twiddle w^(k_i j') of the levels' joint order.
 * Lanes are contiguous on all sides but the first pass's store.
 *
 * On a GPU, where columns move in short runs, two levels meet in a WORK0 of
 * blocks of k1 as wide as the second pass's tiles, [k1 / b][j'][k1 % b]: the
 * first pass stores runs of b elements, the second reads its tile in one run.
 *
 * A prime too long for a tile becomes a cyclic convolution of M >= 2N - 1
 * (Bluestein): forward levels, the last level as a convolution in one pass, the
 * same levels backwards; 2k - 1 passes for k levels, all in one work array. Of real
 * signals it has a quarter less. R2C has half of the results. C2R has half of the
 * elements, the others of which are their conjugates: the signal is the real part of
 * what element 0 and twice the others give. Real to real kinds are like one of them.
 *
 * Source: [Govindaraju2008], sections IV.C (hierarchical), IV.E (Bluestein). */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "fft/builder.h"
#include "fft/factor.h"
#include "fft/levels.h"
#include "fft/units.h"

/* The axis with its loops in order: first those that lie inside the axis in
 * memory (`inner` of them), then the rest. */
typedef struct frame {
    stfi_axis axis;
    int inner;
    int64_t inner_size;                 /* product of the inner loops */
    int64_t outer_work[STFI_MAX_LOOPS]; /* WORK0 strides of the loops */
    int64_t work_size; /* complex elements of WORK0 for a chunk */
} frame;

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

void stfi_axis_sort(stfi_axis *a)
{
    for (int i = 1; i < a->nloops; i++)
        for (int j = i; j > 0
                        && llabs(a->load.loop_stride[j])
                               < llabs(a->load.loop_stride[j - 1]);
             j--)
            swap_loops(a, j, j - 1);
}

/* Returns a stride of a side in reals, so that real and complex sides
 * compare. */
static int64_t step(const stfi_side *side, int64_t stride)
{
    return llabs(stride) * (side->form == STFI_FORM_COMPLEX ? 2 : 1);
}

static int64_t element_stride(const stfi_side *side)
{
    return side->order != STFI_ORDER_NONE ? side->unit : side->stride;
}

/* Sorts the loops by the load's strides and lays out WORK0 for a signal of
 * `n` elements. */
static frame make_frame(const stfi_axis *axis, int64_t n)
{
    frame f = {.axis = *axis, .inner_size = 1};
    stfi_axis *a = &f.axis;
    int64_t stride = 1;

    stfi_axis_sort(a);
    while (f.inner < a->nloops
           && step(&a->load, a->load.loop_stride[f.inner])
                  < step(&a->load, element_stride(&a->load))
           && step(&a->store, a->store.loop_stride[f.inner])
                  < step(&a->store, element_stride(&a->store)))
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
                 p->store.buf == STFI_BUF_WORK0 ? f->outer_work[l]
                                                : f->axis.store.loop_stride[l]);
    }
}

static void set_transform(stfi_builder *b, stfi_pass *p, const stfi_level *l)
{
    p->n = l->tile;
    p->signal = l->n;
    p->conv = l->conv;
    p->op = l->conv == STFI_CONV_NONE ? STFI_OP_FFT : STFI_OP_CONV;
    p->nstages = stfi_builder_stages(b, l->tile, p->radix);
}

static void set_work_side(stfi_side *side, int64_t stride)
{
    memset(side, 0, sizeof *side);
    side->buf = STFI_BUF_WORK0;
    side->stride = stride;
}

/* Makes the side of a hierarchical pass that is IN or OUT from a side of the
 * axis; the pass's digit steps by `elem` elements of the signal. */
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

/* Sets the blocks of a side in WORK0 whose elements are k1. */
static void set_blocks(stfi_side *side, const stfi_split *s, int64_t rest)
{
    side->block = s->block;
    side->block_stride = s->block * rest;
}

/* Appends level 0, forward: from the axis's load side to WORK0 [j'][k1]. */
static void emit_first(stfi_builder *b, const frame *f, const stfi_split *s,
                       int64_t n)
{
    const stfi_level *l = &s->level[0];
    stfi_pass *p = stfi_builder_pass(b, STFI_OP_FFT);
    int64_t rest = n / l->n;
    int loop;

    set_transform(b, p, l);
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

/* Adds the loops of a pass inside WORK0 that transforms the digit of level i:
 * k1, the later digits j' (whose loop is returned), the earlier digits, and the
 * axis's own loops. store.index gets the index in the spectrum. */
static int add_digit_loops(stfi_pass *p, const frame *f, const stfi_split *s,
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

static int64_t product(const stfi_split *s, int from, int to)
{
    int64_t n = 1;
    for (int i = from; i < to; i++)
        n *= s->level[i].n;
    return n;
}

/* Appends level i > 0, in place in WORK0; the last level of a spread
 * convolution becomes the convolution itself. back: 1 for the same level of the
 * inverse transform. */
static stfi_pass *emit_digit(stfi_builder *b, const frame *f,
                             const stfi_split *s, int i, int back)
{
    stfi_pass *p = stfi_builder_pass(b, STFI_OP_FFT);
    int64_t rest = product(s, i + 1, s->count);
    int64_t stride =
        s->block > 0 ? s->block : rest * s->level[0].n * f->inner_size;
    int later;

    set_transform(b, p, &s->level[i]);
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

/* Appends the last level, forward: from WORK0 to the axis's store side. */
static void emit_last(stfi_builder *b, const frame *f, const stfi_split *s)
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

/* Appends level 0 of the inverse transform: from WORK0 [j'][k1] to the axis's
 * store side, over j = j1 * rest + j'. */
static void emit_back(stfi_builder *b, const frame *f, const stfi_split *s)
{
    const stfi_level *l = &s->level[0];
    stfi_pass *p = stfi_builder_pass(b, STFI_OP_FFT);
    int64_t rest = s->spread / l->n;
    int loop;

    set_transform(b, p, l);
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

/* Returns how many elements Bluestein's algorithm takes along the axis, and how many
 * results. */
static int64_t terms_of(const stfi_axis *axis)
{
    const int is_half =
        axis->load.form == STFI_FORM_HALF || axis->load.form == STFI_FORM_HC;

    return is_half ? axis->n / 2 + 1 : axis->n;
}

static int64_t results_of(const stfi_axis *axis)
{
    return axis->store.limit > 0 ? axis->store.limit : axis->n;
}

/* Appends Bluestein's algorithm over several passes. */
static void emit_spread(stfi_builder *b, const stfi_axis *axis, stfi_split *s,
                        double others)
{
    frame f = make_frame(axis, s->spread);
    stfi_pass *p;

    if (f.inner == 0)
        s->block = stfi_split_block(b, s, others);

    f.axis.load.limit = terms_of(axis);
    f.axis.store.limit = results_of(axis);
    f.axis.load.chirp = f.axis.store.chirp = axis->n;
    emit_first(b, &f, s, s->spread);
    for (int i = 1; i < s->count - 1; i++)
        emit_digit(b, &f, s, i, 0);
    p = emit_digit(b, &f, s, s->count - 1, 0);
    p->op = STFI_OP_CONV;
    p->conv = STFI_CONV_SPREAD;
    p->signal = axis->n;
    p->whole = s->spread;
    p->results = f.axis.store.limit;
    for (int i = s->count - 2; i > 0; i--)
        emit_digit(b, &f, s, i, 1);
    emit_back(b, &f, s);
    stfi_builder_work(b, 0, f.work_size);
}

/* Appends the only pass of an axis, or of several in one tile. */
static void emit_single(stfi_builder *b, const stfi_axis *axis,
                        const stfi_level *level)
{
    frame f = make_frame(axis, axis->n);
    stfi_pass *p = stfi_builder_pass(b, STFI_OP_FFT);

    set_transform(b, p, level);
    p->axes = axis->axes;
    set_axis_side(&p->load, &f.axis.load, 1);
    set_axis_side(&p->store, &f.axis.store, 1);
    add_axis_loops(p, &f, 0, f.axis.nloops);
}

/* Chooses the levels of an axis, which every other one has so many lanes for. Only rows
 * that stay halves fit a block where others do not. */
static stfi_split choose_levels(stfi_builder *b, const stfi_axis *axis,
                                double others)
{
    const int row = stfi_builder_is_row(&axis->load);
    const stfi_level whole = {.n = axis->n, .tile = axis->n};

    if (axis->n > stfi_builder_max_single(b) && axis->n <= b->most_tile
        && stfi_choice_split(b->choice, axis->n) == NULL
        && stfi_units_have_rows(b, axis->n, &axis->load, &axis->store)
        && !stfi_level_is_slow_alone(b, &whole, others))
        return (stfi_split){.count = 1, .level = {whole}};
    return stfi_split_choose(b, axis->n, terms_of(axis) + results_of(axis) - 1,
                             row, others);
}

void stfi_lower_axis(stfi_builder *b, const stfi_axis *axis)
{
    double others = b->lanes / (double)b->chunk;
    stfi_split s;

    if (axis->axes.count > 1) {
        emit_single(b, axis, &(stfi_level){.n = axis->n, .tile = axis->n});
        return;
    }
    for (int l = 0; l < axis->nloops; l++)
        others *= (double)axis->loop_n[l];
    s = choose_levels(b, axis, others);
    if (b->status != STF_OK)
        return;
    if (s.count == 0) {
        b->status = stfi_error(STF_ERR_UNSUPPORTED,
                               "length %" PRId64 " does "
                               "not fit the device's block memory in up to "
                               "%d levels",
                               axis->n, STFI_MAX_LEVELS);
    } else if (s.spread > 0) {
        emit_spread(b, axis, &s, others);
    } else if (s.count == 1) {
        emit_single(b, axis, &s.level[0]);
    } else {
        frame f = make_frame(axis, axis->n);
        if (f.inner == 0)
            s.block = stfi_split_block(b, &s, others);
        emit_first(b, &f, &s, axis->n);
        for (int i = 1; i < s.count - 1; i++)
            emit_digit(b, &f, &s, i, 0);
        emit_last(b, &f, &s);
        stfi_builder_work(b, 0, f.work_size);
    }
}

/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* A long real transform of N = N1 * N2 reals in two passes over a GPU's memory, with
 * reals x[n1 N2 + n2] and spectrum X[k1 + N1 k2]. N2 is even, or N is odd.
 *
 * R2C: pass 1 transforms the real columns over n1, two adjacent ones as one complex
 * lane, of an odd number the last one alone, and stores the rows k1 <= N1/2 of each
 * spectrum; the other rows are conjugates. Pass 2 multiplies row k1 by w^(k1 n2) and
 * transforms it over n2. The results are the elements k1 + N1 k2 of X; those beyond N/2
 * are conjugated and stored as element N - k1 - N1 k2. Together they are the whole half
 * spectrum, each element once. C2R is the reverse.
 *
 * WORK0 is [k1 / b][n2][k1 % b], b the width of the rows' tiles, so that both
 * passes move long runs there; the last block may have unused rows.
 *
 * Real to real kinds are the same with reals in the order FOLD, which puts row
 * N1-1-n1 of column N2-1-n2 beside row n1 of column n2: a lane has the columns n2
 * and N2-1-n2, and so reads whole pairs of reals. Their spectra are neighbours in
 * WORK0, whose rows are folded, too. The half spectrum is stored as N reals.
 *
 * Source: [Govindaraju2008], sections IV.C (hierarchical), IV.F (real). */
#include <stdlib.h>
#include <string.h>

#include "device/tuning.h"
#include "fft/builder.h"
#include "fft/levels.h"

/* The axis, its split, and its layout in WORK0. */
typedef struct frame {
    const stfi_axis *axis;
    int64_t n1, n2, block;
    int64_t half;   /* rows: N1/2 + 1 */
    int64_t blocks; /* of rows */
    int64_t size;   /* complex elements of a signal in WORK0 */
} frame;

static int64_t step_of(const stfi_side *side)
{
    return side->order != STFI_ORDER_NONE ? side->unit : side->stride;
}

int stfi_axis_is_innermost(const stfi_axis *axis)
{
    const stfi_side *const sides[] = {&axis->load, &axis->store};

    for (int i = 0; i < 2; i++)
        for (int l = 0; l < axis->nloops; l++)
            if (axis->loop_n[l] > 1
                && llabs(sides[i]->loop_stride[l]) < llabs(step_of(sides[i])))
                return 0;
    return 1;
}

static frame make_frame(const stfi_axis *axis, const stfi_split *s)
{
    frame f = {.axis = axis,
               .n1 = s->level[0].n,
               .n2 = s->level[1].n,
               .block = s->block};

    f.half = f.n1 / 2 + 1;
    f.blocks = (f.half + f.block - 1) / f.block;
    f.size = f.blocks * f.block * f.n2;
    return f;
}

/* The two sides of a pass: one belongs to the axis, the other is in WORK0. The
 * axis's side is the load of the first pass (`first`), or the store of the
 * second. */
typedef struct sides {
    stfi_side *axis, *work;
    const stfi_side *of; /* the axis's own */
} sides;

static sides get_sides(stfi_pass *p, const frame *f, int first)
{
    sides s = {&p->store, &p->load, &f->axis->store};

    if (first)
        s = (sides){&p->load, &p->store, &f->axis->load};
    *s.axis = *s.of;
    memset(s.axis->loop_stride, 0, sizeof s.axis->loop_stride);
    memset(&s.axis->index, 0, sizeof s.axis->index);
    s.work->buf = STFI_BUF_WORK0;
    return s;
}

static void add_loop(stfi_pass *p, int64_t n, const sides *s, int64_t axis,
                     int64_t work)
{
    int l = p->nloops++;

    p->loop_n[l] = n;
    s->axis->loop_stride[l] = axis;
    s->work->loop_stride[l] = work;
}

/* Adds the axis's own loops. */
static void add_axis_loops(stfi_pass *p, const frame *f, const sides *s)
{
    int64_t work = f->size;

    p->batch_loop = p->nloops + f->axis->batch_loop;
    for (int l = 0; l < f->axis->nloops; l++) {
        add_loop(p, f->axis->loop_n[l], s, s->of->loop_stride[l], work);
        work *= f->axis->loop_n[l];
    }
}

/* Makes the axis's side of a lane with two columns of reals: adjacent ones or,
 * of reals with an order, columns j and n2 - 1 - j, whose reals are side by side
 * in memory. Appends the loop over these lanes. */
static void set_columns(stfi_pass *p, const frame *f, const sides *s)
{
    s->axis->form = STFI_FORM_PAIRS;
    if (s->of->order == STFI_ORDER_NONE) {
        s->axis->stride = f->n2 * s->of->stride;
        s->axis->pair = s->of->stride;
    } else {
        s->axis->mirror = f->n2 - 1;
        s->axis->index.elem = f->n2;
        s->axis->index.loop[p->nloops] = 1;
    }
    p->odd_columns = f->n2 % 2 != 0;
    add_loop(p, (f->n2 + 1) / 2, s, 2 * s->of->stride, 2 * f->block);
}

/* Appends the pass over columns of reals; a lane has two of them. */
static void emit_columns(stfi_builder *b, const frame *f, int inverse)
{
    stfi_pass *p =
        stfi_builder_pass(b, inverse ? STFI_OP_C2R_TWO : STFI_OP_R2C_TWO);
    sides s = get_sides(p, f, !inverse);

    p->n = p->signal = f->n1;
    s.work->stride = 1;
    s.work->block = s.work->pair = f->block;
    s.work->block_stride = f->block * f->n2;
    set_columns(p, f, &s);
    add_axis_loops(p, f, &s);
}

/* Adds a loop over `count` rows that are `step` apart. */
static void add_rows(stfi_pass *p, const sides *s, int64_t count, int64_t step,
                     int64_t work)
{
    s->axis->index.loop[p->nloops] = step;
    s->work->index.loop[p->nloops] = step;
    p->twiddle.mul[p->nloops] = step;
    add_loop(p, count, s, step * s->of->stride, work);
}

/* Makes the elements of a row in WORK0. A lane of columns leaves its two side by
 * side, so that rows of mirrored columns are folded. */
static void set_row_elements(stfi_side *work, const frame *f,
                             const stfi_side *reals)
{
    if (reals->order == STFI_ORDER_NONE) {
        work->stride = f->block;
        return;
    }
    work->order = STFI_ORDER_FOLD;
    work->span = f->n2;
    work->unit = f->block;
}

/* Appends the pass over rows k1, with the twiddles on the side of WORK0. */
static void emit_rows(stfi_builder *b, const frame *f, int inverse)
{
    stfi_pass *p = stfi_builder_pass(b, STFI_OP_FFT);
    sides s = get_sides(p, f, inverse);

    p->n = p->signal = f->n2;
    if (s.of->form != STFI_FORM_HC)
        s.axis->form = STFI_FORM_HALF;
    s.axis->full = f->n1 * f->n2;
    s.axis->stride = f->n1 * s.of->stride;
    s.axis->index.elem = f->n1;
    s.axis->rows = s.work->rows = f->half;
    set_row_elements(s.work, f, inverse ? &f->axis->store : &f->axis->load);
    p->twiddle.order = f->n1 * f->n2;
    p->twiddle.rows = f->blocks * f->block;
    p->twiddle.on_load = !inverse;
    add_rows(p, &s, f->block, 1, 1);
    add_rows(p, &s, f->blocks, f->block, f->block * f->n2);
    add_axis_loops(p, f, &s);
}

/* Returns the cost of the other way, in passes over N/2 complex elements: a complex
 * transform of so many, and the pass that separates two spectra; or, of an odd number
 * of reals, one of N elements, half of which are not moved on one side of the first and
 * the last pass. 0 if that is a single pass, than which nothing is better. */
static double cost_of_other(stfi_builder *b, const stfi_axis *axis,
                            double others)
{
    const int row = stfi_builder_is_row(&axis->load);
    const int64_t n = axis->n % 2 == 0 ? axis->n / 2 : axis->n;
    const stfi_split s =
        stfi_split_choose(b, n, stfi_split_conv(n), row, others);

    if (n < axis->n)
        return stfi_tuning_of(b->caps)->pairs_cost + s.cost;
    return s.count < 2 ? 0.0 : 2.0 * s.cost - 1.0;
}

int stfi_lower_real_two(stfi_builder *b, const stfi_axis *axis, int inverse,
                        double others)
{
    int64_t size;
    stfi_split s;
    frame f;

    if (!b->caps->gpu || !stfi_axis_is_innermost(axis))
        return 0;
    s = stfi_split_choose_real(b, axis->n, inverse, others);
    if (s.count == 0 || s.cost >= cost_of_other(b, axis, others))
        return 0;
    f = make_frame(axis, &s);
    if (inverse)
        emit_rows(b, &f, 1);
    emit_columns(b, &f, inverse);
    if (!inverse)
        emit_rows(b, &f, 0);
    size = f.size;
    for (int l = 0; l < axis->nloops; l++)
        size *= axis->loop_n[l];
    stfi_builder_work(b, 0, size);
    return 1;
}

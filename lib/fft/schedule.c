/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Sizes of schedules and places of their lanes; see schedule.h. */
#include "fft/schedule.h"

#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"

int64_t stfi_pass_inner(const stfi_pass *p, int stage)
{
    int64_t inner = 1;

    for (int a = p->axes.of[stage] + 1; a < p->axes.count; a++)
        inner *= p->axes.n[a];
    return inner;
}

int64_t stfi_pass_before(const stfi_pass *p, int stage)
{
    int64_t before = 1;

    for (int s = 0; s < stage; s++)
        if (p->axes.of[s] == p->axes.of[stage])
            before *= p->radix[s];
    return before;
}

int64_t stfi_pass_reach(const stfi_pass *p, int stage)
{
    const stfi_axes *axes = &p->axes;
    const int64_t n = axes->count > 0 ? axes->n[axes->of[stage]] : p->n;

    return stfi_pass_inner(p, stage) * (n / p->radix[stage]);
}

int64_t stfi_pass_spread(const stfi_pass *p, int stage)
{
    return stfi_pass_inner(p, stage) * stfi_pass_before(p, stage);
}

int64_t stfi_pass_lanes(const stfi_pass *p)
{
    int64_t lanes = 1;
    for (int l = 0; l < p->nloops; l++)
        lanes *= p->loop_n[l];
    return lanes;
}

int64_t stfi_pass_signal_lanes(const stfi_pass *p)
{
    return stfi_pass_lanes(p) / p->loop_n[p->batch_loop];
}

/* Returns 1 if a lane has two transforms of the batch. */
static int has_two_transforms(const stfi_pass *p)
{
    return p->two_loop == p->batch_loop + 1;
}

int64_t stfi_pass_batch(const stfi_pass *p, int64_t transforms)
{
    return has_two_transforms(p) ? (transforms + 1) / 2 : transforms;
}

int64_t stfi_pass_round_lanes(const stfi_pass *p, int64_t transforms)
{
    return stfi_pass_signal_lanes(p) * stfi_pass_batch(p, transforms);
}

int64_t stfi_pass_full_lanes(const stfi_pass *p, int64_t transforms)
{
    int64_t lanes = stfi_pass_round_lanes(p, transforms);
    int64_t count = has_two_transforms(p) ? transforms : p->two_count;

    return p->two_loop > 0 && count % 2 != 0 ? lanes - lanes / ((count + 1) / 2)
                                             : lanes;
}

int64_t stfi_pass_transform(const stfi_pass *p, int64_t i)
{
    return has_two_transforms(p) ? 2 * i : i;
}

int stfi_pass_is_across(const stfi_pass *p, const stfi_side *side)
{
    return p->nloops > 0 && p->loop_n[0] > 1
           && llabs(side->loop_stride[0]) < llabs(
                  side->order != STFI_ORDER_NONE ? side->unit : side->stride);
}

int stfi_pass_lanes_follow(const stfi_pass *p, const stfi_side *side,
                           int64_t apart)
{
    int follow = p->nloops > 0;

    for (int l = 0; l < p->nloops; l++) {
        follow &= side->loop_stride[l] == apart;
        apart *= p->loop_n[l];
    }
    return follow;
}

int stfi_pass_is_packed(const stfi_pass *p, const stfi_side *side)
{
    return stfi_pass_lanes_follow(p, side, p->n)
           && side->form == STFI_FORM_COMPLEX && side->stride == 1
           && side->block == 0 && side->limit == 0 && side->chirp == 0;
}

/* Returns 1 if the side has complex elements of the arithmetic's precision, in
 * memory as the transform takes or leaves them, and all of them. */
static int has_all(const stfi_schedule *s, const stfi_side *side)
{
    const stf_precision format = stfi_schedule_format(s, side->buf);

    return side->form == STFI_FORM_COMPLEX && side->order == STFI_ORDER_NONE
           && side->turn == STFI_TURN_NONE && side->limit == 0
           && side->rows == 0 && side->chirp == 0
           && stfi_type_get(format)->arithmetic == format;
}

/* Returns 1 if the side has reals, or pairs of neighbouring ones, in the same manner. */
static int has_all_reals(const stfi_schedule *s, const stfi_side *side)
{
    const stf_precision format = stfi_schedule_format(s, side->buf);

    return (side->form == STFI_FORM_REAL
            || (side->form == STFI_FORM_PAIRS && side->pair == 1))
           && side->order == STFI_ORDER_NONE && side->turn == STFI_TURN_NONE
           && side->limit == 0 && side->rows == 0
           && stfi_type_get(format)->arithmetic == format;
}

/* Returns 1 if the pass makes the first halves of spectra of reals, whose length is
 * odd. */
static int makes_halves(const stfi_schedule *s, const stfi_pass *p)
{
    stfi_side whole = p->store;

    whole.limit = 0;
    return p->op == STFI_OP_FFT && p->load.form == STFI_FORM_REAL
           && p->store.limit == p->n / 2 + 1
           && stfi_pass_has_own_indices(p, &p->store) && has_all(s, &whole);
}

/* The complex elements that a pass loads or stores. */
static int64_t elements_of(const stfi_pass *p, const stfi_side *side)
{
    const stfi_op_row *op = stfi_op_get(p->op);
    const stfi_lane lane = side == &p->load ? op->loads : op->stores;
    const int64_t all = p->n + (lane == STFI_LANE_SPECTRUM);

    return stfi_pass_lanes(p) * (side->limit > 0 ? side->limit : all);
}

/* Returns 1 if pass i loads what a signature may have: complex elements or, in the
 * beginning, reals. */
static int loads_all(const stfi_schedule *s, int i)
{
    const stfi_pass *p = &s->pass[i];

    return i == 0 && (p->op == STFI_OP_R2C || makes_halves(s, p))
               ? has_all_reals(s, &p->load)
               : p->op != STFI_OP_R2C && has_all(s, &p->load);
}

/* The same of what it stores: complex elements or, in the end, the reals of C2R. */
static int stores_all(const stfi_schedule *s, int i)
{
    const stfi_pass *p = &s->pass[i];

    return i == s->npasses - 1 && p->op == STFI_OP_C2R
               ? has_all_reals(s, &p->store)
               : p->op != STFI_OP_C2R
                     && (has_all(s, &p->store)
                         || (i == 0 && makes_halves(s, p)));
}

/* Returns 1 if pass i may add to a signature. */
static int may_add(const stfi_schedule *s, int i)
{
    const stfi_pass *p = &s->pass[i];

    return (p->op == STFI_OP_FFT || p->op == STFI_OP_R2C
            || p->op == STFI_OP_C2R)
           && p->conv == STFI_CONV_NONE && !p->backward && !p->balanced
           && p->check.kind == STFI_CHECK_LANE
           && p->check.level != STF_FT_THREAD && p->check.transactions <= 1
           && loads_all(s, i) && stores_all(s, i);
}

static int may_sign(const stfi_schedule *s)
{
    int may = s->pass[0].load.buf == STFI_BUF_IN
              && s->pass[s->npasses - 1].store.buf == STFI_BUF_OUT;

    for (int i = 0; i < s->npasses && may; i++) {
        const stfi_pass *p = &s->pass[i],
                        *next = i + 1 < s->npasses ? p + 1 : p;
        may = may_add(s, i)
              && (next == p
                  || (next->load.buf == p->store.buf
                      && elements_of(next, &next->load)
                             == elements_of(p, &p->store)));
    }
    return may;
}

void stfi_schedule_gate(stfi_schedule *s)
{
    const int may = may_sign(s);

    for (int i = 0; i < s->npasses; i++) {
        s->pass[i].gated = 1;
        s->pass[i].from_memory = s->npasses == 1;
        s->pass[i].is_signed = may;
        s->pass[i].is_last = may && i == s->npasses - 1;
    }
}

int stfi_pass_has_own_indices(const stfi_pass *p, const stfi_side *side)
{
    int own = side->index.elem == 1;

    for (int l = 0; l < p->nloops; l++)
        own &= side->index.loop[l] == 0;
    return own;
}

/* Returns 1 if lanes along all loops follow each other in memory, in short rounds,
 * too. */
static int is_one_run(const stfi_pass *p, const stfi_side *side)
{
    for (int l = 1; l < p->nloops; l++)
        if (p->loop_n[l] > 1
            && (side->loop_stride[l] != side->loop_stride[0] * p->loop_n[0]
                || l > 1))
            return 0;
    return p->nloops == 1 || p->batch_loop > 0 || p->loop_n[1] == 1;
}

int64_t stfi_pass_gap(const stfi_pass *p, const stfi_side *side)
{
    const int64_t signals = stfi_op_get(p->op)->two ? 2 : 1;
    const int64_t element =
        side->form == STFI_FORM_PAIRS && side->pair == 1 ? 2 : 1;
    const int64_t row = element * p->n, whole = (row / 2 + 1) * 2;
    const int real =
        side->form == STFI_FORM_PAIRS || side->form == STFI_FORM_REAL;
    const stfi_buf outer = side == &p->load ? STFI_BUF_IN : STFI_BUF_OUT;

    return real && side->buf == outer && !p->backward
                   && side->order == STFI_ORDER_NONE && side->limit == 0
                   && side->rows == 0 && side->block == 0 && p->nloops > 0
                   && side->stride == element
                   && side->loop_stride[0] == signals * whole
               ? (whole - row) / element
               : 0;
}

/* Lanes of two rows that are a multiple of 16 reals together are in the same banks of
 * block memory: C2R of 7 points in F32, in place, took 247 us so, 180 as other rows. */
int stfi_pass_has_rows_of_two(const stfi_pass *p, const stfi_side *side)
{
    const int64_t gap =
        side->form == STFI_FORM_PAIRS ? stfi_pass_gap(p, side) : 0;
    const int64_t row =
        side->form == STFI_FORM_COMPLEX ? p->n / 2 + 1 : p->n + gap;
    const int placed = side->order != STFI_ORDER_NONE;

    return stfi_op_get(p->op)->two && !(gap > 0 && row % 8 == 0)
           && (side->form == STFI_FORM_PAIRS || side->form == STFI_FORM_HC
               || (side->form == STFI_FORM_COMPLEX && !placed))
           && side->block == 0 && side->mirror == 0
           && (placed ? side->unit : side->stride) == 1 && side->pair == row
           && side->loop_stride[0] == 2 * row && is_one_run(p, side);
}

/* Transforms in a group by default. In larger groups, single-precision rounding
 * of the other transforms hides which one has the fault (doc/abft.md). */
enum { GROUP = 8 };

stfi_check stfi_check_of(const stf_ft_desc *ft, stfi_op op)
{
    const stfi_op_row *row = stfi_op_get(op);
    stfi_check c = {.kind = row->check, .half = row->half};
    int alone =
        ft->scheme == STF_FT_SCHEME_AUTO || ft->scheme == STF_FT_SCHEME_SIGNAL;

    if ((ft->mode != STF_FT_DETECT && ft->mode != STF_FT_CORRECT)
        || ft->level == STF_FT_OFFLINE)
        return (stfi_check){.kind = STFI_CHECK_NONE};
    c.correct = ft->mode == STF_FT_CORRECT;
    c.level = ft->level == STF_FT_THREAD ? STF_FT_THREAD : STF_FT_BLOCK;
    c.scheme = alone ? STF_FT_SCHEME_SIGNAL : ft->scheme;
    c.transactions = ft->transactions > 0 ? ft->transactions
                     : alone              ? 1
                                          : GROUP;
    return c;
}

stf_precision stfi_pass_format(const stfi_pass *p, stf_precision data,
                               stfi_buf buf)
{
    int in_work = buf == STFI_BUF_WORK0 || buf == STFI_BUF_WORK1;

    return in_work && p->wide_work ? stfi_type_arithmetic(data)->id : data;
}

stf_precision stfi_schedule_format(const stfi_schedule *s, stfi_buf buf)
{
    return stfi_pass_format(&s->pass[0], s->precision, buf);
}

/* Returns the octaves by which each pass up to `pass` may have made values grow.
 * The passes of a spread convolution, from a chirp to the next, count as the
 * transform that they are. */
static int growth_until(const stfi_schedule *s, int pass)
{
    double octaves = 0.0;
    int inside = 0;

    for (int i = 0; i <= pass; i++) {
        const stfi_pass *p = &s->pass[i];
        inside |= p->load.chirp > 0;
        if (!inside && stfi_op_get(p->op)->transforms > 0)
            octaves +=
                log2((double)(stfi_op_is_conv(p->op) ? p->signal : p->n));
        if (p->store.chirp > 0) {
            octaves += log2((double)p->store.chirp);
            inside = 0;
        }
    }
    return (int)ceil(octaves);
}

double stfi_schedule_scale(const stfi_schedule *s, int pass, double scale)
{
    int exponent, left, given = 0;

    if (s->npasses == 1)
        return scale;
    (void)frexp(scale, &exponent);
    if (exponent >= 1) /* nothing has to grow first */
        return pass == s->npasses - 1 ? scale : 1.0;
    left = 1 - exponent;
    for (int i = 0; i < s->npasses; i++) {
        int growth = growth_until(s, i);
        int own = growth < left ? growth : left;
        if (i == s->npasses - 1)
            return ldexp(scale, given);
        if (!s->pass[i].scaled)
            continue;
        if (i == pass)
            return ldexp(1.0, given - own);
        given = own;
    }
    return scale;
}

size_t stfi_schedule_slot_bytes(const stfi_schedule *s, int which)
{
    const stfi_buf buf = which == 0 ? STFI_BUF_WORK0 : STFI_BUF_WORK1;
    size_t bytes = (size_t)s->work_elems[which] * 2
                   * stfi_type_get(stfi_schedule_format(s, buf))->bytes;
    return (bytes + STFI_ALIGN - 1) / STFI_ALIGN * STFI_ALIGN;
}

size_t stfi_schedule_work_bytes(const stfi_schedule *s)
{
    return (size_t)s->slots
           * (stfi_schedule_slot_bytes(s, 0) + stfi_schedule_slot_bytes(s, 1));
}

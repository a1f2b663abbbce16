/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Long DCT1 and DST1 in two passes over a GPU's memory. Their n reals extend to an
 * even or odd signal x of 2h = P * Q reals, h = n -+ 1, whose spectrum X is even or
 * odd, too.
 *
 * Pass 1 transforms the rows x[k1 + Q k2] over k2, for k1 <= Q/2: the other rows
 * are these backwards. It stores the elements n2 <= P/2 of each result, which
 * is that of reals, times w^(k1 n2), w = exp(-2 pi i / 2h). For n2 fixed, that is
 * half of a Hermitian signal over k1, since row Q - k1 would have the conjugate
 * there. So pass 2 transforms it over k1 into the reals X[n2 + P n1]. Those
 * beyond h are stored at the places of their mirror images, X[2h - n2 - P n1], which no
 * lane has but for n2 = 0 and P/2, where the lane has both, and stores one.
 *
 * Odd rows are loaded as imaginary parts: times i, their results are Hermitian,
 * and i X is real.
 *
 * n reals are read, as much is written to WORK0 and read, and n reals are written:
 * 4n, where the transform of the extension as pairs and a separating pass move 10n.
 * On a CPU, where arithmetic counts, which is the same, that is not faster.
 * Source: [Govindaraju2008], sections IV.C (hierarchical), IV.F (real). */
#include <string.h>

#include "fft/builder.h"
#include "fft/levels.h"

/* Rows in WORK0 begin with a sector of memory. */
enum { ALIGNED = 8 };

/* The axis, and its rows in WORK0: [k1][n2]. */
typedef struct frame {
    const stfi_axis *axis;
    int64_t p, q;       /* points of pass 1 and of pass 2 */
    int64_t rows, half; /* Q/2 + 1, P/2 + 1 */
    int64_t pitch;      /* from row to row */
} frame;

/* Appends a pass of `lanes` tiles of n elements, the first of the two or the second:
 * lane i has the reals i + e Q, or i + e P, of the extension on its side outside of
 * WORK0. */
static stfi_pass *add_pass(stfi_builder *b, const frame *f, int first,
                           int64_t n, int64_t lanes)
{
    stfi_pass *p = stfi_builder_pass(b, STFI_OP_FFT);
    stfi_side *reals = first ? &p->load : &p->store;
    stfi_side *work = first ? &p->store : &p->load;
    const stfi_axis *a = f->axis;
    int64_t size = f->rows * f->pitch;

    *reals = first ? a->load : a->store;
    memset(reals->loop_stride, 0, sizeof reals->loop_stride);
    memset(&reals->index, 0, sizeof reals->index);
    reals->form = STFI_FORM_REAL;
    reals->turn = first && a->load.order == STFI_ORDER_ODD ? STFI_TURN_IMAG
                                                           : STFI_TURN_NONE;
    reals->index.elem = first ? f->q : f->p;
    reals->index.loop[0] = 1;
    *work = (stfi_side){.buf = STFI_BUF_WORK0,
                        .stride = first ? 1 : f->pitch,
                        .index = {.elem = 1}};
    work->loop_stride[0] = first ? f->pitch : 1;
    p->n = p->signal = n;
    p->nstages = stfi_builder_stages(b, n, p->radix);
    p->loop_n[0] = lanes;
    p->batch_loop = a->batch_loop + 1;
    p->nloops = a->nloops + 1;
    for (int l = 0; l < a->nloops; l++) {
        p->loop_n[l + 1] = a->loop_n[l];
        reals->loop_stride[l + 1] =
            first ? a->load.loop_stride[l] : a->store.loop_stride[l];
        work->loop_stride[l + 1] = size;
        size *= a->loop_n[l];
    }
    stfi_builder_work(b, 0, size);
    return p;
}

/* Returns 1 if the extension of `extended` reals has two levels of radices alone, and
 * half of it more than one, in *split_p. */
static int has_two_levels(stfi_builder *b, const stfi_axis *axis,
                          int64_t extended, stfi_split *split_p)
{
    int row = stfi_builder_is_row(&axis->load);
    double lanes = stfi_axis_lanes(b, axis);
    stfi_split half = stfi_split_choose(
        b, extended / 2, stfi_split_conv(extended / 2), row, lanes);
    stfi_split s;

    if (b->status != STF_OK || half.count < 2)
        return 0;
    s = stfi_split_choose(b, extended, stfi_split_conv(extended), row, lanes);
    *split_p = s;
    return b->status == STF_OK && s.count == 2 && s.spread == 0
           && s.level[0].conv == STFI_CONV_NONE
           && s.level[1].conv == STFI_CONV_NONE;
}

int stfi_lower_mirrored(stfi_builder *b, const stfi_axis *axis,
                        int64_t extended)
{
    stfi_split s;
    stfi_pass *p;
    frame f = {.axis = axis};

    if (!b->caps->gpu || !stfi_axis_is_innermost(axis)
        || !has_two_levels(b, axis, extended, &s))
        return 0;
    f.p = s.level[0].n;
    f.q = s.level[1].n;
    f.rows = f.q / 2 + 1;
    f.half = f.p / 2 + 1;
    f.pitch = (f.half + ALIGNED - 1) / ALIGNED * ALIGNED;
    p = add_pass(b, &f, 1, f.p, f.rows);
    p->store.limit = f.half;
    p->twiddle.order = extended;
    p->twiddle.rows = f.rows;
    p->twiddle.mul[0] = 1;
    p = add_pass(b, &f, 0, f.q, f.half);
    p->load.form = STFI_FORM_HALF;
    p->load.full = f.q;
    return 1;
}

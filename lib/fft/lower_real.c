/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Real transforms. Along the last axis an even length n goes through one
 * complex transform of n/2 over pairs of reals and a step that separates
 * (R2C) or joins (C2R) the two interleaved spectra; an odd length, and on a GPU
 * 2, goes through the complex transform of n with half of it left out, or with two
 * signals in it (lower_two_signals.c). On a GPU long ones have a way of their own,
 * lower_real_two.c. The other axes are complex transforms of the half spectrum.
 * Source: [Govindaraju2008], section IV.F. */
#include "fft/builder.h"
#include "fft/factor.h"
#include "fft/gpu_shape.h"

int stfi_real_fits(const stfi_builder *b, int64_t h, double lanes)
{
    stfi_conv conv;
    int64_t tile;

    /* Radices are searched for only if the length is that of a tile. */
    if (h + !b->caps->gpu > stfi_builder_max_whole(b))
        return 0;
    if (b->caps->gpu) {
        stfi_gpu_method(h, lanes, b->real_bytes, b->caps, &conv, &tile);
        return conv == STFI_CONV_NONE && stfi_builder_fits(b, h, 1);
    }
    stfi_factor_tile(h, &conv, &tile);
    if (conv != STFI_CONV_NONE)
        return 0;
    /* With few lanes and a long row, several passes fill the vectors better. */
    return lanes >= stfi_builder_width(b) / 2 || h < 256;
}

double stfi_axis_lanes(const stfi_builder *b, const stfi_axis *axis)
{
    double lanes = b->lanes / (double)b->chunk;
    for (int l = 0; l < axis->nloops; l++)
        lanes *= (double)axis->loop_n[l];
    return lanes;
}

/* Turns a side of form REAL into one of form PAIRS. */
static void set_pairs(stfi_side *side)
{
    side->form = STFI_FORM_PAIRS;
    side->pair = side->stride;
    side->stride *= 2;
}

void stfi_lower_rows(stfi_builder *b, const stfi_axis *axis, stfi_op op)
{
    stfi_pass *p = stfi_builder_pass(b, op);

    p->n = p->signal = axis->n / 2;
    p->nstages = stfi_builder_stages(b, p->n, p->radix);
    p->load = axis->load;
    p->store = axis->store;
    p->nloops = axis->nloops;
    p->batch_loop = axis->batch_loop;
    for (int l = 0; l < axis->nloops; l++)
        p->loop_n[l] = axis->loop_n[l];
}

void stfi_lower_pairs(stfi_builder *b, const stfi_axis *axis, stfi_op op)
{
    enum { PART = 2048 };
    stfi_pass *p = stfi_builder_pass(b, op);
    int64_t pairs = axis->n / 4 + 1;

    p->signal = axis->n / 2;
    p->n = pairs < PART ? pairs : PART;
    p->load = axis->load;
    p->store = axis->store;
    p->nloops = 1;
    p->loop_n[0] = (pairs + p->n - 1) / p->n;
    p->load.loop_stride[0] = p->store.loop_stride[0] = 0;
    p->load.index.loop[0] = p->store.index.loop[0] = p->n;
    p->batch_loop = axis->batch_loop + 1;
    for (int l = 0; l < axis->nloops; l++) {
        p->loop_n[l + 1] = axis->loop_n[l];
        p->load.loop_stride[l + 1] = axis->load.loop_stride[l];
        p->store.loop_stride[l + 1] = axis->store.loop_stride[l];
        p->nloops++;
    }
}

/* Appends the passes of the other axes, in place in the buffer that holds the
 * half spectrum. If `pack` > 0, that is WORK1, packed with rows of so many
 * elements, and the first pass reads IN. Returns 1 if a pass was appended. */
static int lower_others(stfi_builder *b, int64_t pack)
{
    const stf_fft_desc *d = b->desc;
    stfi_axis_run run[STF_MAX_RANK];
    int runs = pack > 0 ? stfi_builder_runs(b, d->rank - 2, 1, d->in.stride,
                                            NULL, 0, run)
                        : stfi_builder_runs(b, d->rank - 2, 1, d->out.stride,
                                            d->out.stride, 0, run);

    for (int r = 0; r < runs; r++) {
        stfi_axis axis;
        stfi_builder_axis(b, run[r], 1, &axis);
        if (pack > 0)
            stfi_builder_work(b, 1,
                              stfi_builder_pack(b, run[r], pack, STFI_BUF_WORK1,
                                                &axis.store));
        if (pack == 0 || r > 0)
            axis.load = axis.store;
        stfi_lower_axis(b, &axis);
    }
    return runs > 0;
}

int stfi_real_is_whole(const stfi_builder *b, int64_t n)
{
    return n % 2 != 0 || (n == 2 && b->caps->gpu);
}

static void lower_r2c_rows(stfi_builder *b, stfi_axis *axis)
{
    double lanes = stfi_axis_lanes(b, axis);
    int64_t n = axis->n;
    int fits;

    if (stfi_real_is_whole(b, n)) {
        axis->load.form = STFI_FORM_REAL;
        if (stfi_lower_two_signals(b, axis, 0)
            || stfi_lower_real_two(b, axis, 0, lanes))
            return;
        axis->store.limit = n / 2 + 1;
        stfi_lower_axis(b, axis);
        return;
    }
    fits = stfi_real_fits(b, n / 2, lanes);
    if (!fits && stfi_lower_real_two(b, axis, 0, lanes))
        return;
    set_pairs(&axis->load);
    if (fits) {
        stfi_lower_rows(b, axis, STFI_OP_R2C);
        return;
    }
    axis->n = n / 2;
    stfi_lower_axis(b, axis);
    axis->n = n;
    axis->load = axis->store;
    stfi_lower_pairs(b, axis, STFI_OP_UNTANGLE);
}

void stfi_lower_r2c(stfi_builder *b)
{
    stfi_axis axis;

    stfi_builder_axis(b, stfi_last_axis(b), 0, &axis);
    lower_r2c_rows(b, &axis);
    lower_others(b, 0);
}

static void lower_c2r_rows(stfi_builder *b, stfi_axis *axis)
{
    int64_t n = axis->n, h = n / 2;
    double lanes = stfi_axis_lanes(b, axis);
    stfi_axis join = *axis;
    int fits;

    if (stfi_real_is_whole(b, n)) {
        axis->load.form = STFI_FORM_HALF;
        axis->load.full = n;
        axis->store.form = STFI_FORM_REAL;
        if (!stfi_lower_two_signals(b, axis, 1)
            && !stfi_lower_real_two(b, axis, 1, lanes))
            stfi_lower_axis(b, axis);
        return;
    }
    fits = stfi_real_fits(b, h, lanes);
    if (!fits && stfi_lower_real_two(b, axis, 1, lanes))
        return;
    set_pairs(&axis->store);
    if (fits) {
        stfi_lower_rows(b, axis, STFI_OP_C2R);
        return;
    }
    stfi_builder_work(b, 1,
                      stfi_builder_pack(b, stfi_last_axis(b), h + 1,
                                        STFI_BUF_WORK1, &join.store));
    stfi_lower_pairs(b, &join, STFI_OP_TANGLE);
    axis->load = join.store;
    axis->n = h;
    stfi_lower_axis(b, axis);
}

void stfi_lower_c2r(stfi_builder *b)
{
    const stf_fft_desc *d = b->desc;
    int64_t half = d->n[d->rank - 1] / 2 + 1;
    int worked = lower_others(b, half);
    stfi_axis axis;

    stfi_builder_axis(b, stfi_last_axis(b), 0, &axis);
    if (worked)
        stfi_builder_pack(b, stfi_last_axis(b), half, STFI_BUF_WORK1,
                          &axis.load);
    lower_c2r_rows(b, &axis);
}

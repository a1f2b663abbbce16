/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* What sides are like, above all those whose reals have an order; see orders.h. */
#include "fft/gpu/orders.h"

enum { LINE_BYTES = 128 /* of memory */ };

int stfi_gpu_is_whole(const stfi_pass *p, const stfi_side *side)
{
    return (side->order != STFI_ORDER_NONE || side->limit > 0
            || side->form == STFI_FORM_HALF)
           && (side->limit == 0 || side->limit == p->signal / 2 + 1)
           && stfi_pass_has_own_indices(p, side);
}

int stfi_gpu_is_run(const stfi_pass *p, const stfi_side *side)
{
    return side->order != STFI_ORDER_NONE && stfi_gpu_is_whole(p, side)
           && side->unit == 1 && side->form != STFI_FORM_COMPLEX
           && stfi_pass_lanes_follow(p, side, side->span);
}

/* Returns 1 if such rows are faster by way of block memory than real by real: short
 * ones that go there anyway; extensions, of which each real is loaded more than once;
 * results that are eight reals apart. Others are not, and neither are protected
 * doubles. Source: bench/results/cuda-h200-r2r.md. */
static int pays_copied(const stfi_pass *p, const stfi_side *side, int staged,
                       const stfi_gpu_config *c)
{
    const int single = stfi_gpu_config_real(c) == 4;
    const int extended =
        side->order == STFI_ORDER_EVEN || side->order == STFI_ORDER_ODD;

    if (c->check && !single)
        return 0;
    return staged || (p->op == STFI_OP_R2C && extended)
           || (side->order == STFI_ORDER_EIGHTH_BACK && single);
}

static int is_copied(const stfi_pass *p, const stfi_side *side, int staged,
                     const stfi_gpu_config *c)
{
    const int64_t room = p->block.split ? p->n : 2 * p->n;

    return stfi_gpu_is_run(p, side) && (side->span | 1) <= room
           && p->conv == STFI_CONV_NONE && !p->block.ahead && !p->is_signed
           && c->load_stored == c->real && c->store_stored == c->real
           && pays_copied(p, side, staged, c);
}

void stfi_gpu_set_copied(const stfi_pass *p, stfi_gpu_config *c)
{
    const stfi_op_row *op = stfi_op_get(p->op);

    c->load_copied = !op->loads_spectra && !op->two && !c->load_swapped
                     && is_copied(p, &p->load, c->load_staged, c);
    c->store_copied = !op->stores_spectra && !op->two && !c->store_swapped
                      && is_copied(p, &p->store, c->store_staged, c);
    c->load_staged &= !c->load_copied;
    c->store_staged &= !c->store_copied;
}

int stfi_gpu_is_adjoined(const stfi_side *side)
{
    return side->form != STFI_FORM_PAIRS || side->pair == 1;
}

int stfi_gpu_is_unit(const stfi_side *side)
{
    const int pairs =
        side->form == STFI_FORM_PAIRS && stfi_gpu_is_adjoined(side);

    return side->order != STFI_ORDER_NONE ? side->unit == 1
                                          : side->stride == 1 + pairs;
}

int stfi_gpu_is_long(const stfi_side *side)
{
    return side->limit >= INT32_MAX / 16
           || (side->order != STFI_ORDER_NONE && side->span >= INT32_MAX / 16);
}

/* Returns 1 if neighbouring reals of the order belong to elements at both ends, each
 * of which has two reals of one signal. */
static int is_two_ended(const stfi_side *side)
{
    return (side->order == STFI_ORDER_FOLD || side->order == STFI_ORDER_ENDS)
           && side->form == STFI_FORM_PAIRS && side->unit == 1
           && side->pair == 0;
}

/* Returns 1 if partners are in the same wave: in rows they are neighbours; lanes
 * side by side are between them. */
static int is_near(const stfi_pass *p, const stfi_side *side, int wave)
{
    int lanes = p->block.lanes;

    if (side->mirror == 0)
        return stfi_gpu_is_whole(p, side) && !stfi_pass_is_across(p, side);
    return stfi_pass_is_across(p, side) && (lanes & (lanes - 1)) == 0
           && 2 * lanes <= wave && !side->reversed;
}

int stfi_gpu_is_swapped(const stfi_pass *p, const stfi_side *side, int radix,
                        int wave)
{
    int threads = p->block.threads / p->block.lanes;

    return is_two_ended(side) && is_near(p, side, wave)
           && p->conv == STFI_CONV_NONE && threads % 2 == 0
           && p->n / radix % threads == 0
           && (side->mirror == 0 || p->n / threads % 2 == 0);
}

/* For orders see backends/gpu/kernels/fft/swapped.h. */
int stfi_gpu_most_at_once(const stfi_side *side)
{
    if (side->order != STFI_ORDER_NONE && side->form != STFI_FORM_COMPLEX)
        return !is_two_ended(side)                                   ? 0
               : side->order == STFI_ORDER_FOLD && side->mirror == 0 ? 4
                                                                     : 2;
    if (side->form == STFI_FORM_PAIRS)
        return side->pair == 0 || side->pair == 1 ? 2 : 0;
    return side->form == STFI_FORM_REAL ? 0 : 2;
}

int stfi_gpu_has_rows_of_one(const stfi_pass *p, const stfi_side *side)
{
    const int reals = side->form == STFI_FORM_REAL && side->limit == 0;
    const int halves = (side == &p->load && side->form == STFI_FORM_HALF
                        && side->full == p->n && side->limit == 0)
                       || (side == &p->store && side->form == STFI_FORM_COMPLEX
                           && side->limit == p->n / 2 + 1);
    int64_t next = reals ? p->n + stfi_pass_gap(p, side) : p->n / 2 + 1;
    int packed = p->nloops > 0;

    for (int l = 0; l < p->nloops; l++) {
        packed &= side->loop_stride[l] == next
                  && (l <= p->batch_loop || p->loop_n[l] == 1);
        next *= p->loop_n[l];
    }
    return packed && (reals || halves) && p->op == STFI_OP_FFT
           && p->conv == STFI_CONV_NONE && p->twiddle.order == 0
           && side->order == STFI_ORDER_NONE && side->turn == STFI_TURN_NONE
           && side->stride == 1 && side->block == 0 && side->chirp == 0
           && side->rows == 0 && stfi_pass_has_own_indices(p, side);
}

/* Returns 1 if such rows, of numbers of so many bytes, go through block memory although
 * their lanes have several threads: those that would read each element of half a
 * spectrum twice, and access less than a line of reals at once. C2R of 25 points in F64,
 * protected, took 0.85 of the time, but R2C of 15 points would take 1.1. */
static int stages_one(const stfi_tuning *t, const stfi_pass *p,
                      const stfi_side *side, size_t bytes)
{
    const int64_t threads = p->block.threads / p->block.lanes;

    return p->load.form == STFI_FORM_HALF && !p->block.ahead
           && threads * (int64_t)bytes < t->staged_bytes[0]
           && stfi_gpu_has_rows_of_one(p, side);
}

/* Rader's reordering goes through block memory, too, and so do rows of reals, two a
 * lane, in runs of any length. */
int stfi_gpu_goes_staged(const stfi_tuning *t, const stfi_pass *p, int side,
                         int64_t stored)
{
    const stfi_side *of = side == 1 ? &p->load : &p->store;
    const size_t bytes = stfi_type_get((stf_precision)stored)->bytes;

    return p->conv == STFI_CONV_RADER || stfi_pass_has_rows_of_two(p, of)
           || (!p->block.split
               && ((p->block.staged & side) != 0
                   || stages_one(t, p, of, bytes)));
}

/* Returns 1 if half spectra of complex elements follow each other without gaps. */
static int are_one_run(const stfi_pass *p, const stfi_side *side)
{
    return side->stride == 1 && side->block == 0 && side->limit == 0
           && side->rows == 0 && stfi_pass_lanes_follow(p, side, p->n + 1);
}

void stfi_gpu_set_swept(const stfi_pass *p, stfi_gpu_config *c)
{
    const stfi_side *side = &p->load;
    const size_t stored = stfi_type_get((stf_precision)c->load_stored)->bytes;
    const int spectra = side->form == STFI_FORM_COMPLEX
                        && side->order == STFI_ORDER_NONE
                        && side->turn == STFI_TURN_NONE
                        && c->threads * 2 * (int64_t)stored < LINE_BYTES / 2;
    const int reals = side->form == STFI_FORM_HC
                      && c->threads * stfi_gpu_config_real(c) < LINE_BYTES;

    c->load_swept = c->check && p->op == STFI_OP_C2R && !c->load_across
                    && (spectra || reals);
    c->load_run =
        c->load_swept && spectra && c->lanes > 1 && are_one_run(p, side);
}

void stfi_gpu_set_gaps(const stfi_pass *p, stfi_gpu_config *c)
{
    if (p->conv == STFI_CONV_NONE && !c->store_across)
        c->store_gap = stfi_pass_gap(p, &p->store);
    if (c->load_packed)
        c->row_gap = stfi_pass_gap(p, &p->load);
    if (c->store_packed)
        c->row_gap += c->store_gap;
}

int stfi_gpu_moves_own_row(const stfi_gpu_config *c)
{
    const int load = c->load_staged && c->load_form == STFI_FORM_COMPLEX;
    const int store = c->store_staged && c->store_form == STFI_FORM_COMPLEX
                      && !c->store_limit;
    const int complex = c->op == STFI_OP_FFT && (load || store);
    const int spectra = (c->op == STFI_OP_R2C && !c->load_copied)
                        || (c->op == STFI_OP_C2R && !c->store_copied);

    return c->radices.count == 1 && c->load_stored == c->real
           && c->store_stored == c->real && (complex || spectra);
}

int stfi_gpu_takes_pairs(const stfi_gpu_config *c)
{
    return c->load_swept && stfi_gpu_config_real(c) == 4;
}

/* ------------------------------------------------- residuals made of memory */

/* Returns 1 if a side of a transform of complex elements can be read again as the
 * check sees them. Of half a spectrum, which follows from reals, the other half is
 * the mirror image. */
static int has_elements(const stfi_pass *p, const stfi_side *side)
{
    const int half = side == &p->store && p->load.form == STFI_FORM_REAL
                     && side->form == STFI_FORM_COMPLEX
                     && stfi_gpu_is_whole(p, side);

    return side->order == STFI_ORDER_NONE && side->turn == STFI_TURN_NONE
           && (side->limit == 0 || half)
           && (side->form == STFI_FORM_COMPLEX || side->form == STFI_FORM_REAL
               || side->form == STFI_FORM_HALF);
}

/* The same of a side of R2C or C2R. Turns by quarters are part of its weights. */
static int has_pairs(const stfi_side *side)
{
    return side->limit == 0
           && (side->turn == STFI_TURN_NONE || side->turn == STFI_TURN_QUARTER)
           && (side->order == STFI_ORDER_NONE || side->order == STFI_ORDER_PLAIN
               || side->order == STFI_ORDER_FOLD)
           && side->form != STFI_FORM_REAL;
}

int stfi_gpu_is_from_memory(const stfi_pass *p, const stfi_gpu_config *c)
{
    const int reals = c->op == STFI_OP_R2C || c->op == STFI_OP_C2R;
    const int swept = c->op == STFI_OP_CONV && c->conv == STFI_CONV_RADER;
    const int seen = reals ? has_pairs(&p->load) && has_pairs(&p->store)
                           : (c->op == STFI_OP_FFT || swept)
                                 && has_elements(p, &p->load)
                                 && has_elements(p, &p->store);

    return p->from_memory && seen && c->check && !c->by_thread
           && c->transactions == 1 && (swept || c->conv == STFI_CONV_NONE)
           && !c->ahead && c->twiddle == STFI_TWIDDLE_NONE && !c->balanced
           && p->load.rows == 0 && p->store.rows == 0 && !c->load_copied
           && !c->store_copied;
}

/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Real transforms of odd lengths, on a GPU of real to real kinds too: a complex
 * transform of n points has two of them. A lane takes two neighbours, first along the
 * loops inside of a transform, then on a GPU along the batch. Of an odd number of signals
 * the last one is alone in its lane there, which is possible along the outermost loop
 * only, where such lanes are the last ones; on a CPU there are no such lanes. Checks are
 * of lanes; what they report of one with two transforms is said of the first.
 * Source: Cooley, Lewis, Welch, J. Sound Vib. 12 (1970). */
#include <stdlib.h>

#include "device/tuning.h"
#include "fft/builder.h"
#include "fft/gpu_shape_cost.h"

/* Returns 1 if two signals a lane are faster than one in a pass that stores half spectra.
 * A thread that holds many elements in the last of several stages has no room for the
 * spectra; nor has one with a whole lane beside the sums of checks: on an H100,
 * protected rows of 13 points took 568 us with two signals, 183 with one. */
static int has_room(stfi_builder *b, int64_t n)
{
    int radix[STFI_MAX_STAGES], largest = 0;
    int stages = stfi_builder_stages(b, n, radix);

    for (int i = 0; i < stages && stages > 1; i++)
        largest = radix[i] > largest ? radix[i] : largest;
    return largest <= stfi_tuning_of(b->caps)->r2c_two_radix
           && (stages > 1 || !stfi_builder_is_protected(b));
}

/* Returns 1 if passes are checked, and their lanes may have signals of two transforms.
 * Sums from end to end are of one transform, also those that passes make of what memory
 * holds, and results that are rounded to halves cannot be summed up as they were before
 * that. Checks of single butterflies would not see that results overflow, which balanced
 * signals do behind the last one. */
static int may_pair_transforms(const stfi_builder *b)
{
    return stfi_builder_is_protected(b) && !b->desc->ft.end_to_end
           && b->desc->ft.level != STF_FT_THREAD && b->stored_bytes >= 4;
}

static int is_placed(const stfi_pass *p)
{
    return p->load.form == STFI_FORM_HC || p->store.form == STFI_FORM_HC;
}

/* Returns the least lengths, in F32 and in F64, whose lanes may have signals of
 * different transforms. Balancing these takes instructions that only long ones save
 * elsewhere. */
static const int *strangers_of(const stfi_tuning *t, const stfi_pass *p)
{
    if (p->op == STFI_OP_C2R_TWO)
        return p->load.turn != STFI_TURN_NONE ? t->dct3_two_strangers
                                              : t->hc2r_two_strangers;
    return p->store.turn == STFI_TURN_EIGHTH ? t->dct4_two_strangers
                                             : t->r2hc_two_strangers;
}

/* Returns 1 if neighbours along loop l have others between them. */
static int is_across(const stfi_pass *p, int l)
{
    for (int k = 0; k < l; k++)
        if (p->loop_n[k] > 1)
            return 1;
    return 0;
}

/* The same for any pass, of neighbours along loop l. Half-complex spectra are made in
 * shared memory, but in protected kernels; columns of them took 1.07 to 1.11 of the
 * time on an H200. */
static int pays(stfi_builder *b, const stfi_pass *p, int64_t n, int l)
{
    const stfi_tuning *t = stfi_tuning_of(b->caps);
    const int is_double = stfi_gpu_is_double(b->real_bytes);
    const int inverse = p->op == STFI_OP_C2R_TWO;

    if (!b->caps->gpu)
        return p->load.order == STFI_ORDER_NONE
               && p->store.order == STFI_ORDER_NONE;
    if (inverse && is_across(p, l))
        return 0;
    if (is_placed(p))
        return n >= t->r2r_two_least[is_double]
               && (l != p->batch_loop || n >= strangers_of(t, p)[is_double])
               && (inverse || stfi_builder_is_row(&p->store))
               && (inverse || !stfi_builder_is_protected(b) || has_room(b, n));
    if (may_pair_transforms(b))
        return inverse
                   ? l != p->batch_loop || n >= t->c2r_two_checked[is_double]
                   : n >= t->r2c_two_checked[is_double];
    return inverse ? t->c2r_two_signals[is_double]
                   : t->r2c_two_signals[is_double] && has_room(b, n);
}

/* Returns 1 if loop l of a pass is the outermost one, but for loops of one index. */
static int is_outermost(const stfi_pass *p, int l)
{
    for (int k = l + 1; k < p->nloops; k++)
        if (p->loop_n[k] > 1)
            return 0;
    return 1;
}

/* Returns 1 if neighbours along loop l may share a lane: in every round they are an
 * even number, or those that are alone are the last lanes. */
static int may_pair(const stfi_builder *b, const stfi_pass *p, int l)
{
    int even = p->loop_n[l] % 2 == 0;
    int same = l != p->batch_loop || b->desc->batch % b->chunk == 0;

    if (!b->caps->gpu)
        return even && l != p->batch_loop;
    if (b->desc->ft.mode != STF_FT_OFF
        && (l != p->batch_loop || !may_pair_transforms(b)))
        return even && l != p->batch_loop;
    return p->loop_n[l] > 1 && ((same && even) || is_outermost(p, l));
}

/* Returns the loop along which neighbours are closest in memory of those whose
 * signals may share a lane, or -1. Loops inside of a transform come before the
 * batch: what is added up there counts as one. */
static int choose_loop(const stfi_builder *b, const stfi_pass *p)
{
    int best = -1;

    for (int l = 0; l < p->nloops; l++)
        if (may_pair(b, p, l)
            && (best < 0 || best == p->batch_loop
                || (l != p->batch_loop
                    && llabs(p->load.loop_stride[l])
                           < llabs(p->load.loop_stride[best]))))
            best = l;
    return best;
}

static void set_pair(stfi_side *side, int l)
{
    side->pair = side->loop_stride[l];
    side->loop_stride[l] *= 2;
    side->limit = 0;
}

/* Gives each lane two neighbours along loop l. */
static void set_two(stfi_pass *p, int l)
{
    if (l == p->batch_loop || p->loop_n[l] % 2 != 0) {
        p->two_loop = l + 1;
        p->two_count = l == p->batch_loop ? 0 : p->loop_n[l];
    }
    p->balanced = l == p->batch_loop;
    p->loop_n[l] = (p->loop_n[l] + 1) / 2;
    set_pair(&p->load, l);
    set_pair(&p->store, l);
}

static void set_forms(stfi_side *reals, stfi_side *spectrum)
{
    reals->form = STFI_FORM_PAIRS;
    if (spectrum->form == STFI_FORM_HALF) {
        spectrum->form = STFI_FORM_COMPLEX;
        spectrum->full = 0;
    }
}

int stfi_lower_two_signals(stfi_builder *b, const stfi_axis *axis, int inverse)
{
    stfi_axis sorted = *axis;
    stfi_pass *p, one = {.op = inverse ? STFI_OP_C2R_TWO : STFI_OP_R2C_TWO};
    int l;

    if (axis->n % 2 == 0 || axis->n < 3
        || !stfi_real_fits(b, axis->n, stfi_axis_lanes(b, axis)))
        return 0;
    stfi_axis_sort(&sorted);
    one.load = sorted.load;
    one.store = sorted.store;
    one.nloops = sorted.nloops;
    one.batch_loop = sorted.batch_loop;
    for (int k = 0; k < sorted.nloops; k++)
        one.loop_n[k] = sorted.loop_n[k];
    stfi_builder_merge(&one);
    l = choose_loop(b, &one);
    if (l < 0 || !pays(b, &one, axis->n, l))
        return 0;
    set_forms(inverse ? &one.store : &one.load,
              inverse ? &one.load : &one.store);
    set_two(&one, l);
    one.n = one.signal = axis->n;
    p = stfi_builder_pass(b, one.op);
    *p = one;
    p->nstages = stfi_builder_stages(b, p->n, p->radix);
    return 1;
}

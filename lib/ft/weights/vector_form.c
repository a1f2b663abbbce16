/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Which form the left vector of a pass has; see vector_form.h. */
#include "ft/weights/vector_form.h"

#include "device/tuning.h"
#include "fft/desc.h"
#include "ft/weights/left_vector.h"
#include "ft/weights/sign_pattern.h"

static int64_t threads_of_lane(const stfi_pass *p)
{
    return p->block.lanes > 0 ? p->block.threads / p->block.lanes : 0;
}

/* Returns 1 for a transform of one axis that is checked lane by lane, with an
 * optimised e. */
static int is_optimised_fft(const stfi_pass *p)
{
    return p->check.kind == STFI_CHECK_LANE && p->op == STFI_OP_FFT
           && p->conv == STFI_CONV_NONE && p->axes.count == 0
           && p->check.level != STF_FT_THREAD && stfi_ft_is_optimised(p->n);
}

/* The least weight of an e with a real row is 0.25 to 0.4 instead of 0.4 to
 * 0.6, as only half of its numbers are free. This pays if several threads share
 * a lane and read the row from memory; a short row takes little reading. For
 * real data the residual is real, too, and is then more often large by chance
 * than a complex one. */
static int may_be_real(const stfi_pass *p, const stfi_tuning *tuning)
{
    return is_optimised_fft(p) && p->n >= tuning->real_row_least
           && threads_of_lane(p) > 1;
}

/* If a thread holds few registers of data, so many blocks are resident that
 * reading a real row from memory costs less than a sign pattern with a row in
 * block memory. Twiddles take registers, so a pass with twiddles has fewer
 * blocks (device/tuning.def). */
static int prefers_real(const stfi_pass *p, stf_precision precision,
                        const stfi_tuning *tuning)
{
    int64_t bytes = 2 * (int64_t)stfi_type_arithmetic(precision)->bytes;

    return may_be_real(p, tuning) && p->twiddle.order == 0
           && p->block.elements * bytes <= tuning->real_row_held_bytes;
}

/* If several threads share a lane, all have the same pattern, and sums of two
 * of them can be as small as the angles between the V-th roots of unity are:
 * weights of e go down to 0.10, 0.04, 0.01 for V = 8, 16, 32. But an error that
 * changes a signal by a given multiple of its rounding error changes one of the
 * signal's lanes by sqrt(number of lanes) times that multiple of the lane's:
 * with V^2/4 lanes or more the weights count as 0.4, 0.3, 0.2. */
int64_t stfi_ft_sign_pattern_period(const stfi_pass *p, stf_precision precision,
                                    const stfi_tuning *tuning)
{
    int64_t held = p->block.elements, threads = threads_of_lane(p);

    return is_optimised_fft(p) && (p->n & (p->n - 1)) == 0
                   && !prefers_real(p, precision, tuning)
                   && threads * held == p->n
                   && (threads == 1
                       || 4 * stfi_pass_signal_lanes(p) >= held * held)
                   && stfi_ft_sign_pattern(held) != NULL
               ? threads
               : 0;
}

int stfi_ft_is_folded(const stfi_pass *p)
{
    return p->check.real_row && stfi_op_get(p->op)->real;
}

/* Two numbers for each pair of elements instead of eight (C2R), or one for two reals
 * instead of four (R2C). */
int stfi_ft_may_fold(const stfi_pass *p, const stfi_caps *caps)
{
    const stfi_op_row *op = stfi_op_get(p->op);
    const stfi_side *spectrum = op->loads_spectra ? &p->load : &p->store;

    return caps->folds && (p->op == STFI_OP_R2C || p->op == STFI_OP_C2R)
           && spectrum->form != STFI_FORM_HC && p->load.turn == STFI_TURN_NONE
           && p->store.turn == STFI_TURN_NONE
           && p->check.kind == STFI_CHECK_LANE
           && p->check.level != STF_FT_THREAD && threads_of_lane(p) > 1
           && stfi_ft_is_optimised(p->n)
           && p->n >= stfi_tuning_of(caps)->folded_row_least;
}

int stfi_ft_row_is_real(const stfi_pass *p, stf_precision precision,
                        const stfi_tuning *tuning)
{
    return may_be_real(p, tuning)
           && stfi_ft_sign_pattern_period(p, precision, tuning) == 0;
}

/* The least weight is 0.25 to 0.5, as with a real row. A CPU sums up its output
 * from the nearest cache, where products cost what they take; the sum over the
 * input waits for memory, and a real row would gain less. A GPU has a real e where
 * there is neither a sign pattern nor a real row: a product for each component
 * less, and no packed components to take apart. */
int stfi_ft_e_is_real(const stfi_pass *p, stf_precision precision,
                      const stfi_caps *caps)
{
    const stfi_tuning *tuning = stfi_tuning_of(caps);
    int other = caps->gpu
                && (stfi_ft_row_is_real(p, precision, tuning)
                    || stfi_ft_sign_pattern_period(p, precision, tuning) > 0);

    return !other && p->check.kind == STFI_CHECK_LANE
           && p->check.level != STF_FT_THREAD
           && (p->op == STFI_OP_FFT || stfi_op_is_conv(p->op))
           && stfi_ft_is_optimised(p->n);
}

/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Which form a pass's left vector takes; see vector_form.h. */
#include "ft/weights/vector_form.h"

#include "device/tuning.h"
#include "fft/desc.h"
#include "ft/weights/left_vector.h"
#include "ft/weights/sign_pattern.h"

static int64_t threads_of_lane(const stfi_pass *p)
{
    return p->block.lanes > 0 ? p->block.threads / p->block.lanes : 0;
}

/* 1 for a transform that is checked lane by lane, with an optimised e. */
static int is_optimised_fft(const stfi_pass *p)
{
    return p->check.kind == STFI_CHECK_LANE && p->op == STFI_OP_FFT
           && p->conv == STFI_CONV_NONE && p->check.level != STF_FT_THREAD
           && stfi_ft_is_optimised(p->n);
}

/* The least weight of an e with a real row is 0.25 to 0.4 instead of 0.4 to
 * 0.6, as half of its numbers are free. That is worth it where threads share a
 * lane and read a row from memory; short rows have little to read. Of real data
 * the residual is real, too: more of them are large than of complex ones. */
static int may_be_real(const stfi_pass *p, const stfi_tuning *tuning)
{
    return is_optimised_fft(p) && p->n >= tuning->real_row_least
           && threads_of_lane(p) > 1;
}

/* Few registers of data leave room for so many blocks that a real row, read from
 * memory, costs less than a sign pattern and a row in block memory; twiddles
 * leave fewer (device/tuning.def). */
static int prefers_real(const stfi_pass *p, stf_precision precision,
                        const stfi_tuning *tuning)
{
    int64_t bytes = 2 * (int64_t)stfi_type_get(precision)->bytes;

    return may_be_real(p, tuning) && p->twiddle.order == 0
           && p->block.elements * bytes <= tuning->real_row_held_bytes;
}

/* Where several threads share a lane, all have the same pattern, and some sums
 * of two are as small as the angles between V roots are: weights of e get down
 * to 0.10, 0.04, 0.01 for V of 8, 16, 32. But what changes a signal by so many
 * times its rounding error changes one of its lanes by the root of their number
 * more: with V^2/4 of them the weights count as 0.4, 0.3, 0.2. */
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

int stfi_ft_row_is_real(const stfi_pass *p, stf_precision precision,
                        const stfi_tuning *tuning)
{
    return may_be_real(p, tuning)
           && stfi_ft_sign_pattern_period(p, precision, tuning) == 0;
}

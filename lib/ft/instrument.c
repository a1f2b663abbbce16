/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Setting the checks of passes; see instrument.h. */
#include "ft/instrument.h"

#include <math.h>

#include "device/tuning.h"
#include "ft/offline.h"
#include "ft/weights/vector_form.h"
#include "ft/threshold.h"

static int64_t points_of(const stfi_pass *p)
{
    if (p->conv != STFI_CONV_NONE && p->conv != STFI_CONV_SPREAD)
        return p->signal;
    return stfi_op_get(p->op)->points * p->n;
}

/* TWIDDLE_DEPTH is what twiddles between passes count in depth_of(), which
 * returns the number of stages of radix 2 that an element goes through, plus
 * the other factors in the residual, each of which adds its rounding error.
 * Such a twiddle is the product of three rounded factors, and its modulus is
 * not exactly 1. */
enum { TWIDDLE_DEPTH = 4 };

static double depth_of(const stfi_pass *p)
{
    double depth = log2((double)p->n) + stfi_op_get(p->op)->depth;

    if (stfi_op_is_conv(p->op))
        depth = p->conv == STFI_CONV_SPREAD ? depth + 1 : 2 * depth;
    depth += TWIDDLE_DEPTH * (p->twiddle.order > 0) + (p->load.chirp > 0)
             + (p->store.chirp > 0) + (p->load.turn != STFI_TURN_NONE)
             + (p->store.turn != STFI_TURN_NONE);
    /* Units sum up less exactly than F32 does: 1 + depth doubles. */
    return p->matrix != 0 ? 2 * depth + 1 : depth;
}

/* Returns how often a pass rounds to the format that it stores: at the store, and
 * before every stage that takes elements as halves, with what roots are off. */
static double roundings_of(const stfi_pass *p, stf_precision format)
{
    double count = format != stfi_type_get(format)->arithmetic;

    if (p->unit == STFI_UNIT_SPLIT)
        return count;
    for (int s = 0; s < p->nstages; s++)
        count += (double)(p->matrix >> s & 1);
    return count;
}

double stfi_ft_schedule_roundings(const stfi_schedule *s)
{
    double count = 0;
    int units = 0;

    for (int i = 0; i < s->npasses; i++) {
        count += roundings_of(&s->pass[i],
                              stfi_schedule_format(s, s->pass[i].store.buf));
        units |= s->pass[i].matrix != 0;
    }
    return units ? count : 0;
}

/* What the roundings of the sums add to depth_of(), where a few long chains of
 * additions make up the sum of a lane: those of a thread of a GPU, or of a
 * vector's lane, which has at most eight. Their rounding errors are relative to
 * the partial sums, which data that agree with the weights make larger than
 * random data do; of a few elements a good part agrees by chance. That leaves
 * residuals of clean lanes with a longer tail than the normal distribution has.
 * Measured over 2 to 31 points, the square root of a chain's length is what takes
 * the rate above 6 below 1e-12. A real weight rounds half as often. */
static double depth_of_sums(const stfi_caps *caps, const stfi_pass *p)
{
    enum { VECTOR_CHAIN = 8 };
    const double points = (double)p->check.points;
    double chain = caps->gpu ? (double)p->block.elements : VECTOR_CHAIN;

    chain = chain > points ? points : chain;
    return sqrt(chain) * chain / points
           * (p->check.real_row && p->check.real_e ? 0.5 : 1.0);
}

/* Returns the bound for checks of butterflies (level THREAD). A check
 * multiplies it by the factor for its own radix (ft/weights/stage.h). */
static stfi_ft_bound unit_bound(const stf_ft_desc *ft, stf_precision precision)
{
    stfi_ft_bound b = stfi_ft_bound_make(precision, 0, 1, 0, 0, 1.0);

    if (ft->threshold > 0)
        b.slope = (long double)ft->threshold / STFI_FT_REPORT;
    return b;
}

/* 1 if results are real and have real weights, so that all that rounding leaves in
 * a residual lies in one component. Two components, of the same length together, have
 * to be large at once for the residual to be: one exceeds K sqrt(2) as rarely as two
 * exceed K. */
static int is_along_line(const stfi_pass *p)
{
    return p->op == STFI_OP_FFT && p->store.form == STFI_FORM_REAL
           && p->check.real_e;
}

/* Returns the number of stages that the bound counts. */
static double depth_to_count(const stfi_caps *caps, const stfi_pass *p)
{
    const double depth = depth_of(p) + depth_of_sums(caps, p);

    return is_along_line(p) ? 2 * (1 + depth) - 1 : depth;
}

static void set_bound(const stfi_schedule *s, const stf_ft_desc *ft,
                      stfi_pass *p)
{
    const double rounded =
        roundings_of(p, stfi_schedule_format(s, p->store.buf));
    stfi_ft_bound bound =
        p->check.level == STF_FT_THREAD
            ? unit_bound(ft, s->precision)
            : stfi_ft_bound_make(s->precision, ft->threshold,
                                 (double)p->check.points,
                                 depth_to_count(&s->caps, p), rounded, 1.0);

    p->check.slope = (double)bound.slope;
    p->check.floor = (double)bound.floor;
}

static stf_status set_vector(stfi_pass *p, stf_precision precision,
                             stfi_ft_vectors *vectors)
{
    stfi_ft_key key = stfi_ft_key_pass(p, stfi_type_get(precision)->sums);
    const stfi_ft_vector *vector;
    stf_status status = stfi_ft_vector_get(vectors->cache, key, &vector);

    if (status != STF_OK)
        return status;
    vectors->vector[vectors->count++] = vector;
    p->check.e = vector->e;
    p->check.row = vector->row;
    return STF_OK;
}

void stfi_ft_mark(const stf_ft_desc *ft, stfi_schedule *s)
{
    const stfi_tuning *tuning = stfi_tuning_of(&s->caps);

    for (int i = 0; i < s->npasses; i++) {
        stfi_pass *p = &s->pass[i];
        p->check = stfi_check_of(ft, p->op);
        if (p->check.kind != STFI_CHECK_LANE)
            continue;
        p->check.points = points_of(p);
        p->check.period = stfi_ft_sign_pattern_period(p, s->precision, tuning);
        p->check.real_row = stfi_ft_may_fold(p, &s->caps)
                            || stfi_ft_row_is_real(p, s->precision, tuning);
        p->check.real_e = stfi_ft_e_is_real(p, s->precision, &s->caps);
        set_bound(s, ft, p);
    }
}

stf_status stfi_ft_instrument(stfi_ft_cache *cache, const stf_ft_desc *ft,
                              stfi_schedule *s, stfi_ft_vectors *vectors_p)
{
    stfi_ft_vectors vectors = {.cache = cache};
    stf_status status = STF_OK;

    stfi_ft_mark(ft, s);
    for (int i = 0; i < s->npasses && status == STF_OK; i++)
        if (s->pass[i].check.kind == STFI_CHECK_LANE)
            status = set_vector(&s->pass[i], s->precision, &vectors);
    if (status != STF_OK)
        stfi_ft_vectors_release(&vectors);
    else
        *vectors_p = vectors;
    return status;
}

/* Makes the vectors of all checks, and releases them. */
static stf_status rehearse_passes(const stf_ft_desc *ft, stfi_schedule *s)
{
    stfi_ft_vectors vectors;
    stfi_ft_cache *cache;
    stf_status status = stfi_ft_cache_create(&cache);

    if (status != STF_OK)
        return status;
    status = stfi_ft_instrument(cache, ft, s, &vectors);
    if (status == STF_OK)
        stfi_ft_vectors_release(&vectors);
    stfi_ft_cache_destroy(cache);
    return status;
}

stf_status stfi_ft_rehearse(const stf_ft_desc *ft, stfi_schedule *s)
{
    stf_status status = STF_OK;

    if (ft->mode != STF_FT_OFF && ft->level != STF_FT_OFFLINE)
        status = rehearse_passes(ft, s);
    if (status == STF_OK && stfi_ft_is_end_to_end(ft))
        stfi_schedule_gate(s);
    return status;
}

void stfi_ft_vectors_release(stfi_ft_vectors *vectors)
{
    for (int i = 0; i < vectors->count; i++)
        stfi_ft_vector_release(vectors->cache, vectors->vector[i]);
    vectors->count = 0;
}

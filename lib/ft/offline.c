/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The check of a finished transform; see offline.h.
 *
 * The row of a forward transform is r[j] = sum over k of e[k] omega^(jk); that
 * of an inverse transform is r[-j]. For R2C, e covers the half spectrum. For
 * C2R, with the half spectrum X, y is the sum over k of X[k] omega^(-jk) plus
 * its conjugate (half of both where k is its own mirror image), so that e^T y
 * is the sum over k of X[k] r[-k] and conj(X[k]) r[k]. The matrices of real to
 * real transforms are real, and each axis has the row of its kind. */
#include "ft/offline.h"

#include <math.h>

#include "base/status.h"
#include "fft/desc.h"

/* The largest exponent, in either direction, of a unit, which is a power of
 * two: sums of data times the unit stay finite in double. */
enum { LARGEST_SHIFT = 1000 };

int stfi_ft_is_end_to_end(const stf_ft_desc *ft)
{
    return (ft->mode == STF_FT_DETECT || ft->mode == STF_FT_CORRECT)
           && (ft->level == STF_FT_OFFLINE || ft->end_to_end);
}

stfi_ft_side stfi_ft_side_extents(const stf_fft_desc *full, int output)
{
    const stfi_kind *kind = stfi_kind_get(full->kind);
    stfi_ft_side s = {.rank = full->rank};

    s.parts = (output ? kind->real_out : kind->real_in) ? 1 : 2;
    if (full->kind == STF_C2R && !output)
        s.halved = full->n[full->rank - 1];
    for (int a = 0; a < full->rank; a++)
        s.n[a] = stfi_desc_extent(full, a, output);
    s.below[full->rank - 1] = 1;
    for (int a = full->rank - 1; a > 0; a--)
        s.below[a - 1] = s.below[a] * s.n[a];
    return s;
}

static stfi_ft_side side_of(const stf_fft_desc *full, int output,
                            const stfi_ft_vector *const *vector)
{
    const stf_layout *layout = output ? &full->out : &full->in;
    stfi_ft_side s = stfi_ft_side_extents(full, output);

    for (int a = 0; a < full->rank; a++) {
        s.stride[a] = layout->stride[a] * s.parts;
        s.weight[a] = output ? vector[a]->e : vector[a]->row;
        s.period[a] = full->n[a];
    }
    return s;
}

static stfi_ft_key key_of(const stf_fft_desc *full, int axis)
{
    stf_precision sums = stfi_type_get(full->precision)->sums;
    int half = full->kind == STF_R2C && axis == full->rank - 1;

    return stfi_kind_is_r2r(full->kind)
               ? stfi_ft_key_real(full->n[axis], full->kinds[axis], sums)
               : stfi_ft_key_whole(full->n[axis], half, sums);
}

/* The functions by precision; NULL for those that are not checked. */
static const stfi_ft_summer *const summers[STFI_TYPES] = {
    [STF_F16] = &stfi_ft_sum_f16,
    [STF_BF16] = &stfi_ft_sum_bf16,
    [STF_F32] = &stfi_ft_sum_f32,
    [STF_F64] = &stfi_ft_sum_f64,
};

stf_status
stfi_ft_offline_open_by(stfi_ft_cache *cache, const stf_fft_desc *full,
                        stf_direction direction, const stfi_ft_key *key,
                        const stfi_ft_rows *rows, stfi_ft_offline *check_p)
{
    stfi_ft_offline check = {.cache = cache};
    const stfi_type *type = stfi_type_get(full->precision);
    int inverse = direction == STF_INVERSE;
    stf_status status = STF_OK;

    if (!type->checked)
        return stfi_error(STF_ERR_UNSUPPORTED,
                          "precision is %s; transforms "
                          "in f16, bf16, f32 and f64 can be checked",
                          type->name);
    check.scale = inverse ? full->scale_inverse : full->scale_forward;
    check.bound = stfi_ft_bound_of(full, check.scale);
    check.summer = summers[full->precision];
    for (int a = 0; a < full->rank && status == STF_OK; a++)
        status = stfi_ft_vector_get(cache, key[a], &check.vector[a]);
    if (status != STF_OK) {
        stfi_ft_offline_close(&check);
        return status;
    }
    check.in = side_of(full, 0, check.vector);
    check.in.reversed = inverse && !stfi_kind_is_r2r(full->kind);
    check.out = side_of(full, 1, check.vector);
    check.out.powerless = 1;
    check.in.rows = check.out.rows = rows;
    *check_p = check;
    return STF_OK;
}

stf_status stfi_ft_offline_open(stfi_ft_cache *cache, const stf_fft_desc *full,
                                stf_direction direction,
                                const stfi_ft_rows *rows,
                                stfi_ft_offline *check_p)
{
    stfi_ft_key key[STF_MAX_RANK];

    for (int a = 0; a < full->rank; a++)
        key[a] = key_of(full, a);
    return stfi_ft_offline_open_by(cache, full, direction, key, rows, check_p);
}

void stfi_ft_offline_allow(stfi_ft_offline *check, const stf_fft_desc *full,
                           double roundings)
{
    check->bound = stfi_ft_bound_rounded(full, check->scale, roundings);
}

void stfi_ft_offline_close(stfi_ft_offline *check)
{
    for (int a = 0; a < STF_MAX_RANK; a++) {
        stfi_ft_vector_release(check->cache, check->vector[a]);
        check->vector[a] = NULL;
    }
}

/* Returns the power of two that brings the peak into 1/2 .. 1, as far as
 * LARGEST_SHIFT allows. */
static long double unit_of(long double peak)
{
    int exponent;

    if (!(peak > 0) || !isfinite(peak))
        return 1;
    (void)frexpl(peak, &exponent);
    if (exponent > LARGEST_SHIFT)
        exponent = LARGEST_SHIFT;
    if (exponent < -LARGEST_SHIFT)
        exponent = -LARGEST_SHIFT;
    return ldexpl(1, -exponent);
}

/* The sums over the input times a unit. */
static stfi_ft_sum sum_input(const stfi_ft_offline *check,
                             const stfi_ft_side *in, const void *x,
                             long double unit)
{
    stfi_ft_sum sum = check->summer->sum(in, x, unit);

    if (in->halved > 0) {
        stfi_ft_side mirrored = *in;
        stfi_ft_sum other;
        mirrored.reversed = !mirrored.reversed;
        mirrored.conjugate = mirrored.powerless = 1;
        other = check->summer->sum(&mirrored, x, unit);
        sum.re += other.re;
        sum.im += other.im;
    }
    return sum;
}

/* 1 if squares neither overflowed nor vanished where rows of the input were
 * added up by vectors. */
static int is_in_range(const stfi_ft_offline *check, const stfi_ft_sum *in)
{
    const stfi_ft_summer *summer = check->summer;
    long double elements = (long double)(check->in.n[0] * check->in.below[0]);

    return in->power > elements * summer->least && in->power < summer->most;
}

/* The same side with sums that take any data. */
static stfi_ft_side without_rows(const stfi_ft_side *side)
{
    stfi_ft_side slow = *side;

    slow.rows = NULL;
    return slow;
}

stfi_ft_group stfi_ft_offline_in(const stfi_ft_offline *check, const void *x)
{
    const stfi_ft_summer *summer = check->summer;
    stfi_ft_sum in = {.power = 0};
    long double unit = 1;

    if (check->in.rows != NULL)
        in = sum_input(check, &check->in, x, unit);
    if (check->in.rows == NULL || !is_in_range(check, &in)) {
        const stfi_ft_side side = without_rows(&check->in);
        if (!summer->any_size)
            unit = unit_of(summer->peak(&side, x));
        in = sum_input(check, &side, x, unit);
    }
    return (stfi_ft_group){check->scale * in.re, check->scale * in.im,
                           sqrtl(in.power), unit};
}

/* Where vectors overflow, the sums may yet be finite. */
stfi_ft_group stfi_ft_offline_out(const stfi_ft_offline *check,
                                  const stfi_ft_group *in, const void *y)
{
    stfi_ft_sum out = {.re = INFINITY};

    if (in->unit == 1 && check->out.rows != NULL)
        out = check->summer->sum(&check->out, y, 1);
    if (!(isfinite(out.re) && isfinite(out.im))) {
        const stfi_ft_side side = without_rows(&check->out);
        out = check->summer->sum(&side, y, in->unit);
    }
    return (stfi_ft_group){out.re - in->re, out.im - in->im, in->norm,
                           in->unit};
}

stfi_ft_verdict stfi_ft_offline_judge(const stfi_ft_offline *check,
                                      const void *x, const void *y,
                                      double *ratio_p)
{
    stfi_ft_group in = stfi_ft_offline_in(check, x);
    stfi_ft_group d = stfi_ft_offline_out(check, &in, y);

    return stfi_ft_judge(&check->bound, stfi_ft_length(d.re, d.im), d.norm,
                         d.unit, ratio_p);
}

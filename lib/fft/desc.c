/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Descriptor checks and defaults; see desc.h. */
#include "fft/desc.h"

#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/effort.h"
#include "base/ft_desc.h"
#include "base/status.h"
#include "base/versions.h"

#define COUNT(a) (sizeof(a) / sizeof *(a))

static const stfi_kind kinds[] = {
#define STFI_KIND(id, name, rin, rout, ok, inverse, times, plus) \
    {id, name, rin, rout, ok, inverse, times, plus},
#include "fft/kinds.def"
#undef STFI_KIND
};

const stfi_kind *stfi_kind_get(stf_kind id)
{
    for (size_t i = 0; i < COUNT(kinds); i++)
        if (kinds[i].id == id)
            return &kinds[i];
    return NULL;
}

const stfi_kind *stfi_kind_find(const char *name)
{
    for (size_t i = 0; i < COUNT(kinds); i++)
        if (strcmp(kinds[i].name, name) == 0)
            return &kinds[i];
    return NULL;
}

int stfi_kind_is_r2r(stf_kind id)
{
    const stfi_kind *kind = stfi_kind_get(id);
    return kind != NULL && kind->real_in && kind->real_out;
}

int stfi_desc_one_way(const stf_fft_desc *full)
{
    for (int a = 0; stfi_kind_is_r2r(full->kind) && a < full->rank; a++)
        if (stfi_kind_get(full->kinds[a])->inverse != full->kinds[a])
            return a;
    return -1;
}

int stfi_desc_has_direction(const stf_fft_desc *d, int inverse)
{
    if (stfi_kind_is_r2r(d->kind))
        return !inverse || stfi_desc_one_way(d) < 0;
    return d->kind == STF_C2C || inverse == (d->kind == STF_C2R);
}

int64_t stfi_desc_extent(const stf_fft_desc *d, int axis, int output)
{
    int half =
        (d->kind == STF_R2C && output) || (d->kind == STF_C2R && !output);
    return half && axis == d->rank - 1 ? d->n[axis] / 2 + 1 : d->n[axis];
}

/* ------------------------------------------------------------- the checks */

/* Matrix units take halves, and F32 as two of them. */
static stf_status check_compute(const stf_fft_desc *d)
{
    const stfi_type *type = stfi_type_get(d->precision);
    int half = type->arithmetic != d->precision;

    if (d->compute == STF_COMPUTE_TENSOR && !half)
        return stfi_error(
            STF_ERR_ARGUMENT,
            "compute is STF_COMPUTE_TENSOR, which is for f16 and "
            "bf16, and precision is %s; use STF_COMPUTE_NATIVE%s",
            type->name, d->precision == STF_F32 ? " or STF_COMPUTE_SPLIT" : "");
    if (d->compute == STF_COMPUTE_SPLIT && d->precision != STF_F32)
        return stfi_error(STF_ERR_ARGUMENT,
                          "compute is STF_COMPUTE_SPLIT, which is for f32, and "
                          "precision is %s; use STF_COMPUTE_NATIVE%s",
                          type->name, half ? " or STF_COMPUTE_TENSOR" : "");
    return STF_OK;
}

static stf_status check_choices(const stf_fft_desc *d)
{
    const stfi_kind *kind = stfi_kind_get(d->kind);

    if (kind == NULL)
        return stfi_error(STF_ERR_ARGUMENT,
                          "kind is %d; it must be one of "
                          "stf_kind, such as STF_C2C",
                          (int)d->kind);
    if (stfi_type_get(d->precision) == NULL)
        return stfi_error(STF_ERR_ARGUMENT,
                          "precision is %d; it must be one "
                          "of stf_precision, such as STF_F32",
                          (int)d->precision);
    if ((int)d->compute < STF_COMPUTE_NATIVE || d->compute > STF_COMPUTE_SPLIT)
        return stfi_error(STF_ERR_ARGUMENT,
                          "compute is %d; it must be one "
                          "of stf_compute",
                          (int)d->compute);
    if (!kind->supported)
        return stfi_error(STF_ERR_UNSUPPORTED,
                          "kind %s is not there yet; "
                          "c2c, r2c and c2r are",
                          kind->name);
    return check_compute(d);
}

/* Checks the kinds of the axes of a real to real transform. Needs a rank and
 * lengths that are right. */
static stf_status check_kinds(const stf_fft_desc *d)
{
    for (int a = 0; a < d->rank && stfi_kind_is_r2r(d->kind); a++) {
        stf_kind id = d->kind == STF_R2R ? d->kinds[a] : d->kind;
        const stfi_kind *kind = stfi_kind_get(id);
        if (id == STF_R2R || !stfi_kind_is_r2r(id))
            return stfi_error(STF_ERR_ARGUMENT,
                              "kinds[%d] is %d (%s); with STF_R2R each axis "
                              "must have a real to real kind, such as STF_DCT2",
                              a, (int)id, kind != NULL ? kind->name : "none");
        if (d->n[a] + kind->plus < 1)
            return stfi_error(STF_ERR_ARGUMENT,
                              "n[%d] is %" PRId64 "; %s needs at least %d "
                              "points, as its logical length is 2(n-1)",
                              a, d->n[a], kind->name, 1 - kind->plus);
    }
    return STF_OK;
}

static stf_status check_sizes(const stf_fft_desc *d)
{
    int64_t total = 2; /* components */

    if (d->rank < 1 || d->rank > STF_MAX_RANK)
        return stfi_error(STF_ERR_ARGUMENT,
                          "rank is %d; it must be from 1 "
                          "to %d",
                          (int)d->rank, STF_MAX_RANK);
    for (int a = 0; a < d->rank; a++)
        if (d->n[a] < 1)
            return stfi_error(STF_ERR_ARGUMENT,
                              "n[%d] is %" PRId64 "; a "
                              "length must be at least 1",
                              a, d->n[a]);
    if (d->batch < 1)
        return stfi_error(STF_ERR_ARGUMENT,
                          "batch is %" PRId64 "; it must "
                          "be at least 1",
                          d->batch);
    for (int a = -1; a < d->rank; a++) {
        int64_t n = a < 0 ? d->batch : d->n[a];
        /* Keep two factors of four in reserve, because working arrays may be
         * longer. */
        if (n > INT64_MAX / 256 / total)
            return stfi_error(STF_ERR_ARGUMENT,
                              "n[] and batch: their "
                              "product overflows 64 bits at %s %" PRId64,
                              a < 0 ? "batch" : "a length of", n);
        total *= n;
    }
    if (d->threads < 0 || d->threads > 4096)
        return stfi_error(STF_ERR_ARGUMENT,
                          "threads is %d; it must be from "
                          "0 (the device's default) to 4096",
                          (int)d->threads);
    return STF_OK;
}

static stf_status check_scales(const stf_fft_desc *d)
{
    const struct {
        const char *name;
        double value;
    } scales[] = {
        {"scale_forward", d->scale_forward},
        {"scale_inverse", d->scale_inverse},
    };
    for (size_t i = 0; i < COUNT(scales); i++)
        if (!isfinite(scales[i].value) || scales[i].value == 0.0)
            return stfi_error(STF_ERR_ARGUMENT,
                              "%s is %g; it must be finite "
                              "and not 0",
                              scales[i].name, scales[i].value);
    return STF_OK;
}

/* Returns an error for transforms that cannot be protected, instead of running
 * them unprotected. */
static stf_status check_protection(const stf_fft_desc *d)
{
    const stf_ft_desc *ft = &d->ft;

    if (!stfi_type_get(d->precision)->checked)
        return stfi_error(STF_ERR_UNSUPPORTED,
                          "ft.mode: precision %s cannot "
                          "be protected; f16, bf16, f32 and f64 can",
                          stfi_type_get(d->precision)->name);
    if (ft->level == STF_FT_WARP)
        return stfi_error(STF_ERR_UNSUPPORTED,
                          "ft.level STF_FT_WARP is for "
                          "matrix products; transforms have STF_FT_THREAD, "
                          "STF_FT_BLOCK and STF_FT_OFFLINE");
    if (ft->level != STF_FT_THREAD && ft->level != STF_FT_OFFLINE)
        return STF_OK;
    if (ft->scheme > STF_FT_SCHEME_SIGNAL || ft->transactions > 1)
        return stfi_error(STF_ERR_UNSUPPORTED,
                          "ft.scheme %d with %d "
                          "transactions: groups are of level STF_FT_BLOCK",
                          (int)ft->scheme, (int)ft->transactions);
    return STF_OK;
}

/* Resolves STF_FT_DEFAULT. */
static stf_status resolve_ft(stf_fft_desc *d)
{
    stf_status status = stfi_ft_desc_resolve(&d->ft);

    if (status != STF_OK || d->ft.mode == STF_FT_OFF)
        return status;
    return check_protection(d);
}

/* ------------------------------------------------------------- the layout */

/* Fills in packed strides and checks that the whole array can be addressed.
 * `row` is the length that the last axis has in memory when packed. A step that
 * is never taken, as its axis or the batch has one element, becomes packed,
 * too: it may be any number, and products with it would overflow. */
static stf_status complete_layout(const stf_fft_desc *d, int output,
                                  int64_t row, stf_layout *layout)
{
    const char *name = output ? "out" : "in";
    int64_t packed = 1, reach = 0;

    for (int a = d->rank; a >= 0; a--) {
        int64_t n = a == 0 ? d->batch : stfi_desc_extent(d, a - 1, output);
        int64_t *stride = a == 0 ? &layout->dist : &layout->stride[a - 1];
        int64_t magnitude;

        if (*stride == 0 || n == 1)
            *stride = packed;
        magnitude = *stride == INT64_MIN ? INT64_MAX
                    : *stride < 0        ? -*stride
                                         : *stride;
        if (n > 1 && magnitude > (INT64_MAX / 256 - reach) / (n - 1)) {
            if (a == 0)
                return stfi_error(STF_ERR_ARGUMENT,
                                  "%s.dist is %" PRId64 "; with batch %" PRId64
                                  " it overflows 64 "
                                  "bits",
                                  name, *stride, d->batch);
            return stfi_error(STF_ERR_ARGUMENT,
                              "%s.stride[%d] is %" PRId64
                              "; with length %" PRId64 " it overflows 64 "
                              "bits",
                              name, a - 1, *stride, n);
        }
        if (n > 1)
            reach += magnitude * (n - 1);
        packed *= a == d->rank ? row : n;
    }
    for (int a = d->rank; a < STF_MAX_RANK; a++)
        layout->stride[a] = 0;
    return STF_OK;
}

static int layout_is_default(const stf_layout *layout, int rank)
{
    for (int a = 0; a < rank; a++)
        if (layout->stride[a] != 0)
            return 0;
    return layout->dist == 0;
}

static stf_status complete_layouts(stf_fft_desc *d, int padded)
{
    int64_t last = d->n[d->rank - 1];
    int64_t rows[2];
    stf_status status;

    for (int output = 0; output < 2; output++) {
        const stfi_kind *kind = stfi_kind_get(d->kind);
        int real = output ? kind->real_out : kind->real_in;
        rows[output] = real && padded
                           ? 2 * (last / 2 + 1)
                           : stfi_desc_extent(d, d->rank - 1, output);
    }
    status = complete_layout(d, 0, rows[0], &d->in);
    return status != STF_OK ? status : complete_layout(d, 1, rows[1], &d->out);
}

static const stfi_version versions[] = {
    {sizeof(stf_fft_desc), sizeof(stf_fft_desc)},
    STFI_VERSION_BEFORE(stf_fft_desc, progress),
    STFI_VERSION_BEFORE(stf_fft_desc, effort),
    STFI_VERSION_BEFORE(stf_fft_desc, kinds),
};

stf_status stfi_desc_take(const stf_fft_desc *d, stf_fft_desc *own_p)
{
    size_t known;

    if (d == NULL)
        return stfi_error(STF_ERR_ARGUMENT, "the descriptor is NULL");
    known = stfi_version_known(versions, COUNT(versions), d->size_bytes);
    if (known == 0)
        return stfi_error(STF_ERR_ARGUMENT,
                          "size_bytes is %zu and not %zu; "
                          "make descriptors with stf_fft_desc_default()",
                          d->size_bytes, sizeof *d);
    memset(own_p, 0, sizeof *own_p);
    memcpy(own_p, d, known);
    own_p->size_bytes = sizeof *own_p;
    return STF_OK;
}

stf_status stfi_desc_complete(const stf_fft_desc *d, stf_fft_desc *full_p)
{
    stf_fft_desc full;
    stf_status status;

    if ((status = stfi_desc_take(d, &full)) != STF_OK
        || (status = check_choices(&full)) != STF_OK
        || (status = check_sizes(&full)) != STF_OK
        || (status = check_kinds(&full)) != STF_OK
        || (status = check_scales(&full)) != STF_OK
        || (status = stfi_effort_check(full.effort, full.effort_seconds))
               != STF_OK
        || (status = stfi_ft_desc_check(&full.ft)) != STF_OK)
        return status;
    for (int a = full.rank; a < STF_MAX_RANK; a++)
        full.n[a] = 1;
    for (int a = 0; a < STF_MAX_RANK; a++)
        if (a >= full.rank || !stfi_kind_is_r2r(full.kind))
            full.kinds[a] = STF_C2C;
        else if (full.kind != STF_R2R)
            full.kinds[a] = full.kind;
    if ((status = complete_layouts(&full, 0)) != STF_OK
        || (status = resolve_ft(&full)) != STF_OK)
        return status;
    *full_p = full;
    return STF_OK;
}

int stfi_desc_padded(const stf_fft_desc *d, stf_fft_desc *padded_p)
{
    const stfi_kind *kind = stfi_kind_get(d->kind);
    stf_fft_desc padded;

    if (kind->real_in == kind->real_out || stfi_desc_take(d, &padded) != STF_OK)
        return 0;
    if (!layout_is_default(kind->real_in ? &d->in : &d->out, d->rank))
        return 0;
    for (int a = d->rank; a < STF_MAX_RANK; a++)
        padded.n[a] = 1;
    padded.ft.mode = STF_FT_OFF;
    if (complete_layouts(&padded, 1) != STF_OK
        || !stfi_desc_inplace_ok(&padded))
        return 0;
    *padded_p = padded;
    return 1;
}

int stfi_desc_inplace_ok(const stf_fft_desc *full)
{
    const stfi_kind *kind = stfi_kind_get(full->kind);
    int last = full->rank - 1;
    int64_t in_scale = kind->real_out ? 2 : 1; /* reals per complex stride */
    int64_t out_scale = kind->real_in ? 2 : 1;

    for (int a = 0; a <= full->rank; a++) {
        int64_t n = a == full->rank ? full->batch : full->n[a];
        int64_t in = a == full->rank ? full->in.dist : full->in.stride[a];
        int64_t out = a == full->rank ? full->out.dist : full->out.stride[a];
        int same = in * in_scale == out * out_scale;
        if (a == last && kind->real_in != kind->real_out)
            same = in == 1 && out == 1;
        if (n > 1 && !same)
            return 0;
    }
    return 1;
}

double stfi_desc_factor(const stf_fft_desc *full, int *root_p)
{
    double factor = 1.0;

    *root_p = -1;
    for (int a = 0; a < full->rank && stfi_kind_is_r2r(full->kind); a++) {
        stf_kind kind = full->kinds[a];
        if (full->n[a] != 1)
            continue;
        if (kind == STF_DCT2 || kind == STF_DST1 || kind == STF_DST2)
            factor *= 2.0;
        if (kind != STF_DCT4 && kind != STF_DST4)
            continue;
        factor *= *root_p >= 0 ? 2.0 : 1.0;
        *root_p = *root_p >= 0 ? -1 : a;
    }
    return factor;
}

int stfi_desc_print_kind(const stf_fft_desc *d, char *text, size_t capacity)
{
    const stfi_kind *kind = stfi_kind_get(d->kind);
    char list[STF_MAX_RANK * 8 + 1] = "";
    size_t used = 0;

    for (int a = 0; d->kind == STF_R2R && a < d->rank && a < STF_MAX_RANK;
         a++) {
        const stfi_kind *axis = stfi_kind_get(d->kinds[a]);
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s",
                                 a > 0 ? "+" : "=", axis ? axis->name : "?");
    }
    return snprintf(text, capacity, "%s%s", kind ? kind->name : "?", list);
}

int stfi_desc_print(const stf_fft_desc *d, char *text, size_t capacity)
{
    const stfi_type *type = stfi_type_get(d->precision);
    char shape[STF_MAX_RANK * 21 + 1] = "", kind[STFI_KIND_TEXT];
    size_t used = 0;

    stfi_desc_print_kind(d, kind, sizeof kind);
    for (int a = 0; a < d->rank && a < STF_MAX_RANK; a++)
        used += (size_t)snprintf(shape + used, sizeof shape - used,
                                 "%s%" PRId64, a > 0 ? "x" : "", d->n[a]);
    return snprintf(text, capacity, "%s:%s:%s*%" PRId64, kind,
                    type ? type->name : "?", shape, d->batch);
}

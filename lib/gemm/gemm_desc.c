/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Checks and defaults of matrix products; see gemm_desc.h. */
#include "gemm/gemm_desc.h"

#include <inttypes.h>
#include <stddef.h>
#include <string.h>

#include "base/effort.h"
#include "base/ft_desc.h"
#include "base/status.h"
#include "base/versions.h"

#define COUNT(a) (sizeof(a) / sizeof *(a))

/* The elements of an array that can be addressed: bytes are counted in 64 bits,
 * too, and no element has more than 2^8. */
#define MOST_ELEMENTS (INT64_MAX / 256)

/* ---------------------------------------------------------------- choices */

static stf_status check_precisions(const stf_gemm_desc *d)
{
    const stfi_type *type = stfi_type_get(d->precision);
    const stfi_type *type_c = stfi_type_get(d->precision_c);

    if (type == NULL || type_c == NULL)
        return stfi_error(STF_ERR_ARGUMENT,
                          "%s is %d; it must be one of stf_precision",
                          type == NULL ? "precision" : "precision_c",
                          (int)(type == NULL ? d->precision : d->precision_c));
    if (d->precision_c != d->precision && d->precision_c != type->arithmetic)
        return stfi_error(STF_ERR_ARGUMENT,
                          "precision_c is %s; with matrices A and B in %s it "
                          "must be %s%s",
                          type_c->name, type->name, type->name,
                          type->arithmetic != d->precision ? " or f32" : "");
    return STF_OK;
}

/* Matrix units take halves, and F32 as two of them. */
static stf_status check_compute(const stf_gemm_desc *d)
{
    const stfi_type *type = stfi_type_get(d->precision);
    const int half = type->arithmetic != d->precision;

    if (d->compute == STF_COMPUTE_TENSOR && !half)
        return stfi_error(
            STF_ERR_ARGUMENT,
            "compute is STF_COMPUTE_TENSOR, which is for f16 and bf16, and "
            "precision is %s; use STF_COMPUTE_NATIVE%s",
            type->name, d->precision == STF_F32 ? " or STF_COMPUTE_SPLIT" : "");
    if (d->compute == STF_COMPUTE_SPLIT && d->precision != STF_F32)
        return stfi_error(STF_ERR_ARGUMENT,
                          "compute is STF_COMPUTE_SPLIT, which is for f32, and "
                          "precision is %s; use STF_COMPUTE_NATIVE",
                          type->name);
    return STF_OK;
}

static stf_status check_choices(const stf_gemm_desc *d)
{
    const struct {
        const char *name, *type;
        int value, most;
    } rows[] = {
        {"compute", "stf_compute", (int)d->compute, STF_COMPUTE_SPLIT},
        {"order", "stf_order", (int)d->order, STF_ROW_MAJOR},
        {"transa", "stf_transpose", (int)d->transa, STF_CONJTRANS},
        {"transb", "stf_transpose", (int)d->transb, STF_CONJTRANS},
        {"scalars", "stf_scalars", d->scalars, STF_ON_DEVICE},
    };

    stf_status status;

    for (size_t i = 0; i < COUNT(rows); i++)
        if (rows[i].value < 0 || rows[i].value > rows[i].most)
            return stfi_error(
                STF_ERR_ARGUMENT, "%s is %d; it must be one of %s, 0 to %d",
                rows[i].name, rows[i].value, rows[i].type, rows[i].most);
    status = check_precisions(d);
    return status == STF_OK ? check_compute(d) : status;
}

static stf_status check_sizes(const stf_gemm_desc *d)
{
    const struct {
        const char *name;
        int64_t value, least;
    } rows[] = {
        {"m", d->m, 0},
        {"n", d->n, 0},
        {"k", d->k, 0},
        {"batch", d->batch, 1},
    };

    for (size_t i = 0; i < COUNT(rows); i++)
        if (rows[i].value < rows[i].least)
            return stfi_error(STF_ERR_ARGUMENT,
                              "%s is %" PRId64 "; it must be %" PRId64
                              " or more",
                              rows[i].name, rows[i].value, rows[i].least);
    if (d->threads < 0 || d->threads > 4096)
        return stfi_error(STF_ERR_ARGUMENT,
                          "threads is %d; it must be from "
                          "0 (the device's default) to 4096",
                          (int)d->threads);
    return STF_OK;
}

/* ---------------------------------------------------------------- layouts */

/* A matrix as it lies in memory: `runs` runs of `run` neighbours. */
typedef struct shape {
    char name; /* 'a', 'b' or 'c' */
    int64_t run, runs;
    int64_t *ld, *dist;
} shape;

/* `rows` and `cols` are those of the matrix that is multiplied or made. */
static shape shape_of(const stf_gemm_desc *d, char name, int transposed,
                      int64_t rows, int64_t cols)
{
    int along_rows = (d->order == STF_ROW_MAJOR) != transposed;

    return along_rows ? (shape){.name = name, .run = cols, .runs = rows}
                      : (shape){.name = name, .run = rows, .runs = cols};
}

static stf_status overflows(char name, const char *what, int64_t value)
{
    return stfi_error(STF_ERR_ARGUMENT,
                      "%s%c is %" PRId64 "; the matrix overflows 64 bits", what,
                      name, value);
}

/* Fills in a packed leading dimension, and gets the elements from the first to
 * the last of the matrix. */
static stf_status complete_ld(const shape *s, int64_t *extent_p)
{
    int64_t least = s->run > 1 ? s->run : 1;

    if (*s->ld == 0)
        *s->ld = least;
    if (*s->ld < least)
        return stfi_error(STF_ERR_ARGUMENT,
                          "ld%c is %" PRId64 "; it must be 0 (packed) or at "
                          "least %" PRId64
                          ", the length of a column (of a row, if row-major) "
                          "of the matrix as it lies in memory",
                          s->name, *s->ld, least);
    *extent_p = 0;
    if (s->run == 0 || s->runs == 0)
        return STF_OK;
    if (s->run > MOST_ELEMENTS || *s->ld > (MOST_ELEMENTS - s->run) / s->runs)
        return overflows(s->name, "ld", *s->ld);
    *extent_p = *s->ld * (s->runs - 1) + s->run;
    return STF_OK;
}

/* Fills in a packed distance and checks that the batch can be addressed. */
static stf_status complete_dist(const shape *s, int64_t batch)
{
    int64_t room = batch > 1 ? MOST_ELEMENTS / (batch - 1) : MOST_ELEMENTS;

    if (batch == 1 || s->run == 0 || s->runs == 0) {
        *s->dist = 0; /* a step that is never taken may be any number */
        return STF_OK;
    }
    if (*s->dist == STF_SHARED) {
        if (s->name == 'c')
            return stfi_error(STF_ERR_ARGUMENT, "dist_c is STF_SHARED; each "
                                                "product needs a C of its own");
        *s->dist = 0;
        return STF_OK;
    }
    if (*s->dist == 0)
        *s->dist = *s->ld * s->runs;
    if (*s->dist > room || *s->dist < -room)
        return overflows(s->name, "dist_", *s->dist);
    return STF_OK;
}

/* No element may belong to two of the matrices C: either each begins behind the
 * one before, or all have their runs between the runs of the first. */
static stf_status check_apart(const shape *c, int64_t extent, int64_t batch)
{
    int64_t step = *c->dist < 0 ? -*c->dist : *c->dist;

    if (batch == 1 || extent == 0 || step >= extent)
        return STF_OK;
    if (step >= c->run && step <= (*c->ld - c->run) / (batch - 1))
        return STF_OK;
    return stfi_error(STF_ERR_ARGUMENT,
                      "dist_c is %" PRId64 "; matrices of the batch would "
                      "share elements of C, each of which spans %" PRId64
                      " elements",
                      *c->dist, extent);
}

static stf_status complete_layouts(stf_gemm_desc *d)
{
    shape shapes[] = {
        shape_of(d, 'a', d->transa != STF_NOTRANS, d->m, d->k),
        shape_of(d, 'b', d->transb != STF_NOTRANS, d->k, d->n),
        shape_of(d, 'c', 0, d->m, d->n),
    };
    int64_t *const ld[] = {&d->lda, &d->ldb, &d->ldc};
    int64_t *const dist[] = {&d->dist_a, &d->dist_b, &d->dist_c};
    int64_t extent = 0;
    stf_status status = STF_OK;

    for (size_t i = 0; i < COUNT(shapes) && status == STF_OK; i++) {
        shapes[i].ld = ld[i];
        shapes[i].dist = dist[i];
        status = complete_ld(&shapes[i], &extent);
        if (status == STF_OK)
            status = complete_dist(&shapes[i], d->batch);
    }
    return status == STF_OK ? check_apart(&shapes[2], extent, d->batch)
                            : status;
}

/* ------------------------------------------------------------------- both */

/* Refuses protection that is not there, instead of computing unprotected. */
static stf_status check_protection(const stf_gemm_desc *d)
{
    const stf_ft_desc *ft = &d->ft;

    if (ft->mode == STF_FT_OFF)
        return STF_OK;
    if (!stfi_type_get(d->precision)->checked)
        return stfi_error(STF_ERR_UNSUPPORTED,
                          "ft.mode: precision %s cannot be protected; all "
                          "others can",
                          stfi_type_get(d->precision)->name);
    if ((ft->level == STF_FT_THREAD || ft->level == STF_FT_WARP)
        && (d->precision != STF_F32 || d->compute != STF_COMPUTE_NATIVE))
        return stfi_error(STF_ERR_UNSUPPORTED,
                          "ft.level is STF_FT_%s, which is for f32 without "
                          "matrix units; use STF_FT_BLOCK",
                          ft->level == STF_FT_WARP ? "WARP" : "THREAD");
    if (ft->level == STF_FT_OFFLINE
        && stfi_type_arithmetic(d->precision)->id != d->precision)
        return stfi_error(STF_ERR_UNSUPPORTED,
                          "ft.level is %d; matrix products in %s have "
                          "STF_FT_BLOCK",
                          (int)ft->level, stfi_type_get(d->precision)->name);
    if (ft->scheme == STF_FT_SCHEME_SIGNAL)
        return stfi_error(STF_ERR_UNSUPPORTED,
                          "ft.scheme is STF_FT_SCHEME_SIGNAL; matrix products "
                          "have STF_FT_SCHEME_ONE_SIDED and _TWO_SIDED");
    if (ft->scheme == STF_FT_SCHEME_TWO_SIDED
        && ((ft->level != STF_FT_AUTO && ft->level != STF_FT_BLOCK)
            || d->compute == STF_COMPUTE_SPLIT
            || stfi_type_arithmetic(d->precision)->id != d->precision))
        return stfi_error(STF_ERR_UNSUPPORTED,
                          "ft.scheme is STF_FT_SCHEME_TWO_SIDED, which is for "
                          "f32 and f64 that are not split, with STF_FT_BLOCK");
    if (ft->end_to_end || ft->transactions > 1)
        return stfi_error(STF_ERR_UNSUPPORTED,
                          "ft.%s: matrix products have none",
                          ft->end_to_end ? "end_to_end" : "transactions");
    return STF_OK;
}

static const stfi_version versions[] = {
    {sizeof(stf_gemm_desc), sizeof(stf_gemm_desc)},
    STFI_VERSION_BEFORE(stf_gemm_desc, progress),
    STFI_VERSION_BEFORE(stf_gemm_desc, effort),
};

stf_status stfi_gemm_desc_take(const stf_gemm_desc *d, stf_gemm_desc *own_p)
{
    size_t known;

    if (d == NULL)
        return stfi_error(STF_ERR_ARGUMENT, "the descriptor is NULL");
    known = stfi_version_known(versions, COUNT(versions), d->size_bytes);
    if (known == 0)
        return stfi_error(STF_ERR_ARGUMENT,
                          "size_bytes is %zu and not %zu; "
                          "make descriptors with stf_gemm_desc_default()",
                          d->size_bytes, sizeof *d);
    memset(own_p, 0, sizeof *own_p);
    memcpy(own_p, d, known);
    own_p->size_bytes = sizeof *own_p;
    return STF_OK;
}

stf_status stfi_gemm_desc_complete(const stf_gemm_desc *d,
                                   stf_gemm_desc *full_p)
{
    stf_gemm_desc full;
    stf_status status;

    if ((status = stfi_gemm_desc_take(d, &full)) != STF_OK
        || (status = check_choices(&full)) != STF_OK
        || (status = check_sizes(&full)) != STF_OK
        || (status = stfi_effort_check(full.effort, full.effort_seconds))
               != STF_OK
        || (status = stfi_ft_desc_check(&full.ft)) != STF_OK
        || (status = complete_layouts(&full)) != STF_OK
        || (status = stfi_ft_desc_resolve(&full.ft)) != STF_OK
        || (status = check_protection(&full)) != STF_OK)
        return status;
    *full_p = full;
    return STF_OK;
}

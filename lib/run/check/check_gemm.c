/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* The check of a finished product [Freivalds1979]: for random vectors w of
 * signs, each row of C w - beta C0 w is compared with that of alpha A (B w).
 * Thresholds are those of checked plans, over all columns at once. What is above
 * its threshold is compared with the definition: rounding errors that all go the
 * same way are no fault. The host does it, for a device with memory of its own
 * by copies of the arrays. */
#include "run/check/check_gemm.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/alloc.h"
#include "base/random.h"
#include "base/status.h"
#include "base/type.h"
#include "ft/ledger.h"

/* VECTORS: two wrong elements of a row that are equal cancel under one of them
 * with probability 1/2. EXTRA: steps that a chain is counted longer, for the
 * checksums, alpha and beta. */
enum { VECTORS = 2, EXTRA = 20, ARRAYS = 4 };

/* What is known of a row. */
typedef struct row_sums {
    long double c[VECTORS], expected[VECTORS];
    long double squares_a, squares_c, squares_before;
} row_sums;

typedef struct checker {
    const stfi_gemm *gemm;
    const stfi_type *type;            /* of A and B */
    const stfi_type *math;            /* which they are computed in */
    const stfi_type *type_c;          /* of C */
    const void *a, *b, *c_before, *c; /* as the product has them, on the host */
    long double alpha, beta;
    int64_t member;
    long double *weighed; /* [VECTORS][k]: B w */
    row_sums *row;        /* [m] */
    long double norm_b, squares_before;
    double slack; /* residuals up to here were found to be rounding */
} checker;

/* What became of a member of the batch. */
typedef struct judgement {
    stfi_ft_outcome outcome;
    double ratio;
} judgement;

/* ------------------------------------------------------------------ sums */

static long double element_of(const checker *c, const stfi_type *type,
                              const void *base, const stfi_gemm_matrix *x,
                              int64_t i, int64_t j)
{
    return stfi_type_read(type->id, base,
                          i * x->row + j * x->col + c->member * x->dist);
}

static long double element(const checker *c, const void *base,
                           const stfi_gemm_matrix *x, int64_t i, int64_t j)
{
    return element_of(c, c->type, base, x, i, j);
}

static long double element_c(const checker *c, const void *base, int64_t i,
                             int64_t j)
{
    return element_of(c, c->type_c, base, &c->gemm->c, i, j);
}

/* The sign of a column under a vector. */
static int sign_of(int vector, int64_t column)
{
    uint64_t state = (uint64_t)column * 2 + (uint64_t)vector;

    return stfi_random_u64(&state) >> 63 ? -1 : 1;
}

static void weigh_b(checker *c)
{
    const stfi_gemm *g = c->gemm;
    long double squares = 0;

    for (int64_t p = 0; p < VECTORS * g->k; p++)
        c->weighed[p] = 0;
    for (int64_t j = 0; j < g->n && c->b != NULL; j++) {
        const int signs[VECTORS] = {sign_of(0, j), sign_of(1, j)};
        for (int64_t p = 0; p < g->k; p++) {
            const long double x = element(c, c->b, &g->b, p, j);
            for (int v = 0; v < VECTORS; v++)
                c->weighed[v * g->k + p] += signs[v] * x;
            squares += x * x;
        }
    }
    c->norm_b = sqrtl(squares);
}

static void weigh_a(checker *c)
{
    const stfi_gemm *g = c->gemm;

    for (int64_t p = 0; p < g->k && c->a != NULL; p++)
        for (int64_t i = 0; i < g->m; i++) {
            const long double x = element(c, c->a, &g->a, i, p);
            row_sums *r = &c->row[i];
            for (int v = 0; v < VECTORS; v++)
                r->expected[v] += c->alpha * x * c->weighed[v * g->k + p];
            r->squares_a += x * x;
        }
}

static void weigh_c(checker *c)
{
    const stfi_gemm *g = c->gemm;

    for (int64_t j = 0; j < g->n; j++) {
        const int signs[VECTORS] = {sign_of(0, j), sign_of(1, j)};
        for (int64_t i = 0; i < g->m; i++) {
            row_sums *r = &c->row[i];
            const long double x = element_c(c, c->c, i, j);
            long double y = 0;
            if (c->c_before != NULL)
                y = c->beta * element_c(c, c->c_before, i, j);
            for (int v = 0; v < VECTORS; v++)
                r->c[v] += signs[v] * (x - y);
            r->squares_c += x * x;
            r->squares_before += y * y;
        }
    }
}

/* ---------------------------------------------------------------- verdicts */

static long double larger(long double a, long double b)
{
    return a > b ? a : b;
}

/* The rounding errors of a chain and of what it is stored in, squared, relative
 * to a row and in units of the chain's. Halves have an error of 0.3 of their
 * round-off in the root mean square. */
static long double steps_of(const checker *c)
{
    const long double u = c->math->unit_roundoff;
    const long double half = c->type_c->unit_roundoff / 2;

    return (long double)c->gemm->k + EXTRA
           + (c->type_c != c->math ? half * half / (u * u) : 0);
}

/* The residual of a row relative to its threshold; Inf if it is none. */
static double ratio_of(const checker *c, const row_sums *r)
{
    const double own = c->gemm->ft.threshold;
    const long double k = (long double)c->gemm->k;
    const long double factor = own > 0 ? own : 6 * c->math->unit_roundoff;
    const long double norms = fabsl(c->alpha) * sqrtl(r->squares_a) * c->norm_b;
    const long double chain =
        own > 0 ? 0 : sqrtl(steps_of(c) * (r->squares_c + r->squares_before));
    const long double tau =
        factor * larger(norms, chain)
        + 2 * (k + 2 * (long double)c->gemm->n) * c->type_c->least;
    long double most = 0;

    for (int v = 0; v < VECTORS; v++) {
        const long double d = fabsl(r->c[v] - r->expected[v]);
        most = !(d <= most) ? d : most;
    }
    return most == 0 ? 0 : !isfinite(most) ? INFINITY : (double)(most / tau);
}

/* Returns 1 if there is nothing to compare a row with. */
static int has_non_finite_input(const checker *c, const row_sums *r)
{
    return !isfinite(r->squares_a) || !isfinite(c->norm_b)
           || !isfinite(r->squares_before) || !isfinite(c->alpha);
}

/* Returns 1 if a number that is not finite is what a value rounds to that may be
 * larger by `error`. */
static int is_overflow(const checker *c, long double x, long double value,
                       long double error)
{
    long double room; /* of any type */

    if (isnan(x) || (x > 0) != (value > 0))
        return 0;
    stfi_type_write(c->type_c->id, &room, 0,
                    value > 0 ? value + error : value - error);
    return !isfinite(stfi_type_read(c->type_c->id, &room, 0));
}

/* Returns 1 if an element is right to within the rounding errors of a chain,
 * alpha and beta, and of what it is stored in, by the definition. */
static int is_rounding(const checker *c, int64_t i, int64_t j)
{
    const stfi_gemm *g = c->gemm;
    const long double u = c->math->unit_roundoff;
    const long double own = c->type_c != c->math ? c->type_c->unit_roundoff : 0;
    const long double x = element_c(c, c->c, i, j);
    long double sum = 0, low = 0, size = 0, before = 0, value, error;

    for (int64_t p = 0; p < g->k && c->a != NULL; p++) {
        const long double y =
            element(c, c->a, &g->a, i, p) * element(c, c->b, &g->b, p, j);
        const long double s = sum + y, z = s - sum;
        low += (sum - (s - z)) + (y - z);
        sum = s;
        size += fabsl(y);
    }
    if (c->c_before != NULL)
        before = c->beta * element_c(c, c->c_before, i, j);
    value = c->alpha * (sum + low) + before;
    error = ((long double)g->k + 3)
            * (u * (fabsl(c->alpha) * size + fabsl(before)) + c->type_c->least);
    error += own * fabsl(value) + c->type_c->least;
    return isfinite(x) ? fabsl(x - value) <= error
                       : is_overflow(c, x, value, error);
}

static int is_row_rounding(const checker *c, int64_t i)
{
    for (int64_t j = 0; j < c->gemm->n; j++)
        if (!is_rounding(c, i, j))
            return 0;
    return 1;
}

/* Judges the rows of a member. A row whose residual is no larger than that of
 * one that was found to be rounding is taken for the same. */
static judgement judge(checker *c)
{
    judgement found = {STFI_FT_CHECKED, 0};

    for (int64_t i = 0; i < c->gemm->m; i++) {
        const double ratio = ratio_of(c, &c->row[i]);
        if (has_non_finite_input(c, &c->row[i])) {
            found.outcome = STFI_FT_NON_FINITE;
            continue;
        }
        if (isfinite(ratio) && ratio > found.ratio)
            found.ratio = ratio;
        if (ratio <= 1 || ratio <= c->slack)
            continue;
        if (!is_row_rounding(c, i))
            return (judgement){STFI_FT_DETECTED, ratio};
        if (!isfinite(ratio)) {
            found.outcome = STFI_FT_OVERFLOWED;
            continue;
        }
        c->slack = 2 * ratio;
        if (found.outcome == STFI_FT_CHECKED)
            found.outcome = STFI_FT_RECHECKED;
    }
    return found;
}

static judgement check_member(checker *c, int64_t member)
{
    c->member = member;
    memset(c->row, 0, (size_t)c->gemm->m * sizeof *c->row);
    weigh_b(c);
    weigh_a(c);
    weigh_c(c);
    return judge(c);
}

static stf_status check_all(checker *c, stf_ft_report *report_p)
{
    const stfi_gemm *g = c->gemm;
    stfi_ft_ledger ledger;
    stfi_ft_result result;
    void *row, *weighed = NULL;
    stf_status status =
        stfi_alloc((size_t)(g->m + 1) * sizeof *c->row, "sums of rows", &row);

    if (status == STF_OK)
        status = stfi_alloc((size_t)(g->k + 1) * VECTORS * sizeof(long double),
                            "a weighed matrix", &weighed);
    memset(&ledger, 0, sizeof ledger);
    memset(&result, 0, sizeof result);
    c->row = row;
    c->weighed = weighed;
    for (int64_t member = 0; member < g->batch && status == STF_OK; member++) {
        const judgement found = check_member(c, member);
        const stf_ft_event event = {-1, member, found.ratio};
        ledger.checked++;
        if (isfinite(found.ratio) && found.ratio > ledger.max_residual)
            ledger.max_residual = found.ratio;
        if (found.outcome != STFI_FT_CHECKED)
            stfi_ft_note(&ledger, &result, found.outcome, &event, 1);
    }
    stfi_dealloc(row);
    stfi_dealloc(weighed);
    if (status != STF_OK)
        return status;
    stfi_ft_report_clear(report_p);
    stfi_ft_ledger_report(&ledger, report_p);
    return STF_OK;
}

/* ------------------------------------------------------------------ arrays */

/* Copies a matrix of the batch to the host; *base_p is NULL or the array, and
 * becomes its place in the copy, which *copy_p is to be freed. */
static stf_status fetch(stf_device *dev, const stfi_gemm *g,
                        const stfi_gemm_matrix *x, int64_t rows, int64_t cols,
                        const void **base_p, void **copy_p)
{
    const size_t bytes =
        stfi_type_get(x == &g->c ? g->precision_c : g->precision)->bytes;
    int64_t before, count = stfi_gemm_extent(g, x, rows, cols, &before);
    const char *from = (const char *)*base_p - (size_t)before * bytes;
    stf_status status;

    if (*base_p == NULL || count == 0)
        return STF_OK;
    status =
        stfi_alloc_raw((size_t)count * bytes, "a copy to be checked", copy_p);
    if (status == STF_OK)
        status = dev->backend->device->mem_copy(
            dev->ctx, *copy_p, from, (size_t)count * bytes, STFI_TO_HOST, NULL);
    if (status == STF_OK)
        *base_p = (char *)*copy_p + (size_t)before * bytes;
    return status;
}

stf_status stfi_check_gemm(stf_device *dev, const stfi_gemm *g,
                           const stfi_gemm_checked *x, stf_ft_report *report_p)
{
    const stfi_type *math = stfi_type_arithmetic(g->precision);
    checker c = {
        .gemm = g,
        .type = stfi_type_get(g->precision),
        .math = math,
        .type_c = stfi_type_get(g->precision_c),
        .a = g->swapped ? x->b : x->a,
        .b = g->swapped ? x->a : x->b,
        .c_before = x->c_before,
        .c = x->c,
        .alpha = stfi_type_read(math->id, x->alpha, 0),
        .beta = stfi_type_read(math->id, x->beta, 0),
    };
    void *copy[ARRAYS] = {NULL};
    stf_status status = STF_OK;

    if (!stfi_host_is_device(dev)) {
        status = fetch(dev, g, &g->a, g->m, g->k, &c.a, &copy[0]);
        if (status == STF_OK)
            status = fetch(dev, g, &g->b, g->k, g->n, &c.b, &copy[1]);
        if (status == STF_OK)
            status = fetch(dev, g, &g->c, g->m, g->n, &c.c, &copy[2]);
        if (status == STF_OK)
            status = fetch(dev, g, &g->c, g->m, g->n, &c.c_before, &copy[3]);
    }
    if (status == STF_OK)
        status = check_all(&c, report_p);
    for (int i = 0; i < ARRAYS; i++)
        stfi_dealloc(copy[i]);
    return status;
}

/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Lowering of matrix products, and whether matrices overlap; see gemm.h. */
#include "gemm/gemm.h"

#include "base/type.h"

static stfi_gemm_matrix matrix(int64_t ld, int64_t dist, int along_rows)
{
    return along_rows ? (stfi_gemm_matrix){ld, 1, dist}
                      : (stfi_gemm_matrix){1, ld, dist};
}

stfi_gemm stfi_gemm_lower(const stf_gemm_desc *full)
{
    const int ta = full->transa != STF_NOTRANS;
    const int tb = full->transb != STF_NOTRANS;
    stfi_gemm g = {
        .precision = full->precision,
        .precision_c = full->precision_c,
        .compute = full->compute,
        .m = full->m,
        .n = full->n,
        .k = full->k,
        .batch = full->batch,
        .a = matrix(full->lda, full->dist_a, ta),
        .b = matrix(full->ldb, full->dist_b, tb),
        .c = matrix(full->ldc, full->dist_c, 0),
        .on_device = full->scalars == STF_ON_DEVICE,
        .ft = full->ft,
    };

    if (full->order == STF_ROW_MAJOR) {
        g.m = full->n;
        g.n = full->m;
        g.a = matrix(full->ldb, full->dist_b, tb);
        g.b = matrix(full->lda, full->dist_a, ta);
        g.swapped = 1;
    }
    return g;
}

int64_t stfi_gemm_extent(const stfi_gemm *gemm, const stfi_gemm_matrix *x,
                         int64_t rows, int64_t cols, int64_t *before_p)
{
    const int64_t dist = x->dist < 0 ? -x->dist : x->dist;
    const int64_t steps = (gemm->batch - 1) * dist;

    *before_p = x->dist < 0 ? steps : 0;
    return rows > 0 && cols > 0
               ? steps + (rows - 1) * x->row + (cols - 1) * x->col + 1
               : 0;
}

/* ---------------------------------------------------------------- overlaps */

/* Members at start + b dist, dist >= 0, each of `runs` runs of `run` elements
 * at steps of ld. Places are counted in elements of A. */
typedef struct runs {
    int64_t start, dist, batch;
    int64_t ld, run, runs;
    int64_t extent; /* elements from a member's first to its last */
} runs;

static runs runs_of(const stfi_gemm_matrix *x, int64_t rows, int64_t cols,
                    int64_t batch, int64_t start)
{
    int along_rows = x->row != 1;
    runs r = {
        .start = start,
        .dist = x->dist,
        .batch = x->dist == 0 ? 1 : batch,
        .ld = along_rows ? x->row : x->col,
        .run = along_rows ? cols : rows,
        .runs = along_rows ? rows : cols,
    };

    if (r.dist < 0) {
        r.start += r.dist * (r.batch - 1);
        r.dist = -r.dist;
    }
    r.extent = r.ld * (r.runs - 1) + r.run;
    return r;
}

/* The same in elements that are `times` smaller. */
static runs in_units(runs r, int64_t times)
{
    return (runs){
        .start = r.start * times,
        .dist = r.dist * times,
        .batch = r.batch,
        .ld = r.ld * times,
        .run = r.run * times,
        .runs = r.runs,
        .extent = r.extent * times,
    };
}

static int64_t floor_div(int64_t a, int64_t b) /* b > 0 */
{
    return a / b - (a % b < 0);
}

/* Finds which of `count` intervals [i step, i step + length) meet [begin, end):
 * from *first_p to the result, which is less if there are none. */
static int64_t meeting(int64_t step, int64_t length, int64_t count,
                       int64_t begin, int64_t end, int64_t *first_p)
{
    int64_t last = step > 0 ? floor_div(end - 1, step) : end > 0 ? 0 : -1;
    int64_t first = step > 0         ? floor_div(begin - length, step) + 1
                    : begin < length ? 0
                                     : 1;

    *first_p = first > 0 ? first : 0;
    return last < count ? last : count - 1;
}

/* Returns 1 if a member of C that begins at c0 meets one of A that begins at
 * a0. */
static int members_meet(const runs *c, int64_t c0, const runs *a, int64_t a0)
{
    int64_t first;

    for (int64_t j = 0; j < c->runs; j++) {
        int64_t begin = c0 + j * c->ld - a0;
        if (meeting(a->ld, a->run, a->runs, begin, begin + c->run, &first)
            >= first)
            return 1;
    }
    return 0;
}

static int batches_meet(const runs *c, const runs *a)
{
    int crowded = a->batch > 1 && a->dist < a->extent;

    for (int64_t b = 0; b < c->batch; b++) {
        int64_t c0 = c->start + b * c->dist, first;
        int64_t last = meeting(a->dist, a->extent, a->batch, c0 - a->start,
                               c0 + c->extent - a->start, &first);
        if (crowded && last >= first)
            return 1;
        for (int64_t i = first; i <= last; i++)
            if (members_meet(c, c0, a, a->start + i * a->dist))
                return 1;
    }
    return 0;
}

int stfi_gemm_overlaps(const stfi_gemm *gemm, const void *c0,
                       const stfi_gemm_matrix *a, int64_t rows, int64_t cols,
                       const void *a0)
{
    const int64_t bytes = (int64_t)stfi_type_get(gemm->precision)->bytes;
    const int64_t bytes_c = (int64_t)stfi_type_get(gemm->precision_c)->bytes;
    int64_t apart = ((int64_t)(intptr_t)a0 - (int64_t)(intptr_t)c0) / bytes;
    runs x = in_units(runs_of(&gemm->c, gemm->m, gemm->n, gemm->batch, 0),
                      bytes_c / bytes);
    runs y = runs_of(a, rows, cols, gemm->batch, apart);

    if (x.runs == 0 || x.run == 0 || y.runs == 0 || y.run == 0)
        return 0;
    if (x.start + x.dist * (x.batch - 1) + x.extent <= y.start
        || y.start + y.dist * (y.batch - 1) + y.extent <= x.start)
        return 0;
    return batches_meet(&x, &y);
}

/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Products that are checked as a whole: sums of A and B are made before, the
 * product is computed as without protection, and then C is summed up as it lies
 * in memory. Residuals are those of tiles (gemm_kernels.h); with alpha, beta and C
 * as it was,
 *
 *     d_i = sum_j w_j (c_ij - beta before_ij) - alpha sum_k a_ik bw_k.
 *
 * A tile that is not clean is computed again, checked as other tiles are, and
 * compared with what was stored. The order of its additions is the same, so that
 * other bits are a fault, and the same bits are none. */
#include <math.h>
#include <string.h>

#include "backends/cpu/gemm/gemm_exec.h"
#include "base/alloc.h"
#include "base/type.h"

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* ------------------------------------------------------------------ memory */

static size_t add_part(size_t *bytes, int64_t size)
{
    const size_t at = *bytes;

    *bytes += ((size_t)size + STFI_ALIGN - 1) / STFI_ALIGN * STFI_ALIGN;
    return at;
}

void stfi_cpu_gemm_lay_out_offline(stfi_gemm_exec *e)
{
    const int64_t mr = e->kernels->mr;
    const int64_t rows = (e->tile_m + mr - 1) / mr * mr;
    const int64_t length = stfi_cpu_gemm_sums_length(rows, e->sums_kc);
    const int64_t tiles = e->tiles_m * e->tiles_n * e->gemm.batch;

    e->all = (size_t)e->slots * e->work.bytes;
    if (!e->offline)
        return;
    /* Behind the sums of a tile is the sum of squares of its part of B. */
    e->sums_bytes = (int64_t)(((size_t)(length * e->bytes) + sizeof(double)
                               + STFI_ALIGN - 1)
                              / STFI_ALIGN * STFI_ALIGN);
    e->copy =
        add_part(&e->all, e->gemm.m * e->gemm.n * e->gemm.batch * e->bytes);
    e->sums = add_part(&e->all, tiles * e->sums_bytes);
}

static double *squares_b_at(const stfi_gemm_exec *e,
                            const stfi_cpu_gemm_tile *t)
{
    return (double *)(void *)(t->sums_at + e->sums_bytes
                              - (int64_t)sizeof(double));
}

/* The tile in the packed copy of C. */
static char *copy_at(const stfi_cpu_gemm_run *r, const stfi_cpu_gemm_tile *t)
{
    const stfi_gemm *g = &r->exec->gemm;

    return (char *)r->arrays->work + r->exec->copy
           + (t->i + (t->j + t->member * g->n) * g->m) * r->exec->bytes;
}

static int tiles_differ(const stfi_gemm_exec *e, const stfi_cpu_gemm_tile *t,
                        const char *x, int64_t ld_x, const char *y,
                        int64_t ld_y)
{
    int any = 0;

    for (int64_t j = 0; j < t->cols; j++)
        any |= memcmp(x + j * ld_x * e->bytes, y + j * ld_y * e->bytes,
                      (size_t)(t->rows * e->bytes));
    return any != 0;
}

/* Copies a tile until the copy is like it. A wrong copy of C would be taken for what C
 * was, and a right result be replaced. */
static void copy_tile(const stfi_gemm_exec *e, const stfi_cpu_gemm_tile *t,
                      const char *from, int64_t ld_from, char *to,
                      int64_t ld_to)
{
    enum { TURNS = 3 };
    int turn = 0;

    do
        for (int64_t j = 0; j < t->cols; j++)
            memcpy(to + j * ld_to * e->bytes, from + j * ld_from * e->bytes,
                   (size_t)(t->rows * e->bytes));
    while (tiles_differ(e, t, from, ld_from, to, ld_to) && ++turn < TURNS);
}

/* ------------------------------------------------------------------ before */

static stfi_cpu_part part_at(const stfi_cpu_part *part, int64_t i, int64_t j,
                             int64_t bytes)
{
    stfi_cpu_part moved = *part;

    moved.at = (const char *)part->at + (i * part->row + j * part->col) * bytes;
    return moved;
}

/* Packs all parts of a tile's operands for the sums alone. */
void stfi_cpu_gemm_sum_up(stfi_cpu_gemm_run *r, stfi_cpu_gemm_tile *t,
                          stfi_cpu_watch *watch)
{
    const stfi_gemm_exec *e = r->exec;
    const stfi_cpu_gemm_kernels *k = e->kernels;

    (void)watch;
    stfi_cpu_gemm_place_sums(e, t);
    stfi_cpu_gemm_clear_sums(e, t);
    for (int64_t p = 0; p < e->gemm.k; p += e->kc) {
        const int64_t depth = least(e->kc, e->gemm.k - p);
        stfi_cpu_part part = part_at(&t->b, p, 0, e->bytes);
        k->pack_b(&part, depth, t->cols, t->work + e->work.b, &t->sums);
        for (int64_t i = 0; i < t->rows; i += e->mc) {
            part = part_at(&t->a, i, p, e->bytes);
            k->pack_a(&part, least(e->mc, t->rows - i), depth,
                      t->work + e->work.a, &t->sums, i);
        }
    }
    stfi_cpu_gemm_strike_sums(r, t, 0);
    *squares_b_at(e, t) = t->sums.squares_b;
    if (!k->is_zero(r->arrays->beta))
        copy_tile(e, t, t->c, e->gemm.c.col, copy_at(r, t), e->gemm.m);
}

/* ------------------------------------------------------------- the product */

void stfi_cpu_gemm_multiply_plain(stfi_cpu_gemm_run *r, stfi_cpu_gemm_tile *t,
                                  stfi_cpu_watch *watch)
{
    const stfi_gemm_exec *e = r->exec;

    (void)watch;
    stfi_cpu_gemm_compute(r, t);
    for (int n = 0; n < r->faults; n++) {
        const stfi_gemm_fault *f = &r->fault[n];
        const int64_t row = f->row - t->i, col = f->col - t->j;
        if (f->struck == STFI_STRUCK_EPILOGUE && f->member == t->member
            && row >= 0 && row < t->rows && col >= 0 && col < t->cols)
            e->kernels->strike(f,
                               t->c + (row + col * e->gemm.c.col) * e->bytes);
    }
}

/* ------------------------------------------------------------------- after */

/* The largest ratio of a row's residual to its threshold: Inf if one is not
 * finite or cannot be told. */
static double look_at_stored(stfi_cpu_gemm_run *r, stfi_cpu_gemm_tile *t)
{
    const stfi_gemm_exec *e = r->exec;
    const stfi_cpu_gemm_stored stored = {
        .c = t->c,
        .before = e->kernels->is_zero(r->arrays->beta) ? NULL : copy_at(r, t),
        .ldc = e->gemm.c.col,
        .ld_before = e->gemm.m,
        .alpha = r->arrays->alpha,
        .beta = r->arrays->beta,
    };
    double *ratio = (double *)(void *)(t->work + e->work.ratio), most = 0;

    stfi_cpu_gemm_place_sums(e, t);
    t->sums.squares_b = *squares_b_at(e, t);
    e->kernels->weigh_stored(&stored, t->rows, t->cols, &t->sums);
    e->kernels->judge(&t->sums, &e->bound, t->rows, ratio);
    for (int64_t i = 0; i < t->rows; i++) {
        const double x = ratio[i] < 0 ? (double)INFINITY : ratio[i];
        most = !(x <= most) ? x : most;
    }
    return most;
}

/* Computes C of the tile again, in place of its copy; returns 1 if what was
 * stored has other bits. */
static int is_different(stfi_cpu_gemm_run *r, const stfi_cpu_gemm_tile *t)
{
    const stfi_gemm_exec *e = r->exec;
    stfi_cpu_gemm_tile copy = *t;

    copy.c = copy_at(r, t);
    stfi_cpu_gemm_store_at(r, &copy, e->gemm.m);
    return tiles_differ(e, t, t->c, e->gemm.c.col, copy.c, e->gemm.m);
}

static stfi_ft_outcome compute_again(stfi_cpu_gemm_run *r,
                                     stfi_cpu_gemm_tile *t, double ratio)
{
    const stfi_gemm_exec *e = r->exec;
    const int correct = e->gemm.ft.mode == STF_FT_CORRECT;
    const stfi_ft_outcome found = stfi_cpu_gemm_compute_again(r, t);
    const int different = is_different(r, t);
    double slack = atomic_load(&r->slack);

    if (different && correct)
        copy_tile(e, t, copy_at(r, t), e->gemm.m, t->c, e->gemm.c.col);
    if (different || found == STFI_FT_UNCORRECTABLE)
        return !correct                         ? STFI_FT_DETECTED
               : found == STFI_FT_UNCORRECTABLE ? found
                                                : STFI_FT_RECOMPUTED;
    if (found == STFI_FT_NON_FINITE || found == STFI_FT_OVERFLOWED)
        return found;
    while (isfinite(ratio) && slack < 2 * ratio
           && !atomic_compare_exchange_weak(&r->slack, &slack, 2 * ratio))
        ;
    return STFI_FT_RECHECKED;
}

void stfi_cpu_gemm_check_stored(stfi_cpu_gemm_run *r, stfi_cpu_gemm_tile *t,
                                stfi_cpu_watch *watch)
{
    const int correct = r->exec->gemm.ft.mode == STF_FT_CORRECT;
    const double ratio = look_at_stored(r, t);
    const double most = (correct ? 0.5 : 1) * atomic_load(&r->slack);

    if (isfinite(ratio) && ratio > watch->worst)
        watch->worst = ratio;
    watch->checked++;
    if (!(ratio <= most))
        stfi_cpu_gemm_note(watch, t, compute_again(r, t, ratio), ratio);
}

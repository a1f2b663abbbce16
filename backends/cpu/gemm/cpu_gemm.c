/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Executables of matrix products: tiles of C, which threads take in turn, and
 * blocks of A and B, which a thread packs for its tile alone. So threads never
 * wait for each other, and what they pack twice costs 1/1000 of the work. */
#include "backends/cpu/gemm/cpu_gemm.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>

#include "backends/cpu/gemm/gemm_kernels.h"
#include "base/alloc.h"
#include "base/status.h"
#include "base/team.h"
#include "base/type.h"

struct stfi_gemm_exec {
    stfi_gemm gemm;
    const stfi_cpu_gemm_kernels *kernels;
    int64_t bytes;          /* of an element */
    int64_t tile_m, tile_n; /* rows and columns of a tile */
    int64_t tiles_m, tiles_n;
    int slots; /* threads that compute at once, each with a workspace */
    /* Bytes of a slot's packed block of A, packed block of B, accumulators. */
    size_t a_bytes, b_bytes, sum_bytes;
};

/* One execution. */
typedef struct run {
    const stfi_gemm_exec *exec;
    const stfi_gemm_arrays *arrays;
    int scales; /* 1: only C = beta C */
    _Atomic(int64_t) next;
} run;

/* ----------------------------------------------------------------- making */

static int64_t div_up(int64_t a, int64_t b)
{
    return (a + b - 1) / b;
}

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Divides n into parts of at most `most`, of equal size but for the last, which
 * are multiples of `unit`. Returns the size. */
static int64_t divide(int64_t n, int64_t most, int64_t unit)
{
    int64_t part = div_up(n, div_up(n > 0 ? n : 1, most));

    return div_up(part > 0 ? part : 1, unit) * unit;
}

/* Tiles are as large as is useful, which keeps packing cheap, and smaller if
 * there would be too few for the threads to have equal shares. */
static void choose_tiles(stfi_gemm_exec *e, int threads)
{
    enum { ROWS = 960, COLS = 1024, SHARE = 4 };
    const stfi_gemm *g = &e->gemm;
    const int64_t mr = e->kernels->mr, nr = e->kernels->nr;
    int64_t most_m = ROWS, most_n = COLS;

    for (;;) {
        e->tile_m = divide(g->m, most_m, mr);
        e->tile_n = divide(g->n, most_n, nr);
        e->tiles_m = div_up(g->m, e->tile_m);
        e->tiles_n = div_up(g->n, e->tile_n);
        if (threads == 1
            || e->tiles_m * e->tiles_n >= SHARE * threads / g->batch + 1)
            return;
        if (e->tile_m >= e->tile_n && e->tile_m >= 4 * mr)
            most_m = e->tile_m / 2;
        else if (e->tile_n >= 8 * nr)
            most_n = e->tile_n / 2;
        else
            return;
    }
}

/* Rows of the accumulators of a tile. */
static int64_t sum_rows(const stfi_gemm_exec *e, int64_t rows)
{
    return div_up(rows, e->kernels->mr) * e->kernels->mr;
}

static size_t aligned(int64_t elements, int64_t bytes)
{
    return ((size_t)(elements * bytes) + STFI_ALIGN - 1) / STFI_ALIGN
           * STFI_ALIGN;
}

/* The number of products of small types at once may be large, but a tile is
 * not: none of these sizes overflows. */
static void choose_workspace(stfi_gemm_exec *e, int threads, size_t most_bytes)
{
    const stfi_cpu_gemm_kernels *k = e->kernels;
    const int64_t depth = least(k->kc, e->gemm.k);
    const int64_t rows = least(k->mc, e->tile_m);
    int64_t tiles = e->tiles_m * e->tiles_n;
    size_t bytes;

    e->a_bytes = aligned(sum_rows(e, rows) * depth, e->bytes);
    e->b_bytes = aligned(e->tile_n * depth + k->slack, e->bytes);
    e->sum_bytes = e->gemm.k <= k->kc
                       ? 0
                       : aligned(sum_rows(e, e->tile_m) * e->tile_n, e->bytes);
    bytes = e->a_bytes + e->b_bytes + e->sum_bytes;
    e->slots = threads;
    if (tiles <= threads / e->gemm.batch)
        e->slots = (int)(tiles * e->gemm.batch);
    while (e->slots > 1 && bytes > most_bytes / (size_t)e->slots)
        e->slots--;
}

stf_status stfi_cpu_gemm_make(const char *isa, const stfi_gemm *gemm,
                              int threads, size_t most_bytes,
                              stfi_gemm_exec **exec_p)
{
    const stfi_cpu_gemm_kernels *kernels =
        stfi_cpu_gemm_kernels_find(isa, gemm->precision);
    stfi_gemm_exec *e;
    void *mem;
    stf_status status;

    if (kernels == NULL)
        return stfi_error(STF_ERR_UNSUPPORTED,
                          "precision %s: matrix products on the cpu device are "
                          "there in f32, f64 and f80",
                          stfi_type_get(gemm->precision)->name);
    status = stfi_alloc(sizeof *e, "a plan", &mem);
    if (status != STF_OK)
        return status;
    e = mem;
    e->gemm = *gemm;
    e->kernels = kernels;
    e->bytes = (int64_t)stfi_type_get(gemm->precision)->bytes;
    threads = stfi_team_size(threads);
    choose_tiles(e, threads);
    choose_workspace(e, threads, most_bytes);
    *exec_p = e;
    return STF_OK;
}

void stfi_cpu_gemm_destroy(stfi_gemm_exec *exec)
{
    stfi_dealloc(exec);
}

size_t stfi_cpu_gemm_workspace(const stfi_gemm_exec *e)
{
    return (size_t)e->slots * (e->a_bytes + e->b_bytes + e->sum_bytes);
}

int stfi_cpu_gemm_can_be_cut(const stfi_gemm_exec *e)
{
    return e->slots > 1;
}

size_t stfi_cpu_gemm_describe(const stfi_gemm_exec *e, char *text,
                              size_t capacity)
{
    const stfi_cpu_gemm_kernels *k = e->kernels;
    const stfi_gemm *g = &e->gemm;

    return (size_t)snprintf(
        text, capacity,
        "matrix product %s %" PRId64 "x%" PRId64 "x%" PRId64 "*%" PRId64 "%s\n"
        "tiles %" PRId64 "x%" PRId64 " of %" PRId64 "x%" PRId64
        ", blocks of %d rows, depth %d, micro tiles %dx%d (%s)\n"
        "threads %d, workspace %zu bytes\n",
        stfi_type_get(g->precision)->name, g->m, g->n, g->k, g->batch,
        g->swapped ? " (of the transposes)" : "", e->tiles_m, e->tiles_n,
        e->tile_m, e->tile_n, k->mc, k->kc, k->mr, k->nr, k->isa, e->slots,
        stfi_cpu_gemm_workspace(e));
}

/* -------------------------------------------------------------- execution */

/* A tile of a member of the batch. */
typedef struct tile {
    stfi_cpu_part a, b; /* the tile's rows of A and columns of B */
    char *c;
    int64_t rows, cols;
} tile;

static const void *place(const void *base, const stfi_gemm_matrix *x, int64_t i,
                         int64_t j, int64_t member, int64_t bytes)
{
    return base == NULL
               ? NULL
               : (const char *)base
                     + (i * x->row + j * x->col + member * x->dist) * bytes;
}

/* Columns of tiles go first, so that a part of B is used for all of A. */
static tile tile_at(const run *r, int64_t number)
{
    const stfi_gemm_exec *e = r->exec;
    const stfi_gemm *g = &e->gemm;
    int64_t i = number % e->tiles_m * e->tile_m;
    int64_t j = number / e->tiles_m % e->tiles_n * e->tile_n;
    int64_t member = number / e->tiles_m / e->tiles_n;

    return (tile){
        .a = {place(r->arrays->a, &g->a, i, 0, member, e->bytes), g->a.row,
              g->a.col},
        .b = {place(r->arrays->b, &g->b, 0, j, member, e->bytes), g->b.row,
              g->b.col},
        .c = (char *)r->arrays->c
             + (i + j * g->c.col + member * g->c.dist) * e->bytes,
        .rows = least(e->tile_m, g->m - i),
        .cols = least(e->tile_n, g->n - j),
    };
}

static stfi_cpu_part part_at(const stfi_cpu_part *part, int64_t i, int64_t j,
                             int64_t bytes)
{
    stfi_cpu_part moved = *part;

    moved.at = (const char *)part->at + (i * part->row + j * part->col) * bytes;
    return moved;
}

/* Multiplies the packed part of B, `depth` rows from row p on, with all rows of
 * the tile's A. */
static void multiply_depth(const run *r, const tile *t, int64_t p,
                           int64_t depth, char *work)
{
    const stfi_gemm_exec *e = r->exec;
    const stfi_cpu_gemm_kernels *k = e->kernels;
    int last = p + depth == e->gemm.k;

    for (int64_t i = 0; i < t->rows; i += k->mc) {
        stfi_cpu_part a = part_at(&t->a, i, p, e->bytes);
        stfi_cpu_gemm_block block = {
            .rows = least(k->mc, t->rows - i),
            .cols = t->cols,
            .depth = depth,
            .a = work,
            .b = work + e->a_bytes,
            .sums = e->sum_bytes > 0 ? work + e->a_bytes + e->b_bytes : NULL,
            .sum_rows = sum_rows(e, t->rows),
            .row = i,
            .first = p == 0,
            .c = last ? t->c + i * e->bytes : NULL,
            .ldc = e->gemm.c.col,
            .alpha = r->arrays->alpha,
            .beta = r->arrays->beta,
        };
        k->pack_a(&a, block.rows, depth, work);
        k->multiply(&block);
    }
}

static void compute_tile(const run *r, int64_t number, char *work)
{
    const stfi_gemm_exec *e = r->exec;
    const stfi_cpu_gemm_kernels *k = e->kernels;
    const tile t = tile_at(r, number);

    if (r->scales) {
        k->scale(t.c, e->gemm.c.col, t.rows, t.cols, r->arrays->beta);
        return;
    }
    for (int64_t p = 0; p < e->gemm.k; p += k->kc) {
        int64_t depth = least(k->kc, e->gemm.k - p);
        stfi_cpu_part b = part_at(&t.b, p, 0, e->bytes);
        k->pack_b(&b, depth, t.cols, work + e->a_bytes);
        multiply_depth(r, &t, p, depth, work);
    }
}

static void compute_tiles(void *arg, int member, int size)
{
    run *r = arg;
    const stfi_gemm_exec *e = r->exec;
    const int64_t count = e->tiles_m * e->tiles_n * e->gemm.batch;
    char *work = (char *)r->arrays->work
                 + (size_t)member * (e->a_bytes + e->b_bytes + e->sum_bytes);
    int64_t number;

    (void)size;
    while ((number = atomic_fetch_add(&r->next, 1)) < count)
        compute_tile(r, number, work);
}

stf_status stfi_cpu_gemm_launch(stfi_gemm_exec *exec,
                                const stfi_gemm_arrays *arrays, void *stream)
{
    const stfi_cpu_gemm_kernels *k = exec->kernels;
    run r = {.exec = exec, .arrays = arrays};

    (void)stream;
    if (exec->gemm.m == 0 || exec->gemm.n == 0)
        return STF_OK;
    r.scales = exec->gemm.k == 0 || k->is_zero(arrays->alpha);
    if (r.scales && k->is_one(arrays->beta))
        return STF_OK;
    stfi_team_run(exec->slots, compute_tiles, &r);
    return STF_OK;
}

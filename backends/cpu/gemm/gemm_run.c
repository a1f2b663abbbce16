/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Executes matrix products: threads take tiles of C in turn, and a thread packs
 * blocks of A and B for its tile alone. So threads never wait for each other,
 * and what they pack twice costs 1/1000 of the work. */
#include <string.h>

#include "backends/cpu/gemm/apart.h"
#include "backends/cpu/gemm/cpu_gemm.h"
#include "backends/cpu/gemm/gemm_exec.h"
#include "base/status.h"
#include "base/team.h"

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* ------------------------------------------------------------------- tiles */

static const void *place(const void *base, const stfi_gemm_matrix *x, int64_t i,
                         int64_t j, int64_t member, int64_t bytes)
{
    return base == NULL
               ? NULL
               : (const char *)base
                     + (i * x->row + j * x->col + member * x->dist) * bytes;
}

/* Columns of tiles go first, so that a part of B is used for all of A. */
static stfi_cpu_gemm_tile tile_at(const stfi_cpu_gemm_run *r, int64_t number,
                                  char *work)
{
    const stfi_gemm_exec *e = r->exec;
    const stfi_gemm *g = &e->gemm;
    int64_t i = number % e->tiles_m * e->tile_m;
    int64_t j = number / e->tiles_m % e->tiles_n * e->tile_n;
    int64_t member = number / e->tiles_m / e->tiles_n;
    int64_t half = e->kernels->mr / 2, rows = least(e->tile_m, g->m - i);

    return (stfi_cpu_gemm_tile){
        .a = {place(r->arrays->a, &g->a, i, 0, member, e->bytes_ab), g->a.row,
              g->a.col},
        .b = {place(r->arrays->b, &g->b, 0, j, member, e->bytes_ab), g->b.row,
              g->b.col},
        .c = (char *)r->arrays->c
             + (i + j * g->c.col + member * g->c.dist) * e->bytes_c,
        .member = member,
        .i = i,
        .j = j,
        .rows = rows,
        .cols = least(e->tile_n, g->n - j),
        .acc_rows = (rows + half - 1) / half * half,
        .number = number,
        .work = work,
        .sums_at = e->offline ? (char *)r->arrays->work + e->sums
                                    + number * e->sums_bytes
                              : work + e->work.sums,
    };
}

static stfi_cpu_part part_at(const stfi_cpu_part *part, int64_t i, int64_t j,
                             int64_t bytes)
{
    stfi_cpu_part moved = *part;

    moved.at = (const char *)part->at + (i * part->row + j * part->col) * bytes;
    return moved;
}

/* ------------------------------------------------------------------ halves */

/* Copies a block of halves as F32 to the workspace; its neighbours stay
 * neighbours. What it returns is the block, in F32 in any case. */
static stfi_cpu_part widened(const stfi_gemm_exec *e,
                             const stfi_cpu_gemm_tile *t, stfi_cpu_part part,
                             int64_t rows, int64_t cols)
{
    const int along_rows = part.row != 1;
    const int64_t run = along_rows ? cols : rows;
    const int64_t runs = along_rows ? rows : cols;
    const int64_t step = along_rows ? part.row : part.col;
    float *to = (float *)(void *)(t->work + e->work.wide);

    if (!e->widens)
        return part;
    for (int64_t i = 0; i < runs; i++)
        e->kernels->widen(e->gemm.precision,
                          (const uint16_t *)part.at + i * step, to + i * run,
                          run);
    return (stfi_cpu_part){to, along_rows ? run : 1, along_rows ? 1 : run};
}

/* Does what stores a block of C; of halves, in a copy of it. */
static void with_c(const stfi_cpu_gemm_run *r, const stfi_cpu_gemm_tile *t,
                   stfi_cpu_gemm_block *block,
                   void (*store)(const stfi_cpu_gemm_block *))
{
    const stfi_gemm_exec *e = r->exec;
    float *copy = (float *)(void *)(t->work + e->work.wide);
    uint16_t *c = block->c;
    const int64_t ldc = block->ldc;

    if (!e->narrows || c == NULL) {
        store(block);
        return;
    }
    if (!e->kernels->is_zero(block->beta))
        for (int64_t j = 0; j < block->cols; j++)
            e->kernels->widen(e->gemm.precision_c, c + j * ldc,
                              copy + j * block->rows, block->rows);
    block->c = copy;
    block->ldc = block->rows;
    store(block);
    for (int64_t j = 0; j < block->cols; j++)
        e->kernels->narrow(e->gemm.precision_c, copy + j * block->rows,
                           c + j * ldc, block->rows);
}

/* A block from row i of the tile on. */
static stfi_cpu_gemm_block block_at(const stfi_cpu_gemm_run *r,
                                    const stfi_cpu_gemm_tile *t, int64_t i,
                                    int64_t rows)
{
    const stfi_gemm_exec *e = r->exec;

    return (stfi_cpu_gemm_block){
        .rows = rows,
        .cols = t->cols,
        .a = t->work + e->work.a,
        .b = t->work + e->work.b,
        .acc = e->keeps ? t->work + e->work.acc : NULL,
        .acc_rows = t->acc_rows,
        .row = i,
        .c = t->c + i * e->bytes_c,
        .ldc = e->gemm.c.col,
        .alpha = r->arrays->alpha,
        .beta = r->arrays->beta,
    };
}

/* Multiplies steps [p, p + depth) of k. With sums, C is not stored. */
static void multiply_depth(const stfi_cpu_gemm_run *r, stfi_cpu_gemm_tile *t,
                           int64_t p, int64_t depth, stfi_cpu_gemm_sums *sums,
                           int again)
{
    const stfi_gemm_exec *e = r->exec;
    const stfi_cpu_gemm_kernels *k = e->kernels;
    stfi_cpu_part part =
        widened(e, t, part_at(&t->b, p, 0, e->bytes_ab), depth, t->cols);
    int last = p + depth == e->gemm.k;

    k->pack_b(&part, depth, t->cols, t->work + e->work.b, sums);
    for (int64_t i = 0; i < t->rows; i += e->mc) {
        int64_t rows = least(e->mc, t->rows - i);
        const stfi_cpu_gemm_strike strike = {
            r->fault, r->faults, again, t->member, t->i + i, t->j, p};
        stfi_cpu_gemm_block block = block_at(r, t, i, rows);
        block.depth = depth;
        block.first = p == 0;
        block.sums = last ? sums : NULL;
        block.strike = r->faults > 0 ? &strike : NULL;
        if (!last || sums != NULL)
            block.c = NULL;
        part = widened(e, t, part_at(&t->a, i, p, e->bytes_ab), rows, depth);
        k->pack_a(&part, rows, depth, t->work + e->work.a, sums, i);
        with_c(r, t, &block, k->multiply);
    }
}

static void accumulate(const stfi_cpu_gemm_run *r, stfi_cpu_gemm_tile *t,
                       stfi_cpu_gemm_sums *sums, int again)
{
    const stfi_gemm_exec *e = r->exec;

    for (int64_t p = 0; p < e->gemm.k; p += e->kc)
        multiply_depth(r, t, p, least(e->kc, e->gemm.k - p), sums, again);
}

/* ------------------------------------------------------------ checked ones */

void stfi_cpu_gemm_place_sums(const stfi_gemm_exec *e, stfi_cpu_gemm_tile *t)
{
    const int64_t rows = t->acc_rows, kc = e->sums_kc;
    char *at = t->sums_at;
    stfi_cpu_gemm_sums *s = &t->sums;
    stfi_cpu_gemm_row_sums *const by_row[] = {&s->r[0], &s->r[1], &s->s[0],
                                              &s->s[1]};

    for (int i = 0; i < 4; i++) {
        by_row[i]->high = at;
        by_row[i]->low = at + rows * e->bytes;
        at += 2 * rows * e->bytes;
    }
    s->squares_a = at;
    s->squares_c = at + rows * e->bytes;
    at += 2 * rows * e->bytes;
    for (int i = 0; i < STFI_CPU_GEMM_VECTORS; i++) {
        s->run[i] = at;
        at += rows * e->bytes;
        s->bw[i].high = at;
        s->bw[i].low = at + kc * e->bytes;
        s->run_b[i] = at + 2 * kc * e->bytes;
        at += 3 * kc * e->bytes;
    }
}

void stfi_cpu_gemm_clear_sums(const stfi_gemm_exec *e, stfi_cpu_gemm_tile *t)
{
    memset(t->sums_at, 0,
           (size_t)(stfi_cpu_gemm_sums_length(t->acc_rows, e->sums_kc)
                    * e->bytes));
    t->sums.squares_b = 0;
}

void stfi_cpu_gemm_strike_sums(const stfi_cpu_gemm_run *r,
                               const stfi_cpu_gemm_tile *t, int again)
{
    for (int n = 0; n < r->faults; n++) {
        const stfi_gemm_fault *f = &r->fault[n];
        int64_t row = f->row - t->i, col = f->col - t->j;
        if (f->struck == STFI_STRUCK_CHECKSUM && f->member == t->member
            && (f->persistent || !again) && row >= 0 && row < t->rows
            && col >= 0 && col < t->cols)
            r->exec->kernels->strike(f, (char *)t->sums.r[0].high
                                            + row * r->exec->bytes);
    }
}

void stfi_cpu_gemm_accumulate(const stfi_cpu_gemm_run *r, stfi_cpu_gemm_tile *t,
                              int again)
{
    stfi_cpu_gemm_place_sums(r->exec, t);
    stfi_cpu_gemm_clear_sums(r->exec, t);
    accumulate(r, t, &t->sums, again);
    stfi_cpu_gemm_strike_sums(r, t, again);
}

void stfi_cpu_gemm_compute(const stfi_cpu_gemm_run *r, stfi_cpu_gemm_tile *t)
{
    accumulate(r, t, NULL, 0);
}

int64_t stfi_cpu_gemm_store(const stfi_cpu_gemm_run *r,
                            const stfi_cpu_gemm_tile *t)
{
    return stfi_cpu_gemm_store_at(r, t, r->exec->gemm.c.col);
}

/* Stores a block of rows from row i of the tile on. */
static void store_rows(const stfi_cpu_gemm_run *r, const stfi_cpu_gemm_tile *t,
                       int64_t i, int64_t ldc, int64_t *different)
{
    const stfi_gemm_exec *e = r->exec;
    const stfi_cpu_gemm_strike strike = {r->fault, r->faults, 0, t->member,
                                         t->i + i, t->j,      0};
    stfi_cpu_gemm_block block = block_at(r, t, i, least(e->mc, t->rows - i));

    block.strike = r->faults > 0 && !e->offline ? &strike : NULL;
    block.ldc = ldc;
    block.mends = e->gemm.ft.mode == STF_FT_CORRECT;
    block.different = different;
    with_c(r, t, &block, e->kernels->store);
}

int64_t stfi_cpu_gemm_store_at(const stfi_cpu_gemm_run *r,
                               const stfi_cpu_gemm_tile *t, int64_t ldc)
{
    const stfi_gemm_exec *e = r->exec;
    int64_t different = 0;

    /* What is left out, as the loop ended early, follows. */
    for (int64_t i = 0; i < t->rows;) {
        for (; i < t->rows; i += e->mc) {
            store_rows(r, t, i, ldc, &different);
            SEPARATE(i);
        }
        SEPARATE(i);
    }
    return different;
}

/* -------------------------------------------------------------- execution */

static void compute_plain(stfi_cpu_gemm_run *r, stfi_cpu_gemm_tile *t,
                          stfi_cpu_watch *watch)
{
    (void)watch;
    accumulate(r, t, NULL, 0);
}

static void scale_tile(stfi_cpu_gemm_run *r, stfi_cpu_gemm_tile *t,
                       stfi_cpu_watch *watch)
{
    const int64_t rows = r->exec->mc;

    (void)watch;
    for (int64_t i = 0; i < t->rows; i += rows) {
        stfi_cpu_gemm_block block = block_at(r, t, i, least(rows, t->rows - i));
        with_c(r, t, &block, r->exec->kernels->scale);
    }
}

static void compute_tiles(void *arg, int member, int size)
{
    stfi_cpu_gemm_run *r = arg;
    stfi_gemm_exec *e = r->exec;
    const int64_t count = e->tiles_m * e->tiles_n * e->gemm.batch;
    char *work = (char *)r->arrays->work + (size_t)member * e->work.bytes;
    stfi_cpu_watch watch = {.log = &e->log, .result = &r->result};
    int64_t number = atomic_fetch_add(&r->next, 1);

    (void)size;
    while (number < count) {
        for (; number < count; number = atomic_fetch_add(&r->next, 1)) {
            stfi_cpu_gemm_tile t = tile_at(r, number, work);
            r->phase(r, &t, &watch);
        }
        SEPARATE(number);
    }
    if (e->checked)
        stfi_cpu_watch_end(&watch);
}

/* The status of a launch by what its checks found. C is complete in any
 * case. */
static stf_status conclude(const stfi_ft_result *result)
{
    if (result->failed > 0)
        return stfi_error(STF_ERR_UNCORRECTED,
                          "%lld tiles of matrix product %lld and others had "
                          "wrong sums, and computing again did not help",
                          (long long)result->failed,
                          (long long)result->failure.signal);
    return result->repaired > 0 ? STF_CORRECTED : STF_OK;
}

enum { PHASES = 3 };

/* What a launch does with the tiles, one after the other. */
typedef struct phases {
    stfi_cpu_gemm_phase *of[PHASES];
} phases;

static const phases scaling = {{scale_tile}}, plain = {{compute_plain}},
                    checked = {{stfi_cpu_gemm_compute_checked}},
                    offline = {{stfi_cpu_gemm_sum_up,
                                stfi_cpu_gemm_multiply_plain,
                                stfi_cpu_gemm_check_stored}};

static const phases *phases_of(const stfi_cpu_gemm_run *r)
{
    return r->scales          ? &scaling
           : r->exec->offline ? &offline
           : r->exec->checked ? &checked
                              : &plain;
}

static int has_phase(const stfi_cpu_gemm_run *r, int i)
{
    return i < PHASES && phases_of(r)->of[i] != NULL;
}

static void run_phase(stfi_cpu_gemm_run *r, stfi_cpu_gemm_phase *phase)
{
    r->phase = phase;
    atomic_store(&r->next, 0);
    stfi_team_run(r->exec->slots, compute_tiles, r);
}

stf_status stfi_cpu_gemm_launch(stfi_gemm_exec *exec,
                                const stfi_gemm_arrays *arrays, void *stream)
{
    const stfi_cpu_gemm_kernels *k = exec->kernels;
    stfi_cpu_gemm_run r = {.exec = exec, .arrays = arrays};

    (void)stream;
    if (exec->gemm.m == 0 || exec->gemm.n == 0)
        return STF_OK;
    r.scales = exec->gemm.k == 0 || k->is_zero(arrays->alpha);
    if (r.scales && k->is_one(arrays->beta))
        return STF_OK;
    atomic_init(&r.slack, 1);
    if (atomic_load(&exec->faults) > 0)
        r.faults = atomic_exchange(&exec->faults, 0);
    r.fault = exec->fault;
    for (int i = 0; has_phase(&r, i);) {
        for (; has_phase(&r, i); i++) {
            run_phase(&r, phases_of(&r)->of[i]);
            SEPARATE(i);
        }
        SEPARATE(i);
    }
    return conclude(&r.result);
}

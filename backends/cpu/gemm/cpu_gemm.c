/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Executables of matrix products: sizes of tiles and of the workspace, bounds
 * of checks, ledgers and faults. gemm_run.c executes them. */
#include "backends/cpu/gemm/cpu_gemm.h"

#include <inttypes.h>
#include <stdio.h>

#include "backends/cpu/cpu_threads.h"
#include "backends/cpu/gemm/gemm_exec.h"
#include "base/alloc.h"
#include "base/status.h"
#include "base/team.h"
#include "base/type.h"

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
 * there would be too few for the threads to have equal shares; or as the product's
 * choice says. */
static void choose_tiles(stfi_gemm_exec *e, int threads)
{
    enum { SHARE = 4 };
    const stfi_gemm *g = &e->gemm;
    const stfi_gemm_choice *c = &g->choice;
    const int64_t mr = e->kernels->mr, nr = e->kernels->nr;
    int64_t most_m = c->rows > 0 ? c->rows : STFI_CPU_GEMM_ROWS;
    int64_t most_n = c->cols > 0 ? c->cols : STFI_CPU_GEMM_COLS;

    for (;;) {
        e->tile_m = divide(g->m, most_m, mr);
        e->tile_n = divide(g->n, most_n, nr);
        e->tiles_m = div_up(g->m, e->tile_m);
        e->tiles_n = div_up(g->n, e->tile_n);
        if (threads == 1
            || e->tiles_m * e->tiles_n >= SHARE * threads / g->batch + 1)
            return;
        if (c->rows == 0 && e->tile_m >= e->tile_n && e->tile_m >= 4 * mr)
            most_m = e->tile_m / 2;
        else if (c->cols == 0 && e->tile_n >= 8 * nr)
            most_n = e->tile_n / 2;
        else
            return;
    }
}

/* Blocks are those of the kernels, or of the product's choice. Sums along their
 * depth are whole vectors of any kernels. */
static void choose_blocks(stfi_gemm_exec *e)
{
    enum { VECTOR = 16 };
    const stfi_gemm_choice *c = &e->gemm.choice;
    const int64_t mr = e->kernels->mr;

    e->mc = c->block > 0 ? div_up(c->block, mr) * mr : e->kernels->mc;
    e->kc = c->depth > 0 ? c->depth : e->kernels->kc;
    e->sums_kc = div_up(e->kc, VECTOR) * VECTOR;
    e->keeps = e->checked || e->gemm.k > e->kc;
}

/* Refuses what is a GPU's, and tiles of so many columns that the checks of a row
 * would find only larger errors than those of the model's tiles do. */
static stf_status check_choice(const stfi_gemm_exec *e)
{
    const stfi_gemm_choice *c = &e->gemm.choice;

    return c->m > 0 || c->parts > 0 || c->apart || c->beside
                   || (e->checked && c->cols > STFI_CPU_GEMM_COLS)
               ? stfi_error(STF_ERR_UNSUPPORTED,
                            "the cpu device cannot compute the product so")
               : STF_OK;
}

/* Adds a part of `elements` elements to a workspace. */
static size_t add_part(size_t *bytes, int64_t elements, int64_t size)
{
    size_t at = *bytes;

    *bytes +=
        ((size_t)(elements * size) + STFI_ALIGN - 1) / STFI_ALIGN * STFI_ALIGN;
    return at;
}

/* A tile is small enough that none of these sizes overflows. */
static stfi_cpu_gemm_work lay_out(const stfi_gemm_exec *e)
{
    const stfi_cpu_gemm_kernels *k = e->kernels;
    const int64_t depth = least(e->kc, e->gemm.k);
    const int64_t rows = div_up(e->tile_m, k->mr) * k->mr;
    stfi_cpu_gemm_work w = {.bytes = 0};

    const int64_t block = least(e->mc, rows);
    int64_t wide = 0; /* elements of the largest block of halves */

    if (e->widens)
        wide = (block > e->tile_n ? block : e->tile_n) * depth;
    if (e->narrows && block * e->tile_n > wide)
        wide = block * e->tile_n;
    w.wide = add_part(&w.bytes, wide, e->bytes);
    w.a = add_part(&w.bytes, least(e->mc, rows) * depth, e->bytes);
    w.b = add_part(&w.bytes, e->tile_n * depth + k->slack, e->bytes);
    w.acc = w.sums = w.ratio = w.bytes;
    if (e->keeps)
        w.acc = add_part(&w.bytes, rows * e->tile_n, e->bytes);
    if (e->checked) {
        w.sums = add_part(&w.bytes, stfi_cpu_gemm_sums_length(rows, e->sums_kc),
                          e->bytes);
        w.ratio = add_part(&w.bytes, rows, sizeof(double));
    }
    return w;
}

static void choose_slots(stfi_gemm_exec *e, int threads, size_t most_bytes)
{
    int64_t tiles = e->tiles_m * e->tiles_n;

    e->slots = threads;
    if (tiles <= threads / e->gemm.batch)
        e->slots = (int)(tiles * e->gemm.batch);
    while (e->slots > 1 && e->work.bytes > most_bytes / (size_t)e->slots)
        e->slots--;
}

/* Thresholds: chains of k multiply-adds in C and the shorter ones of the
 * checksums, which count as 16 more (doc/abft.md); alpha and beta count as 4,
 * where C is checked as it was stored. A threshold of the user's
 * own is relative to ||a_i|| ||B||. */
static void set_bound(stfi_gemm_exec *e)
{
    const stfi_type *type = e->math;
    const double k = (double)e->gemm.k, own = e->gemm.ft.threshold;

    e->bound.factor = own > 0 ? own : 6 * type->unit_roundoff;
    e->bound.chain = own > 0 ? 0 : k + (e->offline ? 20 : 16);
    e->bound.floor = (double)(2 * (k + 2 * (double)e->tile_n) * type->least);
}

/* Refuses what GPUs alone have. */
static stf_status check_protection(const stf_ft_desc *ft)
{
    if (ft->mode == STF_FT_OFF)
        return STF_OK;
    if (ft->level == STF_FT_THREAD || ft->level == STF_FT_WARP)
        return stfi_error(STF_ERR_UNSUPPORTED,
                          "ft.level is STF_FT_%s; matrix products of the cpu "
                          "device have STF_FT_BLOCK and STF_FT_OFFLINE",
                          ft->level == STF_FT_WARP ? "WARP" : "THREAD");
    if (ft->scheme == STF_FT_SCHEME_TWO_SIDED)
        return stfi_error(STF_ERR_UNSUPPORTED,
                          "ft.scheme is STF_FT_SCHEME_TWO_SIDED; matrix "
                          "products of the cpu device have "
                          "STF_FT_SCHEME_ONE_SIDED");
    return STF_OK;
}

stf_status stfi_cpu_gemm_make(const char *isa, const stfi_gemm *gemm,
                              int threads, size_t most_bytes,
                              stfi_gemm_exec **exec_p)
{
    const stfi_type *math = stfi_type_arithmetic(gemm->precision);
    const stfi_cpu_gemm_kernels *kernels =
        stfi_cpu_gemm_kernels_find(isa, math->id);
    stfi_gemm_exec *e;
    void *mem;
    stf_status status;

    if ((status = check_protection(&gemm->ft)) != STF_OK)
        return status;
    if (kernels == NULL)
        return stfi_error(STF_ERR_INTERNAL,
                          "precision %s: the cpu device has no kernels",
                          math->name);
    status = stfi_alloc(sizeof *e, "a plan", &mem);
    if (status != STF_OK)
        return status;
    e = mem;
    e->gemm = *gemm;
    e->kernels = kernels;
    e->math = math;
    e->bytes = (int64_t)math->bytes;
    e->bytes_ab = (int64_t)stfi_type_get(gemm->precision)->bytes;
    e->bytes_c = (int64_t)stfi_type_get(gemm->precision_c)->bytes;
    e->widens = gemm->precision != math->id;
    e->narrows = gemm->precision_c != math->id;
    e->checked = gemm->ft.mode != STF_FT_OFF;
    e->offline = e->checked && gemm->ft.level == STF_FT_OFFLINE;
    choose_blocks(e);
    threads = stfi_cpu_threads_of_gemm(gemm, stfi_team_size(threads));
    choose_tiles(e, threads);
    set_bound(e);
    e->work = lay_out(e);
    choose_slots(e, threads, most_bytes);
    stfi_cpu_gemm_lay_out_offline(e);
    status = check_choice(e);
    if (status == STF_OK)
        status = stfi_cpu_log_init(&e->log);
    if (status == STF_OK)
        *exec_p = e;
    else
        stfi_dealloc(e);
    return status;
}

void stfi_cpu_gemm_destroy(stfi_gemm_exec *e)
{
    if (e == NULL)
        return;
    stfi_cpu_log_destroy(&e->log);
    stfi_dealloc(e->fault);
    stfi_dealloc(e);
}

size_t stfi_cpu_gemm_workspace(const stfi_gemm_exec *e)
{
    return e->all;
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
        ", blocks of %" PRId64 " rows, depth %" PRId64
        ", micro tiles %dx%d (%s)\n"
        "threads %d, workspace %zu bytes%s\n",
        stfi_type_get(g->precision)->name, g->m, g->n, g->k, g->batch,
        g->swapped ? " (of the transposes)" : "", e->tiles_m, e->tiles_n,
        e->tile_m, e->tile_n, e->mc, e->kc, k->mr, k->nr, k->isa, e->slots,
        stfi_cpu_gemm_workspace(e),
        g->compute == STF_COMPUTE_NATIVE
            ? ""
            : "; no matrix units: as STF_COMPUTE_NATIVE");
}

/* -------------------------------------------------------------- protection */

stf_status stfi_cpu_gemm_ledger(stfi_gemm_exec *e, int reset,
                                stfi_ft_ledger *ledger_p)
{
    stfi_cpu_log_read(&e->log, reset, ledger_p);
    return STF_OK;
}

stf_status stfi_cpu_gemm_inject(stfi_gemm_exec *e, const stf_fault *fault,
                                int count)
{
    stfi_gemm_fault *placed = NULL;
    size_t bytes;
    void *mem;
    stf_status status;

    if (count > 0) {
        status = stfi_bytes((size_t)count, sizeof *placed, 1, "faults", &bytes);
        if (status == STF_OK)
            status = stfi_alloc_raw(bytes, "faults", &mem);
        if (status != STF_OK)
            return status;
        placed = mem;
        for (int i = 0; i < count; i++)
            placed[i] = stfi_gemm_fault_place(&e->gemm, &fault[i]);
    }
    stfi_dealloc(e->fault);
    e->fault = placed;
    atomic_store(&e->faults, count);
    return STF_OK;
}

void stfi_cpu_gemm_cover(const stfi_gemm_exec *e, stfi_gemm_cover *cover_p)
{
    *cover_p = (stfi_gemm_cover){.tile_m = e->tile_m, .tile_n = e->tile_n};
}

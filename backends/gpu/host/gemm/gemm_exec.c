/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Executables of matrix products on a GPU: kernels, workspace, ledger, faults,
 * launches. A product is up to four launches: the sums that checks take
 * beforehand, the tiles, those again that were not clean, and the sum of the parts of
 * k; and those of another product, if that makes what is expected. */
#include "backends/gpu/host/gemm/gemm_exec.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "backends/gpu/host/gemm/gemm_parts.h"
#include "base/alloc.h"
#include "base/status.h"
#include "base/type.h"
#include "ft/gemm_fault.h"

static int64_t div_up(int64_t a, int64_t b)
{
    return (a + b - 1) / b;
}

/* ----------------------------------------------------------------- making */

size_t stfi_gpu_gemm_add_part(size_t *bytes, double size)
{
    size_t at = *bytes;

    *bytes += ((size_t)size + STFI_ALIGN - 1) / STFI_ALIGN * STFI_ALIGN;
    return at;
}

/* Of all members and parts of k. */
static int64_t tiles_of(const stfi_gemm_exec *e)
{
    const stfi_gemm_tiling *t = &e->tiling;

    return t->tiles_m * t->tiles_n * e->gemm.batch * t->parts;
}

int stfi_gpu_gemm_is_whole(const stfi_gemm_exec *e)
{
    return e->checked && e->gemm.ft.level == STF_FT_OFFLINE;
}

/* Returns 1 if tiles have a verdict before they are stored. */
static int mends(const stfi_gemm_exec *e)
{
    return e->checked && !stfi_gpu_gemm_is_whole(e);
}

static void lay_out(stfi_gemm_exec *e)
{
    const stfi_gemm *g = &e->gemm;
    const stfi_gemm_tiling *t = &e->tiling;
    const double tiles = (double)e->members_a * (double)t->tiles_m;
    work_map w = {.total = 0};

    stfi_gpu_gemm_add_part(&w.total, stfi_gemm_tiling_bytes(g, t));
    if (stfi_gemm_unit_get(t->tile.unit)->splits)
        stfi_gpu_gemm_lay_out_halves(e, &w);
    w.weighed = w.norm_a = w.norm_b = w.total;
    if (e->checked) {
        w.weighed = stfi_gpu_gemm_add_part(
            &w.total, tiles * stfi_gpu_gemm_weighed_bytes(e));
        w.norm_a = stfi_gpu_gemm_add_part(&w.total, tiles * (double)e->chunks
                                                        * STFK_GEMM_PIECES
                                                        * sizeof(double));
        w.norm_b = stfi_gpu_gemm_add_part(
            &w.total, (double)e->members_b * (double)e->chunks * (double)g->n
                          * sizeof(double));
    }
    if (mends(e)) {
        const double all = (double)tiles_of(e);
        w.odd = stfi_gpu_gemm_add_part(&w.total, all * sizeof(unsigned));
        w.found = stfi_gpu_gemm_add_part(
            &w.total, all * (double)(t->tile.n < g->n ? t->tile.n : g->n)
                          * STFK_GEMM_FINDING);
    }
    e->work = w;
    if (e->predict != NULL)
        stfi_gpu_gemm_lay_out_predict(e);
}

static stf_status take(stfi_gemm_exec *e, stfi_gemm_kernel kernel)
{
    stfi_gpu_spec *spec;
    void *mem;
    stf_status status;

    if (e->kernel[kernel] != NULL)
        return STF_OK;
    status = stfi_alloc(sizeof *spec, "a kernel's text", &mem);
    if (status != STF_OK)
        return status;
    spec = mem;
    status =
        stfi_gpu_gemm_spec(kernel, &e->gemm, &e->tiling, &e->ctx->caps, spec);
    e->launch[kernel] = spec->launch;
    if (status == STF_OK)
        status = stfi_gpu_kernel_take(e->ctx, spec, &e->kernel[kernel]);
    stfi_dealloc(spec);
    return status;
}

static stf_status take_kernels(stfi_gemm_exec *e)
{
    stf_status status = STF_OK;

    for (int i = 0; i < STFI_GEMM_KERNELS && status == STF_OK; i++)
        if (stfi_gpu_gemm_needs(e, (stfi_gemm_kernel)i))
            status = take(e, (stfi_gemm_kernel)i);
    return status;
}

static stf_status clear_ledger(const stfi_gemm_exec *e)
{
    const stfk_ledger empty = {.first = ~0ull};

    return e->ctx->rt->copy(e->ctx->dev, e->guard.ledger, &empty, sizeof empty,
                            STFI_TO_DEVICE, NULL);
}

static stf_status make_ledger(stfi_gemm_exec *e)
{
    void *mem;
    stf_status status =
        e->ctx->rt->mem_alloc(e->ctx->dev, sizeof *e->guard.ledger, &mem);

    if (status != STF_OK)
        return status;
    e->guard.ledger = mem;
    return clear_ledger(e);
}

static void destroy(stfi_gemm_exec *e);

/* Undoes design(). */
static void drop(stfi_gemm_exec *e)
{
    destroy(e->predict);
    e->predict = NULL;
    for (int i = 0; i < STFI_GEMM_KERNELS; i++) {
        stfi_gpu_kernel_drop(e->ctx, e->kernel[i]);
        e->kernel[i] = NULL;
    }
}

static void destroy(stfi_gemm_exec *e)
{
    if (e == NULL)
        return;
    drop(e);
    e->ctx->rt->mem_free(e->ctx->dev, e->guard.ledger);
    e->ctx->rt->mem_free(e->ctx->dev, e->fault);
    stfi_dealloc(e);
}

/* Chooses a tiling for a device with these limits, and takes its kernels. */
static stf_status design(stfi_gemm_exec *e, const stfi_caps *caps,
                         size_t most_bytes)
{
    stf_status status = stfi_gpu_gemm_tile(e, caps, most_bytes);

    if (status == STF_OK)
        status = stfi_gpu_gemm_make_predict(e, most_bytes);
    if (status != STF_OK)
        return status;
    lay_out(e);
    return take_kernels(e);
}

/* A compiler that knows an architecture may be too old for what that alone has;
 * then units that groups of threads use are left out. */
static stf_status design_for_compiler(stfi_gemm_exec *e, size_t most_bytes)
{
    stfi_caps caps = e->ctx->caps;
    stf_status status = design(e, &caps, most_bytes);

    if (status != STF_ERR_COMPILE
        || !stfi_gemm_unit_get(e->tiling.tile.unit)->groups)
        return status;
    drop(e);
    caps.matrix &= ~STFI_MATRIX_GROUPS;
    return design(e, &caps, most_bytes);
}

static stf_status create(stfi_bctx *ctx, const stfi_gemm *gemm, int threads,
                         size_t most_bytes, stfi_gemm_exec **exec_p)
{
    stfi_gemm_exec *e;
    void *mem;
    stf_status status = stfi_alloc(sizeof *e, "a plan", &mem);

    (void)threads;
    if (status != STF_OK)
        return status;
    e = mem;
    e->ctx = ctx;
    status = stfi_gpu_gemm_begin(e, ctx, gemm);
    if (status == STF_OK)
        status = design_for_compiler(e, most_bytes);
    if (status == STF_OK && e->checked)
        status = make_ledger(e);
    if (status == STF_OK)
        *exec_p = e;
    else
        destroy(e);
    return status;
}

static size_t workspace(const stfi_gemm_exec *e)
{
    return e->work.total;
}

static int can_be_cut(const stfi_gemm_exec *e)
{
    return e->tiling.parts > 1 || e->tiling.apart
           || (e->predict != NULL && e->predict->tiling.parts > 1);
}

static size_t describe(const stfi_gemm_exec *e, char *text, size_t capacity)
{
    const stfi_gemm *g = &e->gemm;
    const stfi_gemm_tiling *t = &e->tiling;

    return (size_t)snprintf(
        text, capacity,
        "matrix product %s %" PRId64 "x%" PRId64 "x%" PRId64 "*%" PRId64
        "%s%s\n"
        "tiles %" PRId64 "x%" PRId64 " of %dx%d, threads %d of %dx%d, "
        "%d slabs of %d steps, %" PRId64 " parts of %" PRId64 "\n"
        "kernel %s\n%sworkspace %zu bytes\n",
        stfi_type_get(g->precision)->name, g->m, g->n, g->k, g->batch,
        g->swapped ? " (of the transposes)" : "",
        stfi_gemm_unit_get(t->tile.unit)->splits ? " in halves on matrix units"
        : t->tile.unit                           ? " on matrix units"
                                                 : "",
        t->tiles_m, t->tiles_n, t->tile.m, t->tile.n, t->threads,
        t->tile.thread_m, t->tile.thread_n, t->stages, t->steps, t->parts,
        t->part, e->kernel[STFI_GEMM_MULTIPLY]->entry,
        e->predict != NULL ? "checked by sums of a product of their own\n" : "",
        workspace(e));
}

/* ----------------------------------------------------------------- launches */

/* In grids that every device takes. */
stf_status stfi_gpu_gemm_launch_blocks(const stfi_gemm_exec *e,
                                       stfi_gemm_kernel kernel, stfk_gemm *args,
                                       int64_t blocks, void *stream)
{
    const stfi_gpu_loaded *k = e->kernel[kernel];
    const int64_t most = (int64_t)1 << 30;
    stfi_gpu_launch l = e->launch[kernel];
    stf_status status = STF_OK;

    for (args->first = 0; args->first < blocks && status == STF_OK;
         args->first += most) {
        l.blocks = (uint32_t)(blocks - args->first < most ? blocks - args->first
                                                          : most);
        status = e->ctx->rt->launch(e->ctx->dev, k->kernel, &l, args,
                                    sizeof *args, stream);
    }
    return status;
}

static stf_status encode(const stfi_gemm_exec *e, stfk_gemm *args, void *stream)
{
    const int64_t lines = stfi_gpu_gemm_own_norms(&e->gemm, &e->tiling)
                              ? 0
                              : div_up(e->gemm.n, STFK_GEMM_LINES);

    if (args->k == 0)
        return STF_OK;
    return stfi_gpu_gemm_launch_blocks(
        e, STFI_GEMM_ENCODE, args,
        args->encode_a + e->members_b * lines * e->chunks, stream);
}

static stf_status split(const stfi_gemm_exec *e, stfk_gemm *args, void *stream)
{
    const stfi_gemm_tiling *t = &e->tiling;
    const int64_t lines = e->members_a * t->tiles_m * t->tile.m
                          + e->members_b * t->tiles_n * t->tile.n;

    if (args->k == 0 || !stfi_gemm_unit_get(t->tile.unit)->splits)
        return STF_OK;
    return stfi_gpu_gemm_launch_blocks(e, STFI_GEMM_SPLIT, args,
                                       lines / STFK_GEMM_LINES, stream);
}

/* A block for each multiprocessor: mostly they find nothing to do. */
static stf_status mend(const stfi_gemm_exec *e, stfk_gemm *args, void *stream)
{
    const int64_t tiles = tiles_of(e), units = e->ctx->caps.units;

    if (args->k == 0 || !mends(e))
        return STF_OK;
    return stfi_gpu_gemm_launch_blocks(
        e, args->faults > 0 ? STFI_GEMM_STRIKE_MEND : STFI_GEMM_MEND, args,
        tiles < units ? tiles : units, stream);
}

/* Blocks that add up the parts of a tile. */
static int64_t segments_of(const stfi_gemm_exec *e)
{
    return (int64_t)e->tiling.tile.m * e->tiling.tile.n
           / (STFK_GEMM_THREADS * stfi_gpu_gemm_neighbours(e));
}

static stf_status launch(stfi_gemm_exec *e, const stfi_gemm_arrays *arrays,
                         void *stream)
{
    const stfi_gemm_tiling *t = &e->tiling;
    const int64_t tiles = t->tiles_m * t->tiles_n * e->gemm.batch;
    stfk_gemm args = stfi_gpu_gemm_args(e, arrays);
    stf_status status = STF_OK;

    args.faults =
        atomic_load(&e->faults) > 0 ? atomic_exchange(&e->faults, 0) : 0;
    status =
        split(e, &args, stream); /* encode() needs what rows are scaled by */
    if (status == STF_OK && e->checked)
        status = encode(e, &args, stream);
    if (status == STF_OK && e->predict != NULL && args.k > 0)
        status = stfi_gpu_gemm_predict(e, arrays, &args, stream);
    if (status == STF_OK)
        status = stfi_gpu_gemm_launch_blocks(
            e, args.faults > 0 ? STFI_GEMM_STRIKE : STFI_GEMM_MULTIPLY, &args,
            tiles * t->parts, stream);
    if (status == STF_OK)
        status = mend(e, &args, stream);
    if (status == STF_OK && t->parts > 1)
        status = stfi_gpu_gemm_launch_blocks(
            e, args.faults > 0 ? STFI_GEMM_STRIKE_ADD : STFI_GEMM_ADD, &args,
            tiles * segments_of(e), stream);
    if (status == STF_OK && stfi_gpu_gemm_is_whole(e) && args.k > 0)
        status = stfi_gpu_gemm_launch_blocks(
            e, args.faults > 0 ? STFI_GEMM_STRIKE_SETTLE : STFI_GEMM_SETTLE,
            &args, tiles, stream);
    return status;
}

/* -------------------------------------------------------------- protection */

static stf_status ledger(stfi_gemm_exec *e, int reset, stfi_ft_ledger *ledger_p)
{
    stf_status status = stfi_gpu_guard_read(e->ctx, &e->guard, 0, ledger_p);

    /* Tiles that were neither computed again nor given up (two_sided.h). */
    if (status == STF_OK && e->gemm.ft.mode == STF_FT_CORRECT
        && e->gemm.ft.scheme == STF_FT_SCHEME_TWO_SIDED)
        ledger_p->corrected =
            ledger_p->detected - ledger_p->recomputed - ledger_p->uncorrectable;
    return status == STF_OK && reset && e->guard.ledger != NULL
               ? clear_ledger(e)
               : status;
}

static stf_status upload(stfi_gemm_exec *e, const stf_fault *fault, int count)
{
    stfk_gemm_fault *list;
    size_t bytes;
    void *mem;
    stf_status status =
        stfi_bytes((size_t)count, sizeof *list, 1, "faults", &bytes);

    if (status == STF_OK)
        status = stfi_alloc(bytes, "faults", &mem);
    if (status != STF_OK)
        return status;
    list = mem;
    for (int i = 0; i < count; i++) {
        const stfi_gemm_fault f = stfi_gemm_fault_place(&e->gemm, &fault[i]);
        list[i] = (stfk_gemm_fault){
            .member = f.member,
            .row = f.row,
            .col = f.col,
            .k = f.k,
            .magnitude = f.magnitude,
            .struck = (int)f.struck,
            .bit = f.bit,
            .persistent = f.persistent,
        };
    }
    status = e->ctx->rt->mem_alloc(e->ctx->dev, bytes, &mem);
    if (status == STF_OK) {
        e->fault = mem;
        status = e->ctx->rt->copy(e->ctx->dev, mem, list, bytes, STFI_TO_DEVICE,
                                  NULL);
    }
    stfi_dealloc(list);
    return status;
}

static stf_status inject(stfi_gemm_exec *e, const stf_fault *fault, int count)
{
    stf_status status = STF_OK;

    atomic_store(&e->faults, 0);
    e->ctx->rt->mem_free(e->ctx->dev, e->fault);
    e->fault = NULL;
    if (count == 0)
        return STF_OK;
    status = take(e, STFI_GEMM_STRIKE);
    if (status == STF_OK && e->tiling.parts > 1)
        status = take(e, STFI_GEMM_STRIKE_ADD);
    if (status == STF_OK && stfi_gpu_gemm_is_whole(e))
        status = take(e, STFI_GEMM_STRIKE_SETTLE);
    if (status == STF_OK && mends(e))
        status = take(e, STFI_GEMM_STRIKE_MEND);
    if (status == STF_OK)
        status = upload(e, fault, count);
    if (status == STF_OK)
        atomic_store(&e->faults, count);
    return status;
}

static void cover(const stfi_gemm_exec *e, stfi_gemm_cover *cover_p)
{
    *cover_p = (stfi_gemm_cover){
        .tile_m = e->tiling.tile.m,
        .tile_n = e->tiling.tile.n,
        .by_columns = 1,
        .cut = stfi_gpu_gemm_cut_of(e),
    };
}

const stfi_gemm_ops stfi_gpu_gemm_table = {
    .create = create,
    .destroy = destroy,
    .workspace = workspace,
    .can_be_cut = can_be_cut,
    .candidates = stfi_gpu_gemm_candidates,
    .describe = describe,
    .launch = launch,
    .ledger = ledger,
    .inject = inject,
    .cover = cover,
};

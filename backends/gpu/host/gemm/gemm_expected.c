/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Sums that checks expect, made by a product of their own: that of the weighed rows of
 * A, of all tiles, and of B. Products that are checked as a whole have no other ones
 * (kernels/gemm/settle.h); of others, those for which this takes less time than sums
 * that are made beside the product, in the registers and issue slots of its kernel. */
#include "backends/gpu/host/gemm/gemm_exec.h"

#include <stdint.h>

#include "backends/gpu/host/gemm/gemm_parts.h"

/* The rows of the expected sums for each tile. */
static int64_t rows_of_tile(const stfi_gemm_exec *e)
{
    return stfi_gpu_gemm_unit_sums(&e->gemm, &e->tiling) ? STFK_GEMM_UNIT_ROWS
                                                         : STFK_GEMM_VECTORS;
}

static double expected_bytes(const stfi_gemm_exec *e)
{
    return (double)(rows_of_tile(e) * e->tiling.tiles_m) * (double)e->gemm.n
           * (double)e->gemm.batch * (double)e->type->bytes;
}

/* Columns of the result are those of B. Digits are halves, and their sums are not
 * rounded to halves. */
static stfi_gemm expected_product(const stfi_gemm_exec *e)
{
    const int64_t rows = rows_of_tile(e) * e->tiling.tiles_m;
    const int64_t length = stfi_gpu_gemm_weighed_length(e);
    stfi_gemm g = e->gemm;

    g.choice = (stfi_gemm_choice){.m = 0};
    g.ft.mode = STF_FT_OFF;
    g.compute = STF_COMPUTE_NATIVE;
    g.precision_c = e->type->id;
    g.m = rows;
    g.on_device = 0;
    g.leads = e->tiling.apart;
    g.a = (stfi_gemm_matrix){length, 1, g.a.dist == 0 ? 0 : rows * length};
    g.c = (stfi_gemm_matrix){1, rows, rows * g.n};
    return g;
}

/* Parts of k have verdicts of
 * their own, and correcting elements needs sums that are made again. The weighed rows
 * are numbers of the type of B: of halves only as digits. */
int stfi_gpu_gemm_can_be_apart(const stfi_gemm_exec *e)
{
    const stf_ft_desc *ft = &e->gemm.ft;
    const stfi_gemm_unit *unit = stfi_gemm_unit_get(e->tiling.tile.unit);

    return ft->level != STF_FT_THREAD && ft->level != STF_FT_WARP
           && ft->scheme != STF_FT_SCHEME_TWO_SIDED && e->tiling.parts == 1
           && !unit->splits
           && (unit->groups || e->type->id == e->gemm.precision);
}

/* Seconds that the sums take apart: their product, and the norms of columns of B, which
 * are made beforehand then. */
static double seconds_apart(const stfi_gemm_exec *e, const stfi_gemm_tiling *t)
{
    const double elements =
        (double)e->members_b * (double)e->gemm.n * (double)e->gemm.k;
    const double read = stfi_gpu_gemm_own_norms(&e->gemm, &e->tiling)
                            ? elements * (double)e->bytes_ab
                            : 0;

    return t->seconds + read / e->ctx->caps.bandwidth;
}

/* As the product's choice says, or as is faster. If memory was short, they are made
 * beside the product, where they need none. */
static int is_apart(const stfi_gemm_exec *e, size_t most_bytes)
{
    const stfi_gemm g = expected_product(e);
    const stfi_gemm_choice *choice = &e->gemm.choice;
    stfi_gemm_tiling t;

    return most_bytes == SIZE_MAX && !choice->beside
           && stfi_gemm_tiling_choose(&g, &e->ctx->caps,
                                      stfi_gpu_gemm_async(e->ctx->arch),
                                      most_bytes, &t)
           && (choice->apart
               || seconds_apart(e, &t) < stfi_gemm_tiling_sums(&e->tiling));
}

int stfi_gpu_gemm_expects(stfi_gemm_exec *e, size_t most_bytes,
                          stfi_gemm *product_p)
{
    const int whole = e->gemm.ft.level == STF_FT_OFFLINE;

    if (!e->checked)
        return 0;
    e->tiling.apart =
        !whole && stfi_gpu_gemm_can_be_apart(e) && is_apart(e, most_bytes);
    if (!whole && !e->tiling.apart)
        return 0;
    *product_p = expected_product(e);
    return 1;
}

stf_status stfi_gpu_gemm_make_predict(stfi_gemm_exec *e, size_t most_bytes)
{
    stfi_gemm g;

    return stfi_gpu_gemm_expects(e, most_bytes, &g)
               ? stfi_gpu_gemm_table.create(e->ctx, &g, 0, most_bytes,
                                            &e->predict)
               : STF_OK;
}

void stfi_gpu_gemm_lay_out_predict(stfi_gemm_exec *e)
{
    work_map *w = &e->work;

    w->predicted = stfi_gpu_gemm_add_part(&w->total, expected_bytes(e));
    if (stfi_gpu_gemm_is_whole(e))
        w->before = stfi_gpu_gemm_add_part(
            &w->total, (double)e->gemm.m * (double)e->gemm.n
                           * (double)e->gemm.batch * (double)e->type->bytes);
    w->predict =
        stfi_gpu_gemm_add_part(&w->total, (double)e->predict->work.total);
}

/* The sums that C should have are a chain of all steps, as C is; alpha and beta
 * count as 4 steps. */
void stfi_gpu_gemm_set_predict(const stfi_gemm_exec *e, char *work,
                               stfk_gemm *args)
{
    const double k = (double)e->gemm.k;

    args->predicted = work + e->work.predicted;
    if (!stfi_gpu_gemm_is_whole(e))
        return;
    if (args->chain > 0)
        args->chain = 2 * k + 20;
    args->before = work + e->work.before;
}

stf_status stfi_gpu_gemm_predict(const stfi_gemm_exec *e,
                                 const stfi_gemm_arrays *arrays,
                                 stfk_gemm *args, void *stream)
{
    static const float ones[] = {1, 0};
    static const double wide_ones[] = {1, 0};
    const int wide = e->type->bytes == sizeof(double);
    const stfi_gemm_tiling *t = &e->tiling;
    char *work = arrays->work;
    const stfi_gemm_arrays x = {
        .a = work + e->work.weighed,
        .b = arrays->b,
        .c = work + e->work.predicted,
        .alpha = wide ? (const void *)&wide_ones[0] : &ones[0],
        .beta = wide ? (const void *)&wide_ones[1] : &ones[1],
        .work = work + e->work.predict,
    };
    stf_status status = stfi_gpu_gemm_table.launch(e->predict, &x, stream);

    return status == STF_OK && stfi_gpu_gemm_is_whole(e)
               ? stfi_gpu_gemm_launch_blocks(
                   e, STFI_GEMM_KEEP, args,
                   t->tiles_m * t->tiles_n * e->gemm.batch, stream)
               : status;
}

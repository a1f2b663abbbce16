/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Products that are checked as a whole: what is made before them, on the device
 * and in the workspace. kernels/gemm/settle.h has the check. */
#include "backends/gpu/host/gemm/gemm_exec.h"
#include "backends/gpu/host/gemm/gemm_parts.h"

/* The product of the weighed rows of A, of all tiles, and of B. Columns of the
 * result are those of B. */
stf_status stfi_gpu_gemm_make_predict(stfi_gemm_exec *e, size_t most_bytes)
{
    const int64_t rows = STFK_GEMM_VECTORS * e->tiling.tiles_m;
    const int64_t length = stfi_gpu_gemm_weighed_length(e);
    stfi_gemm g = e->gemm;

    if (!e->checked || g.ft.level != STF_FT_OFFLINE)
        return STF_OK;
    g.ft.mode = STF_FT_OFF;
    g.compute = STF_COMPUTE_NATIVE;
    g.m = rows;
    g.on_device = 0;
    g.a = (stfi_gemm_matrix){length, 1, g.a.dist == 0 ? 0 : rows * length};
    g.c = (stfi_gemm_matrix){1, rows, rows * g.n};
    return stfi_gpu_gemm_table.create(e->ctx, &g, 0, most_bytes, &e->predict);
}

void stfi_gpu_gemm_lay_out_predict(stfi_gemm_exec *e)
{
    const double bytes = (double)e->type->bytes;
    const double columns = (double)e->gemm.n * (double)e->gemm.batch;
    const double rows = STFK_GEMM_VECTORS * (double)e->tiling.tiles_m;
    work_map *w = &e->work;

    w->predicted = stfi_gpu_gemm_add_part(&w->total, rows * columns * bytes);
    w->before =
        stfi_gpu_gemm_add_part(&w->total, (double)e->gemm.m * columns * bytes);
    w->predict =
        stfi_gpu_gemm_add_part(&w->total, (double)e->predict->work.total);
}

/* The sums that C should have are a chain of all steps, as C is; alpha and beta
 * count as 4 steps. */
void stfi_gpu_gemm_set_predict(const stfi_gemm_exec *e, char *work,
                               stfk_gemm *args)
{
    const double k = (double)e->gemm.k;

    if (args->chain > 0)
        args->chain = 2 * k + 20;
    args->predicted = work + e->work.predicted;
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

    return status == STF_OK ? stfi_gpu_gemm_launch_blocks(
               e, STFI_GEMM_KEEP, args, t->tiles_m * t->tiles_n * e->gemm.batch,
               stream)
                            : status;
}

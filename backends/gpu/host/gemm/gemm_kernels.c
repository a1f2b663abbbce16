/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Which tiling and which kernels a product has; see gemm_kernels.h. Plans decide it
 * by the same functions (gemm_exec.c). */
#include "backends/gpu/host/gemm/gemm_kernels.h"

#include <inttypes.h>
#include <stdio.h>

#include "backends/gpu/host/gemm/gemm_parts.h"
#include "base/alloc.h"
#include "base/effort.h"
#include "base/status.h"

stf_status stfi_gpu_gemm_begin(stfi_gemm_exec *e, stfi_bctx *ctx,
                               const stfi_gemm *gemm)
{
    const int64_t k = gemm->k > 0 ? gemm->k : 1;

    if (stfi_type_get(gemm->precision)->bytes > 8)
        return stfi_error(STF_ERR_UNSUPPORTED,
                          "precision %s: matrix products on %s devices are "
                          "there in f16, bf16, f32 and f64",
                          stfi_type_get(gemm->precision)->name,
                          ctx->rt != NULL ? ctx->rt->name : ctx->caps.name);
    e->ctx = ctx;
    e->gemm = *gemm;
    e->type = stfi_type_arithmetic(gemm->precision);
    e->bytes_ab = stfi_type_get(gemm->precision)->bytes;
    e->bytes_c = stfi_type_get(gemm->precision_c)->bytes;
    e->checked = gemm->ft.mode != STF_FT_OFF;
    e->chunks = (k + STFK_GEMM_CHUNK - 1) / STFK_GEMM_CHUNK;
    e->members_a = gemm->a.dist == 0 ? 1 : gemm->batch;
    e->members_b = gemm->b.dist == 0 ? 1 : gemm->batch;
    return STF_OK;
}

stf_status stfi_gpu_gemm_tile(stfi_gemm_exec *e, const stfi_caps *caps,
                              size_t most_bytes)
{
    const stfi_gemm_choice *c = &e->gemm.choice;

    if (c->rows > 0 || c->cols > 0 || c->block > 0 || c->depth > 0)
        return stfi_error(STF_ERR_UNSUPPORTED,
                          "%s devices cannot compute the product so",
                          e->ctx->caps.name);
    return stfi_gemm_tiling_choose(&e->gemm, caps,
                                   stfi_gpu_gemm_async(e->ctx->arch),
                                   most_bytes, &e->tiling)
               ? STF_OK
           : c->m > 0 || c->parts > 0
               ? stfi_error(STF_ERR_UNSUPPORTED,
                            "the device cannot compute the product so")
               : stfi_error(STF_ERR_UNSUPPORTED,
                            "the device's blocks have %" PRId64
                            " bytes of memory, too few for any tile",
                            caps->block_bytes);
}

int stfi_gpu_gemm_candidates(const stfi_gemm_exec *e, int each,
                             stfi_gemm_choice list[STFI_GEMM_CANDIDATES])
{
    int count =
        stfi_gemm_candidates(&e->gemm, &e->ctx->caps, &e->tiling, each, list);

    if (e->checked && !stfi_gpu_gemm_is_whole(e)
        && stfi_gpu_gemm_can_be_apart(e)) {
        list[count] = e->gemm.choice;
        list[count].apart = !e->tiling.apart;
        list[count++].beside = e->tiling.apart;
    }
    return count;
}

int stfi_gpu_gemm_needs(const stfi_gemm_exec *e, stfi_gemm_kernel kernel)
{
    const int whole = stfi_gpu_gemm_is_whole(e);

    switch (kernel) {
    case STFI_GEMM_MULTIPLY: return 1;
    case STFI_GEMM_ENCODE: return e->checked;
    case STFI_GEMM_SPLIT:
        return stfi_gemm_unit_get(e->tiling.tile.unit)->splits;
    case STFI_GEMM_ADD: return e->tiling.parts > 1;
    case STFI_GEMM_KEEP:
    case STFI_GEMM_SETTLE: return whole;
    case STFI_GEMM_MEND: return e->checked && !whole;
    default: return 0; /* those for faults on purpose */
    }
}

/* Whom the kernels are shown to. */
typedef struct visitor {
    stfi_gpu_gemm_visit *visit;
    void *arg;
    stfi_gpu_spec *spec; /* room for one */
} visitor;

static stf_status show(const visitor *to, const stfi_gemm_exec *e)
{
    stf_status status = STF_OK;

    for (int i = 0; i < STFI_GEMM_KERNELS && status == STF_OK; i++) {
        const stfi_gemm_kernel kernel = (stfi_gemm_kernel)i;
        if (!stfi_gpu_gemm_needs(e, kernel))
            continue;
        status = stfi_gpu_gemm_spec(kernel, &e->gemm, &e->tiling, &e->ctx->caps,
                                    to->spec);
        if (status == STF_OK)
            status = to->visit(to->arg, to->spec);
    }
    return status;
}

/* Shows the kernels of a product, and those of the product that makes what it
 * expects, if there is one, which is not checked itself. Gets the candidates of the
 * first one. */
static stf_status show_all(const visitor *to, stfi_bctx *ctx,
                           const stfi_gemm *gemm, int each,
                           stfi_gemm_choice list[STFI_GEMM_CANDIDATES],
                           int *count_p)
{
    stfi_gemm g = *gemm;
    int more = 1;
    stf_status status = STF_OK;

    *count_p = 0;
    while (more && status == STF_OK) {
        stfi_gemm_exec e = {.ctx = ctx};

        status = stfi_gpu_gemm_begin(&e, ctx, &g);
        if (status == STF_OK)
            status = stfi_gpu_gemm_tile(&e, &ctx->caps, SIZE_MAX);
        if (status != STF_OK)
            break;
        more = stfi_gpu_gemm_expects(&e, SIZE_MAX, &g);
        if (each > 0)
            *count_p = stfi_gpu_gemm_candidates(&e, each, list);
        each = 0;
        status = show(to, &e);
    }
    return status;
}

/* Shows those of the model's choice, and those of candidates. */
static stf_status show_choices(const visitor *to, stfi_bctx *ctx,
                               const stfi_gemm *gemm, stf_effort effort)
{
    const int each =
        effort == STF_EFFORT_ESTIMATE ? 0 : stfi_effort_each(effort);
    stfi_gemm_choice list[STFI_GEMM_CANDIDATES], none[STFI_GEMM_CANDIDATES];
    stfi_gemm g = *gemm;
    int count, ignored;
    stf_status status = show_all(to, ctx, gemm, each, list, &count);

    for (int i = 0; i < count && status == STF_OK; i++) {
        g.choice = list[i];
        status = show_all(to, ctx, &g, 0, none, &ignored);
    }
    return status;
}

stf_status stfi_gpu_gemm_kernels(const stfi_gemm *gemm, stf_effort effort,
                                 const stfi_caps *caps, const char *arch,
                                 stfi_gpu_gemm_visit *visit, void *arg)
{
    stfi_bctx ctx = {.caps = *caps};
    visitor to = {visit, arg, NULL};
    void *memory;
    stf_status status = stfi_alloc(sizeof *to.spec, "a kernel's text", &memory);

    if (status != STF_OK)
        return status;
    to.spec = memory;
    snprintf(ctx.arch, sizeof ctx.arch, "%s", arch);
    status = show_choices(&to, &ctx, gemm, effort);
    stfi_dealloc(memory);
    return status;
}

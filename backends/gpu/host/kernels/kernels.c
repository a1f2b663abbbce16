/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Kernels loaded on a device. Each is loaded once, however many plans use it,
 * and some stay loaded after their last plan is gone. */
#include <string.h>

#include "backends/gpu/host/device/gpu_ctx.h"
#include "backends/gpu/host/kernels/images.h"
#include "base/alloc.h"
#include "base/status.h"

enum { KEPT_UNUSED = 256 };

/* Loads the kernel of a spec, compiled for `blocks` resident blocks per
 * multiprocessor. */
static stf_status load(stfi_bctx *ctx, const stfi_gpu_spec *spec, int blocks,
                       stfi_gpu_loaded *loaded)
{
    char config[STFI_GPU_VARIANT_BYTES];
    char exact[STFI_GPU_ARCH_BYTES];
    stfi_gpu_key key = {spec->entry, config, spec->exact ? exact : ctx->arch};
    size_t bytes;
    void *image;
    stf_status status;

    stfi_gpu_arch_exact(ctx->arch, exact);
    stfi_gpu_spec_variant(spec, blocks, config);
    status = stfi_gpu_image_get(ctx->rtc, &key, &image, &bytes, NULL);
    if (status != STF_OK)
        return status;
    status = ctx->rt->load(ctx->dev, image, bytes, spec->entry, &spec->launch,
                           &loaded->kernel, &loaded->usage);
    stfi_dealloc(image);
    return status;
}

/* Loads a kernel with as many blocks per multiprocessor as its registers allow
 * (spec.h): while it spills, it is compiled again for fewer blocks. */
static stf_status load_in_registers(stfi_bctx *ctx, const stfi_gpu_spec *spec,
                                    stfi_gpu_loaded *loaded)
{
    stf_status status = load(ctx, spec, spec->hoped, loaded);
    int blocks = spec->hoped;

    while (status == STF_OK
           && stfi_gpu_spec_spills(spec, blocks, &loaded->usage)
           && blocks > 1) {
        blocks = stfi_gpu_spec_fewer(spec, blocks);
        ctx->rt->unload(ctx->dev, loaded->kernel);
        status = load(ctx, spec, blocks, loaded);
    }
    return status;
}

static stfi_gpu_loaded *find(stfi_bctx *ctx, const char *entry)
{
    stfi_gpu_loaded *k = ctx->loaded;

    while (k != NULL && strcmp(k->entry, entry) != 0)
        k = k->next;
    return k;
}

/* Unloads the oldest unused kernel if more than KEPT_UNUSED are loaded. */
static void trim(stfi_bctx *ctx)
{
    stfi_gpu_loaded **last = NULL;

    if (ctx->count <= KEPT_UNUSED)
        return;
    for (stfi_gpu_loaded **at = &ctx->loaded; *at != NULL; at = &(*at)->next)
        if ((*at)->users == 0)
            last = at;
    if (last != NULL) {
        stfi_gpu_loaded *old = *last;
        *last = old->next;
        ctx->rt->unload(ctx->dev, old->kernel);
        stfi_dealloc(old);
        ctx->count--;
    }
}

/* Refuses a kernel whose compiler has put more than the flag into static block memory,
 * where a launch's part has a fixed place behind that (kernels/arch/hip.h): this would
 * lie in it. Compilers do so with what they could not keep in registers. */
static stf_status refuse_misplaced(stfi_bctx *ctx, const stfi_gpu_spec *spec,
                                   stfi_gpu_loaded *loaded)
{
    const int bytes = loaded->usage.shared_bytes;

    if (!spec->has_flag || ctx->caps.static_bytes == 0
        || bytes <= ctx->caps.static_bytes)
        return STF_OK;
    ctx->rt->unload(ctx->dev, loaded->kernel);
    return stfi_error(STF_ERR_INTERNAL,
                      "%s: the compiler takes %d bytes of block memory that "
                      "belong to the kernel; please report this with the "
                      "compiler's version",
                      spec->entry, bytes);
}

static stf_status add(stfi_bctx *ctx, const stfi_gpu_spec *spec,
                      stfi_gpu_loaded **loaded_p)
{
    stfi_gpu_loaded *loaded;
    void *mem;
    stf_status status = stfi_alloc(sizeof *loaded, "a kernel", &mem);

    if (status != STF_OK)
        return status;
    loaded = mem;
    memcpy(loaded->entry, spec->entry, sizeof loaded->entry);
    status = load_in_registers(ctx, spec, loaded);
    if (status == STF_OK)
        status = refuse_misplaced(ctx, spec, loaded);
    if (status != STF_OK) {
        stfi_dealloc(loaded);
        return status;
    }
    loaded->next = ctx->loaded;
    ctx->loaded = loaded;
    ctx->count++;
    *loaded_p = loaded;
    return STF_OK;
}

stf_status stfi_gpu_kernel_take(stfi_bctx *ctx, const stfi_gpu_spec *spec,
                                stfi_gpu_loaded **loaded_p)
{
    stfi_gpu_loaded *loaded;
    stf_status status = STF_OK;

    /* The compiler runs under the lock, so that two plans that need the same
     * kernel at the same time compile it only once. */
    pthread_mutex_lock(&ctx->lock);
    loaded = find(ctx, spec->entry);
    if (loaded == NULL)
        status = add(ctx, spec, &loaded);
    if (status == STF_OK) {
        loaded->users++; /* first, as trim() unloads unused kernels */
        trim(ctx);
        *loaded_p = loaded;
    }
    pthread_mutex_unlock(&ctx->lock);
    return status;
}

void stfi_gpu_kernel_drop(stfi_bctx *ctx, stfi_gpu_loaded *loaded)
{
    if (loaded == NULL)
        return;
    pthread_mutex_lock(&ctx->lock);
    loaded->users--;
    pthread_mutex_unlock(&ctx->lock);
}

void stfi_gpu_kernels_clear(stfi_bctx *ctx)
{
    while (ctx->loaded != NULL) {
        stfi_gpu_loaded *next = ctx->loaded->next;
        ctx->rt->unload(ctx->dev, ctx->loaded->kernel);
        stfi_dealloc(ctx->loaded);
        ctx->loaded = next;
    }
    ctx->count = 0;
}

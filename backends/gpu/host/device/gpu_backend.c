/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Steadfast authors */
/* Devices of the GPU backends: opening, limits, memory and streams. */
#include "backends/gpu/host/device/gpu_backend.h"

#include <stdio.h>
#include <string.h>

#include "backends/gpu/host/device/archs.h"
#include "backends/gpu/host/device/gpu_ctx.h"
#include "backends/gpu/host/kernels/images.h"
#include "base/alloc.h"
#include "base/env.h"
#include "base/status.h"

/* Replaces limits and architecture by those of STEADFAST_PRESET. Kernels are
 * compiled for the preset's virtual architecture, so that they also run on this
 * device, or for the device where architectures have no virtual ones. */
static stf_status apply_preset(stfi_bctx *ctx)
{
    const char *name = stfi_env_get("STEADFAST_PRESET"), *arch;
    char virtual_arch[STFI_GPU_ARCH_BYTES];
    const stfi_caps *preset;

    if (name == NULL || strcmp(name, ctx->caps.name) == 0)
        return STF_OK;
    preset = stfi_preset_find(name);
    arch = stfi_gpu_preset_arch(name);
    if (preset == NULL || arch == NULL
        || !stfi_gpu_arch_related(arch, ctx->arch))
        return stfi_error(
            STF_ERR_ARGUMENT,
            "environment variable "
            "STEADFAST_PRESET is \"%s\"; a GPU takes one of its vendor among%s",
            name, stfi_gpu_presets);
    if (preset->block_bytes > ctx->caps.block_bytes
        || preset->max_threads > ctx->caps.max_threads
        || preset->wave != ctx->caps.wave)
        return stfi_error(STF_ERR_ARGUMENT,
                          "environment variable "
                          "STEADFAST_PRESET is \"%s\", whose blocks are "
                          "larger than this device's",
                          name);
    ctx->caps = *preset;
    if (stfi_gpu_arch_virtual(arch, virtual_arch))
        memcpy(ctx->arch, virtual_arch, sizeof ctx->arch);
    return STF_OK;
}

stf_status stfi_gpu_open(const stfi_gpu_rt *rt, const stfi_gpu_rtc *rtc,
                         int device, stfi_bctx **bctx_p)
{
    stf_device_info info;
    stfi_bctx *ctx;
    void *mem;
    stf_status status = stfi_alloc(sizeof *ctx, "a device", &mem);

    if (status != STF_OK)
        return status;
    ctx = mem;
    ctx->rt = rt;
    ctx->rtc = rtc;
    ctx->index = device;
    status = rt->open(device, &ctx->dev);
    if (status != STF_OK) {
        stfi_dealloc(ctx);
        return status;
    }
    pthread_mutex_init(&ctx->lock, NULL);
    memset(&info, 0, sizeof info);
    status = rt->describe(ctx->dev, &ctx->caps, &info);
    if (status == STF_OK) {
        snprintf(ctx->arch, sizeof ctx->arch, "%s", rt->arch(ctx->dev));
        status = apply_preset(ctx);
        ctx->caps.memory_bytes = info.memory_bytes;
    }
    if (status != STF_OK) {
        stfi_gpu_close(ctx);
        return status;
    }
    *bctx_p = ctx;
    return STF_OK;
}

void stfi_gpu_close(stfi_bctx *ctx)
{
    if (ctx == NULL)
        return;
    stfi_gpu_kernels_clear(ctx);
    pthread_mutex_destroy(&ctx->lock);
    ctx->rt->close(ctx->dev);
    stfi_dealloc(ctx);
}

stf_status stfi_gpu_caps(const stfi_bctx *ctx, stfi_caps *caps_p)
{
    *caps_p = ctx->caps;
    return STF_OK;
}

stf_status stfi_gpu_info(const stfi_bctx *ctx, stf_device_info *info_p)
{
    stf_device_info info;
    stfi_caps caps;
    char compiler[STFI_GPU_COMPILER_BYTES];
    stf_status status;

    memset(&info, 0, sizeof info);
    status = ctx->rt->describe(ctx->dev, &caps, &info);
    if (status != STF_OK)
        return status;
    info.available = 1;
    if (stfi_gpu_compiler(ctx->rtc, compiler) == STF_OK)
        snprintf(info.compiler, sizeof info.compiler, "%s", compiler);
    *info_p = info;
    return STF_OK;
}

const char *stfi_gpu_last_error(const stfi_bctx *ctx)
{
    (void)ctx;
    return stf_error_message();
}

/* ----------------------------------------------------------------- memory */

stf_status stfi_gpu_mem_alloc(stfi_bctx *ctx, size_t bytes, void **ptr_p)
{
    return ctx->rt->mem_alloc(ctx->dev, bytes, ptr_p);
}

void stfi_gpu_mem_free(stfi_bctx *ctx, void *ptr)
{
    ctx->rt->mem_free(ctx->dev, ptr);
}

stf_status stfi_gpu_mem_copy(stfi_bctx *ctx, void *dst, const void *src,
                             size_t bytes, stfi_copy_dir dir, void *stream)
{
    return ctx->rt->copy(ctx->dev, dst, src, bytes, dir, stream);
}

static stf_status host_alloc(stfi_bctx *ctx, size_t bytes, void **ptr_p)
{
    return ctx->rt->host_alloc(ctx->dev, bytes, ptr_p);
}

static void host_free(stfi_bctx *ctx, void *ptr)
{
    ctx->rt->host_free(ctx->dev, ptr);
}

const stfi_device_ops stfi_gpu_device_table = {
    .mem_alloc = stfi_gpu_mem_alloc,
    .mem_free = stfi_gpu_mem_free,
    .mem_copy = stfi_gpu_mem_copy,
    .host_alloc = host_alloc,
    .host_free = host_free,
};

/* ----------------------------------------------------------------- queues */

stf_status stfi_gpu_sync(stfi_bctx *ctx, void *stream)
{
    return ctx->rt->sync(ctx->dev, stream);
}

static stf_status stream_create(stfi_bctx *ctx, void **stream_p)
{
    return ctx->rt->stream_create(ctx->dev, stream_p);
}

static void stream_destroy(stfi_bctx *ctx, void *stream)
{
    ctx->rt->stream_destroy(ctx->dev, stream);
}

static stf_status copy_async(stfi_bctx *ctx, void *dst, const void *src,
                             size_t bytes, stfi_copy_dir dir, void *stream)
{
    return ctx->rt->copy_async(ctx->dev, dst, src, bytes, dir, stream);
}

stf_status stfi_gpu_time_work(stfi_bctx *ctx, stfi_work *work, void *arg,
                              int count, int replay, double *seconds_p)
{
    return ctx->rt->time_work(ctx->dev, work, arg, count, replay, seconds_p);
}

const stfi_queue_ops stfi_gpu_queue_table = {
    .sync = stfi_gpu_sync,
    .stream_create = stream_create,
    .stream_destroy = stream_destroy,
    .copy_async = copy_async,
    .time_work = stfi_gpu_time_work,
};
